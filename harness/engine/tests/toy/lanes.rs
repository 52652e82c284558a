//! Lanes that run at once, and calls that run while others act: what fails in one, and the programs printed for them.

use record::Verdict;
use rstest::rstest;

use super::details::{printed_programs, programs_with};
use super::runs::{faithful, folder, library, run, run_one};

/// A defect that shows only if two threads take a block at the same time.
#[test]
fn a_race_is_found_and_found_again() {
    let result = run_one(&["RACY"], &[], "toy.form.together");
    assert!(matches!(result.verdict, Verdict::Fail | Verdict::Flaky), "{result:#?}");
    let failure = result.failure.expect("it failed");
    assert!(failure.statement.starts_with("toy_blocks() =="), "{failure:#?}");
    assert!(failure.values.iter().any(|(name, _)| name == "jitter"), "{failure:#?}");
    let confirmation = failure.confirmation.as_ref().expect("it was confirmed");
    assert!(confirmation.alone.failed > 0 || confirmation.rule.failed > 0, "{confirmation:?}");
    let case = failure.replay_values.to_string();
    let again = run_one(&["RACY"], &["--case", &case], "toy.form.together");
    assert!(again.failure.is_some(), "the case {case} runs several times: {again:#?}");
}

#[test]
fn a_case_with_lanes_is_run_several_times() {
    let case = "{\"size\": 1, \"rounds\": 1, \"jitter\": [0, 3, 0], \"salt\": 5}";
    let result = run_one(&[], &["--case", case], "toy.form.together");
    assert_eq!((result.verdict, result.cases), (Verdict::Pass, 20), "{result:#?}");
}

#[test]
fn a_crash_belongs_to_the_call_of_its_lane() {
    let result = run_one(&["CRASH_IN_A_THREAD"], &[], "toy.actor.together");
    assert_eq!(result.verdict, Verdict::Crash, "{result:#?}");
    let failure = result.failure.expect("it failed");
    let message = "in process B: toy_copy, called by T, did not return: the library ended its process";
    assert!(failure.message.starts_with(message), "{}", failure.message);
    assert!(failure.statement.starts_with("toy_copy(back, B.p, size, TOY_OUT)"), "{}", failure.statement);
    let open = failure.trace.iter().find(|line| line.starts_with("T: toy_copy(")).expect("the call is recorded");
    assert!(open.ends_with("did not return"), "{open}");
}

#[test]
fn a_hang_belongs_to_the_call_of_its_lane() {
    let result = run_one(&["HANG"], &["--tune", "deadline=1"], "toy.actor.together");
    assert_eq!(result.verdict, Verdict::Timeout, "{result:#?}");
    let failure = result.failure.expect("it failed");
    assert!(failure.message.contains("toy_copy, called by "), "{}", failure.message);
}

/// The failures of all lanes are reported, the first one as the failure of the case.
#[test]
fn every_lane_that_fails_is_named() {
    let result = run_one(&["FREE"], &[], "toy.form.together");
    assert!(result.findings.iter().any(|finding| finding.starts_with("at the same time, in the lane of U: ")));
}

#[rstest]
fn printed_programs_run_lanes(#[values("toy.form.together", "toy.actor.together")] rule: &str) {
    for (id, ran) in printed_programs(&library(&[]), rule) {
        assert!(ran.status.success(), "{id}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

/// A thread passes the turn on to each actor in turn. Its process must not end before the last one has it.
#[rstest]
#[case::at_its_end("toy.actor.last")]
#[case::when_it_exits("toy.actor.leaves")]
#[case::when_it_is_killed("toy.actor.lost")]
fn a_process_ends_when_its_threads_owe_no_turn(#[case] rule: &str) {
    assert_eq!(faithful(rule).verdict, Verdict::Pass, "{}", faithful(rule).reason);
    let late = folder().join("late.c");
    let programs = programs_with(&library(&[]), rule, &["-Dwrite=write_late".as_ref(), late.as_ref()]);
    assert_eq!(programs.len(), 1, "{rule}");
    for (id, ran) in programs {
        assert!(ran.status.success(), "{id}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

/// Neither a hang nor a reason to block other rules.
#[test]
fn a_proof_that_queues_run_at_once_ends_blocked() {
    let results = run(&["ONE_QUEUE"], &[], |id| id.starts_with("toy.callback."));
    let blocked: Vec<_> = results.iter().filter(|result| result.verdict != Verdict::Pass).collect();
    let [only] = blocked[..] else { panic!("{blocked:#?}") };
    assert_eq!((only.id.as_str(), only.verdict), ("toy.callback.apart", Verdict::Blocked));
    assert!(only.reason.starts_with("set-up failed: `left == 0` does not hold"), "{}", only.reason);
    let (_, ran) = printed_programs(&library(&["ONE_QUEUE"]), "toy.callback.apart").pop().expect("the rule exists");
    assert_eq!(ran.status.code(), Some(3), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[rstest]
fn printed_programs_begin_calls(#[values("toy.form.begin", "toy.actor.begin")] rule: &str) {
    assert_eq!(faithful(rule).verdict, Verdict::Pass);
    for (id, ran) in printed_programs(&library(&[]), rule) {
        assert!(ran.status.success(), "{id}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}
