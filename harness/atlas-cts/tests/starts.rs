//! Processes with the runtime: none waits at its end for a device that was left selected, and a run of all rules starts
//! few. `starts.rs` of the engine's tests covers sharing of processes, and the reasons for further ones.

use crate::support;

use catalog::Rule;
use record::{StartReason, Verdict};
use rstest::rstest;
use steps::program::Sharing;
use support::{Bench, Report, catalog};

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

/// The number of selections that were left in each process that had to wait for them. The library in front of the
/// simulated device waits while a device is selected.
fn waited(rules: &[String]) -> (Report, Vec<String>) {
    let bench = Bench::new();
    bench.catalog(chapter(rules));
    bench.library_before_the_simulator("waits.c", "libwaits.so", &[]);
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
#[case::in_an_isolated_process("A: process(device 0), isolated;", LEAVES_ONE, Verdict::Pass)]
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
fn no_process_waits_for_a_device_that_a_rule_left_selected(
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
fn a_process_that_a_rule_ends_waits_like_any_program() {
    let actors = "A: process(device 0); B: process(), state init;";
    let steps = "B: aclrtSetDevice(1);\nB: aclrtSetDevice(1);\nexit B;\nA: aclrtGetDevice(&number);\nA: number == 0;";
    let (report, waited) = waited(&[rule("ends", actors, "", steps)]);
    assert_eq!(report.result("acl.starts.ends").verdict, Verdict::Pass);
    assert_eq!(waited, ["2"], "the library records it");
}

#[test]
#[ignore = "a minute: ci/night.sh"]
fn the_default_run_of_a2_starts_the_runtime_at_most_seventy_times() {
    // All others run in the pool's first worker.
    let several = |rule: &&Rule| {
        rule.hazard.is_none() && (rule.program.several_processes() || !rule.program.all_are(Sharing::Pooled))
    };
    let ids = catalog().rules.iter().filter(several).map(|rule| rule.id.clone());
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
