//! The depot's rules as C programs: they link with the libraries that they need, and know each success.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use catalog::{Rules, product, rule};
use engine::print_c::{Sheet, print_c};
use engine::run::load_rules;

use crate::device::{built, depot, folder};
use crate::runs::options;

pub const TRIALS: &[(&str, fn())] = &[
    ("programs-hold-on-the-faithful-libraries", programs_hold),
    ("programs-know-the-success-of-each-type", programs_fail),
    ("only-programs-that-need-a-library-are-linked-with-it", programs_are_linked),
];

fn rules() -> Rules {
    let options = options(&folder().join("specs"), &[]);
    load_rules(&options.catalog, depot()).unwrap_or_else(|error| panic!("{error}"))
}

fn printed(rules: &Rules, id: &str) -> String {
    let product = product(rules, "harbour").unwrap_or_else(|error| panic!("{error}"));
    let rule = rule(rules, id).unwrap_or_else(|error| panic!("{error}"));
    // A machine that is busy with other tests must not end a program.
    let sheet = Sheet { deadline: 900, ..Sheet::new(product, 1) };
    print_c(rules, rule, &sheet).unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// Compiles a program as its own comment says, and with every warning.
fn compiled(text: &str, id: &str, libraries: &Path) -> PathBuf {
    let source = libraries.join(format!("{id}.c"));
    std::fs::write(&source, text).expect("it can be written");
    let program = source.with_extension("");
    let line = text.lines().find_map(|line| line.strip_prefix(" * Compile: ")).expect("a program says how");
    let linked = line.split_whitespace().filter(|word| word.starts_with("-l"));
    let mut compiler = Command::new("gcc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(&source);
    compiler.arg("-I").arg(folder().join("specs/depot")).arg(format!("-L{}", libraries.display())).args(linked);
    compiler.arg(format!("-Wl,-rpath,{}", libraries.display()));
    let output = compiler.output().unwrap_or_else(|error| panic!("gcc cannot be started: {error}"));
    assert!(output.status.success(), "{id}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
    program
}

fn run(program: &Path, defects: &str) -> Output {
    let mut command = Command::new(program);
    command.env(simulator_contract::environment::DEFECTS, defects);
    command.output().unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

fn programs_hold() {
    let (rules, libraries) = (rules(), built("programs", &[]));
    for rule in &rules.rules {
        let output = run(&compiled(&printed(&rules, &rule.id), &rule.id, &libraries), "");
        assert!(output.status.success(), "{}: {}", rule.id, String::from_utf8_lossy(&output.stderr));
    }
}

fn programs_fail() {
    let (rules, libraries) = (rules(), built("failing-programs", &[]));
    for (id, defect, said) in [
        ("depot.audit.begin", "bad.refuses", "returned 3, expected success"),
        ("depot.audit.begin", "audit.agrees", "returned success, it must fail"),
        ("depot.audit.no-lot", "audit.no-lot-code", "returned 0, which is no documented code"),
        ("depot.lot.other-bytes", "release.any-bytes", "returned success, it must fail"),
    ] {
        let output = run(&compiled(&printed(&rules, id), &format!("{id}-{defect}"), &libraries), defect);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && errors.contains(said), "{id} with {defect}: {errors}");
    }
}

fn programs_are_linked() {
    let rules = rules();
    assert!(printed(&rules, "depot.lot.reserve").contains("<this file> -ldepot\n"));
    let ledger = printed(&rules, "depot.audit.note");
    assert!(ledger.contains("<this file> -ldepot -laudit\n"), "{ledger}");
    assert!(ledger.contains("MUST_SUCCEED_WITH(AUDIT_FINE, audit_note(ticket, first));"), "{ledger}");
    assert!(ledger.contains("MUST_FAIL_WITH(AUDIT_FINE, audit_note(ticket, 0), AUDIT_NO_PAGE);"), "{ledger}");
    assert!(!printed(&rules, "depot.lot.reserve").contains("_WITH("));
}
