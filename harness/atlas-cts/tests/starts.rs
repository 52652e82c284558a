//! Starts of the runtime cost seconds on hardware: who shares a process, how many there are and why, and that none waits
//! at its end for a device that was left selected.

use crate::support;

use std::collections::BTreeMap;

use catalog::{CatalogPlace, Rule, load};
use record::{StartReason, Starts, Verdict};
use rstest::rstest;
use steps::program::Sharing;
use support::{Bench, Report, project};

/// A rule with these lines of actors, axes and steps.
fn rule(id: &str, actors: &str, axes: &str, steps: &str) -> String {
    let actors = if actors.is_empty() { String::new() } else { format!("    actors: \"{actors}\"\n") };
    let axes = if axes.is_empty() { String::new() } else { format!("    forall:\n      {axes}\n") };
    let steps: String = steps.lines().map(|line| format!("      {}\n", line.trim())).collect();
    format!(
        "  - id: acl.starts.{id}
    title: It answers
    statement: It answers.
    clauses: {{manual: manual.blocks}}
    level: must
{actors}{axes}    steps: |
{steps}"
    )
}

fn chapter(rules: &[String]) -> String {
    format!("title: Starts\nrules:\n{}", rules.concat())
}

const FOUR: &str = "n: {every: [1, 2, 3, 4]}";
const ALLOCATES: &str = "aclrtMalloc(&p, 64 * n, ACL_MEM_MALLOC_NORMAL_ONLY);
(uintptr_t)p % 64 == 0;";

fn run(rules: &[String], arguments: &[&str]) -> Report {
    let bench = Bench::new();
    bench.catalog(chapter(rules));
    let fixed = ["--product", "a2", "--backend", "simulator", "--jobs", "1"];
    bench.run_catalog("report", &[&fixed, arguments].concat());
    bench.report("report")
}

/// Processes by reason, without the one that every run starts to ask the runtime what it is.
fn further(report: &Report) -> BTreeMap<StartReason, Starts> {
    let mut starts = report.end().starts.clone();
    let first = starts.get_mut(&StartReason::FirstUse).expect("the runtime was asked what it is");
    (first.processes, first.runtimes) = (first.processes - 1, first.runtimes - 1);
    starts.retain(|_, starts| starts.processes > 0);
    let all = report.end().starts.values().map(|starts| starts.processes).sum::<u64>();
    assert_eq!(all, report.end().workers_started);
    starts
}

fn started(processes: u64) -> Starts {
    Starts { processes, runtimes: processes }
}

#[rstest]
#[case::of_the_pool("", &[])]
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
    let rules = [rule("first", actors, FOUR, ALLOCATES), rule("second", actors, FOUR, ALLOCATES)];
    let report = run(&rules, &[]);
    assert_eq!(report.result("acl.starts.second").verdict, Verdict::Pass);
    let expected = expected.iter().map(|(reason, processes)| (*reason, started(*processes))).collect();
    assert_eq!(further(&report), expected);
}

#[test]
fn a_process_set_apart_is_replaced_after_a_case_that_failed() {
    let rules = [
        rule("passes", "A: process(device 0), apart;", FOUR, ALLOCATES),
        rule("fails", "A: process(device 0), apart;", "", "aclrtGetDevice(&number);\nnumber == 7;"),
        rule("passes-again", "A: process(device 0), apart;", FOUR, ALLOCATES),
    ];
    let report = run(&rules, &[]);
    assert_eq!(report.result("acl.starts.fails").verdict, Verdict::Fail);
    assert_eq!(report.result("acl.starts.passes-again").verdict, Verdict::Pass);
    let starts = further(&report);
    assert_eq!(starts[&StartReason::SetApart], started(1));
    assert_eq!(starts[&StartReason::AfterFailure], started(1));
    assert_eq!(starts[&StartReason::Confirmation], started(2), "the failure is run again in fresh processes");
}

#[test]
fn the_process_of_a_rule_has_nothing_to_do_with_a_failure_of_another_one() {
    let rules = [
        rule("fails", "A: process(device 0), own;", "", "aclrtGetDevice(&number);\nnumber == 7;"),
        rule("passes", "A: process(device 0), own;", FOUR, ALLOCATES),
    ];
    let starts = further(&run(&rules, &[]));
    assert_eq!(starts[&StartReason::Own], started(2), "{starts:?}");
    assert!(!starts.contains_key(&StartReason::AfterFailure), "{starts:?}");
}

#[test]
fn a_process_that_only_loads_the_library_is_no_start_of_the_runtime() {
    let steps = "answer = aclrtGetDeviceCount(&count);\nanswer != ACL_SUCCESS || count > 0;";
    let report = run(&[rule("loaded", "P: process(), state loaded;", "", steps)], &[]);
    assert_eq!(further(&report)[&StartReason::Isolated], Starts { processes: 1, runtimes: 0 });
}

#[test]
fn the_summary_says_why_processes_were_started() {
    let bench = Bench::new();
    bench.catalog(chapter(&[rule("first", "A: process(device 0), isolated;", FOUR, ALLOCATES)]));
    let answer = bench.run_catalog("report", &["--product", "a2", "--backend", "simulator", "--jobs", "1"]);
    let starts = "5 started, the runtime in 5";
    answer.says(0, &[starts, "1 for the first use of a device, 4 for single cases of isolated rules"]);
}

/// The library that waits while a device is selected, before the simulated device's.
fn waiting_library(bench: &Bench) {
    bench.library_before_the_simulator("waits.c", "libwaits.so", &[]);
}

/// The selections that were left in each process that had to wait for them.
fn waited(rules: &[String]) -> (Report, Vec<String>) {
    let bench = Bench::new();
    bench.catalog(chapter(rules));
    waiting_library(&bench);
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--library", "libwaits.so"];
    let mut command = bench.command(words.iter().chain(&["--jobs", "1"]));
    let noted = bench.path("noted");
    let answer = support::answer(command.env("WAITS_NOTED", &noted));
    assert!(answer.status <= 1, "{}", answer.text);
    let text = std::fs::read_to_string(noted).unwrap_or_default();
    (bench.report("report"), text.lines().map(str::to_owned).collect())
}

const LEAVES_ONE: &str = "aclrtSetDevice(1);
aclrtGetDevice(&number);
number == 1;";

#[rstest]
#[case::in_a_pooled_process("", LEAVES_ONE, Verdict::Pass)]
#[case::three_times(
    "",
    "aclrtSetDevice(1);\naclrtSetDevice(0);\naclrtSetDevice(1);\naclrtGetDevice(&number);\nnumber == 1;",
    Verdict::Pass
)]
#[case::before_a_check_that_fails(
    "",
    "aclrtSetDevice(1);\naclrtGetDevice(&number);\nnumber == 7;\naclrtResetDevice(1);",
    Verdict::Fail
)]
#[case::in_a_process_of_its_own("A: process(device 0), isolated;", LEAVES_ONE, Verdict::Pass)]
#[case::in_a_process_set_apart("A: process(), state init, apart;", LEAVES_ONE, Verdict::Pass)]
#[case::in_a_thread(
    "A: process(device 0); T: thread(A), state init;",
    "T: aclrtSetDevice(1);\nT: aclrtGetDevice(&number);\nT: number == 1;",
    Verdict::Pass
)]
#[case::and_released_at_one_blow(
    "A: process(), state init, apart;",
    "aclrtSetDevice(1);\naclrtSetDevice(1);\naclrtGetDevice(&number);\nnumber == 1;\naclrtResetDeviceForce(1);",
    Verdict::Pass
)]
fn no_process_waits_for_a_device_that_a_rule_has_selected(
    #[case] actors: &str,
    #[case] steps: &str,
    #[case] verdict: Verdict,
) {
    let (report, waited) = waited(&[rule("leaves", actors, "", steps), rule("next", "", FOUR, ALLOCATES)]);
    assert_eq!(report.result("acl.starts.leaves").verdict, verdict);
    assert_eq!(report.result("acl.starts.next").verdict, Verdict::Pass);
    assert_eq!(waited, Vec::<String>::new());
}

#[test]
fn a_process_that_a_rule_ends_by_itself_waits_as_any_program_would() {
    let actors = "A: process(device 0); B: process(), state init;";
    let steps = "B: aclrtSetDevice(1);\nB: aclrtSetDevice(1);\nexit B;\nA: aclrtGetDevice(&number);\nA: number == 0;";
    let (report, waited) = waited(&[rule("ends", actors, "", steps)]);
    assert_eq!(report.result("acl.starts.ends").verdict, Verdict::Pass);
    assert_eq!(waited, ["2"], "the library notes it");
}

#[test]
#[ignore = "a minute: ci/night.sh"]
fn the_default_run_of_a2_starts_the_runtime_seventy_times_at_most() {
    let place = CatalogPlace { specs: project().join("specs").into(), bindings: &acl::BINDINGS, defects: None };
    let rules = load(&place, None).unwrap();
    // All others run in the first of the pool's workers.
    let several = |rule: &&Rule| {
        rule.hazard.is_none() && (rule.program.several_processes() || !rule.program.all_are(Sharing::Pooled))
    };
    let ids = rules.rules.iter().filter(several).map(|rule| rule.id.clone());
    let ids: Vec<String> = std::iter::once("acl.malloc.align64".to_owned()).chain(ids).collect();
    let bench = Bench::new();
    let fixed = ["run", "--report-dir", "report", "--product", "a2", "--backend", "simulator", "--jobs", "1"];
    let answer = bench.run(fixed.into_iter().map(str::to_owned).chain(ids));
    assert_eq!(answer.status, 0, "{}", answer.text);
    let end = bench.report("report").end().clone();
    let runtimes: u64 = end.starts.values().map(|starts| starts.runtimes).sum();
    assert!(runtimes <= 70, "{runtimes}: {:?}", end.starts);
    assert!(!end.starts.contains_key(&StartReason::AfterFailure), "{:?}", end.starts);
}
