//! The stack of a crash or a hang, in every report.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use record::Stack;
use rstest::rstest;

use super::struck_by;
use super::support::{Bench, answer};

/// Runs with the shortest deadline. Debuggers are found only in the bench's folder `bin`.
fn run(bench: &Bench, words: &[&str]) -> String {
    let given = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--library", "libtested.so"];
    let mut command = bench.command(given.iter().chain(words));
    command.env("PATH", bench.path("bin")).env("FAULT_PROCESSES", bench.path("processes"));
    command.env("CALLED", bench.path("called"));
    answer(&mut command).says(1, &["acl.faults.struck"]).text.clone()
}

fn stack(bench: &Bench) -> Stack {
    let report = bench.report("report");
    super::expect_whole(&report);
    *report.result("acl.faults.struck").failure.clone().unwrap().stack.expect("a stack is recorded")
}

/// Makes a debugger from the lines of a script. `$process` is the process.
fn debugger(bench: &Bench, lines: &str) {
    fs::create_dir_all(bench.path("bin")).unwrap();
    let script = format!("#!/bin/sh\nfor process; do :; done\necho called >>\"$CALLED\"\n{lines}\n");
    let path = bench.write("bin/gdb", script);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn every_report_has_the_stack_of_a_crash() {
    let bench = struck_by(&["FAULT_SEGFAULT"], "");
    let text = run(&bench, &["--tune", "deadline=20"]);
    let stack = stack(&bench);
    let frames = &stack.threads[0].frames;
    assert!(frames[0].starts_with("#0 libtested.so+0x"), "{stack:#?}");
    assert!(frames.iter().any(|frame| frame.contains(" aclrtMalloc+0x")), "{stack:#?}");
    let page = fs::read_to_string(bench.path("report/report.html")).unwrap();
    for report in [&text, &bench.report("report").junit, &page] {
        for part in ["SIGSEGV: no memory is mapped at 0x8", "#0 libtested.so+0x", "aclrtMalloc+0x"] {
            assert!(report.contains(part), "`{part}` is missing in:\n{report}");
        }
    }
}

#[test]
fn a_redacted_stack_names_no_folder_of_a_user() {
    let bench = struck_by(&["FAULT_SEGFAULT"], "");
    let home = bench.path("").canonicalize().unwrap();
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--library", "libtested.so"];
    let mut command = bench.command(words.iter().chain(&["--tune", "redact=yes"]));
    answer(command.env("HOME", &home)).says(1, &["acl.faults.struck"]);
    let stack = stack(&bench);
    assert!(stack.modules.iter().any(|module| module.starts_with("<home-1>/libtested.so")), "{stack:#?}");
    assert!(!format!("{stack:?}").contains(home.to_str().unwrap()), "{stack:#?}");
}

#[test]
fn without_a_debugger_the_worker_tells_where_it_hangs() {
    let bench = struck_by(&["FAULT_SLEEPS"], "");
    let text = run(&bench, &["--tune", "deadline=1"]);
    let stack = stack(&bench);
    assert!(stack.threads[0].frames.iter().any(|frame| frame.contains("sleep_for_ever+0x")), "{stack:#?}");
    assert!(stack.remarks[0].starts_with("no debugger is in PATH"), "{stack:#?}");
    for part in ["read before the process was killed", "asleep in ", "sleep_for_ever+0x", "no debugger is in PATH"] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

#[test]
fn a_debugger_reads_a_hang_once() {
    let bench = struck_by(&["FAULT_SLEEPS"], "");
    let header = "echo \"Thread 1 (Thread 0x1 (LWP $process) \\\"cts\\\"):\"";
    debugger(&bench, &format!("{header}\necho '#0  0x0000000000000001 in device_wait (queue=3) at queue.c:7'"));
    let text = run(&bench, &["--tune", "deadline=1"]);
    let stack = stack(&bench);
    assert_eq!(stack.threads[0].frames, ["#0 device_wait (queue=3) at queue.c:7"], "{stack:#?}");
    assert_eq!(stack.remarks, Vec::<String>::new());
    assert!(text.contains("#0 device_wait (queue=3) at queue.c:7"), "{text}");
    assert_eq!(fs::read_to_string(bench.path("called")).unwrap(), "called\n", "it is not used for confirmations");
}

#[rstest]
#[case::that_may_not_trace("echo 'ptrace: Operation not permitted.' >&2; exit 1", "ptrace is forbidden here")]
#[case::that_reads_nothing("echo 'no symbols'", "gdb read no stack; it printed: no symbols")]
fn a_debugger_that_fails_is_a_remark(#[case] script: &str, #[case] remark: &str) {
    let bench = struck_by(&["FAULT_SLEEPS"], "");
    debugger(&bench, script);
    run(&bench, &["--tune", "deadline=1"]);
    let result = bench.report("report").result("acl.faults.struck").clone();
    assert_eq!(result.verdict.name(), "timeout", "{}", result.reason);
    let stack = stack(&bench);
    assert!(stack.remarks[0].contains(remark), "{stack:#?}");
    assert!(stack.threads[0].frames.iter().any(|frame| frame.contains("sleep_for_ever+0x")), "{stack:#?}");
}

#[test]
fn a_thread_that_blocks_all_signals_is_silent() {
    let bench = struck_by(&["FAULT_HANG"], "");
    run(&bench, &["--tune", "deadline=1"]);
    let stack = stack(&bench);
    // On a busy machine, the kernel has interrupted the loop, and its functions follow in brackets.
    let wait = &stack.threads[0].wait;
    assert!(wait == "running" || wait.starts_with("running ("), "{stack:#?}");
    assert!(stack.threads[0].frames.is_empty(), "{stack:#?}");
}
