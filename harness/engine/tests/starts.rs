//! Starts of a runtime cost seconds on hardware: these tests check shared processes, and the number and reasons of
//! starts.

use std::collections::BTreeMap;

use engine::run::ExitStatus;
use record::{StartReason, Starts, Verdict};
use rstest::rstest;

use crate::bench::{Bench, Report, rule};

const FOUR: &str = "forall: {n: {every: [1, 2, 3, 4]}}";
const ALLOCATES: &str = "toy_alloc(&p, 64 * n);\n(uintptr_t)p % 64 == 0;";
const FAILS: &str = "toy_alloc(&p, 64);\n(uintptr_t)p == 7;";

/// A rule that holds in four cases.
fn holds(name: &str, actors: &str) -> String {
    rule(name, &format!("actors: \"{actors}\"\n{FOUR}"), ALLOCATES)
}

/// A rule that fails in its only case.
fn fails(actors: &str) -> String {
    rule("fails", &format!("actors: \"{actors}\""), FAILS)
}

fn run(rules: &[String]) -> Report {
    let bench = Bench::new(rules);
    bench.run("report", &[]);
    bench.report("report")
}

/// Processes by reason, without the one that every run starts to query the runtime.
fn further(report: &Report) -> BTreeMap<StartReason, Starts> {
    let mut starts = report.end.starts.clone();
    let first = starts.get_mut(&StartReason::FirstUse).expect("the runtime was queried");
    (first.processes, first.runtimes) = (first.processes - 1, first.runtimes - 1);
    starts.retain(|_, starts| starts.processes > 0);
    let all = report.end.starts.values().map(|starts| starts.processes).sum::<u64>();
    assert_eq!(all, report.end.workers_started);
    starts
}

fn started(processes: u64) -> Starts {
    Starts { processes, runtimes: processes }
}

#[rstest]
#[case::of_the_pool("A: process(device 0);", &[])]
#[case::beside_another_of_the_pool("A: process(device 0); B: process(device 0);", &[(StartReason::FirstUse, 1)])]
#[case::set_apart("A: process(device 0), apart;", &[(StartReason::SetApart, 1)])]
#[case::set_apart_without_a_device("A: process(device 0); P: process(), state init, apart;", &[(StartReason::SetApart, 1)])]
#[case::of_each_rule("A: process(device 0), own;", &[(StartReason::Own, 2)])]
#[case::of_each_case("A: process(device 0), isolated;", &[(StartReason::Isolated, 8)])]
#[case::of_each_case_beside_one_of_the_pool(
    "A: process(device 0); B: process(device 1), isolated;",
    &[(StartReason::Isolated, 8)]
)]
fn two_rules_of_four_cases_start_processes_for_one_reason(
    #[case] actors: &str,
    #[case] expected: &[(StartReason, u64)],
) {
    let report = run(&[holds("first", actors), holds("second", actors)]);
    assert_eq!(report.result("toy.small.second").verdict, Verdict::Pass);
    let expected = expected.iter().map(|(reason, processes)| (*reason, started(*processes))).collect();
    assert_eq!(further(&report), expected);
}

#[test]
fn a_process_set_apart_is_replaced_after_a_case_that_failed() {
    let apart = "A: process(device 0), apart;";
    let report = run(&[holds("passes", apart), fails(apart), holds("passes-again", apart)]);
    assert_eq!(report.result("toy.small.fails").verdict, Verdict::Fail);
    assert_eq!(report.result("toy.small.passes-again").verdict, Verdict::Pass);
    let starts = further(&report);
    assert_eq!(starts[&StartReason::SetApart], started(1));
    assert_eq!(starts[&StartReason::AfterFailure], started(1));
    assert_eq!(starts[&StartReason::Confirmation], started(2), "the failure is run again in fresh processes");
}

#[test]
fn the_process_of_a_rule_has_nothing_to_do_with_a_failure_of_another_one() {
    let own = "A: process(device 0), own;";
    let starts = further(&run(&[fails(own), holds("passes", own)]));
    assert_eq!(starts[&StartReason::Own], started(2), "{starts:?}");
    assert!(!starts.contains_key(&StartReason::AfterFailure), "{starts:?}");
}

#[test]
fn a_process_that_only_loads_the_library_is_no_start_of_the_runtime() {
    let loaded = "actors: \"P: process(), state loaded;\"";
    let report = run(&[rule("loaded", loaded, "toy_count(&number);\nnumber == 0;")]);
    assert_eq!(further(&report)[&StartReason::Isolated], Starts { processes: 1, runtimes: 0 });
}

#[test]
fn the_summary_says_why_processes_were_started() {
    let bench = Bench::new(&[holds("first", "A: process(device 0), isolated;")]);
    let starts = "5 started, 5 with the runtime";
    let why = "1 for the first use of a device, 4 for single cases of isolated rules";
    bench.run("report", &[]).says(ExitStatus::Success, &[starts, why]);
}
