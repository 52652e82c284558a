//! Sequences of operations: drawn, read back, shrunk, enumerated, and found to fail on the toy.

use std::collections::BTreeSet;

use engine::case::{Budget, Case, CaseTree, Exhaustive, Plan, Scope, Value, case_from_json, case_to_json};
use proptest::prelude::*;
use record::Verdict;
use steps::program::Program;
use steps::sequence::Sequence;
use steps::{RuleText, check};

use crate::toy::environment::environment;
use crate::toy::runs::{self, faithful};

const MACHINE: &str = "
    uint64_t live[4];
    for (k < 4) { live[k] = 0; }
    sequence (step < 30) {
      allocate(slot < 4, size in {16, 300, 4096}) when (live[slot] == 0): { live[slot] = size; }
      release(slot < 4) when (live[slot] != 0): { live[slot] = 0; }
      wait(): { toy_wait(); }
      always: { toy_blocks() < 100; }
    }";

fn machine() -> Program {
    let text = RuleText { steps: MACHINE, ..RuleText::default() };
    check(&text, &environment()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn cases(program: &Program, seed: u64, count: u32) -> Vec<Case> {
    let budget = Budget { repeats: 1, sequences: count, sequence_calls: u64::MAX, ..Budget::default() };
    let scope = Scope::default();
    let mut plan = Plan::new(program, &scope, seed, &budget).expect("the machine has cases");
    std::iter::from_fn(|| plan.next_case()).map(|case| case.expect("a sequence can be drawn")).collect()
}

fn sequence(program: &Program) -> &Sequence {
    program.sequence().expect("the machine has a sequence").1
}

fn text(program: &Program, values: &[Value]) -> String {
    let json = case_to_json(program, values, 0);
    json["sequence"].as_str().expect("a sequence is a text").to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A case is written as its sequence alone, and is the same case when it is read.
    #[test]
    fn a_sequence_reads_back_from_its_text(seed: u64) {
        let program = machine();
        for case in cases(&program, seed, 4) {
            let json = case_to_json(&program, &case.values, case.salt);
            let keys: Vec<&String> = json.as_object().expect("a case is an object").keys().collect();
            prop_assert_eq!(keys, ["salt", "sequence"]);
            let read = case_from_json(&program, &json).expect("the case was written by the suite");
            prop_assert_eq!(read.values, case.values);
        }
    }

    /// If a failure needs three operations in this order, shrinking leaves these three with their first values.
    #[test]
    fn a_failing_sequence_shrinks_to_what_it_needs(seed: u64) {
        let program = machine();
        let scope = Scope::default();
        let needs = |values: &[Value]| {
            let text = text(&program, values);
            let mut wanted = ["allocate.2", "release", "allocate"].into_iter().peekable();
            for step in text.split('+') {
                wanted.next_if(|prefix| step.starts_with(prefix));
            }
            wanted.peek().is_none()
        };
        for case in cases(&program, seed, 8).into_iter().filter(|case| needs(&case.values)) {
            let mut tree: CaseTree = case.tree.clone().expect("the case was drawn");
            let mut best = case.values.clone();
            let mut smaller = tree.next(false);
            while smaller {
                let values = tree.values(&program, &scope).expect("a smaller case has values");
                let failed = values != best && needs(&values);
                if failed {
                    best = values;
                }
                smaller = tree.next(failed);
            }
            prop_assert_eq!(text(&program, &best), "allocate.2.16+release.0+allocate.0.16");
        }
    }
}

#[test]
fn every_operation_and_every_length_is_drawn() {
    let program = machine();
    let mut operations = BTreeSet::new();
    let mut lengths = BTreeSet::new();
    for case in cases(&program, 1, 400) {
        let text = text(&program, &case.values);
        lengths.insert(text.split('+').count());
        operations.extend(text.split('+').map(str::to_owned));
    }
    assert_eq!(operations.len() as u64, sequence(&program).codes(), "{operations:?}");
    assert!(lengths.contains(&1) && lengths.contains(&30) && lengths.len() > 25, "{lengths:?}");
}

#[test]
fn all_short_sequences_are_tried_once_and_the_shortest_first() {
    let program = machine();
    let all = Exhaustive::new(sequence(&program), 3).expect("there are few");
    // Two slots and two sizes, two slots, and one operation without parameters.
    let steps: u64 = 2 * 2 + 2 + 1;
    assert_eq!(all.total(), steps + steps.pow(2) + steps.pow(3));
    let sequences: Vec<Vec<i128>> = all.collect();
    let distinct: BTreeSet<&Vec<i128>> = sequences.iter().collect();
    assert_eq!((sequences.len(), distinct.len()), (399, 399));
    assert!(sequences.windows(2).all(|pair| pair[0].len() <= pair[1].len()));
    assert!(Exhaustive::new(sequence(&program), 12).is_none(), "seven to the power of twelve are too many");
}

#[test]
fn a_run_can_try_all_short_sequences() {
    let results = runs::run(&[], &["--tune", "exhaustive=2"], |id| id == "toy.form.sequence");
    let [result] = results.as_slice() else { panic!("{results:?}") };
    // Two slots and two sizes, two slots, and one operation without parameters.
    assert_eq!((result.verdict, result.cases), (Verdict::Pass, 7 + 49), "{:?}", result.failure);
}

#[test]
fn a_write_into_the_buffer_of_an_earlier_case_is_noticed() {
    let result = runs::run_one(&["KEPT"], &[], "toy.block.round-trip");
    assert_eq!(result.verdict, Verdict::Pass, "{:?}", result.failure);
    let late = |finding: &String| finding.ends_with(" was written, after the buffer's case had ended");
    assert!(result.findings.iter().any(late), "{:?}", result.findings);
    let fenced = runs::run_one(&["KEPT"], &["--tune", "fenced-memory=yes"], "toy.block.round-trip");
    assert_eq!(fenced.verdict, Verdict::Crash, "{:?}", fenced.failure);
}

#[test]
fn a_sequence_with_a_failure_is_shrunk_and_runs_again() {
    assert_eq!(faithful("toy.form.sequence").verdict, Verdict::Pass);
    let results = runs::run(&["BEYOND"], &[], |id| id == "toy.form.sequence");
    let failure = results[0].failure.as_ref().expect("the library writes beyond the buffer");
    assert_eq!(failure.values, [("sequence".to_owned(), "allocate.0.300".to_owned())]);
    assert!(failure.replay.contains(":salt=") && failure.replay.contains("sequence=allocate.0.300"), "{failure:?}");
}
