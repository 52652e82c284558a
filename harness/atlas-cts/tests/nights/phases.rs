//! A run is ended in each of its phases, by SIGTERM and by SIGKILL: its journal is readable, it can be resumed, each
//! rule counts once, and no process or folder is left.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use record::{Verdict, read_run};
use rstest::rstest;
use rustix::process::Signal;

use crate::nights::ended::{ask, workers_of};
use crate::nights::{ALONE, COPY, STREAM, bench, command, rule};
use crate::support::{Answer, Bench, Watched, answer, has, machines_of, wait_until};

/// The phase in which a run is ended.
struct Phase {
    /// The behavior of the device in this phase.
    kind: &'static str,
    /// The device's count when the run has reached the phase.
    counted: u64,
    /// Rules between two that pass.
    rules: fn() -> String,
    /// True if there is a run to resume.
    begun: bool,
    /// The number of rules in flight.
    in_flight: usize,
    /// The exit status of a run that gets SIGTERM there.
    status: i32,
}

const ASKED: Phase = Phase {
    kind: "HANGS_WHEN_ASKED",
    counted: 1,
    rules: || rule("night.middle", "", STREAM),
    begun: false,
    in_flight: 0,
    status: 3,
};
const STARTS: Phase = Phase {
    kind: "HANGS_AT_START",
    counted: 2,
    rules: || rule("night.middle", "", ALONE),
    begun: true,
    in_flight: 1,
    status: 3,
};
const IN_A_RULE: Phase = Phase { kind: "HANGS_IN_A_RULE", begun: true, in_flight: 1, ..ASKED };
const CONFIRMED: Phase = Phase { kind: "HANGS_WHEN_CONFIRMED", counted: 3, ..IN_A_RULE };
/// A process that the rule ends hangs in its exit.
const LEAVES: Phase = Phase {
    kind: "HANGS_AS_IT_LEAVES",
    rules: || {
        let keys = "    actors: \"A: process(device 0); B: process(device 0), isolated;\"\n";
        let steps = "      B: aclrtMalloc(&other, 4096, ACL_MEM_MALLOC_NORMAL_ONLY);\n      exit B;\n";
        rule("night.middle", keys, steps)
    },
    ..IN_A_RULE
};
/// Every rule has its result by then, so nothing is left to resume.
const AT_END: Phase = Phase { kind: "HANGS_AT_END", in_flight: 0, status: 0, ..IN_A_RULE };

fn catalog(middle: &str) -> String {
    let (before, after) = (rule("night.before", "", ""), rule("night.after", "", ""));
    format!("title: Night\nrules:\n{before}{middle}{after}")
}

/// Starts a run with a deadline that is not reached.
fn spawn(bench: &Bench, stdout: Stdio, words: &[&str]) -> Child {
    let mut command = command(bench, "600");
    command.args(words).env("NIGHT_STARTS", "1").stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// True if the journal has such a line about the rule.
fn journal_says(bench: &Bench, line: &str, rule: &str) -> bool {
    has(&bench.path("report/results.jsonl"), &format!("{{\"{line}\":{{\"id\":\"{rule}\""))
}

/// Ends a run and checks that only its records stay. Returns its output, and the machines that it left to the next run.
#[track_caller]
fn end(child: Child, signal: Signal, meanwhile: impl FnOnce()) -> (Output, Vec<std::path::PathBuf>) {
    let (workers, machines) = (workers_of(&child), machines_of(child.id()));
    assert_eq!((machines.len(), workers.is_empty()), (1, false));
    ask(&child, signal);
    meanwhile();
    let output = child.wait_with_output().unwrap();
    workers.iter().for_each(Watched::expect_end);
    if signal == Signal::TERM {
        assert!(!machines[0].exists(), "it ended in order");
    }
    (output, machines)
}

/// Finishes the run on the same device, which now works.
fn finish(bench: &Bench, begun: bool) -> Answer {
    let how = if begun { "--resume" } else { "--report-dir" };
    let words = ["run", "--specs", "specs", "--library", "libnight.so", "--jobs", "1", how, "report"];
    let mut command: Command = bench.command(words.iter().chain(&["--product", "a2"]));
    answer(command.env("NIGHT_OVER", "1").env("NIGHT_COUNT", bench.path("count")))
}

/// Checks that each rule has one result, a pass, and that those in flight at the kill are marked.
#[track_caller]
fn expect_whole(bench: &Bench, in_flight: &BTreeMap<String, u32>) {
    let report = bench.report("report");
    assert_eq!(report.results.len(), report.header.rules, "{:?}", report.verdicts());
    for result in &report.results {
        let marks = in_flight.get(&result.id).copied().unwrap_or(0);
        assert_eq!((report.result(&result.id).verdict, result.interrupted), (Verdict::Pass, marks), "{}", result.id);
    }
    assert_eq!(report.end().exit, 0);
}

#[rstest]
#[case::while_the_library_is_identified(ASKED)]
#[case::while_a_worker_starts(STARTS)]
#[case::in_a_rule(IN_A_RULE)]
#[case::while_a_rule_waits_for_the_end_of_a_process(LEAVES)]
#[case::while_a_failure_is_confirmed(CONFIRMED)]
#[case::while_the_workers_end(AT_END)]
fn a_run_that_is_ended_in_any_phase_is_finished_by_resuming_it(
    #[case] phase: Phase,
    #[values(Signal::TERM, Signal::KILL)] signal: Signal,
) {
    let bench = bench(catalog(&(phase.rules)()), phase.kind);
    let child = spawn(&bench, Stdio::piped(), &[]);
    wait_until(|| fs::metadata(bench.path("count")).is_ok_and(|count| count.len() >= phase.counted));
    let (output, machines) = end(child, signal, || {});
    let asked = signal == Signal::TERM;
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), asked.then_some(phase.status), "{text}");
    let mut in_flight = BTreeMap::new();
    if phase.begun {
        let left = read_run(&bench.path("report")).unwrap();
        assert_eq!(left.end.is_some(), phase.status == 0 && asked, "{text}");
        assert_eq!(left.in_flight.len(), if asked { 0 } else { phase.in_flight }, "{:?}", left.in_flight);
        assert!(bench.path("report/junit.xml").exists() == asked, "{text}");
        in_flight = left.in_flight;
    } else {
        assert!(!bench.path("report").exists(), "nothing ran:\n{text}");
    }
    assert!(!asked || phase.status == 0 || text.contains("SIGTERM"), "{text}");
    finish(&bench, phase.begun).says(0, &[]);
    expect_whole(&bench, &in_flight);
    assert!(!machines[0].exists(), "{} is left over", machines[0].display());
}

/// The output of the run is blocked after a result, which is recorded, before the next rule begins.
#[rstest]
fn a_run_that_is_ended_between_two_rules_has_none_in_flight(#[values(Signal::TERM, Signal::KILL)] signal: Signal) {
    let long = "It answers. ".repeat(3000);
    let middle = rule("night.middle", "", "      (uintptr_t)p % 64 == 1;\n");
    let middle = middle.replace("title: It answers", &format!("title: {long}"));
    let bench = bench(catalog(&middle), "WORKS");
    // The pipe has space for the lines before the failure, but not for its block.
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(&[b' '; 64 << 10]).unwrap();
    let child = spawn(&bench, writer.into(), &["--verbose"]);
    reader.read_exact(&mut [0; 4096]).unwrap();
    wait_until(|| journal_says(&bench, "result", "acl.night.middle"));
    // By now it would have begun the next rule.
    std::thread::sleep(Duration::from_millis(300));
    assert!(!journal_says(&bench, "begin", "acl.night.after"));
    let (output, machines) = end(child, signal, || {
        std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
    });
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let left = read_run(&bench.path("report")).unwrap();
    assert_eq!((left.results.len(), left.in_flight.len(), left.end.is_none()), (2, 0, true), "{text}");
    assert_eq!(output.status.code(), (signal == Signal::TERM).then_some(3), "{text}");
    finish(&bench, true)
        .says(1, &["FAIL  acl.night.middle", "2 of 3 rules have a result; when the run stopped, no rule was running"]);
    let report = bench.report("report");
    assert_eq!(report.verdicts().len(), 3);
    assert!(report.results.iter().all(|result| result.interrupted == 0));
    assert!(!machines[0].exists());
}

const ENDS: usize = 12;

/// Including while a line or a report is written, and while the run ends.
#[test]
fn a_run_stopped_at_any_instant_blames_no_rule() {
    let bench = Bench::new();
    let rules = (0..6).map(|number| rule(&format!("night.copy{number}"), "", COPY)).collect::<String>();
    bench.catalog(format!("title: Night\nrules:\n{rules}"));
    let words = ["run", "--product", "a2", "--backend", "simulator", "--jobs", "1", "--specs", "specs"];
    let run = |report: &str| {
        let besides = ["--sim", "call-ns=500000", "--report-dir", report];
        bench.command(words.iter().chain(&besides)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    run("whole").wait().unwrap();
    let whole = bench.report("whole").journal;
    let header = whole.find('\n').unwrap() + 1;
    let stopped = (0..ENDS).filter(|number| {
        let report = format!("ended-{number}");
        let journal = bench.path(&report).join("results.jsonl");
        let target = header + (whole.len() - header) * number / (ENDS - 1);
        let mut child = run(&report);
        wait_until(|| fs::metadata(&journal).is_ok_and(|file| file.len() as usize >= target.min(whole.len() - 100)));
        let machines = machines_of(child.id());
        // It may have ended already.
        if child.try_wait().unwrap().is_none() {
            ask(&child, Signal::TERM);
        }
        let status = child.wait().unwrap().code();
        let left = read_run(&bench.path(&report)).unwrap();
        assert_eq!((left.in_flight.len(), status), (0, Some(if left.end.is_some() { 0 } else { 3 })), "{number}");
        assert!(machines.iter().all(|machine| !machine.exists()));
        bench.run(["run", "--specs", "specs", "--jobs", "1", "--resume", &report]).says(0, &["6 pass"]);
        let resumed = bench.report(&report);
        assert!(resumed.results.len() == 6 && resumed.results.iter().all(|result| result.interrupted == 0));
        left.end.is_none()
    });
    assert!(stopped.count() >= ENDS / 2, "most were stopped before their end");
}
