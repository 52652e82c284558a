//! The confirmation of failures: shrinking of crashes and hangs, cases that fail only after others, flaky cases. Each
//! failure prints a replay command, which the tests run.

use crate::support;

use std::fs;
use std::path::PathBuf;

use record::{Conclusion, Confirmation, Failure, Repeats, Verdict};
use rstest::rstest;
use support::{Answer, Bench, answer};

const STRUCK: &str = "acl.faults.struck";

const RULE: &str = "\
# The rules of a test.
title: Faults
rules:
  - id: acl.faults.struck
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: LEVEL
    ACTORS
    forall:
      size: DOMAIN
    steps: |
      ACTOR aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      ACTOR (uintptr_t)p % 64 == 0;
";

const ANY_SIZE: &str = "{bytes: 1KiB..32KiB}";
const ONE_PROCESS: &str = "";
const TWO_PROCESSES: &str = "actors: \"A: process(device 0); B: process(device 0);\"";
const ISOLATED: &str = "actors: \"B: process(device 0), isolated;\"";

/// A bench with the rule and a library with a fault.
struct Struck(Bench);

impl Struck {
    fn by(fault: &str, actors: &str, sizes: &str, level: &str) -> Struck {
        let bench = Bench::new();
        let actor = if actors.is_empty() { "" } else { "B:" };
        let rule = RULE.replace("ACTORS", actors).replace("ACTOR", actor);
        bench.catalog(rule.replace("DOMAIN", sizes).replace("LEVEL", level));
        bench.library("fixtures/faults/history.c", &fault.split(' ').collect::<Vec<_>>());
        Struck(bench)
    }

    /// Sets the number of the next process that starts, counted from 1.
    fn next_start(&self, number: usize) {
        self.0.write("starts", "x".repeat(number - 1));
    }

    fn environment(&self) -> [(&'static str, PathBuf); 3] {
        [("FAULT_STARTS", "starts"), ("FAULT_HANGS", "hangs"), ("FAULT_CRASHED", "crashed")]
            .map(|(variable, file)| (variable, self.0.path(file)))
    }

    fn run(&self, report: &str, arguments: &[&str]) -> Answer {
        let words = ["run", "--specs", "specs", "--report-dir", report, "--product", "a2", "--library", "libtested.so"];
        let mut command = self.0.command(words.iter().chain(arguments));
        answer(command.envs(self.environment()))
    }

    fn replay(&self, report: &str) -> Answer {
        self.0.replay(STRUCK, report, &self.environment())
    }

    fn failure(&self, report: &str) -> Failure {
        *self.0.report(report).result(STRUCK).failure.clone().expect("the rule failed")
    }

    fn found(&self, report: &str) -> (Failure, Confirmation) {
        let failure = self.failure(report);
        let confirmation = failure.confirmation.clone().expect("the case was rerun");
        (failure, confirmation)
    }

    fn verdict(&self, report: &str) -> Verdict {
        self.0.report(report).result(STRUCK).verdict
    }
}

fn size(values: &[(String, String)]) -> u64 {
    assert_eq!(values.len(), 1);
    values[0].1.parse().unwrap()
}

#[test]
fn a_crash_is_shrunk_to_its_minimum() {
    let struck = Struck::by("FAULT_CRASH_FROM_SIZE", ONE_PROCESS, ANY_SIZE, "must");
    struck.run("report", &[]).says(1, &["CRASH  acl.faults.struck", "fails in 2 of 2 runs of the case alone"]);
    let (failure, confirmation) = struck.found("report");
    assert_eq!(failure.values, [("size".to_owned(), "5000".to_owned())]);
    assert!(failure.shrinks > 2, "shrunk {} times", failure.shrinks);
    assert!(failure.trace.iter().any(|call| call.contains("aclrtMalloc(devPtr=&p, size=5000")), "{:?}", failure.trace);
    assert_eq!((confirmation.conclusion, confirmation.found), (Conclusion::Alone, Verdict::Crash));
    assert_eq!(confirmation.alone, Repeats { failed: 2, runs: 2 });
    let started = struck.0.report("report").end().workers_started;
    assert!(started < 40, "{started} processes were started");

    struck.replay("report").says(1, &["CRASH  acl.faults.struck", "size = 5000"]);
    assert_eq!(struck.0.report("replayed").result(STRUCK).cases, 1);
    assert_eq!(struck.failure("replayed").confirmation, None, "a replay is not confirmed");
}

#[test]
fn a_hang_is_shrunk_within_its_budget() {
    let struck = Struck::by("FAULT_HANG_FROM_SIZE", ONE_PROCESS, ANY_SIZE, "must");
    struck.run("report", &["--tune", "deadline=1"]).says(1, &["TIMEOUT  acl.faults.struck"]);
    let (failure, confirmation) = struck.found("report");
    assert!(failure.shrinks > 0 && (5000..32768).contains(&size(&failure.values)), "{failure:?}");
    assert_eq!((confirmation.conclusion, confirmation.found), (Conclusion::Alone, Verdict::Timeout));
    assert_eq!(confirmation.alone, Repeats { failed: 1, runs: 1 });
    let hangs = fs::read(struck.0.path("hangs")).unwrap().len();
    assert!(hangs <= 5, "the original hang, and four more: {hangs}");

    let again = struck.replay("report");
    again.says(1, &["TIMEOUT  acl.faults.struck", &format!("size = {}", size(&failure.values))]);
}

#[rstest]
#[case::in_one_process(ONE_PROCESS)]
#[case::in_one_of_two_processes(TWO_PROCESSES)]
fn a_slow_failure_is_shrunk_within_its_time(#[case] actors: &str) {
    let struck = Struck::by("FAULT_SLOW_FROM_SIZE", actors, ANY_SIZE, "must");
    // The budget is four hangs of a second, so four seconds.
    let cut = "shrinking stopped at its budget (a larger --profile raises it)";
    struck.run("report", &["--tune", "deadline=1"]).says(1, &["FAIL  acl.faults.struck", cut, ": NOT SIMULATED, "]);
    let (failure, confirmation) = struck.found("report");
    assert!(failure.cut && size(&failure.values) > 5000, "{failure:?}");
    assert_eq!((confirmation.conclusion, confirmation.alone), (Conclusion::Alone, Repeats { failed: 2, runs: 2 }));
    let time = struck.0.report("report").result(STRUCK).nanoseconds / 1_000_000_000;
    assert!(time < 30, "{time} s");
}

#[rstest]
#[case::in_one_process(ONE_PROCESS)]
#[case::in_one_of_two_processes(TWO_PROCESSES)]
fn a_case_that_fails_only_after_two_others_names_both(#[case] actors: &str) {
    let struck = Struck::by("FAULT_AFTER_TWO_OTHERS", actors, ANY_SIZE, "must");
    // With this seed, the budget of two processes is enough to draw all three sizes.
    let answer = struck.run("report", &["--seed", "1", "--tune", "keep=yes"]);
    answer.says(1, &["FAIL  acl.faults.struck", "fails only after 2 other cases", "alone it failed in 0 of 2 runs"]);
    let (failure, confirmation) = struck.found("report");
    assert_eq!((confirmation.conclusion, confirmation.remark.as_str()), (Conclusion::After, ""));
    assert_eq!(confirmation.alone, Repeats { failed: 0, runs: 2 });
    let sizes: Vec<u64> = confirmation.after.iter().map(|values| size(values)).collect();
    assert!(matches!(sizes[..], [1024..2048, 16384..32768]), "{sizes:?}");
    assert_eq!(size(&failure.values), 4096, "the case itself is minimal");
    let cases: Vec<u64> =
        failure.replay_values.as_array().unwrap().iter().map(|c| c["size"].as_u64().unwrap()).collect();
    assert_eq!(cases, [sizes[0], sizes[1], 4096]);
    let report = struck.0.report("report");
    let clause = "fails only after 2 other cases in the same process";
    assert!(report.result(STRUCK).reason.ends_with(clause), "{}", report.result(STRUCK).reason);
    assert!(report.junit.contains(clause), "{}", report.junit);
    for folder in ["report/counterexamples", "regressions"] {
        let kept = fs::read_to_string(struck.0.path(folder).join("acl.faults.struck.json")).unwrap();
        let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
        assert_eq!(kept[0]["case"], failure.replay_values, "{folder}");
    }

    struck.replay("report").says(1, &["FAIL  acl.faults.struck", "size = 4096"]);
    let again = struck.0.report("replayed");
    assert_eq!(again.result(STRUCK).cases, 3);
    let again = struck.failure("replayed");
    assert_eq!(again.replay, failure.replay, "the replay prints the same command");
    assert_eq!(again.replay_values, failure.replay_values);

    // The list was kept: a later run tries it first and finds the same failure.
    struck.run("later", &["--seed", "77"]).says(1, &["fails only after 2 other cases"]);
    let (later, _) = struck.found("later");
    assert_eq!((later.case, later.replay_values), (3, failure.replay_values));
}

#[test]
fn a_crash_that_needs_two_other_cases_is_shrunk_after_them() {
    let struck = Struck::by("FAULT_AFTER_TWO_OTHERS FAULT_ABORTS", ONE_PROCESS, ANY_SIZE, "must");
    let profile = ["--profile", "nightly", "--seed", "1"];
    struck.run("report", &profile).says(1, &["CRASH  acl.faults.struck", "fails only after 2 other cases"]);
    let (failure, confirmation) = struck.found("report");
    assert_eq!((confirmation.conclusion, confirmation.after.len()), (Conclusion::After, 2));
    assert_eq!(size(&failure.values), 4096);
    assert!(failure.shrinks > 0);
    assert_eq!(failure.replay_values[2]["size"], 4096);
    struck.replay("report").says(1, &["CRASH  acl.faults.struck", "size = 4096"]);
}

#[test]
fn the_third_of_three_cases_needs_the_other_two() {
    let sizes = "{every: [16, 5000, 64, 6000, 7000]}";
    let struck = Struck::by("FAULT_THIRD_LARGE_BLOCK", ONE_PROCESS, sizes, "must");
    struck.run("report", &[]).says(1, &["FAIL  acl.faults.struck", "size = 5000\n", "size = 6000\n", "= 7000\n"]);
    let (_, confirmation) = struck.found("report");
    assert_eq!(confirmation.after.iter().map(|values| size(values)).collect::<Vec<_>>(), [5000, 6000]);
    struck.replay("report").says(1, &["FAIL  acl.faults.struck", "size = 7000"]);
}

#[rstest]
#[case::one_process(ONE_PROCESS, 3, "must", 1)]
#[case::one_process_of_a_rule_of_level_info(ONE_PROCESS, 3, "info", 0)]
#[case::two_processes(TWO_PROCESSES, 2, "must", 1)]
#[case::fresh_processes(ISOLATED, 1, "must", 1)]
fn a_failure_in_every_third_process_is_flaky_with_a_rate(
    #[case] actors: &str,
    #[case] first: usize,
    #[case] level: &str,
    #[case] status: i32,
) {
    let struck = Struck::by("FAULT_EVERY_THIRD_START", actors, ANY_SIZE, level);
    struck.next_start(first);
    struck.run("report", &[]).says(status, &["of 10 runs of the case alone", "flaky"]);
    let report = struck.0.report("report");
    let result = report.result(STRUCK);
    assert_eq!(result.verdict, Verdict::Flaky);
    assert_eq!(report.end().counts, [(Verdict::Flaky, 1)].into());
    let (_, confirmation) = struck.found("report");
    assert_eq!((confirmation.conclusion, confirmation.found), (Conclusion::Flaky, Verdict::Fail));
    assert_eq!(confirmation.alone.runs, 10);
    assert!((3..=4).contains(&confirmation.alone.failed), "{confirmation:?}");
    let rate = format!("failed in {} of 10 runs of the case alone: aclrtMalloc returned", confirmation.alone.failed);
    assert!(result.reason.starts_with(&rate), "{}", result.reason);
    assert_eq!(report.junit.contains("type=\"flaky\""), level == "must", "{}", report.junit);

    // One of three runs begins with the process that fails.
    let replays: Vec<Verdict> = (0..3)
        .map(|_| {
            struck.replay("report");
            struck.verdict("replayed")
        })
        .collect();
    assert!(replays.contains(&Verdict::Fail) && replays.contains(&Verdict::Pass), "{replays:?}");
}

/// The rules before [`STRUCK`], each with the sizes that it allocates.
const BEFORE: [(&str, &str); 5] = [
    ("a", "{bytes: 64..512}"),
    ("b", "{bytes: 1KiB..1500}"),
    ("c", "{bytes: 16KiB..20KiB}"),
    ("d", "{bytes: 32..100}"),
    ("e", "{bytes: 40KiB..50KiB}"),
];

/// A rule whose failure needs two of the rules before it is not flaky.
#[test]
fn a_failure_that_needs_earlier_rules_names_them_and_its_command_runs_them() {
    let struck = Struck::by("FAULT_AFTER_TWO_OTHERS", ONE_PROCESS, ANY_SIZE, "must");
    let of = |(name, sizes): (&str, &str)| {
        let rule = RULE.split_once("rules:\n").expect("the rule").1.replace("struck", name);
        rule.replace("ACTORS", "").replace("ACTOR", "").replace("DOMAIN", sizes).replace("LEVEL", "must")
    };
    let rules: String = BEFORE.into_iter().chain([("struck", "{bytes: 4KiB..8191}")]).map(of).collect();
    struck.0.catalog(format!("# The rules of a test.\ntitle: Faults\nrules:\n{rules}"));
    let after = "fails only after acl.faults.b, acl.faults.c in the same process";
    struck.run("report", &["--jobs", "1"]).says(1, &["FAIL  acl.faults.struck", after, "1 rule broken"]);
    let (failure, confirmation) = struck.found("report");
    assert_eq!((confirmation.conclusion, confirmation.found), (Conclusion::AfterRules, Verdict::Fail));
    assert_eq!(confirmation.after_rules, ["acl.faults.b", "acl.faults.c"]);
    assert!(failure.replay.contains("run acl.faults.b acl.faults.c acl.faults.struck --jobs 1"), "{}", failure.replay);
    struck.replay("report").says(1, &["FAIL  acl.faults.struck", after]);

    // The journal has the rules of each worker in their order.
    let report = struck.0.report("report");
    let worker = report.result(STRUCK).ran_in[0].worker;
    let mut there: Vec<(u64, &str)> = report
        .results
        .iter()
        .flat_map(|result| result.ran_in.iter().map(move |ran| (ran, result.id.as_str())))
        .filter(|(ran, _)| ran.worker == worker)
        .map(|(ran, id)| (ran.place, id))
        .collect();
    there.sort_unstable();
    let ids = ["a", "b", "c", "d", "e", "struck"].map(|name| format!("acl.faults.{name}"));
    assert!(there.iter().map(|(_, id)| *id).eq(ids.iter().map(String::as_str)), "{there:?}");
}

#[test]
fn a_single_failure_has_the_rate_of_its_rule() {
    let struck = Struck::by("FAULT_ONCE", ONE_PROCESS, ANY_SIZE, "must");
    struck
        .run("report", &[])
        .says(1, &["FLAKY  acl.faults.struck", "failed in 1 of 4 runs of the rule up to this case"]);
    let (failure, confirmation) = struck.found("report");
    assert_eq!(confirmation.rule, Repeats { failed: 1, runs: 4 });
    assert_eq!(confirmation.alone, Repeats { failed: 0, runs: 10 });
    assert_eq!(confirmation.remark, "it fails rarely", "no other rule ran before it");
    assert!(!failure.replay.contains("--case"), "the case alone never failed: {}", failure.replay);
    // It fails once on a machine, and again on the next one.
    fs::remove_file(struck.0.path("crashed")).unwrap();
    struck.replay("report").says(1, &["acl.faults.struck"]);
}

#[test]
fn a_lost_device_leaves_the_failure_unconfirmed() {
    let struck = Struck::by("FAULT_NO_SECOND_START", ONE_PROCESS, ANY_SIZE, "must");
    let marks = ["CRASH (unconfirmed)  acl.faults.struck", "1 rule broken; one of 1 reds was seen once"];
    struck.run("report", &[]).says(1, &marks);
    let report = struck.0.report("report");
    assert!(report.result(STRUCK).unconfirmed());
    assert!(report.junit.contains("name=\"unconfirmed\""), "{}", report.junit);
    let page = fs::read_to_string(struck.0.path("report/report.html")).expect("a page");
    assert!(page.contains(">unconfirmed</span>"), "the page has the mark");
    let (failure, confirmation) = struck.found("report");
    assert_eq!((confirmation.conclusion, confirmation.alone.runs), (Conclusion::Unconfirmed, 0));
    assert!(confirmation.remark.contains("ACL_ERROR_RT_LOST_HEARTBEAT"), "{}", confirmation.remark);
    assert_eq!(failure.shrinks, 0);
    assert_eq!(size(&failure.values), 32768);
}

#[test]
fn an_empty_list_of_cases_is_refused_and_a_program_runs_a_whole_list() {
    let struck = Struck::by("FAULT_ONCE", ONE_PROCESS, ANY_SIZE, "must");
    struck.run("report", &["--case", "[]"]).says(2, &["--case []: the list contains no cases"]);
    let words = ["print", "--specs", "specs", "--case", r#"[{"size": 1024}, {"size": 2048}]"#, STRUCK];
    struck.0.run(words).says(0, &["Case: size = 1024", "Case: size = 2048", "for (run = 0; run < 2; run++)"]);
}
