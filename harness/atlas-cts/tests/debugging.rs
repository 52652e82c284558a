//! The way from a failing rule to a breakpoint in the vendor's library: under the suite, with a reproducer, and while a
//! debugger is attached. A process stays at its breakpoint beyond every deadline.

use crate::support;

use std::fs;
use std::process::Command;

use record::{RuleResult, Verdict};
use rstest::rstest;
use simulator_contract::environment;
use support::{Answer, Bench, answer};

/// The rule that fails with the library's mistake.
const RULE: &str = "acl.copy.sync-roundtrip";
/// The deadline of the runs and of the programs that a debugger stops, in seconds. The set-up of a run has four times
/// as long.
const DEADLINE: u64 = 3;

/// A bench with a library in front of the simulated device, whose copy has a mistake.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.library_before_the_simulator("wrapper.c", "libwrapper.so", &["-g"]);
    bench
}

/// A run with this library.
fn command(bench: &Bench, report: &str, more: &[&str]) -> Command {
    let words = ["run", "--product", "a2", "--library", "libwrapper.so", "--report-dir", report, "--seed", "1"];
    bench.command(words.iter().chain(&["--tune", "patience=2000"]).chain(more))
}

/// A run with this library and a short deadline.
fn hurried(bench: &Bench, report: &str, more: &[&str]) -> Command {
    let mut command = command(bench, report, more);
    command.arg("--tune").arg(format!("deadline={DEADLINE}"));
    command
}

/// A gdb that stops at the library's function for longer than the deadlines, says where it is, and continues to the
/// end.
fn stopping_gdb() -> String {
    expect_gdb();
    let longer = 3 * DEADLINE;
    format!("gdb -nx -batch -ex 'break aclrtMemcpy' -ex run -ex 'shell sleep {longer}' -ex bt -ex delete -ex continue")
}

fn expect_gdb() {
    let found = Command::new("gdb").arg("--version").output();
    assert!(found.is_ok_and(|found| found.status.success()), "this test needs gdb: apt-get install gdb");
}

/// Checks that a debugger stopped in the library's source.
#[track_caller]
fn expect_stop(answer: &Answer, status: i32) {
    answer.says(status, &["Breakpoint 1", ", aclrtMemcpy (", "wrapper.c:", "#0 aclrtMemcpy ("]);
}

fn failing_case(bench: &Bench) -> (RuleResult, String) {
    answer(&mut command(bench, "report", &[RULE])).says(1, &["FAIL"]);
    let result = bench.report("report").result(RULE).clone();
    let case = result.failure.as_ref().unwrap().replay_values.to_string();
    (result, case)
}

#[test]
fn a_rule_stops_at_a_breakpoint_in_the_library_beyond_its_deadline() {
    let bench = bench();
    let (found, case) = failing_case(&bench);
    let gdb = stopping_gdb();
    let answer = answer(&mut hurried(&bench, "debugged", &[RULE, "--case", &case, "--debugger", &gdb]));
    expect_stop(&answer, 1);
    answer.says(1, &["to stop there: `break aclrtMemcpy`, then `run`; nothing has a deadline"]);
    let report = bench.report("debugged");
    let result = report.result(RULE);
    let failure = result.failure.as_ref().unwrap();
    assert_eq!((result.verdict, &failure.message), (Verdict::Fail, &found.failure.as_ref().unwrap().message));
    assert_eq!((failure.confirmation.is_none(), failure.shrinks, result.cases), (true, 0, 1));
    assert!(result.findings.iter().any(|finding| finding.starts_with("it ran under a debugger: gdb ")), "{result:?}");
}

#[test]
fn a_process_that_starts_again_runs_the_rule_again() {
    let bench = bench();
    let (_, case) = failing_case(&bench);
    expect_gdb();
    let gdb = "gdb -nx -batch -ex 'tbreak aclrtMemcpy' -ex run -ex kill -ex run";
    let answer = answer(&mut hurried(&bench, "debugged", &[RULE, "--case", &case, "--debugger", gdb]));
    answer.says(1, &["Temporary breakpoint 1", ", aclrtMemcpy ("]);
    assert_eq!(bench.report("debugged").result(RULE).verdict, Verdict::Fail);
}

#[test]
fn a_debugger_that_ends_early_leaves_the_rule_without_a_verdict() {
    let bench = bench();
    let (_, case) = failing_case(&bench);
    expect_gdb();
    let gdb = "gdb -nx -batch -ex 'break aclrtMemcpy' -ex run";
    let answer = answer(&mut hurried(&bench, "debugged", &[RULE, "--case", &case, "--debugger", gdb]));
    answer.says(3, &["the debugger ended (exit status 0) before the rule did, so the rule has no verdict"]);
    let report = bench.report("debugged");
    let failure = report.result(RULE).failure.clone().unwrap();
    assert!(failure.message.starts_with("aclrtMemcpy did not return: "), "{}", failure.message);
}

#[rstest]
#[case::several_rules(&["acl.copy"], "sh", "--debugger takes one rule, but ")]
#[case::several_processes(&["acl.ipc.isolation"], "sh", "make debug` there debugs all processes")]
#[case::no_program(&[RULE], "no-such-debugger", "cannot find the program `no-such-debugger`")]
#[case::no_words(&[RULE], "", "the command line is empty")]
fn what_cannot_be_debugged_is_refused(#[case] rules: &[&str], #[case] debugger: &str, #[case] said: &str) {
    let bench = Bench::new();
    let words = ["run", "--product", "a2", "--backend", "simulator", "--report-dir", "report", "--debugger", debugger];
    bench.run(words.iter().chain(rules)).says(2, &[said]);
    assert!(!bench.path("report").exists(), "nothing ran");
}

/// A program that traces a process until its standard input is closed, as an attached debugger does.
const TRACER: &str = "#include <stdlib.h>\n#include <sys/ptrace.h>\n#include <unistd.h>\n
int main(int count, char **words)
{
    char byte;
    return count < 2 || ptrace(PTRACE_SEIZE, atoi(words[1]), NULL, NULL) != 0 || read(0, &byte, 1) != 0;
}
";

#[test]
fn a_traced_process_has_no_deadline_and_its_rule_says_so() {
    let bench = bench();
    let (_, case) = failing_case(&bench);
    let source = bench.write("tracer.c", TRACER);
    let tracer = bench.path("tracer");
    assert!(Command::new("gcc").arg("-o").args([&tracer, &source]).status().unwrap().success());
    let mut traced = hurried(&bench, "traced", &[RULE, "--case", &case]);
    traced.env("WRAPPER_TRACED_MS", (3000 * DEADLINE).to_string()).env("WRAPPER_PID", bench.path("pid"));
    let answer = std::thread::scope(|scope| {
        let run = scope.spawn(|| answer(&mut traced));
        let process = loop {
            let text = fs::read_to_string(bench.path("pid")).unwrap_or_default();
            if text.ends_with('\n') {
                break text.trim().to_owned();
            }
            assert!(!run.is_finished(), "the wrapper was not reached");
            std::thread::sleep(std::time::Duration::from_millis(5));
        };
        let mut tracer = Command::new(&tracer).arg(process).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let answer = run.join().unwrap();
        drop(tracer.stdin.take());
        tracer.wait().unwrap();
        answer
    });
    answer.says(1, &["is being debugged (", ": its deadline is off"]);
    let report = bench.report("traced");
    let result = report.result(RULE);
    assert_eq!(result.verdict, Verdict::Fail, "a stop at a breakpoint does not count as a hang: {result:?}");
    assert!(result.findings.iter().any(|finding| finding.contains(": its deadline is off")), "{result:?}");
}

#[rstest]
#[case::by_its_path("-g")]
#[case::by_another_name("-Wl,-soname,libvendor.so")]
fn a_reproducer_links_what_the_run_loaded_and_stops_at_a_breakpoint_beyond_its_alarm(#[case] flag: &str) {
    let bench = Bench::new();
    bench.library_before_the_simulator("wrapper.c", "libwrapper.so", &["-g", flag]);
    failing_case(&bench);
    bench.run(["reproducer", "report", RULE, "--to", "evidence"]).says(0, &["evidence"]);
    let folder = bench.path("evidence");
    let program = fs::read_to_string(folder.join("reproducer.c")).unwrap();
    let sooner = program.replace("DEADLINE = 60 ", &format!("DEADLINE = {DEADLINE} "));
    assert_ne!(sooner, program, "the program has an alarm");
    fs::write(folder.join("reproducer.c"), sooner).unwrap();
    let make = |words: &[&str]| {
        let mut make = Command::new("make");
        make.args(words).current_dir(&folder).env_remove("LD_LIBRARY_PATH").env(environment::PRODUCT, "a2");
        fs::create_dir_all(bench.path("machine")).unwrap();
        answer(make.env(environment::DEVICES, "4").env(environment::MACHINE, bench.path("machine")))
    };
    // The wrapper has one function; the simulated device's library behind it has the others.
    make(&["run"]).says(2, &["/libwrapper.so", "/libatlas_cts_simulator.so", "does not hold"]);
    let stopped = make(&["debug", &format!("DEBUGGER={}", stopping_gdb())]);
    expect_stop(&stopped, 0);
    stopped.says(0, &["does not hold", "exited with code 01"]);
    assert!(!stopped.text.contains("SIGALRM"), "{}", stopped.text);
}

#[test]
fn the_interface_of_a_layered_library_is_that_of_all_its_layers() {
    let bench = bench();
    let layered = bench.run(["catalog", "abi", "libwrapper.so"]);
    layered.says(1, &["needed by it: /", "/libatlas_cts_simulator.so (", " functions for it: "]);
    let missing = |answer: &Answer| answer.text.lines().filter(|line| line.starts_with("missing symbol")).count();
    let device = bench.run(["catalog", "abi", "libatlas_cts_simulator.so"]);
    assert_eq!(missing(&layered), missing(&device), "{}", layered.text);
    let alone = bench.run(["catalog", "abi", "libwrapper.so", "--alone"]);
    assert!(missing(&alone) > missing(&layered), "{}", alone.text);
    assert!(!alone.text.contains("missing symbol   aclrtMemcpy:"), "{}", alone.text);
}

#[test]
fn the_text_for_a_tracker_says_that_a_simulated_device_is_no_product() {
    let bench = bench();
    failing_case(&bench);
    bench.run(["reproducer", "report", RULE, "--to", "evidence"]).says(0, &[]);
    let issue = fs::read_to_string(bench.path("evidence/issue.md")).unwrap();
    for fragment in [
        "Not for a vendor: the run used the suite's simulated device",
        "Expected  holds(second, want, size, to) holds",
        "1 of 101 bytes differ",
        "## Promised behavior",
        "copy.copies",
        "Product   a2",
        "`make run`",
    ] {
        assert!(issue.contains(fragment), "`{fragment}` is missing in:\n{issue}");
    }
}
