//! Matrices of made-up runs.

use std::collections::BTreeMap;

use crate::reports::page::rules_of;
use crate::reports::text as odd;
use crate::sample::{end, header, result};
use ledger::matrix::{By, html, markdown, matrix, text};
use proptest::prelude::*;
use record::{Meaning, Recorded, Verdict};
use rstest::rstest;

/// A run of a product with these verdicts.
fn run(name: &str, product: &str, verdicts: &[(&str, Verdict)]) -> (String, Recorded) {
    let results: Vec<_> = verdicts.iter().map(|(id, verdict)| result(id, *verdict, "")).collect();
    let mut header = header();
    header.product = product.to_owned();
    header.library.version = Some(format!("8.{}", name.len()));
    header.defects = vec![];
    let end = Some(end(&results, 0));
    (name.to_owned(), Recorded { header, results, in_flight: BTreeMap::new(), end })
}

fn two_products(on_first: Verdict, on_second: Verdict) -> Vec<(String, Recorded)> {
    vec![
        run("one", "a2", &[("toy.copy.x", on_first), ("toy.copy.y", Verdict::Pass)]),
        run("second", "train", &[("toy.copy.x", on_second), ("toy.copy.y", Verdict::Pass)]),
    ]
}

#[rstest]
#[case::broken_everywhere(Verdict::Fail, Verdict::Crash, true)]
#[case::broken_on_one(Verdict::Fail, Verdict::Pass, false)]
#[case::without_an_answer_on_one(Verdict::Fail, Verdict::Skipped, false)]
#[case::good(Verdict::Pass, Verdict::Pass, false)]
fn a_rule_is_suspect_if_it_is(#[case] first: Verdict, #[case] second: Verdict, #[case] suspect: bool) {
    let found = matrix(&two_products(first, second), By::Run);
    let suspects: Vec<&str> = found.suspects.iter().map(|suspect| suspect.rule.as_str()).collect();
    assert_eq!(suspects, Vec::from_iter(suspect.then_some("toy.copy.x")));
    for form in [text(&found), markdown(&found), html(&found)] {
        assert_eq!(form.contains("is broken wherever it has an answer"), suspect, "{form}");
    }
}

#[test]
fn a_rule_that_is_broken_in_two_runs_of_one_product_is_not_suspect() {
    let of = |name| run(name, "a2", &[("toy.copy.x", Verdict::Fail)]);
    assert!(matrix(&[of("one"), of("second")], By::Run).suspects.is_empty());
}

#[rstest]
#[case(By::Run, &["one", "second", "another"])]
#[case(By::Product, &["toy on a2 (simulated)", "toy on train (simulated)"])]
#[case(By::Driver, &["library 8.3", "library 8.6", "library 8.7"])]
fn columns_are(#[case] by: By, #[case] names: &[&str]) {
    let mut runs = two_products(Verdict::Pass, Verdict::Pass);
    runs.push(run("another", "a2", &[("toy.copy.x", Verdict::Fail)]));
    let found = matrix(&runs, by);
    assert_eq!(found.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), names);
    let cell = found.chapters[0].rules[0].cells[0].unwrap();
    let worst = if by == By::Product { Meaning::Broken } else { Meaning::Good };
    assert_eq!(cell.meaning, worst, "of several runs the worst result counts");
}

#[test]
fn matrices() {
    let mut runs = two_products(Verdict::Fail, Verdict::Fail);
    runs.push(run("third", "a2", &[("toy.copy.x", Verdict::Blocked), ("toy.copy.z", Verdict::Skipped)]));
    let found = matrix(&runs, By::Run);
    insta::assert_snapshot!("matrix_text", text(&found));
    insta::assert_snapshot!("matrix_markdown", markdown(&found));
    let page = html(&found);
    insta::assert_snapshot!("matrix_page", page.split_once("<body>\n").unwrap().1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_becomes_markup_of_a_matrix(name in odd(), product in odd(), id in odd(), title in odd()) {
        let mut runs = vec![run(&name, &product, &[(&id, Verdict::Fail)]), run("b", "other", &[(&id, Verdict::Crash)])];
        runs[0].1.results[0].title = title.clone();
        runs[0].1.results[0].chapter = title;
        let found = matrix(&runs, By::Product);
        let page = html(&found);
        rules_of(&page, |_| false);
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        for form in [page, text(&found), markdown(&found)] {
            prop_assert!(!form.contains(control));
        }
    }
}
