//! Soaks: what grows is found by the number of cycles, a killed soak continues, and a faithful device raises no alarm.

use crate::support;

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use record::{RecordedSoak, SoakFile, read_soak};
use rstest::rstest;
use support::{Answer, Bench};

const SOAK: [&str; 7] = ["soak", "--product", "a2", "--backend", "simulator", "--report-dir", "soak"];

fn soak(bench: &Bench, words: &[&str]) -> Answer {
    bench.run(SOAK.iter().chain(words))
}

fn recorded(bench: &Bench) -> RecordedSoak {
    read_soak(&bench.path("soak")).unwrap()
}

/// The cycle, the defect that it shows, the number of cycles, the quantity that grows, and the text about the cycle alone.
#[rstest]
#[case("device-blocks", "free.every-50th-keeps-a-page", "6000", "device memory", "4096 bytes with 1 in 50 cycles")]
#[case("device-blocks", "free.every-1000th-keeps-a-page", "16000", "device memory", "4096 bytes with 1 in ")]
#[case("streams", "stream.every-50th-destroy-keeps-descriptor", "6000", "descriptors", "1 descriptors with 1 in 50")]
#[case("managed-blocks", "managed.every-50th-free-keeps-mapping", "6000", "mappings", "1 mappings with 1 in 50")]
fn what_grows_is_found_and_attributed(
    #[case] cycle: &str,
    #[case] defect: &str,
    #[case] cycles: &str,
    #[case] quantity: &str,
    #[case] alone: &str,
) {
    let bench = Bench::new();
    let rule = format!("acl.hours.{cycle}");
    let answer = soak(&bench, &[&rule, "--defect", defect, "--cycles", cycles]);
    let grows = format!("{quantity}: ");
    answer.says(1, &[&format!("ALARM {rule}"), &grows, alone, "result 1 rule with an alarm", "--cycles"]);
    let junit = fs::read_to_string(bench.path("soak/junit.xml")).unwrap();
    assert!(junit.contains("failures=\"1\"") && junit.contains(&rule), "{junit}");
    let page = fs::read_to_string(bench.path("soak/soak.html")).unwrap();
    assert!(page.contains("<polyline") && page.contains(&format!("{quantity}: grows")));
}

/// A counter that wraps: the cycle works until then.
#[test]
fn a_cycle_that_fails_after_many_is_an_alarm() {
    let bench = Bench::new();
    let words = ["acl.hours.contexts", "--defect", "context.counter-wraps", "--cycles", "6000"];
    soak(&bench, &words).says(1, &["ALARM acl.hours.contexts", "cycles that passed", "a cycle fails after"]);
    let found = recorded(&bench);
    let after: Vec<u64> = found.breaks.iter().map(|broken| broken.after).collect();
    assert!(after.first().is_some_and(|after| (1..=3000).contains(after)), "it wraps after 3000: {after:?}");
}

#[test]
fn a_faithful_device_raises_no_alarm() {
    let bench = Bench::new();
    let rules = ["device-blocks", "refused-blocks", "host-blocks", "streams", "events", "shared-blocks", "owner-dies"];
    let rules = rules.map(|rule| format!("acl.hours.{rule}"));
    let words: Vec<&str> = rules.iter().map(String::as_str).chain(["--cycles", "5000"]).collect();
    soak(&bench, &words).says(0, &["result no alarm (SIMULATED DEVICE)", "steady"]);
    let found = recorded(&bench);
    assert_eq!(found.cycles(0), 5000);
    assert_eq!(found.cycles(6), 100, "a cycle that starts processes counts as 50");
}

#[test]
fn a_killed_soak_continues_and_can_be_read_meanwhile() {
    let bench = Bench::new();
    let defect = ["acl.hours.device-blocks", "--defect", "free.every-50th-keeps-a-page", "--minutes", "600"];
    let mut command = bench.command(SOAK.iter().chain(&defect));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + support::patience(60);
    let batches = || read_soak(&bench.path("soak")).map_or(0, |soak| soak.batches.len());
    while batches() < 20 {
        assert!(Instant::now() < until && child.try_wait().unwrap().is_none(), "the soak makes no progress");
        std::thread::sleep(Duration::from_millis(20));
    }
    bench.run(["soak", "--status", "soak"]).says(1, &["ALARM acl.hours.device-blocks", "unfinished"]);
    child.kill().unwrap();
    child.wait().unwrap();
    // The line that was being written is cut short.
    let path = bench.path("soak").join(SoakFile::NAME);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + "{\"batch\":{\"rule\":0,").unwrap();
    let before = recorded(&bench);
    let cycles = (before.cycles(0) + 6000).to_string();
    let resumed = bench.run(["soak", "--resume", "soak", "--cycles", &cycles]);
    resumed.says(1, &["ALARM acl.hours.device-blocks", "resumed 1 time"]);
    let after = recorded(&bench);
    assert_eq!(after.batches[..before.batches.len()], before.batches[..]);
    assert!(after.batches[before.batches.len()].segment > before.batches.last().unwrap().segment);
    assert_eq!(after.cycles(0).to_string(), cycles);
    assert!(after.end.is_some());
}

#[rstest]
#[case(&["soak", "--status", "nothing"], 2, "cannot read nothing/soak.jsonl")]
#[case(&["soak", "--cycles", "5", "--minutes", "1"], 2, "cannot be used with")]
#[case(&["soak", "acl.no-such-rule", "--product", "a2", "--backend", "simulator"], 2, "no rule matches")]
fn mistakes_have_a_next_action(#[case] words: &[&str], #[case] status: i32, #[case] text: &str) {
    Bench::new().run(words).says(status, &[text]);
}
