//! The depot's rules as C programs: they link with the libraries that they need, and know each success code.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use catalog::{Rules, product, rule};
use engine::print_c::{Sheet, print_c};
use engine::run::load_rules;

use crate::depot::device::{built, depot, folder};
use crate::depot::runs::options;
use crate::gcc;

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

/// Compiles a program as its comment says, with every warning enabled.
fn compiled(text: &str, id: &str, into: &Path) -> PathBuf {
    let source = into.join(format!("{id}.c"));
    std::fs::write(&source, text).expect("it can be written");
    let program = source.with_extension("");
    let line = text.lines().find_map(|line| line.strip_prefix(" * Compile: ")).expect("a program has this line");
    let linked = line.split_whitespace().filter(|word| word.starts_with("-l"));
    let (source, header) = (source.display().to_string(), folder().join("specs/depot").display().to_string());
    let libraries = built("faithful", &[]).display().to_string();
    let (search, found) = (format!("-L{libraries}"), format!("-Wl,-rpath,{libraries}"));
    let words = ["-Werror", &source, "-I", &header, &search, &found];
    gcc::build(&program, words.into_iter().chain(linked));
    program
}

fn run(program: &Path, defects: &str) -> Output {
    run_in("harbour", program, defects)
}

fn run_in(product: &str, program: &Path, defects: &str) -> Output {
    let mut command = Command::new(program);
    command.env(simulator_contract::environment::PRODUCT, product);
    command.env(simulator_contract::environment::DEFECTS, defects);
    command.output().unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

#[test]
fn programs_hold_on_the_faithful_libraries() {
    let (rules, folder) = (rules(), tempfile::tempdir().expect("a folder can be made"));
    for rule in &rules.rules {
        let product = if rule.when.has_not.is_empty() { "harbour" } else { "hillside" };
        let output = run_in(product, &compiled(&printed(&rules, &rule.id), &rule.id, folder.path()), "");
        assert!(output.status.success(), "{}: {}", rule.id, String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn programs_know_the_success_of_each_type() {
    let (rules, folder) = (rules(), tempfile::tempdir().expect("a folder can be made"));
    for (id, defect, said) in [
        ("depot.audit.begin", "bad.refuses", "returned 3, expected success"),
        ("depot.audit.begin", "audit.agrees", "returned success, it must fail"),
        ("depot.audit.no-lot", "audit.no-lot-code", "returned 0, which is not a documented code"),
        ("depot.lot.other-bytes", "release.any-bytes", "returned success, it must fail"),
    ] {
        let output = run(&compiled(&printed(&rules, id), &format!("{id}-{defect}"), folder.path()), defect);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && errors.contains(said), "{id} with {defect}: {errors}");
    }
}

#[test]
fn a_program_says_which_capabilities_it_needs() {
    let rules = rules();
    let keeps = printed(&rules, "depot.cold.keeps");
    assert!(keeps.contains(" * Applies if the device has cold (cold storage).\n"), "{keeps}");
    let refused = printed(&rules, "depot.cold.refused");
    let words = "Applies if the device has lifts, and the device lacks cold (cold storage), and the device lacks";
    assert!(refused.contains(words), "{refused}");
    assert!(!printed(&rules, "depot.lot.reserve").contains("Applies if"));
}

#[test]
fn only_programs_that_need_a_library_are_linked_with_it() {
    let rules = rules();
    assert!(printed(&rules, "depot.lot.reserve").contains("<this file> -ldepot\n"));
    let ledger = printed(&rules, "depot.audit.note");
    assert!(ledger.contains("<this file> -ldepot -laudit\n"), "{ledger}");
    assert!(ledger.contains("MUST_SUCCEED_WITH(AUDIT_FINE, audit_note(ticket, first));"), "{ledger}");
    assert!(ledger.contains("MUST_FAIL_WITH(AUDIT_FINE, audit_note(ticket, 0), AUDIT_NO_PAGE);"), "{ledger}");
    assert!(!printed(&rules, "depot.lot.reserve").contains("_WITH("));
}
