//! Histories of made-up journals, also with odd texts.

use crate::reports::page::rules_of;
use crate::sample::{end, folder, header, result};
use ledger::history::{history, html, markdown, text};
use proptest::prelude::*;
use record::{Journal, RunHeader, Verdict};

/// Writes a run with one rule of this verdict to a separate folder.
fn write(folder: &std::path::Path, name: &str, header: &RunHeader, verdict: Verdict) {
    let path = folder.join(name);
    std::fs::create_dir_all(&path).unwrap();
    let results = [result("toy.copy.exact-count", verdict, "")];
    let mut header = header.clone();
    (header.rules, header.subjects) = (1, vec![]);
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
    fn no_text_becomes_markup_of_a_history(odd in "(<|>|\"|'|&|[a-z]|\u{1b}|\u{202e}|\\||`|@|\\[){0,30}") {
        let dir = folder();
        let mut header = header();
        (header.product, header.runtime) = (format!("p{odd}"), format!("r{odd}"));
        header.started = format!("s{odd}");
        write(&dir, "one", &header, Verdict::Pass);
        write(&dir, "two", &header, Verdict::Fail);
        let history = history(&dir).unwrap();
        let page = html(&history, &dir);
        rules_of(&page, |_| false);
        let moves = ['\u{1b}', '\u{202e}'];
        for shown in [page, text(&history), markdown(&history)] {
            prop_assert!(!shown.contains(moves));
        }
    }
}

#[test]
fn a_row_is_a_link_to_the_report_of_its_run() {
    let dir = folder();
    write(&dir, "a \"night\" & more", &header(), Verdict::Pass);
    std::fs::write(dir.join("a \"night\" & more/report.html"), "").unwrap();
    write(&dir, "without a page", &header(), Verdict::Pass);
    let page = html(&history(&dir).unwrap(), &dir);
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(links, ["./a%20%22night%22%20%26%20more/report.html"]);
}

#[test]
fn rules_with_the_same_results_share_a_row() {
    let dir = folder();
    let mut header = header();
    for (day, verdict) in [(1, Verdict::Pass), (2, Verdict::Fail)] {
        header.started = format!("2027-03-0{day}T08:30:00Z");
        let path = dir.join(day.to_string());
        std::fs::create_dir_all(&path).unwrap();
        (header.rules, header.subjects) = (3, vec![]);
        let results = ["toy.copy.a", "toy.copy.b", "toy.copy.c"].map(|id| result(id, verdict, ""));
        let journal = Journal::create(&path, &header).unwrap();
        results.iter().for_each(|result| journal.append(result).unwrap());
        journal.finish(end(&results, u8::from(!verdict.passes()))).unwrap();
    }
    let page = html(&history(&dir).unwrap(), &dir);
    assert_eq!(page.matches("<code class=\"marks\"").count(), 1, "{page}");
    assert!(page.contains("and 2 others with the same results"), "{page}");
    assert!(page.find("2027-03-02T").unwrap() < page.find("2027-03-01T").unwrap(), "the newest run comes first");
}
