//! Soaks: what grows is found by the number of cycles, a killed soak continues, and on a faithful device nothing grows.

use std::process::Stdio;

use record::{Quantity, Repetition, read_run};
use rstest::rstest;

use crate::support::{Answer, Bench, wait_until};

const SOAK: [&str; 9] =
    ["run", "--product", "a2", "--backend", "simulator", "--profile", "soak", "--report-dir", "soak"];

fn soak(bench: &Bench, words: &[&str]) -> Answer {
    bench.run(SOAK.iter().chain(words))
}

fn repetition(bench: &Bench, rule: &str) -> Repetition {
    let run = read_run(&bench.path("soak")).unwrap();
    let result = run.results.into_iter().find(|result| result.id == rule).expect("the rule has a result");
    result.repetition.expect("the rule was repeated")
}

/// The cycle, the defect that it shows, the number of cycles, the quantity that grows, and the growth of the cycle alone.
#[rstest]
#[case("device-blocks", "free.every-50th-keeps-a-page", "6000x", Quantity::DeviceMemory, "4096 bytes with 1 in 50")]
#[case("device-blocks", "free.every-1000th-keeps-a-page", "16000x", Quantity::DeviceMemory, "4096 bytes with 1 in ")]
#[case(
    "streams",
    "stream.every-50th-destroy-keeps-descriptor",
    "6000x",
    Quantity::Descriptors,
    "1 descriptors with 1 in 50"
)]
#[case(
    "managed-blocks",
    "managed.every-50th-free-keeps-mapping",
    "6000x",
    Quantity::Mappings,
    "1 mappings with 1 in 50"
)]
fn what_grows_is_found_and_attributed(
    #[case] cycle: &str,
    #[case] defect: &str,
    #[case] length: &str,
    #[case] quantity: Quantity,
    #[case] alone: &str,
) {
    let bench = Bench::new();
    let rule = format!("acl.cycle.{cycle}");
    let answer = soak(&bench, &[&rule, "--defect", defect, "--for", length]);
    assert!(answer.text.contains(&rule) && answer.text.contains("grew by"), "{}", answer.text);
    let grew = repetition(&bench, &rule).grew;
    let growth = grew.iter().find(|growth| growth.quantity == quantity).expect("the quantity grew");
    assert!(growth.line().contains(alone), "{}", growth.line());
}

/// A counter that wraps: the cycle works until then.
#[test]
fn a_cycle_that_fails_after_many_says_after_how_many() {
    let bench = Bench::new();
    let words = ["acl.cycle.contexts", "--defect", "context.counter-wraps", "--for", "6000x"];
    let answer = soak(&bench, &words);
    assert!(answer.text.contains("cycles that passed"), "{}", answer.text);
    let run = read_run(&bench.path("soak")).unwrap();
    let failure = run.results[0].failure.as_ref().expect("the cycle failed");
    assert!(failure.replay.contains("--profile soak --for 3"), "it wraps after 3000: {}", failure.replay);
}

#[test]
fn on_a_faithful_device_nothing_grows() {
    let bench = Bench::new();
    let rules = ["device-blocks", "refused-blocks", "host-blocks", "streams", "events", "shared-blocks", "owner-dies"];
    let rules = rules.map(|rule| format!("acl.cycle.{rule}"));
    let words: Vec<&str> = rules.iter().map(String::as_str).chain(["--for", "5000x"]).collect();
    soak(&bench, &words).says(0, &["conformant"]);
    for (rule, cycles) in [(&rules[0], 5000), (&rules[6], 100)] {
        let found = repetition(&bench, rule);
        assert!(found.grew.is_empty(), "{found:?}");
        assert_eq!(found.cycles, cycles, "a cycle that starts processes counts as 50");
    }
}

#[test]
fn a_killed_soak_continues_with_the_rules_that_it_has_not_judged() {
    let bench = Bench::new();
    let words = ["acl.cycle.device-blocks", "acl.cycle.streams", "--for", "6000x", "--jobs", "1"];
    let mut child =
        bench.command(SOAK.iter().chain(&words)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until(|| read_run(&bench.path("soak")).is_ok_and(|run| !run.results.is_empty()));
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = bench.run(["run", "--resume", "soak"]);
    resumed.says(0, &["1 of 2 rules have a result", "conformant"]);
    for rule in ["acl.cycle.device-blocks", "acl.cycle.streams"] {
        assert_eq!(repetition(&bench, rule).cycles, 6000);
    }
}

#[rstest]
#[case(&["--for", "5"], "write a time such as 8h")]
#[case(&["--for", "0x"], "write a time such as 8h")]
fn a_length_that_is_none_is_refused(#[case] words: &[&str], #[case] text: &str) {
    soak(&Bench::new(), words).says(2, &[text]);
}

#[test]
fn a_length_needs_the_profile_that_repeats() {
    Bench::new().run(["run", "--product", "a2", "--for", "5m"]).says(2, &["add --profile soak"]);
}
