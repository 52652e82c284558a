//! Histories of made-up journals, also with odd texts.

use crate::sample::{end, folder, header, header_of, result};
use ledger::history::{history, text};
use proptest::prelude::*;
use record::{Journal, RunHeader, Verdict};

/// Writes a run with one rule of this verdict to a separate folder.
fn write(folder: &std::path::Path, name: &str, header: &RunHeader, verdict: Verdict) {
    let path = folder.join(name);
    std::fs::create_dir_all(&path).unwrap();
    let results = [result("toy.copy.exact-count", verdict, "")];
    let RunHeader { rules, selected, .. } = header_of(&results);
    let header = RunHeader { rules, selected, subjects: vec![], ..header.clone() };
    let journal = Journal::create(&path, &header).unwrap();
    journal.append(&results[0]).unwrap();
    let exit = u8::from(!verdict.passes());
    journal.finish(end(&results, exit)).unwrap();
}

#[test]
fn runs_of_different_products_and_devices_have_separate_timelines() {
    let dir = folder();
    let mut other = header();
    write(&dir, "one", &other, Verdict::Pass);
    other.library.simulated = false;
    write(&dir, "two", &other, Verdict::Pass);
    other.product = "train".to_owned();
    write(&dir, "three", &other, Verdict::Pass);
    let history = history(&dir).unwrap();
    let tested: Vec<&str> = history.timelines.iter().map(|timeline| timeline.tested.as_str()).collect();
    assert_eq!(tested, ["toy on a2", "toy on a2 (simulated)", "toy on train"]);
}

#[test]
fn a_run_names_its_differences_from_the_run_before() {
    let dir = folder();
    let mut header = header();
    write(&dir, "one", &header, Verdict::Pass);
    header.started = "2027-03-02T08:30:00Z".to_owned();
    header.library.sha256 = "0".repeat(64);
    header.profile = "nightly".to_owned();
    write(&dir, "two", &header, Verdict::Fail);
    let history = history(&dir).unwrap();
    let [earlier, later] = &history.timelines[0].runs[..] else { panic!("there are two runs") };
    assert_eq!(later.differs_from(earlier), ["library", "profile"]);
    let rules = history.timelines[0].restless();
    assert!(matches!(&rules[..], [rule] if (rule.changes, rule.broken, rule.ran) == (1, 1, 2)), "{rules:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_moves_the_cursor(odd in "(<|>|\"|'|&|[a-z]|\u{1b}|\u{202e}|\\||`|@|\\[){0,30}") {
        let dir = folder();
        let mut header = header();
        (header.product, header.runtime) = (format!("p{odd}"), format!("r{odd}"));
        header.started = format!("s{odd}");
        write(&dir, "one", &header, Verdict::Pass);
        write(&dir, "two", &header, Verdict::Fail);
        let shown = text(&history(&dir).unwrap());
        prop_assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
    }
}
