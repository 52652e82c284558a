//! The evidence of green cases about a defect that fails only some of them.

use std::collections::BTreeMap;

use dictionary::{Cell, Current, Dictionary, KnownRule, Row, cases_to_exclude, exclusions};
use record::Verdict;
use simulator_contract::Defect;

/// Two rules: the first notices the defect in one of four cases, the second in each.
fn current() -> Current {
    let rule = |id: &str| KnownRule { id: id.to_owned(), cases: 50, nanoseconds: 1, ..KnownRule::default() };
    let rules = vec![rule("toy.sometimes"), rule("toy.always")];
    let mut dictionary = Dictionary { format: 1, rules, ..Dictionary::default() };
    let set = dictionary.add_set(&[0, 1]);
    let cell = |rule, failed| Cell {
        rule,
        verdict: Verdict::Fail,
        cases: 8,
        failed,
        first: 1,
        check: None,
        code: None,
        shape: None,
    };
    let row = |defect: &str, cells| Row { defect: defect.to_owned(), set, cells };
    dictionary.rows = vec![row("area.race", vec![cell(0, 2)]), row("area.plain", vec![cell(0, 2), cell(1, 8)])];
    static TABLE: [Defect; 2] = [
        Defect { name: "area.race", mechanism: "It fails sometimes.", subtle: true, index: 0 },
        Defect { name: "area.plain", mechanism: "It fails.", subtle: false, index: 1 },
    ];
    Current::just_made(dictionary, &TABLE)
}

fn confidences(green: &[(&str, u64)]) -> Vec<(String, f64)> {
    let green: BTreeMap<String, u64> = green.iter().map(|(id, cases)| ((*id).to_owned(), *cases)).collect();
    exclusions(&current(), &green).into_iter().map(|found| (found.defect, found.confidence)).collect()
}

#[test]
fn green_cases_exclude_a_defect_by_their_number() {
    let race = |cases| confidences(&[("toy.sometimes", cases), ("toy.always", 1)])[0].clone();
    assert_eq!(race(1), ("area.race".to_owned(), 0.25));
    assert_eq!(race(2), ("area.race".to_owned(), 1.0 - 0.75 * 0.75));
    assert_eq!(confidences(&[("toy.sometimes", 1), ("toy.always", 1)])[1], ("area.plain".to_owned(), 1.0));
}

#[test]
fn a_rule_that_did_not_pass_excludes_nothing() {
    let all: Vec<f64> = confidences(&[]).into_iter().map(|(_, confidence)| confidence).collect();
    assert_eq!(all, [0.0, 0.0]);
}

#[test]
fn the_number_of_cases_that_exclude_a_defect_follows_from_its_chance() {
    // 0.75^16 is just above 1 %, 0.75^17 below.
    assert_eq!(cases_to_exclude(&current(), "toy.sometimes", 0.99), Some(17));
    assert_eq!(cases_to_exclude(&current(), "toy.always", 0.99), Some(1));
    assert_eq!(cases_to_exclude(&current(), "toy.unknown", 0.99), None);
}
