//! The catalogs of the benchmarks.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use abi::Bindings;
use catalog::{CatalogPlace, Rules};

/// Changes of turn in a case of the rule of two processes.
pub const TURNS: u64 = 100;

fn toy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy/specs")
}

/// Puts what every catalog needs into a folder.
fn base(specs: &Path) {
    // What an earlier version left behind would be read as well.
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

/// The catalog of the rules that are run.
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

/// The tables of the first runtime whose catalog is checked in.
fn real() -> &'static Bindings {
    abi::generated::ALL[0]
}

/// All YAML files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let all = paths.into_iter().flat_map(below);
    all.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect()
}

/// A catalog of this many rules in twelve chapters: the rules of the checked-in catalog again and again.
pub fn write_large(specs: &Path, rules: usize) {
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs").join(real().runtime);
    let runtime = specs.join(real().runtime);
    // What an earlier version left behind would be read as well.
    let _ = std::fs::remove_dir_all(specs);
    std::fs::create_dir_all(&runtime).expect("the folder can be made");
    let mut blocks = Vec::new();
    // Subjects, classes and readings name rules by their own ids, and so do lines of clauses.
    let names_rules = |path: &PathBuf| {
        ["subjects.yaml", "junit.yaml"].iter().any(|name| path.ends_with(name))
            || path.starts_with(original.join("readings"))
    };
    for path in files(&original).into_iter().filter(|path| !names_rules(path)) {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        match text.split_once("rules:\n") {
            Some((_, list)) => blocks.extend(list.split("  - id: ").skip(1).map(str::to_owned)),
            None => {
                let copy = runtime.join(path.strip_prefix(&original).expect("it stands below"));
                std::fs::create_dir_all(copy.parent().unwrap_or(&runtime)).expect("the folder can be made");
                std::fs::write(copy, without_rules(text)).expect("it can be written");
            }
        }
    }
    let mut chapters = vec![String::new(); 12];
    for number in 0..rules {
        let (_, rest) = blocks[number % blocks.len()].split_once('\n').expect("a rule has lines");
        // Every function has one owner.
        let lines = without_owns(rest);
        let id = format!("{}.large.rule-{number}", real().runtime);
        let _ = write!(chapters[number * 12 / rules], "  - id: {id}\n{}\n\n", lines.join("\n"));
    }
    let large = runtime.join("rules/large");
    std::fs::create_dir_all(&large).expect("the folder can be made");
    for (number, text) in chapters.iter().enumerate() {
        let text = format!("title: Many rules\nrules:\n{text}");
        std::fs::write(large.join(format!("{number}.yaml")), text).expect("the chapter can be written");
    }
}

/// A file of clauses without the rules that notice where they are broken.
fn without_rules(mut text: String) -> String {
    while let Some(start) = text.find("        noticed_by: [") {
        let end = text[start..].find("]\n").map_or(text.len(), |end| start + end + 2);
        text.replace_range(start..end, "");
    }
    text
}

/// The lines of a rule but `owns`, which may go on in further lines.
fn without_owns(rule: &str) -> Vec<&str> {
    let mut inside = false;
    let kept = |line: &&str| {
        if line.starts_with("    ") && !line.starts_with("     ") {
            inside = line.trim_start().starts_with("owns:");
        }
        !inside
    };
    rule.lines().filter(kept).collect()
}

/// Reads and checks the large catalog.
pub fn load(specs: &Path) -> Rules {
    let place = CatalogPlace { specs: specs.to_owned().into(), bindings: real(), defects: None };
    catalog::load(&place, None).unwrap_or_else(|error| panic!("{error}"))
}
