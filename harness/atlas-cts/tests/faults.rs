//! Libraries that crash, hang, print, lie and refuse to start: the reports of the run, and that it loses no result.

#[path = "faults/limits.rs"]
mod limits;
#[path = "faults/manners.rs"]
mod manners;
#[path = "faults/signals.rs"]
mod signals;
#[path = "faults/stacks.rs"]
mod stacks;
#[path = "faults/starts.rs"]
mod starts;
use crate::support;

use std::fs;
use std::process::{Child, Command, Stdio};

use catalog::Level;
use record::RuleResult;
use rstest::rstest;
use support::{Bench, Report, Watched, answer};

/// Three rules. The second one allocates a block that is large enough to trigger the fault.
const RULES: &str = "\
# The rules of a test.
title: Faults
rules:
  - id: acl.faults.before
    title: A small block is aligned
    statement: A small block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      size: {every: [16, 64]}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
    observe: {process: getpid()}
  - id: acl.faults.struck
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    ACTORS
    forall:
      size: {every: [16, 64, 5000]}
    steps: |
      ACTOR aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      ACTOR (uintptr_t)p % 64 == 0;
  - id: acl.faults.after
    title: A small block is aligned
    statement: A small block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      size: {every: [32, 64]}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
    observe: {process: getpid()}
";

const BOTH_PROCESSES: &str = "actors: \"A: process(device 0); B: process(device 0);\"";
const ISOLATED: &str = "actors: \"B: process(device 0), isolated;\"";

/// A bench with a faulty library and rules that trigger the fault.
fn struck_by(faults: &[&str], actors: &str) -> Bench {
    let bench = Bench::new();
    let actor = if actors.is_empty() { "" } else { "B:" };
    bench.catalog(RULES.replace("ACTORS", actors).replace("ACTOR", actor));
    bench.library("fixtures/faults/faults.c", faults);
    bench.write("processes", "");
    bench
}

/// Runs with a deadline that a busy machine meets, for faults that do not hang.
fn run(bench: &Bench, report: &str) -> support::Answer {
    run_with(bench, report, &["--tune", "deadline=20"])
}

/// Runs with the shortest deadline, for faults that hang.
fn run_hanging(bench: &Bench, report: &str) -> support::Answer {
    run_with(bench, report, &["--tune", "deadline=1"])
}

fn run_with(bench: &Bench, report: &str, arguments: &[&str]) -> support::Answer {
    let words = ["run", "--specs", "specs", "--report-dir", report, "--product", "a2", "--library", "libtested.so"];
    let mut command = bench.command(words.iter().chain(arguments));
    for (name, file) in [
        ("FAULT_PROCESSES", "processes"),
        ("FAULT_CRASHED", "crashed"),
        ("FAULT_SCORE", "score"),
        ("FAULT_LIBRARY", "libtested.so"),
        ("FAULT_NEW", "new"),
    ] {
        command.env(name, bench.path(file));
    }
    // Some faults change these; the run must begin the same everywhere.
    command.env("LC_ALL", "C");
    answer(&mut command)
}

/// Checks that no process announced by the library is left.
#[track_caller]
fn expect_nothing_left(bench: &Bench) {
    for left in fs::read_to_string(bench.path("processes")).unwrap().lines() {
        Watched::new(left).expect_end();
    }
}

/// The process that ran a rule's cases.
fn process(result: &RuleResult) -> &str {
    let processes: Vec<&String> = result.observations["process"].keys().collect();
    assert_eq!(processes.len(), 1, "{processes:?}");
    processes[0]
}

/// Checks that each rule has one result, in order, that the run has an end, and that the rules around the struck one
/// pass.
#[track_caller]
fn expect_whole(report: &Report) {
    let ids: Vec<&str> = report.results.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(ids, ["acl.faults.before", "acl.faults.struck", "acl.faults.after"]);
    assert_eq!(report.end().counts.values().sum::<u64>(), 3);
    for around in ["acl.faults.before", "acl.faults.after"] {
        let result = report.result(around);
        assert_eq!((result.verdict.name(), &*result.reason), ("pass", ""), "{around}");
        assert!(result.cases >= 2 && result.checks == 2 * result.cases, "{around}: {} cases", result.cases);
        assert_eq!((&*result.findings, &result.failure.is_none()), (&[] as &[String], &true), "{around}");
    }
}

const MALLOC: &str = "aclrtMalloc did not return: ";

/// A crash breaks a run at every level, and a hang where a document promises an outcome of the call.
#[rstest]
#[case::a_crash("FAULT_SEGFAULT", SOURCE, 1)]
#[case::a_hang_where_a_document_promises_an_outcome("FAULT_HANG", CLAUSES, 1)]
#[case::a_hang_where_none_does("FAULT_HANG", SOURCE, 0)]
fn a_lost_process_of_a_rule_of_level_info(#[case] fault: &str, #[case] rests_on: &str, #[case] status: i32) {
    let bench = struck_by(&[fault], "");
    let (before, struck) = RULES.split_once("  - id: acl.faults.struck\n").expect("the rule");
    let struck = struck.replacen("level: must", "level: info", 1).replacen(CLAUSES, rests_on, 1);
    let rules = format!("{before}  - id: acl.faults.struck\n{struck}");
    bench.catalog(rules.replace("    ACTORS\n", "").replace("ACTOR ", ""));
    run_hanging(&bench, "report").says(status, &["acl.faults.struck"]);
    assert_eq!(bench.report("report").result("acl.faults.struck").level, Level::Info);
}

const CLAUSES: &str = "    clauses: {manual: manual.blocks}\n";
const SOURCE: &str = "    source: [{document: manual, section: blocks}]\n";

#[rstest]
#[case::segfault(&["FAULT_SEGFAULT"], "", "crash", &[MALLOC, "signal 11 (SIGSEGV)"])]
#[case::abort(&["FAULT_ABORT"], "", "crash", &[MALLOC, "signal 6 (SIGABRT)"])]
#[case::exit(&["FAULT_EXIT"], "", "crash", &[MALLOC, "exit status 0"])]
#[case::exit_in_a_thread(&["FAULT_EXIT_IN_THREAD"], "", "crash", &[MALLOC, "exit status 0"])]
#[case::corrupt_heap(&["FAULT_CORRUPTS_HEAP"], "", "crash", &["aclrt", "signal 6 (SIGABRT)"])]
#[case::ten_gigabytes_filled(&["FAULT_HOARDS"], "", "crash", &[MALLOC, "signal 6 (SIGABRT)"])]
#[case::killed_by_the_system(&["FAULT_KILLED"], "", "crash",
    &[MALLOC, "signal 9 (SIGKILL), not sent by the suite: the machine may be out of memory"])]
#[case::cannot_be_reaped(&["FAULT_REFUSES_TO_DIE"], "", "timeout",
    &[MALLOC, "the process was killed and did not end within 5s"])]
#[case::hang_with_all_signals_blocked(&["FAULT_HANG"], "", "timeout", &[MALLOC, "no progress for 1s"])]
#[case::hang_outside_its_group(&["FAULT_HANG_IN_OTHER_GROUP"], "", "timeout", &[MALLOC, "no progress"])]
#[case::crash_while_a_child_holds_the_pipes(&["FAULT_CRASH_WITH_HELPER"], "", "crash", &[MALLOC, "SIGABRT"])]
#[case::flood_and_crash(&["FAULT_FLOOD_AND_CRASH"], "", "crash", &[MALLOC, "SIGSEGV"])]
#[case::descriptors_closed(&["FAULT_CLOSES_DESCRIPTORS"], "", "crash", &["the library closed file descriptors"])]
#[case::crash_in_the_release(&["FAULT_SEGFAULT", "FAULT_IN_FREE"], "", "crash",
    &["aclrtFree (automatic release) did not return: ", "SIGSEGV"])]
#[case::crash_in_one_of_two_processes(&["FAULT_SEGFAULT"], BOTH_PROCESSES, "crash",
    &["in process B: ", MALLOC, "SIGSEGV"])]
#[case::hang_in_one_of_two_processes(&["FAULT_HANG"], BOTH_PROCESSES, "timeout",
    &["in process B: ", MALLOC, "no progress"])]
#[case::child_of_one_of_two_processes(&["FAULT_CRASH_WITH_HELPER"], BOTH_PROCESSES, "crash",
    &["in process B: ", MALLOC, "SIGABRT"])]
#[case::descriptors_closed_in_one_of_two(&["FAULT_CLOSES_DESCRIPTORS"], BOTH_PROCESSES, "crash",
    &["in process B: ", "the library closed file descriptors"])]
#[case::crash_in_an_isolated_process(&["FAULT_ABORT"], ISOLATED, "crash", &[MALLOC, "SIGABRT"])]
fn a_fault_is_blamed_on_its_case_and_on_no_other_rule(
    #[case] faults: &[&str],
    #[case] actors: &str,
    #[case] verdict: &str,
    #[case] reason: &[&str],
) {
    let bench = struck_by(faults, actors);
    let answer = if verdict == "timeout" { run_hanging(&bench, "report") } else { run(&bench, "report") };
    answer.says(1, &["acl.faults.struck", "size = 5000", &verdict.to_uppercase()]);
    let report = bench.report("report");
    expect_whole(&report);

    let struck = report.result("acl.faults.struck");
    assert_eq!(struck.verdict.name(), verdict);
    for fragment in reason {
        assert!(struck.reason.contains(fragment), "`{fragment}` is missing in: {}", struck.reason);
    }
    let failure = struck.failure.as_ref().unwrap();
    assert_eq!(failure.values, [("size".to_owned(), "5000".to_owned())]);
    assert_eq!(failure.replay_values["size"], 5000);
    assert!(failure.trace.iter().any(|call| call.contains("aclrtMalloc(devPtr=&p, size=5000")), "{:?}", failure.trace);
    assert!(failure.place.starts_with("specs/acl/rules/faults.yaml:24:"), "{}", failure.place);
    for fragment in ["acl.faults.struck", "size = 5000", "aclrtMalloc(devPtr=&p, size=5000"] {
        assert!(report.junit.contains(fragment), "`{fragment}` is missing in:\n{}", report.junit);
    }

    // A rule with its own processes does not use the pool's worker.
    let fresh = process(report.result("acl.faults.before")) != process(report.result("acl.faults.after"));
    assert_eq!(fresh, actors != ISOLATED);
    let stuck =
        report.end().remarks.iter().filter(|remark| remark.contains("did not end within 5s; it is left behind"));
    assert_eq!(stuck.count() > 0, faults == ["FAULT_REFUSES_TO_DIE"], "{:?}", report.end().remarks);
    expect_nothing_left(&bench);
}

#[test]
fn a_crash_in_the_health_check_names_the_call() {
    let bench = struck_by(&["FAULT_SEGFAULT", "FAULT_IN_HEALTH"], "");
    let answer = run(&bench, "report");
    answer.says(1, &["CRASH"]);
    assert!(!answer.text.contains("found in case"), "no further case ran:\n{}", answer.text);
    let report = bench.report("report");
    expect_whole(&report);
    let reason = &report.result("acl.faults.struck").reason;
    assert!(reason.starts_with("aclrtMemset (life cycle) did not return: "), "{reason}");
}

#[test]
fn the_last_output_of_a_crashing_library_is_kept() {
    let bench = struck_by(&["FAULT_FLOOD_AND_CRASH"], "");
    run(&bench, "report").says(1, &["not the worker"]);
    let output = &bench.report("report").result("acl.faults.struck").failure.as_ref().unwrap().output.clone();
    assert!(output.contains("{\"released\":[]}") && output.len() <= 16 * 1024, "{} bytes", output.len());
}

/// A run that hangs in its second rule, and the worker that hangs.
fn hanging(bench: &Bench) -> (Child, Watched) {
    // The library writes its process id when it begins to hang; reading the pipe waits for that.
    fs::remove_file(bench.path("processes")).unwrap();
    let made = Command::new("mkfifo").arg(bench.path("processes")).status().unwrap();
    assert!(made.success());
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--library", "libtested.so"];
    let mut supervisor = bench.command(words);
    supervisor.env("FAULT_PROCESSES", bench.path("processes")).stdout(Stdio::null());
    let supervisor = supervisor.spawn().unwrap();
    let worker = fs::read_to_string(bench.path("processes")).unwrap();
    (supervisor, Watched::new(&worker))
}

/// Kills a run as the system does when memory is short.
fn kill(mut supervisor: Child) {
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
}

#[test]
fn two_runs_never_share_a_device() {
    let bench = struck_by(&["FAULT_HANG"], "");
    let (first, _worker) = hanging(&bench);
    let words = ["run", "--specs", "specs", "--report-dir", "second", "--library", "libtested.so"];
    let holder = format!("device-0.lock is still held by process {} (", first.id());
    let says = ["device 0 is in use by another run", &holder, "run --specs specs", "wait longer"];
    bench.run(words.iter().chain(&["--tune", "lock-wait=0"])).says(3, &says);
    kill(first);
    bench.run(words.iter().chain(&["acl.faults.before"])).says(0, &[]);
}

#[test]
fn a_killed_supervisor_leaves_a_readable_journal_and_no_workers() {
    let bench = struck_by(&["FAULT_HANG"], "");
    let (supervisor, worker) = hanging(&bench);
    kill(supervisor);
    worker.expect_end();
    let report = bench.report("report");
    assert_eq!(report.verdicts(), [("acl.faults.before", "pass")]);
    assert!(report.end.is_none());
    assert_eq!(report.header.rules, 3);
}

#[test]
fn a_case_that_also_fails_alone_is_reported_without_doubt() {
    let bench = struck_by(&["FAULT_SEGFAULT"], "");
    run(&bench, "report").says(1, &["signal 11"]);
    assert!(!bench.report("report").result("acl.faults.struck").reason.contains("alone"));
}
