//! Mistakes in what api.yaml says of libraries, codes, editions and layouts: each is found when the catalog is read.

use std::path::Path;

use engine::catalog::{CatalogPlace, load};
use engine::run::{Campaign, ExitStatus, load_rules};
use tempfile::TempDir;

use crate::bindings::BINDINGS;
use crate::device::{DEFECTS, built, depot, folder};

pub const TRIALS: &[(&str, fn())] = &[
    ("mistakes-are-found-with-their-places", mistakes_are_found),
    ("a-mandatory-library-that-is-missing-is-named", a_missing_library),
    ("a-simulated-device-without-a-mandatory-library-is-refused", a_device_without_a_library),
];

/// A copy of the depot's catalog in which texts of files are replaced.
pub fn changed(changes: &[(&str, &str, &str)]) -> TempDir {
    let specs = tempfile::tempdir().expect("a folder can be made");
    let (from, to) = (folder().join("specs/depot"), specs.path().join("depot"));
    let entries = |below: &str| std::fs::read_dir(from.join(below)).expect("the catalog is there").collect::<Vec<_>>();
    for entry in ["", "clauses", "rules"].iter().flat_map(|below| entries(below)) {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            continue;
        }
        let name = path.strip_prefix(&from).ok().and_then(Path::to_str).expect("the catalog's names are text");
        let mut text = std::fs::read_to_string(&path).expect("the catalog is text");
        for (_, before, after) in changes.iter().filter(|(file, ..)| *file == name) {
            assert!(text.contains(before), "{name} does not hold {before}");
            text = text.replacen(before, after, 1);
        }
        std::fs::create_dir_all(to.join(name).parent().unwrap_or(&to)).expect("a folder can be made");
        std::fs::write(to.join(name), text).expect("the copy can be written");
    }
    specs
}

/// What is said of a catalog.
fn said(root: &Path) -> String {
    let place = CatalogPlace { specs: root.to_owned().into(), bindings: &BINDINGS, defects: Some(DEFECTS) };
    load(&place, None).err().map(|error| error.to_string()).unwrap_or_default()
}

/// The file and text that is replaced, by what, what is said, and the text at its place.
type Mistake = (&'static str, &'static str, &'static str, &'static str, &'static str);

const LABEL: &str = "{struct: depot_label, editions: \">=2.0\"}";

const MISTAKES: &[Mistake] = &[
    (
        "api.yaml",
        "[\"audit_*\"]",
        "[\"audti_*\"]",
        "`audti_*` matches no function of the header; did you mean `audit_*`?",
        "\"audti_*\"",
    ),
    (
        "api.yaml",
        "[\"audit_*\"]",
        "[\"audit_*\", depot_pain]",
        "`depot_pain` matches no function of the header; did you mean `depot_paint`",
        "depot_pain]",
    ),
    (
        "api.yaml",
        "[\"audit_*\"]}",
        "[\"audit_*\"]}\n  - {id: other, names: [libother.so], functions: [audit_read]}",
        "`audit_read` lives in `audit` and in `other`; name it in one of them",
        "audit_read]",
    ),
    (
        "api.yaml",
        "{id: audit,",
        "{id: depot,",
        "there are two libraries `depot`; give each its own id",
        "depot, names: [libaudit",
    ),
    (
        "api.yaml",
        "{id: depot, names: [libdepot.so],",
        "{id: depot, names: [libdepot.so], optional: true,",
        "the first library is never optional",
        "depot, names",
    ),
    (
        "api.yaml",
        "[\"audit_*\"]",
        "[\"audit_*\", depot_name]",
        "calls depot_name, which lives in `audit`; what it calls is always there",
        "audit, names",
    ),
    (
        "api.yaml",
        "libraries:\n",
        "library: {names: [libdepot.so]}\nlibraries:\n",
        "a `library`, or a list of `libraries`; both are here",
        "depot\n",
    ),
    (
        "api.yaml",
        "results:\n",
        "result: {type: depot_status, success: DEPOT_DONE}\nresults:\n",
        "a `result`, or a list of `results`; both are here",
        "depot\n",
    ),
    (
        "api.yaml",
        "type: audit_answer",
        "type: audit_anser",
        "`audit_anser` is not a type in the header; did you mean `audit_answer`?",
        "audit_anser",
    ),
    (
        "api.yaml",
        "type: audit_answer",
        "type: depot_label",
        "a type of codes is an integer or an enumeration",
        "depot_label, success",
    ),
    (
        "api.yaml",
        "type: audit_answer",
        "type: depot_status",
        "`depot_status` and `depot_status` are both a depot_status",
        "depot_status, success: AUDIT",
    ),
    (
        "api.yaml",
        "success: AUDIT_FINE",
        "success: AUDIT_FIN",
        "`AUDIT_FIN` is no constant of the header; did you mean `AUDIT_FINE`?",
        "AUDIT_FIN,",
    ),
    ("api.yaml", "[DEPOT_FLOODED]", "[DEPOT_FLOODDE]", "did you mean `DEPOT_FLOODED`?", "DEPOT_FLOODDE"),
    (
        "api.yaml",
        "\"AUDIT_NO_*\"",
        "\"AUDIT_ON_*\"",
        "`AUDIT_ON_*` matches no code of `audit_answer`; did you mean `AUDIT_NO_*`?",
        "\"AUDIT_ON_*\"",
    ),
    (
        "api.yaml",
        "[1000, 10]",
        "[10, 1000]",
        "each part counts less than the one before it, and 0 counts nothing: 1000",
        "1000]",
    ),
    ("api.yaml", "[1000, 10]", "[1000, 0]", "0 counts nothing: 0", "0]"),
    (
        "api.yaml",
        LABEL,
        "{struct: depot_lable, editions: \">=2.0\"}",
        "`depot_lable` is not a struct of the header; did you mean `depot_label`?",
        "depot_lable",
    ),
    (
        "api.yaml",
        LABEL,
        "{struct: depot_label, editions: \"2.0\"}",
        "`2.0` is not a condition on an edition; write for example \">=8.2\"",
        "\"2.0\"",
    ),
    (
        "api.yaml",
        LABEL,
        "{struct: depot_label, editions: \">=2.0\"}\n  - {struct: depot_label, editions: \">=3.0\"}",
        "the layout of `depot_label` is listed twice",
        "depot_label, editions: \">=3.0\"",
    ),
    (
        "api.yaml",
        "depot_version(&reported);",
        "depot_version(&reported); depot_label l;",
        "a query uses `depot_label`, but it runs before the edition is known",
        "depot_label, editions",
    ),
    (
        "rules/lot.yaml",
        "{edition: \">=2.1\"}",
        "{edition: newest}",
        "`newest` is not a condition on an edition",
        "newest",
    ),
    (
        "products.yaml",
        "facts: {largest: 1MiB",
        "run_modes: [host]\n    facts: {largest: 1MiB",
        "`host` is no run mode: api.yaml lists none",
        "harbour\n    name",
    ),
];

fn mistakes_are_found() {
    assert_eq!(said(changed(&[]).path()), "");
    for (file, before, after, expected, there) in MISTAKES {
        let specs = changed(&[(file, before, after)]);
        let said = said(specs.path());
        assert!(said.contains(expected), "{after}: {expected:?} is missing in\n{said}");
        let text = std::fs::read_to_string(specs.path().join("depot").join(file)).expect("it was written");
        let at = text.find(there).unwrap_or_else(|| panic!("{file} does not hold {there}"));
        let line = text[..at].matches('\n').count() + 1;
        let column = text[..at].chars().rev().take_while(|c| *c != '\n').count() + 1;
        let place = format!("{file}:{line}:{column}\n");
        assert!(said.contains(&place), "{after}: not at {place}{said}");
    }
}

fn a_missing_library() {
    let specs = changed(&[("api.yaml", "optional: true, ", "")]);
    let alone = specs.path().join("lib");
    std::fs::create_dir_all(&alone).expect("a folder can be made");
    std::fs::copy(built("faithful", &[]).join("libdepot.so"), alone.join("libdepot.so")).expect("it can be copied");
    let options = crate::runs::options(specs.path(), &["--library", &alone.join("libdepot.so").display().to_string()]);
    let rules = load_rules(&options.catalog, depot()).unwrap_or_else(|error| panic!("{error}"));
    let error = Campaign::open(&options, depot(), rules.into()).unwrap_err();
    assert_eq!(error.exit(), ExitStatus::Unknown);
    let message = error.to_string();
    let expected = format!(
        "error: the runtime needs its library audit, and none of libaudit.so, libaudit.so.2 was found (looked in {}",
        alone.display()
    );
    assert!(message.starts_with(&expected) && message.contains("install it there"), "{message}");
}

fn a_device_without_a_library() {
    let specs = changed(&[("api.yaml", "optional: true, ", "")]);
    let runtime: &'static _ = Box::leak(Box::new(crate::device::with_libraries(&["depot"])));
    let options = crate::runs::options(specs.path(), &["--backend", "simulator"]);
    let rules = load_rules(&options.catalog, runtime).unwrap_or_else(|error| panic!("{error}"));
    let message = Campaign::open(&options, runtime, rules.into()).unwrap_err().to_string();
    assert!(message.contains("the simulated device of depot has no library audit"), "{message}");
}
