//! Laws of a plan within a budget.

use dictionary::{Cell, Current, Dictionary, KnownRule, Plan, Row};
use proptest::prelude::*;
use record::Verdict;
use simulator_contract::Defect;

const RULES: u32 = 8;
const MILLISECOND: u64 = 1_000_000;

/// A dictionary with rules of these costs in milliseconds for a case, and defects that each fail some rules first in
/// this case.
fn dictionary_of(costs: &[u64], rows: &[Vec<(u32, u32)>]) -> Current {
    let rule = |(number, cost): (usize, &u64)| KnownRule {
        id: format!("toy.rule-{number}"),
        cases: 50,
        nanoseconds: cost * MILLISECOND,
        ..KnownRule::default()
    };
    let mut dictionary =
        Dictionary { format: 1, rules: costs.iter().enumerate().map(rule).collect(), ..Dictionary::default() };
    let set = dictionary.add_set(&(0..RULES as usize).collect::<Vec<_>>());
    let cell = |(rule, first): &(u32, u32)| Cell {
        rule: *rule,
        verdict: Verdict::Fail,
        cases: *first,
        failed: 1,
        first: *first,
        check: None,
        code: None,
        shape: None,
    };
    let name = |number: usize| -> &'static str { Box::leak(format!("area.defect-{number}").into_boxed_str()) };
    let defect = |index| Defect { name: name(index), mechanism: "It fails.", subtle: false, index };
    let table: &'static [Defect] = Box::leak((0..rows.len()).map(defect).collect::<Vec<_>>().into_boxed_slice());
    let row = |(defect, cells): (&Defect, &Vec<(u32, u32)>)| Row {
        defect: defect.name.to_owned(),
        set,
        cells: cells.iter().map(cell).collect(),
    };
    dictionary.rows = table.iter().zip(rows).map(row).collect();
    Current::just_made(dictionary, table)
}

fn ids() -> Vec<String> {
    (0..RULES).map(|number| format!("toy.rule-{number}")).collect()
}

fn dictionaries() -> impl Strategy<Value = Current> {
    let costs = proptest::collection::vec(1..40u64, RULES as usize);
    let row = proptest::collection::btree_map(0..RULES, 1..30u32, 1..4);
    let rows = proptest::collection::vec(row.prop_map(|row| row.into_iter().collect::<Vec<_>>()), 1..8);
    (costs, rows).prop_map(|(costs, rows)| dictionary_of(&costs, &rows))
}

proptest! {
    #[test]
    fn a_plan_keeps_its_budget_and_is_the_same_each_time(current in dictionaries(), milliseconds in 0..5_000u64) {
        let plan = Plan::of(&current, &ids(), milliseconds * MILLISECOND);
        prop_assert!(plan.nanoseconds <= milliseconds * MILLISECOND, "{plan:?}");
        prop_assert!(plan.percent() <= 100 && plan.rules.values().all(|rule| rule.cases > 0));
        prop_assert_eq!(Plan::of(&current, &ids(), milliseconds * MILLISECOND), plan);
    }

    #[test]
    fn with_time_for_everything_every_rule_runs_at_least_as_usual(current in dictionaries()) {
        let plan = Plan::of(&current, &ids(), u64::MAX);
        prop_assert_eq!(plan.rules.len(), RULES as usize);
        prop_assert!(plan.rules.values().all(|rule| rule.cases == 20 * 50), "{:?}", plan.rules);
        prop_assert!(plan.percent() >= 97, "{}", plan.percent());
    }
}

#[test]
fn the_rule_that_kills_most_per_time_comes_first() {
    let current = dictionary_of(&[10, 1, 1, 1, 1, 1, 1, 1], &[vec![(0, 1), (3, 1)], vec![(3, 1)], vec![(2, 20)]]);
    let plan = Plan::of(&current, &ids(), 4 * MILLISECOND);
    assert_eq!(plan.rules.keys().collect::<Vec<_>>(), ["toy.rule-3"]);
    assert_eq!((plan.killed, plan.percent()), (3, 65), "two of three, with 98 % each");
}

#[test]
fn a_rule_that_the_dictionary_does_not_know_is_left_out_by_name() {
    let current = dictionary_of(&[1; RULES as usize], &[vec![(0, 1)]]);
    let plan = Plan::of(&current, &["toy.rule-0".into(), "toy.new".into()], u64::MAX);
    assert_eq!((plan.of, &plan.unknown[..], plan.rules.len()), (2, &["toy.new".to_owned()][..], 1));
}
