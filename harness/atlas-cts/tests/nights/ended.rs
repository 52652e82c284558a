//! Runs that are stopped by signals.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use record::{Verdict, read_run};
use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};

use crate::nights::{COPY, bench, command, night, rule, waiting_rules};
use crate::support::{Answer, Bench, Watched, has, wait_until};

/// Starts a run whose first rule waits for longer than the test lasts.
fn waiting(bench: &Bench) -> (Child, PathBuf) {
    // Under `nohup`, the run would otherwise inherit that SIGHUP is ignored.
    let mut command = after(&["env", "--default-signal=HUP"], &command(bench, "600"));
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let journal = bench.path("report/results.jsonl");
    wait_until(|| has(&journal, "{\"begin\":{\"id\":\"acl.night.first\"}}"));
    (child, journal)
}

/// The command as the arguments of another one, in the same folder and environment.
fn after(words: &[&str], command: &Command) -> Command {
    let mut whole = Command::new(words[0]);
    whole.args(&words[1..]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => whole.env(name, value),
            None => whole.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        whole.current_dir(folder);
    }
    whole
}

pub fn workers_of(child: &Child) -> Vec<Watched> {
    let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap().flatten();
    let children = tasks.flat_map(|task| fs::read_to_string(task.path().join("children")));
    children.flat_map(|list| list.split_whitespace().map(Watched::new).collect::<Vec<_>>()).collect()
}

pub fn ask(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).unwrap();
}

#[rstest]
#[case::by_a_scheduler(Signal::TERM, "SIGTERM")]
#[case::from_the_keyboard(Signal::INT, "SIGINT")]
#[case::by_a_terminal_that_goes_away(Signal::HUP, "SIGHUP")]
fn a_stopped_run_closes_its_journal_and_tells_how_to_resume(#[case] signal: Signal, #[case] name: &str) {
    let bench = bench(waiting_rules(), "HANGS_SYNCHRONISING");
    let (child, journal) = waiting(&bench);
    let workers = workers_of(&child);
    assert!(!workers.is_empty());
    ask(&child, signal);
    let answer = Answer::from(child.wait_with_output().unwrap());
    answer.says(3, &[&format!("{name}: run stopped; 0 of "), "`--resume ", "runs the others"]);
    workers.iter().for_each(Watched::expect_end);
    let text = fs::read_to_string(&journal).unwrap();
    assert!(text.lines().last().unwrap().starts_with("{\"stop\":{\"at\":"), "{text}");
    let stopped = read_run(&journal).unwrap();
    assert_eq!((stopped.end.is_none(), stopped.in_flight.len()), (true, 0), "no rule is to blame");
    let junit = fs::read_to_string(bench.path("report/junit.xml")).unwrap();
    assert!(junit.contains("The run did not finish."), "{junit}");
    // Another library, even one that works, is another target.
    fs::remove_file(bench.path("libnight.so")).unwrap();
    night(&bench, "WORKS");
    let resumed = bench.run(["run", "--specs", "specs", "--library", "libnight.so", "--resume", "report"]);
    resumed.says(2, &["cannot be resumed because it tested something else"]);
}

#[test]
fn a_second_signal_ends_a_run_at_once() {
    let bench = bench(waiting_rules(), "HANGS_SYNCHRONISING");
    let (mut child, journal) = waiting(&bench);
    ask(&child, Signal::STOP);
    // Both signals arrive together when it continues.
    ask(&child, Signal::TERM);
    ask(&child, Signal::INT);
    ask(&child, Signal::CONT);
    let ended = child.wait().unwrap();
    assert!(ended.code().is_none(), "a signal ended it: {ended}");
    assert!(read_run(&journal).unwrap().end.is_none(), "the written part is readable");
}

#[test]
fn a_run_that_was_stopped_twice_gives_up_no_rule() {
    let bench = Bench::new();
    let rules = (0..6).map(|number| rule(&format!("night.slow{number}"), "", COPY)).collect::<String>();
    bench.catalog(format!("title: Night\nrules:\n{rules}"));
    let words =
        ["--product", "a2", "--backend", "simulator", "--jobs", "1", "--sim", "call-ns=100000000", "--specs", "specs"];
    for attempt in ["--report-dir", "--resume", "--resume"] {
        let words = ["run", attempt, "report"].into_iter().chain(words);
        let child = bench.command(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = "{\"begin\":{\"id\":\"acl.night.slow0\"}}";
        let begins =
            || fs::read_to_string(bench.path("report/results.jsonl")).unwrap_or_default().matches(begun).count();
        let earlier = begins();
        wait_until(|| begins() > earlier);
        ask(&child, Signal::TERM);
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
    }
    bench.run(["run", "--specs", "specs", "--resume", "report"]).says(0, &[]);
    let report = bench.report("report");
    assert!(report.results.iter().all(|result| result.verdict == Verdict::Pass && result.interrupted == 0));
}
