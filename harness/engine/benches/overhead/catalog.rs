//! The catalogs of the benchmarks.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Changes of turn in a case of the rule of two processes.
pub const TURNS: u64 = 100;

fn toy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy/specs")
}

/// Writes the common part of every catalog into a folder.
fn base(specs: &Path) {
    // Files left by an earlier version would be read as well.
    let _ = std::fs::remove_dir_all(specs);
    for folder in ["toy/clauses", "toy/rules"] {
        std::fs::create_dir_all(specs.join(folder)).expect("the folder can be made");
    }
    for file in ["toy/documents.yaml", "toy/products.yaml", "toy/api.yaml", "toy/clauses/header.yaml"] {
        std::fs::copy(toy().join(file), specs.join(file)).expect("the file can be copied");
    }
}

fn rule(text: &mut String, id: &str, more: &str, steps: &[&str]) {
    let clauses = "clauses: {header: header.none}";
    let _ = write!(
        text,
        "  - id: {id}\n    title: A rule\n    statement: Calls succeed.\n    {clauses}\n    level: must\n"
    );
    let _ = writeln!(text, "{more}    steps: |");
    steps.iter().for_each(|step| {
        let _ = writeln!(text, "      {step}");
    });
}

/// The catalog of the benchmark's rules.
pub fn write(specs: &Path) {
    base(specs);
    let save = |name: &str, text: String| {
        std::fs::write(specs.join(format!("toy/rules/{name}.yaml")), text).expect("the chapter can be written");
    };
    let four = [
        "toy_alloc(&p, 64);",
        "r = toy_copy(p, \"abc\", 3, TOY_IN);",
        "n = toy_blocks();",
        "r == TOY_OK;",
        "n == 1;",
        "p != NULL;",
        "(uintptr_t)p % 64 == 0;",
    ];
    let axes = [
        "toy_alloc(&p, size);",
        "r = toy_copy(p, \"abc\", offset, way);",
        "n = toy_blocks();",
        "r == TOY_OK;",
        "n <= size;",
        "p != NULL;",
        "(uintptr_t)p % product.alignment == 0;",
    ];
    let domains = "    forall: {size: {bytes: 1..64MiB}, offset: {offset: size}, way: {one_of: [TOY_IN, TOY_OUT]}}\n";
    let mut text = "title: Cases\nrules:\n".to_owned();
    rule(&mut text, "toy.case.plain", "", &four);
    rule(&mut text, "toy.case.axes", domains, &axes);
    save("case", text);
    let mut text = "title: Trivial rules\nrules:\n".to_owned();
    (0..2000).for_each(|number| rule(&mut text, &format!("toy.trivial.rule-{number}"), "", &["toy_wait();"]));
    save("trivial", text);
    let mut text = "title: Two processes\nrules:\n".to_owned();
    let actors = "    actors: |\n      A: process(device 0);\n      B: process(device 0);\n";
    let body = format!("for (i < {}) {{ A: n = toy_blocks(); B: A.n == 1; }}", TURNS / 2);
    (0..50).for_each(|number| rule(&mut text, &format!("toy.turns.alternating-{number}"), actors, &[&body]));
    save("turns", text);
}
