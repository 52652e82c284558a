//! Editions by library: each rule follows the editions of the libraries whose functions and structs it uses.

use engine::run::ExitStatus;
use rstest::rstest;

use crate::depot::runs::{Run, open};

/// The rules that an edition skips, with their reasons.
type Skipped<'a> = &'a [(&'a str, &'a str)];

const OLD_LEDGER: Skipped<'_> = &[
    ("depot.audit.note", "uses audit_page, whose layout is known for edition >=2.0 of audit; this is 1.9"),
    ("depot.audit.end", "uses audit_page, whose layout is known for edition >=2.0 of audit; this is 1.9"),
    ("depot.audit.seal", "needs audit_seal, part of audit since 2.0; this is 1.9, which does not export it"),
    ("depot.audit.next-ticket", "applies to edition >=2.0 of audit; this is 1.9"),
];

const OLD_DEPOT: Skipped<'_> = &[
    ("depot.label.describe", "uses depot_label, whose layout is known for edition >=2.0; this is 1.9"),
    ("depot.label.nowhere", "uses depot_label, whose layout is known for edition >=2.0; this is 1.9"),
    ("depot.lot.growing", "applies to edition >=2.1; this is 1.9"),
];

#[rstest]
#[case::an_old_ledger("audit=1.9", "edition 2.1, audit 1.9", &[OLD_LEDGER])]
#[case::an_old_depot("1.9,audit=2.1", "edition 1.9, audit 2.1", &[OLD_DEPOT])]
#[case::both_old("1.9", "edition 1.9, audit 1.9", &[OLD_LEDGER, OLD_DEPOT])]
#[case::both_new("depot=2.1,audit=2.1", "edition 2.1, audit 2.1", &[])]
fn a_rule_follows_the_edition_of_its_own_library(
    #[case] editions: &str,
    #[case] line: &str,
    #[case] expected: &[Skipped<'_>],
) {
    let run = Run::new(&["--backend", "simulator", "--sim", &sim(editions)]);
    let mut skipped = run.skipped();
    skipped.retain(|(id, _)| *id != "depot.cold.refused");
    assert_eq!(skipped, expected.concat());
    assert!(run.summary.contains(line), "{}", run.summary);
    let ledger = &run.header.further_versions["audit"];
    assert!(line.ends_with(&format!("audit {}", ledger.edition.as_deref().unwrap_or_default())), "{ledger:?}");
}

/// The value of `--sim` for these editions.
fn sim(editions: &str) -> String {
    editions.split(',').map(|edition| format!("edition={edition}")).collect::<Vec<_>>().join(",")
}

#[rstest]
#[case::a_misspelled_library(
    "audits=1.9",
    "`audits` is not a library whose version api.yaml queries; did you mean `audit`?"
)]
#[case::an_unknown_edition("1.9,audit=3.0", "--sim edition=3.0: known editions are 1.9, 2.1")]
fn an_edition_that_cannot_be_simulated_is_refused(#[case] editions: &str, #[case] message: &str) {
    let error = open(&["--backend", "simulator", "--sim", &sim(editions)]).unwrap_err();
    assert_eq!(error.exit(), ExitStatus::Usage);
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn a_missing_library_has_no_edition() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let library = folder.path().join("libdepot.so");
    std::fs::copy(crate::depot::device::built("faithful", &[]).join("libdepot.so"), &library).expect("it is copied");
    let run = Run::of(folder.path());
    let ledger = &run.header.further_versions["audit"];
    assert_eq!((ledger.version.as_ref(), ledger.edition.as_ref()), (None, None));
    let note = ledger.note.as_deref().unwrap_or_default();
    assert!(note.starts_with("no version, since ") && note.contains("audit_version"), "{note}");
    assert!(run.summary.contains("edition 2.1\n"), "{}", run.summary);
}
