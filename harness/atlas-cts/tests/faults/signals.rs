//! The signals that end a process, by a fault, sent by the process and sent by another one.

use rstest::rstest;

use super::{MALLOC, expect_whole, run, struck_by};

#[rstest]
fn a_signal_that_ends_a_process_is_a_crash_with_its_stack(
    #[values("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS")] signal: &str,
    #[values("FAULT_BY_INSTRUCTION", "FAULT_BY_RAISE", "FAULT_FROM_OUTSIDE")] how: &str,
) {
    let bench = struck_by(&[&format!("FAULT_SIGNAL={signal}"), how], "");
    run(&bench, "report").says(1, &["CRASH  acl.faults.struck"]);
    let report = bench.report("report");
    expect_whole(&report);
    let struck = report.result("acl.faults.struck");
    assert_eq!(struck.verdict.name(), "crash");
    assert!(struck.reason.starts_with(MALLOC) && struck.reason.contains(signal), "{}", struck.reason);
    let failure = struck.failure.as_ref().unwrap();
    assert_eq!(failure.values, [("size".to_owned(), "5000".to_owned())], "only the call with the signal is blamed");
    let stack = failure.stack.as_ref().expect("a stack is recorded");
    assert!(stack.reason.starts_with(signal), "{stack:#?}");
    let in_library = |frame: &String| frame.contains("libtested.so+0x");
    assert!(stack.threads[0].frames.iter().any(in_library), "{stack:#?}");
}
