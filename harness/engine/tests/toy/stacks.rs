//! The stacks of libraries that crash or hang.

use record::{Stack, Verdict};
use rstest::rstest;

use super::runs::run_one;

/// The recorded stack of a rule that lost its process, with its verdict and reason.
fn lost(defect: &str, words: &[&str], rule: &str) -> (Stack, Verdict, String) {
    let result = run_one(&[defect], words, rule);
    let failure = result.failure.unwrap_or_else(|| panic!("{rule}: {}", result.reason));
    // A hang costs its deadline, so its case may be larger than necessary.
    match (result.verdict, &failure.values[0]) {
        (Verdict::Crash, (name, value)) => assert_eq!((name.as_str(), value.as_str()), ("size", "1001"), "shrunk"),
        (_, (name, _)) => assert_eq!(name, "size"),
    }
    let stack = failure.stack.unwrap_or_else(|| panic!("{rule}: a stack is recorded"));
    (*stack, result.verdict, result.reason)
}

#[rstest]
#[case::an_invalid_address("CRASH", "SIGSEGV: no memory is mapped at 0x8", "signal 11 (SIGSEGV)", "toy_copy+0x")]
#[case::a_stack_overflow("OVERFLOW", "SIGSEGV: ", "signal 11 (SIGSEGV)", "deeper+0x")]
#[case::a_call_of_nothing(
    "CALLS_NOTHING",
    "SIGSEGV: a call or jump to 0x0, where no memory is mapped",
    "signal 11 (SIGSEGV)",
    "toy_copy+0x"
)]
#[case::an_abort("ABORT", "SIGABRT", "signal 6 (SIGABRT)", "toy_copy+0x")]
#[case::a_handler_that_calls_the_previous_one(
    "HANDLER_CALLS_THE_PREVIOUS_ONE",
    "SIGSEGV: no memory is mapped at 0x8",
    "signal 11 (SIGSEGV)",
    "toy_copy+0x"
)]
fn a_crash_has_the_stack_of_its_thread(
    #[case] defect: &str,
    #[case] reason: &str,
    #[case] signal: &str,
    #[case] function: &str,
    #[values("toy.block.round-trip", "toy.actor.thread")] rule: &str,
) {
    let (stack, verdict, why) = lost(defect, &[], rule);
    assert_eq!(verdict, Verdict::Crash);
    assert_eq!(why, format!("toy_copy did not return: the library ended its process ({signal})"));
    assert!(stack.reason.starts_with(reason), "{stack:#?}");
    let frames = &stack.threads[0].frames;
    let library = format!("libtoy-{defect}.so");
    let in_library = frames.iter().filter(|frame| frame.contains(&library) && frame.contains(function));
    assert!(in_library.count() > 0, "{stack:#?}");
    assert!(frames.len() <= 32 && (defect == "OVERFLOW" || frames.len() < 12), "{stack:#?}");
    assert!(stack.modules.iter().any(|module| module.contains(&library) && module.contains("build id ")), "{stack:#?}");
    assert!(
        stack.registers.contains(if cfg!(target_arch = "x86_64") { "rip=" } else { "pc=" })
            || defect == "CALLS_NOTHING"
    );
    let size = serde_json::to_string(&stack).map_or(0, |text| text.len());
    assert!(size < 4 << 10 || defect == "OVERFLOW", "{size} bytes");
}

#[rstest]
fn a_library_that_handles_the_signal_itself_leaves_no_stack(
    #[values("toy.block.round-trip", "toy.actor.thread")] rule: &str,
) {
    let (stack, verdict, why) = lost("OWN_HANDLER", &[], rule);
    assert_eq!(verdict, Verdict::Crash);
    assert!(why.ends_with("(signal 11 (SIGSEGV))"), "{why}");
    assert_eq!((stack.reason.as_str(), stack.threads.len()), ("no stack was left at SIGSEGV", 0));
    assert!(stack.remarks[0].contains("the library has its own handler"), "{stack:#?}");
}

/// With the debugger of this machine, or without one.
#[rstest]
fn a_hang_has_the_stack_of_its_call(#[values("toy.block.round-trip", "toy.actor.thread")] rule: &str) {
    let (stack, verdict, why) = lost("HANG", &["--tune", "deadline=1"], rule);
    assert_eq!(verdict, Verdict::Timeout);
    assert_eq!(why, "toy_copy did not return: no progress for 1s; the process was killed");
    let first = &stack.threads[0];
    assert!(first.wait.starts_with("asleep"), "{stack:#?}");
    assert!(first.frames.iter().any(|frame| frame.contains("toy_copy")), "{stack:#?}");
    assert!(stack.threads.iter().all(|thread| !thread.name.starts_with("cts-")), "{stack:#?}");
}
