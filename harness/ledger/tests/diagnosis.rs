//! Laws of a diagnosis, on small dictionaries of any content.

use std::collections::BTreeSet;

use dictionary::{Cell, Current, Dictionary, KnownRule, Row};
use ledger::diagnosis::{Evidence, Outcome, diagnose, text};
use proptest::prelude::*;
use record::{RuleResult, Verdict};
use simulator_contract::Defect;

const RULES: u32 = 12;
const CASES: u32 = 100;

/// A table of defects that lives as long as the test.
fn table(defects: usize) -> &'static [Defect] {
    let defect = |index: usize| Defect {
        name: Box::leak(format!("area.defect-{index}").into_boxed_str()),
        mechanism: "The engine drops the last byte.",
        subtle: false,
        index,
    };
    Box::leak((0..defects).map(defect).collect::<Vec<_>>().into_boxed_slice())
}

fn cell(rule: u32, check: u32) -> Cell {
    Cell { rule, verdict: Verdict::Fail, cases: 12, failed: 12, first: 1, check: Some(check), code: None, shape: None }
}

/// A dictionary whose defects each fail some rules at some checks.
fn dictionary_of(rows: &[Vec<(u32, u32)>]) -> Current {
    let rule = |number: u32| KnownRule {
        id: format!("toy.rule-{number:02}"),
        cases: CASES,
        nanoseconds: 1_000,
        ..KnownRule::default()
    };
    let mut dictionary = Dictionary {
        format: Dictionary::FORMAT,
        product: "toy".into(),
        rules: (0..RULES).map(rule).collect(),
        texts: (0..4).map(|number| format!("check {number}")).collect(),
        ..Dictionary::default()
    };
    let all: Vec<usize> = (0..RULES as usize).collect();
    let set = dictionary.add_set(&all);
    for (number, cells) in rows.iter().enumerate() {
        let cells = cells.iter().map(|(rule, check)| cell(*rule, *check)).collect();
        dictionary.rows.push(Row { defect: format!("area.defect-{number}"), set, cells });
    }
    Current::just_made(dictionary, table(rows.len()))
}

/// The evidence of a run on a device with these defects, if every cell fails as it did in the dictionary.
fn run_on(current: &Current, defects: &[usize]) -> Evidence {
    let mut evidence = Evidence { broken: true, ..Evidence::default() };
    for rule in 0..RULES as usize {
        let rows = defects.iter().map(|defect| &current.dictionary.rows[*defect]);
        let failed = rows.flat_map(|row| &row.cells).find(|cell| cell.rule as usize == rule);
        let outcome = match failed {
            Some(cell) => (Outcome::Failed(current.dictionary.signature(cell)), 1),
            None => (Outcome::Held, CASES),
        };
        evidence.outcomes.insert(rule, outcome);
    }
    evidence
}

fn rows() -> impl Strategy<Value = Vec<Vec<(u32, u32)>>> {
    let row = proptest::collection::btree_map(0..RULES, 0..4u32, 1..6);
    proptest::collection::vec(row.prop_map(|row| row.into_iter().collect()), 1..12)
}

proptest! {
    #[test]
    fn a_run_on_a_defect_names_it_or_one_that_cannot_be_told_from_it(rows in rows(), which in any::<prop::sample::Index>()) {
        let current = dictionary_of(&rows);
        let defect = which.index(rows.len());
        let found = diagnose(&current, &run_on(&current, &[defect]));
        let first = found.ranking().first().map(|mechanism| {
            let mut names: BTreeSet<&str> = mechanism.same.iter().map(String::as_str).collect();
            names.insert(&mechanism.defect);
            names.contains(format!("area.defect-{defect}").as_str())
        });
        prop_assert_eq!(first, Some(true), "{}", text(&found));
        prop_assert_eq!(found.explanation.len(), 1, "{}", text(&found));
    }

    #[test]
    fn a_green_run_names_nothing(rows in rows()) {
        let current = dictionary_of(&rows);
        let mut green = run_on(&current, &[]);
        for broken in [false, true] {
            green.broken = broken;
            let found = diagnose(&current, &green);
            prop_assert!(found.explanation.is_empty() && found.candidates.is_empty() && found.next.is_empty());
            prop_assert!(text(&found).starts_with("nothing to diagnose"));
        }
    }

    #[test]
    fn findings_alone_name_nothing(rows in rows(), which in any::<prop::sample::Index>()) {
        let current = dictionary_of(&rows);
        let found = diagnose(&current, &Evidence { broken: false, ..run_on(&current, &[which.index(rows.len())]) });
        prop_assert!(found.explanation.is_empty() && found.candidates.is_empty());
    }

    #[test]
    fn the_order_of_results_does_not_matter(verdicts in proptest::collection::vec(0..4u8, RULES as usize), turn in 0..RULES as usize) {
        let current = dictionary_of(&[vec![(0, 0)]]);
        let mut results: Vec<RuleResult> = verdicts.iter().enumerate().map(|(rule, kind)| result(rule, *kind)).collect();
        let straight = Evidence::of(&current, &results);
        results.rotate_left(turn);
        results.reverse();
        prop_assert_eq!(Evidence::of(&current, &results), straight);
    }

    #[test]
    fn a_rule_of_another_text_is_not_used(rows in rows()) {
        let current = dictionary_of(&rows);
        let strange = RuleResult { id: "toy.rule-99".into(), ..result(0, 1) };
        let evidence = Evidence::of(&current, &[strange]);
        prop_assert!(evidence.outcomes.is_empty());
        prop_assert_eq!(evidence.unknown, ["toy.rule-99"]);
    }
}

/// A result that held, failed, was blocked or was skipped.
fn result(rule: usize, kind: u8) -> RuleResult {
    let verdict = ["pass", "fail", "blocked", "skipped"][kind as usize];
    let json = serde_json::json!({
        "id": format!("toy.rule-{rule:02}"), "chapter": "toy", "title": "", "level": "must", "verdict": verdict,
        "reason": "", "nanoseconds": 0, "cases": 3, "checks": 3, "seed": 1, "failure": null, "findings": [],
        "observations": {}, "doubt": null,
    });
    serde_json::from_value(json).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn two_defects_at_once_are_both_named() {
    let rows = [vec![(0, 0), (1, 0), (2, 1)], vec![(5, 2), (6, 2), (7, 3)], vec![(0, 0), (9, 1)], vec![(11, 1)]];
    let current = dictionary_of(&rows);
    let found = diagnose(&current, &run_on(&current, &[0, 1]));
    let named: BTreeSet<&str> = found.explanation.iter().map(|mechanism| mechanism.defect.as_str()).collect();
    assert_eq!(named, BTreeSet::from(["area.defect-0", "area.defect-1"]), "{}", text(&found));
    assert!(text(&found).starts_with("6 failed rules: the device behaves in 2 ways at once:"));
}

#[test]
fn failures_that_no_defect_has_are_none_of_these() {
    let current = dictionary_of(&[vec![(0, 0), (1, 0), (2, 1), (3, 1)], vec![(4, 0)]]);
    let mut evidence = run_on(&current, &[]);
    for rule in [4, 8, 9, 10] {
        let signature = current.dictionary.signature(&cell(rule, 3));
        evidence.outcomes.insert(rule as usize, (Outcome::Failed(signature), 1));
    }
    let found = diagnose(&current, &evidence);
    assert!(found.explanation.is_empty(), "{}", text(&found));
    assert!(text(&found).starts_with("none of these:"), "{}", text(&found));
}

#[test]
fn a_rule_that_did_not_run_is_proposed_if_it_tells_candidates_apart() {
    let current = dictionary_of(&[vec![(0, 0), (1, 0)], vec![(0, 0), (2, 0)], vec![(3, 0)]]);
    let mut evidence = run_on(&current, &[0]);
    evidence.outcomes.remove(&1);
    evidence.outcomes.remove(&2);
    let found = diagnose(&current, &evidence);
    let (best, others) = found.next.split_at(2);
    let proposed: BTreeSet<&str> = best.iter().map(|next| next.rule.as_str()).collect();
    assert_eq!(proposed, BTreeSet::from(["toy.rule-01", "toy.rule-02"]), "{}", text(&found));
    assert!(best.iter().all(|next| next.new && next.bits > 0.5), "{}", text(&found));
    assert!(others.iter().all(|next| next.bits < 0.5), "{}", text(&found));
}
