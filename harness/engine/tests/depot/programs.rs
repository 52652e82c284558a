//! The depot's rules as C programs: they link with the libraries that they need, and know each success code.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use catalog::{Rules, product, rule};
use engine::print_c::{Sheet, print_c};
use engine::run::load_rules;

use crate::depot::catalog::changed;
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
    let sheet = Sheet { deadline: gcc::BUSY, ..Sheet::new(product, 1) };
    print_c(rules, rule, &sheet).unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// Compiles a program as its comment says, with every warning enabled.
fn compiled(text: &str, id: &str, into: &Path) -> PathBuf {
    compiled_with(text, id, into, &[])
}

fn compiled_with(text: &str, id: &str, into: &Path, more: &[&str]) -> PathBuf {
    let source = into.join(format!("{id}.c"));
    std::fs::write(&source, text).expect("it can be written");
    let program = source.with_extension("");
    let line = text.lines().find_map(|line| line.strip_prefix(" * Compile: ")).expect("a program has this line");
    let linked = line.split_whitespace().filter(|word| word.starts_with("-l"));
    let (source, header) = (source.display().to_string(), folder().join("specs/depot").display().to_string());
    let libraries = built("faithful", &[]).display().to_string();
    let (search, found) = (format!("-L{libraries}"), format!("-Wl,-rpath,{libraries}"));
    let words = ["-Werror", &source, "-I", &header, &search, &found];
    gcc::build(&program, words.into_iter().chain(more.iter().copied()).chain(linked));
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

/// Checks that a program fails in the same way as its rule.
fn expect_failures(expected: &[(&str, &str, &str)]) {
    let (rules, folder) = (rules(), tempfile::tempdir().expect("a folder can be made"));
    for (id, defect, said) in expected {
        let output = run(&compiled(&printed(&rules, id), &format!("{id}-{defect}"), folder.path()), defect);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && errors.contains(said), "{id} with {defect}: {errors}");
    }
}

#[test]
fn programs_know_the_success_of_each_type() {
    expect_failures(&[
        ("depot.audit.begin", "bad.refuses", "returned 3, expected success"),
        ("depot.audit.begin", "audit.agrees", "returned success, it must fail"),
        ("depot.audit.no-lot", "audit.no-lot-code", "returned 0, which is not a documented code"),
        ("depot.lot.other-bytes", "release.any-bytes", "returned success, it must fail"),
    ]);
}

#[test]
fn descriptors_pass_between_the_processes_of_a_program() {
    expect_failures(&[
        ("depot.share.same-pages", "import.copies", "does not hold"),
        ("depot.share.lives", "export.no-reference", "returned 2, expected success"),
        ("depot.share.exporter-dies", "export.dies-with-exporter", "returned 2, expected success"),
        ("depot.share.same-pages", "export.closed", ", which is not an open descriptor"),
    ]);
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
    // The linker makes no name of such a file.
    let specs = changed(&[("api.yaml", "names: [libaudit.so, libaudit.so.2]", "names: [libaudit.so.2, libaudit.so]")]);
    let options = options(specs.path(), &[]);
    let rules = load_rules(&options.catalog, depot()).unwrap_or_else(|error| panic!("{error}"));
    assert!(printed(&rules, "depot.audit.note").contains("<this file> -ldepot -l:libaudit.so.2\n"));
}

#[test]
fn programs_use_the_names_that_the_header_gives() {
    let rules = rules();
    let contains = |id: &str, parts: &[&str]| {
        let text = printed(&rules, id);
        parts.iter().for_each(|part| assert!(text.contains(part), "{part}\n{text}"));
    };
    contains(
        "depot.yard.take",
        &[
            "depot_place first; POISON(first);",
            "disjoint((void *)(uintptr_t)first, bytes, (void *)(uintptr_t)second, more)",
            "alignment((void *)(uintptr_t)first)",
        ],
    );
    contains("depot.yard.give", &["long long before = depot_yard_left();", "long long less = depot_yard_left();"]);
    contains("depot.yard.carry", &["depot_place places[2];", "static const depot_lane out = DEPOT_MAIN_LANE;"]);
    contains("depot.yard.extent", &["struct depot_extent extent; POISON(extent);", "struct depot_extent again = {0};"]);
    contains("depot.yard.seal", &["depot_seal seal; POISON(seal);", "depot_place_v2 found; POISON(found);"]);
}

/// The vendor has a header for each library. Its header for the depot includes nothing that the catalog's has.
#[test]
fn a_program_compiles_with_the_headers_of_the_vendor() {
    let (rules, into) = (rules(), tempfile::tempdir().expect("a folder can be made"));
    let vendor = into.path().join("vendor");
    std::fs::create_dir(&vendor).expect("a folder can be made");
    let own = std::fs::read_to_string(folder().join("specs/depot/abi.h")).expect("the catalog has a header");
    let (depot, ledger) = own.split_once("/* The library of the ledger.").expect("the header has two parts");
    std::fs::write(vendor.join("depot.h"), format!("{depot}#endif\n")).expect("it can be written");
    std::fs::write(vendor.join("audit.h"), format!("/* {}", ledger.replacen("#endif", "", 1)))
        .expect("it can be written");
    let search = into.path().display().to_string();
    for (id, included) in [
        ("depot.yard.seal", "#ifdef VENDOR_HEADERS\n#include <vendor/depot.h>\n#else\n#include \"abi.h\"\n#endif\n"),
        ("depot.audit.note", "#include <vendor/depot.h>\n#include <vendor/audit.h>\n#else\n"),
    ] {
        let text = printed(&rules, id);
        assert!(text.contains(included), "{text}");
        // The catalog's folder is searched, too, but its header is not included: the guard would hide the vendor's.
        let program = compiled_with(&text, id, into.path(), &["-DVENDOR_HEADERS", "-I", &search]);
        let output = run(&program, "");
        assert!(output.status.success(), "{id}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
