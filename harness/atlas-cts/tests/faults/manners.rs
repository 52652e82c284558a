//! Libraries that break no rule but harm their process while it runs or when it ends.

use std::fs;

use rstest::rstest;

use super::{BOTH_PROCESSES, expect_nothing_left, expect_whole, run, run_hanging, struck_by};

/// The result of the struck rule mentions the change.
#[rstest]
#[case::signal_mask("FAULT_CHANGES_SIGNAL_MASK", "the signal mask (blocked 10 15)")]
#[case::locale("FAULT_CHANGES_LOCALE", "the locale from C to ")]
#[case::working_directory("FAULT_CHANGES_FOLDER", "the working directory from ")]
#[case::umask("FAULT_CHANGES_UMASK", " to 000")]
#[case::environment(
    "FAULT_CHANGES_ENVIRONMENT",
    "the environment (FAULT_CRASHED changed, FAULT_LEFT_BEHIND set, FAULT_PROCESSES removed)"
)]
#[case::resource_limit("FAULT_LOWERS_A_LIMIT", "the limit of open files from ")]
#[case::forks_inside_a_call("FAULT_FORKS", "the library forked inside a call and the child returned from it too")]
fn changes_of_a_library_to_its_process_are_reported_and_undone(
    #[case] fault: &str,
    #[case] finding: &str,
    #[values("", BOTH_PROCESSES)] actors: &str,
) {
    let bench = struck_by(&[fault], actors);
    run(&bench, "report").says(0, &["conformant: no rule that ran is broken"]);
    let report = bench.report("report");
    expect_whole(&report);
    let struck = report.result("acl.faults.struck");
    assert_eq!(struck.verdict.name(), "pass", "{}", struck.reason);
    assert_eq!(struck.findings.len(), 1, "{:?}", struck.findings);
    assert!(struck.findings[0].contains(finding), "{:?}", struck.findings);
    assert_eq!(struck.findings[0].starts_with("in process B: "), !actors.is_empty(), "{:?}", struck.findings);
    let junit = report.junit.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(junit.contains(finding.trim()), "{junit}");
    assert_eq!(report.end().remarks, [""; 0], "it is reported with the rule");
    assert_eq!(report.end().workers_started, if actors.is_empty() { 1 } else { 2 }, "the process is reused");
    expect_nothing_left(&bench);
}

/// Most limits are compared only after a rule that did not pass: its result names the changed limit.
#[test]
fn a_rule_that_fails_because_of_a_lowered_limit_names_it() {
    let bench = struck_by(&["FAULT_LOWERS_THE_STACK"], "");
    run(&bench, "report").says(1, &["acl.faults.after"]);
    let report = bench.report("report");
    let struck = report.result("acl.faults.struck");
    assert_eq!((struck.verdict.name(), &*struck.findings), ("pass", &[] as &[String]));
    let after = report.result("acl.faults.after");
    assert!(after.findings.iter().any(|finding| finding.contains("restored: the limit of stack from ")), "{after:?}");
    expect_nothing_left(&bench);
}

/// Only the end of the run mentions the fault.
#[rstest]
#[case::prints_replies_of_a_worker("FAULT_FLOOD", None)]
#[case::ignores_and_blocks_all_signals(
    "FAULT_SIGNALS",
    Some("during set-up, the library changed its process, and the change is kept: the signal mask (blocked ")
)]
#[case::hangs_when_it_ends(
    "FAULT_END_HANGS",
    Some("did not shut down cleanly: during the tear-down, no progress for 1s; the process was killed")
)]
#[case::hangs_in_a_static_destructor(
    "FAULT_HANGS_AT_EXIT",
    Some("did not shut down cleanly: after the tear-down, the process did not end within 5s and was killed")
)]
#[case::aborts_in_a_static_destructor(
    "FAULT_ABORTS_AT_EXIT",
    Some(
        "after the tear-down, the library ended its process (signal 6 (SIGABRT)) (1 process); it had printed: free(): "
    )
)]
#[case::a_thread_aborts_after_the_end(
    "FAULT_DAEMON_ABORTS",
    Some("(signal 6 (SIGABRT)) (1 process); it had printed: terminate called: the pool is gone")
)]
#[case::leaves_a_process_in_another_session(
    "FAULT_FORKS_A_DAEMON",
    Some("a process started by the library outlived its worker and was killed (1 process)")
)]
#[case::reserves_ten_gigabytes("FAULT_MAPS_10_GB", None)]
fn faults_outside_of_rules_change_no_verdict(#[case] fault: &str, #[case] remark: Option<&str>) {
    let bench = struck_by(&[fault], "");
    let answer = if fault == "FAULT_END_HANGS" { run_hanging(&bench, "report") } else { run(&bench, "report") };
    answer.says(0, &["conformant: no rule that ran is broken"]);
    assert!(!answer.text.contains("not the worker") && answer.text.len() < 4096, "{}", answer.text);
    let report = bench.report("report");
    expect_whole(&report);
    let struck = report.result("acl.faults.struck");
    assert_eq!((struck.verdict.name(), &*struck.findings), ("pass", &[] as &[String]));
    assert_eq!(report.end().workers_started, 1);
    let remarks = &report.end().remarks;
    assert_eq!(remarks.len(), remark.iter().len(), "{remarks:?}");
    if let Some(remark) = remark {
        assert!(remarks[0].contains(remark), "{remarks:?}");
        answer.says(0, &["remark "]);
        assert!(report.junit.contains("name=\"acl.run.end\"") && report.junit.contains(remark), "{}", report.junit);
        assert!(report.junit.contains("failures=\"0\" errors=\"0\""), "{}", report.junit);
    }
    expect_nothing_left(&bench);
}

#[test]
fn the_system_kills_workers_first_when_memory_is_short() {
    let bench = struck_by(&["FAULT_MAPS_10_GB"], "");
    bench.write("score", "");
    run(&bench, "report").says(0, &[]);
    let scores = fs::read_to_string(bench.path("score")).unwrap();
    assert!(!scores.is_empty() && scores.lines().all(|score| score == "1000"), "{scores}");
    let mine = fs::read_to_string("/proc/self/oom_score_adj").unwrap();
    assert_ne!(mine.trim(), "1000", "the test shows nothing if every process has this score");
}
