//! Bad nights: a device that hangs does not cost every rule its deadline, one that works now and then is seen to, and a run
//! that is asked to end leaves nothing behind.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use engine::record::{RuleResult, Verdict, read_run};
use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};
use support::{Answer, Bench, Report, Watched, answer, project};

/// A rule that makes these calls behind an allocation.
fn rule(id: &str, keys: &str, steps: &str) -> String {
    format!(
        "  - id: acl.{id}
    title: It answers
    statement: It answers.
    source: [{{document: manual, section: blocks}}]
    level: must
{keys}    steps: |
      aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_NORMAL_ONLY);
      ---
{steps}      (uintptr_t)p % 64 == 0;
"
    )
}

const STREAM: &str = "      aclrtCreateStream(&stream);
      aclrtSynchronizeStream(stream);
";
const STREAM_FOR_LONG: &str = "      aclrtCreateStream(&stream);
      aclrtSynchronizeStreamWithTimeout(stream, 1000);
";
/// What changes the whole process has one to itself.
const ALONE: &str = "      aclrtSetOpWaitTimeout(1000);
";
/// A rule runs three cases of this.
const COPY: &str = "      for (i < 40) {
        aclrtMemcpy(p, 4096, pattern(4096, 1), 4096, ACL_MEMCPY_HOST_TO_DEVICE);
      }
";

/// Rules that wait for a stream in two ways, and after them rules that only allocate.
fn waiting_rules() -> String {
    let mut rules = "chapter: night\ntitle: Night\nrules:\n".to_owned();
    rules.push_str(&rule("night.first", "", STREAM));
    rules.push_str(&rule("night.owner", "    owns: [aclrtSynchronizeStream]\n", STREAM));
    (0..4).for_each(|number| rules.push_str(&rule(&format!("night.stream{number}"), "", STREAM)));
    (0..4).for_each(|number| rules.push_str(&rule(&format!("night.early{number}"), "", "")));
    (0..3).for_each(|number| rules.push_str(&rule(&format!("night.timed{number}"), "", STREAM_FOR_LONG)));
    (0..4).for_each(|number| rules.push_str(&rule(&format!("night.late{number}"), "", "")));
    rules
}

fn copying_rules() -> String {
    let copies = (0..60).map(|number| rule(&format!("night.copy{number}"), "", COPY));
    format!("chapter: night\ntitle: Night\nrules:\n{}", copies.collect::<String>())
}

/// A library that stands before the simulated device's.
fn night(bench: &Bench, kind: &str) {
    let simulator = bench.run(["simulator", "--print-path", "."]);
    assert_eq!(simulator.status, 0, "{}", simulator.text);
    let compiler = std::env::var("CC").unwrap_or_else(|_| "gcc".to_owned());
    let output = Command::new(compiler)
        .args([
            "-std=gnu11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-shared",
            "-fPIC",
            &format!("-DNIGHT_{kind}"),
            "-I",
        ])
        .arg(project().join("specs/acl"))
        .arg(project().join("fixtures/faults/night.c"))
        // Nothing of it is called by name: whoever loads the library looks there.
        .args(["-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN"])
        .arg(bench.path(simulator.text.trim()))
        .args(["-ldl", "-o"])
        .arg(bench.path("libnight.so"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A bench with a catalog and a device.
fn bench(rules: String, kind: &str) -> Bench {
    let bench = Bench::new();
    bench.catalog(rules);
    night(&bench, kind);
    bench
}

/// A run of everything, in which nobody waits for a call for longer than this.
fn command(bench: &Bench, deadline: &str) -> Command {
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--library", "libnight.so"];
    let mut command = bench.command(words.iter().chain(&["--deadline", deadline, "--jobs", "1"]));
    command.env("NIGHT_COUNT", bench.path("count"));
    command
}

fn run(rules: String, kind: &str) -> (Bench, Answer, Report) {
    let bench = bench(rules, kind);
    let answer = answer(&mut command(&bench, "3"));
    let report = bench.report("report");
    (bench, answer, report)
}

fn verdicts(report: &Report) -> BTreeMap<&str, Verdict> {
    report.results.iter().map(|result| (result.id.as_str(), result.verdict)).collect()
}

#[test]
fn a_function_that_hangs_is_waited_for_by_one_rule_and_its_owner() {
    let (_, answer, report) = run(waiting_rules(), "HANGS_IN_ONE_CALL");
    answer.says(1, &["acl.night.first"]);
    let verdicts = verdicts(&report);
    assert_eq!(verdicts["acl.night.first"], Verdict::Timeout);
    assert_eq!(verdicts["acl.night.owner"], Verdict::Timeout);
    for number in 0..4 {
        let result = report.result(&format!("acl.night.stream{number}"));
        assert_eq!(result.verdict, Verdict::Blocked);
        let why = "aclrtSynchronizeStream does not return, as acl.night.first showed: no other rule waits for it";
        assert!(result.reason.contains(why), "{}", result.reason);
        // One function that hangs does not put the device out.
        for other in ["early", "late"] {
            assert_eq!(verdicts[&*format!("acl.night.{other}{number}")], Verdict::Pass);
        }
    }
    assert_eq!(verdicts["acl.night.timed0"], Verdict::Pass);
}

#[test]
fn a_device_on_which_two_ways_to_wait_hang_is_out() {
    let (_, answer, report) = run(waiting_rules(), "HANGS_SYNCHRONISING");
    answer.says(1, &["the device is out of this run"]);
    let verdicts = verdicts(&report);
    let timeouts = verdicts.values().filter(|verdict| **verdict == Verdict::Timeout).count();
    assert_eq!(timeouts, 4, "the first way and its owner, and of the second, without one, two rules: {verdicts:?}");
    for number in 0..4 {
        assert_eq!(verdicts[&*format!("acl.night.early{number}")], Verdict::Pass, "before the second way hung");
        let late = report.result(&format!("acl.night.late{number}"));
        assert_eq!(late.verdict, Verdict::DeviceLost);
        let why = "aclrtSynchronizeStream and aclrtSynchronizeStreamWithTimeout do not return; see to it";
        assert!(late.reason.contains(why), "{}", late.reason);
    }
    assert_eq!(report.results.len(), report.header.rules, "every rule is accounted for");
}

#[test]
fn hangs_that_come_now_and_then_are_known_after_the_third_and_the_function_is_tried_again() {
    let (_, _, report) = run(copying_rules(), "HANGS_NOW_AND_THEN");
    let of = |wanted: Verdict| {
        let results = report.results.iter().filter(move |result| result.verdict == wanted);
        results.map(|result| result.id.as_str()).collect::<Vec<_>>()
    };
    // Each hang ends its process, and the next one counts from the beginning.
    let position = |wanted: &[Verdict]| {
        let hit = |result: &RuleResult| wanted.contains(&result.verdict);
        report.results.iter().position(hit).unwrap_or(report.results.len())
    };
    let hung = [Verdict::Timeout, Verdict::Flaky];
    let before = report.results[..position(&[Verdict::Blocked])].iter().filter(|result| hung.contains(&result.verdict));
    assert_eq!(before.count(), 3, "the third is enough: {:?}", report.verdicts());
    assert!(of(Verdict::Blocked).len() >= 8, "the rest of the run knows: {:?}", report.verdicts());
    let later = &report.results[position(&[Verdict::Blocked])..];
    assert!(later.iter().any(|result| result.verdict == Verdict::Pass), "it is tried again: {:?}", report.verdicts());
    assert_eq!(report.results.len(), report.header.rules);
}

#[test]
fn a_device_whose_start_hangs_is_not_started_again() {
    let rules = (0..12).map(|number| rule(&format!("night.alone{number}"), "", ALONE)).collect::<String>();
    let (bench, answer, report) = run(format!("chapter: night\ntitle: Night\nrules:\n{rules}"), "HANGS_AT_START");
    answer.says(3, &["the device is out of this run"]);
    let starts = fs::metadata(bench.path("count")).unwrap().len();
    assert_eq!(starts, 5, "four that work, and one that hangs");
    let passed = report.results.iter().take_while(|result| result.verdict == Verdict::Pass).count();
    assert!((1..=4).contains(&passed), "{:?}", report.verdicts());
    for result in &report.results[passed..] {
        assert_eq!(result.verdict, Verdict::DeviceLost, "{}", result.reason);
    }
    assert_eq!(report.results.len(), report.header.rules, "every rule is accounted for");
}

// ---- asked to end

/// A run of rules of which the first waits for longer than the test does.
fn waiting(bench: &Bench) -> (std::process::Child, PathBuf) {
    let mut command = command(bench, "600");
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let journal = bench.path("report/results.jsonl");
    let until = Instant::now() + Duration::from_secs(60);
    while !fs::read_to_string(&journal).is_ok_and(|text| text.contains("{\"begin\":{\"id\":\"acl.night.first\"}}")) {
        assert!(Instant::now() < until, "the run does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    (child, journal)
}

fn workers_of(child: &std::process::Child) -> Vec<Watched> {
    let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap().flatten();
    let children = tasks.flat_map(|task| fs::read_to_string(task.path().join("children")));
    children.flat_map(|list| list.split_whitespace().map(Watched::new).collect::<Vec<_>>()).collect()
}

fn ask(child: &std::process::Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).unwrap();
}

#[rstest]
#[case::by_a_scheduler(Signal::TERM, "SIGTERM")]
#[case::from_the_keyboard(Signal::INT, "SIGINT")]
fn a_run_that_is_asked_to_end_closes_its_journal_and_says_how_to_go_on(#[case] signal: Signal, #[case] name: &str) {
    let bench = bench(waiting_rules(), "HANGS_SYNCHRONISING");
    let (child, journal) = waiting(&bench);
    let workers = workers_of(&child);
    assert!(!workers.is_empty());
    ask(&child, signal);
    let output = child.wait_with_output().unwrap();
    let answer = Answer {
        status: output.status.code().unwrap_or(-1),
        text: String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
    };
    answer.says(3, &[&format!("{name}: the run was asked to end; 0 of "), "`--resume ", "runs the others"]);
    workers.iter().for_each(Watched::expect_end);
    let text = fs::read_to_string(&journal).unwrap();
    assert!(text.lines().last().unwrap().starts_with("{\"stop\":{\"at\":"), "{text}");
    let stopped = read_run(&journal).unwrap();
    assert_eq!((stopped.end.is_none(), stopped.in_flight.len()), (true, 0), "no rule is to blame");
    let junit = fs::read_to_string(bench.path("report/junit.xml")).unwrap();
    assert!(junit.contains("The run did not reach its end."), "{junit}");
    // Another library is another target, even one that works.
    fs::remove_file(bench.path("libnight.so")).unwrap();
    night(&bench, "WORKS");
    let resumed = bench.run(["run", "--specs", "specs", "--library", "libnight.so", "--resume", "report"]);
    resumed.says(2, &["cannot be resumed, it tested something else"]);
}

#[test]
fn a_run_that_is_asked_twice_ends_at_once() {
    let bench = bench(waiting_rules(), "HANGS_SYNCHRONISING");
    let (mut child, journal) = waiting(&bench);
    ask(&child, Signal::STOP);
    // Both arrive together when it goes on.
    ask(&child, Signal::TERM);
    ask(&child, Signal::INT);
    ask(&child, Signal::CONT);
    let ended = child.wait().unwrap();
    assert!(ended.code().is_none(), "a signal ended it: {ended}");
    assert!(read_run(&journal).unwrap().end.is_none(), "what was written is readable");
}

#[test]
fn a_run_that_was_stopped_twice_has_no_rule_that_is_given_up() {
    let bench = Bench::new();
    let rules = (0..6).map(|number| rule(&format!("night.slow{number}"), "", COPY)).collect::<String>();
    bench.catalog(format!("chapter: night\ntitle: Night\nrules:\n{rules}"));
    let words =
        ["--product", "a2", "--backend", "simulator", "--jobs", "1", "--call-ns", "100000000", "--specs", "specs"];
    for attempt in ["--report-dir", "--resume", "--resume"] {
        let words = ["run", attempt, "report"].into_iter().chain(words);
        let child = bench.command(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = "{\"begin\":{\"id\":\"acl.night.slow0\"}}";
        let times = fs::read_to_string(bench.path("report/results.jsonl")).unwrap_or_default().matches(begun).count();
        let until = Instant::now() + Duration::from_secs(60);
        let again =
            || fs::read_to_string(bench.path("report/results.jsonl")).unwrap_or_default().matches(begun).count();
        while again() <= times {
            assert!(Instant::now() < until, "the run does not begin");
            std::thread::sleep(Duration::from_millis(2));
        }
        ask(&child, Signal::TERM);
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
    }
    bench.run(["run", "--specs", "specs", "--resume", "report"]).says(0, &[]);
    let report = bench.report("report");
    assert!(report.results.iter().all(|result| result.verdict == Verdict::Pass && result.interrupted == 0));
}
