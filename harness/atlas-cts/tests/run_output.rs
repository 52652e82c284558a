//! The output of `atlas-cts run` while it runs: one object for each event for programs, a progress line on a terminal,
//! and no progress line without a terminal.

use crate::support;

use std::process::{Command, Stdio};

use rstest::{fixture, rstest};
use serde_json::Value as Json;
use support::small::{ALIGNED, ELSEWHERE, HOLDS, MISALIGNED, chapter};
use support::{Bench, answer, take_environment};

const RUN: [&str; 7] = ["run", "--specs", "specs", "--product", "a2", "--backend", "simulator"];
const BROKEN: [&str; 2] = ["--defect", MISALIGNED];

#[fixture]
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, ELSEWHERE]));
    bench
}

/// The printed objects of a run, each with its kind.
fn events(text: &str) -> Vec<(String, Json)> {
    let object = |line: &str| -> Json { serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")) };
    text.lines().map(object).map(|object| (object["event"].as_str().unwrap().to_owned(), object)).collect()
}

#[rstest]
fn the_json_log_has_one_object_for_each_event_and_nothing_else(bench: Bench) {
    let words = ["--log-format", "json", "--report-dir", "report"];
    let answer = bench.run(RUN.iter().chain(&BROKEN).chain(&words));
    assert_eq!(answer.status, 1, "{}", answer.text);
    let events = events(&answer.text);
    let kinds: Vec<&str> = events.iter().map(|(kind, _)| kind.as_str()).collect();
    // The rule that does not apply does not begin. Threads end in any order.
    let mut middle = kinds[2..5].to_vec();
    middle.sort_unstable();
    assert_eq!(
        (&kinds[..2], &middle[..], &kinds[5..]),
        (&["line", "run"][..], &["begin", "result", "result"][..], &["end"][..])
    );
    let of = |kind: &str, rule: &str| {
        let found = events.iter().find(|(known, object)| known == kind && (rule.is_empty() || object["rule"] == rule));
        found.unwrap_or_else(|| panic!("{kind} {rule} in {}", answer.text)).1.clone()
    };
    let result = of("result", "acl.small.aligned");
    for (field, value) in [("verdict", "fail"), ("meaning", "broken"), ("level", "must"), ("chapter", "small")] {
        assert_eq!(result[field], value);
    }
    assert_eq!(result["expected"], false);
    assert!(result["replay"].as_str().unwrap().contains("atlas-cts run 'acl.small.aligned:"));
    assert_eq!(of("result", "acl.small.elsewhere")["verdict"], "skipped");
    assert_eq!(of("begin", "")["rule"], "acl.small.aligned");
    assert_eq!((&of("run", "")["rules"], &of("run", "")["simulated"]), (&Json::from(2), &Json::from(true)));
    let end = of("end", "");
    assert_eq!((&end["exit"], &end["counts"]["fail"]), (&Json::from(1), &Json::from(1)));
    assert_eq!(end["text"], "not conformant: 1 rule broken");
    // The schema has each field of each event.
    let text = bench.schema("log").to_string();
    for (kind, object) in &events {
        assert!(text.contains(&format!("\"const\":\"{kind}\"")), "{kind}");
        object
            .as_object()
            .unwrap()
            .keys()
            .for_each(|field| assert!(text.contains(&format!("\"{field}\":")), "{field}"));
    }
}

#[rstest]
fn a_remark_is_an_event_but_a_usage_error_is_not(bench: Bench) {
    std::fs::create_dir_all(bench.path("report/report.html/folder")).unwrap();
    let answer = bench.run(RUN.iter().chain(&["--log-format", "json", "--report-dir", "report"]));
    let events = events(&answer.text);
    let remark = events.iter().find(|(kind, _)| kind == "remark").expect("there is a remark").1["text"].clone();
    assert!(remark.as_str().unwrap().contains("report.html: "), "{remark}");
    let mistake = bench.run(RUN.iter().chain(&["--log-format", "json", "no-such-rule"]));
    mistake.says(2, &["no rule matches `no-such-rule`"]);
    bench.run(["run", "--log-format", "xml"]).says(2, &["invalid value 'xml'", "text, json"]);
}

/// A run of about a second on a new terminal; `None`: no tool can create one.
fn on_a_terminal(bench: &Bench, report: &str, terminal: &str) -> Option<String> {
    let words = ["--sim", "call-ns=4000000", "--jobs", "1", "--report-dir", report];
    let atlas = bench.command(RUN.iter().chain(&words));
    let mut line = vec![atlas.get_program().to_string_lossy().into_owned()];
    line.extend(atlas.get_args().map(|word| word.to_string_lossy().into_owned()));
    let mut command = Command::new("script");
    command.args(["-qec", &line.join(" "), "/dev/null"]).current_dir(bench.path(""));
    take_environment(&mut command, &atlas);
    command.env("TERM", terminal).stdin(Stdio::null());
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("did not run: `script`, which makes a terminal, is not here");
        return None;
    }
    let answer = answer(&mut command);
    assert_eq!(answer.status, 0, "{}", answer.text);
    Some(answer.text)
}

#[rstest]
fn on_a_terminal_the_last_line_shows_the_progress(bench: Bench) {
    let Some(text) = on_a_terminal(&bench, "runs/first", "xterm") else { return };
    assert!(text.contains("/2 rules, ") && text.contains("acl.small.aligned ("), "{text}");
    assert!(!text.contains(" left"), "its time is unknown:\n{text}");
    let text = on_a_terminal(&bench, "runs/second", "xterm").unwrap();
    assert!(text.contains(" left: acl.small.aligned ("), "the first run gives an estimate:\n{text}");
    let plain = on_a_terminal(&bench, "runs/third", "dumb").unwrap();
    assert!(!plain.contains("/2 rules, ") && !plain.contains("\u{1b}[2K"), "{plain}");
}

#[rstest]
fn without_a_terminal_there_is_no_progress_line(bench: Bench) {
    let answer = bench.run(RUN.iter().chain(&["--sim", "call-ns=4000000", "--report-dir", "report"]));
    answer.says(0, &["verdicts  1 pass, 1 skipped"]);
    assert!(!answer.text.contains(['\u{1b}', '\r']) && !answer.text.contains("/2 rules"), "{}", answer.text);
}

/// A runner that starts a process for each rule takes each exit status as that of a test.
#[test]
fn the_report_of_a_run_by_several_processes_covers_all_of_them() {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, HOLDS]));
    for (rule, status) in [("acl.small.aligned", 1), ("acl.small.holds", 0)] {
        let mut command = bench.command(RUN.iter().chain(&BROKEN).chain(&["--report-dir", "report", rule]));
        answer(command.env("NEXTEST_RUN_ID", "night")).says(status, &["not conformant: 1 rule broken"]);
    }
    let page = std::fs::read_to_string(bench.path("report/report.html")).unwrap();
    assert!(page.contains("not conformant: 1 rule broken"), "{page}");
}

/// Rules that hold are counted; the page lists them.
#[test]
fn a_green_run_fits_on_a_screen() {
    let bench = Bench::new();
    let mut command = bench.command(["run", "acl.set", "acl.stream", "--product", "a2"]);
    let answer = answer(command.env("COLUMNS", "80"));
    answer.says(0, &["skipped (", "verdicts  ", "conformant: no rule that ran is broken"]);
    let lines: Vec<&str> = answer.text.lines().collect();
    assert!(lines.len() <= 25, "{} lines:\n{}", lines.len(), answer.text);
    assert!(!answer.text.contains("pass      acl."), "{}", answer.text);
    assert!(lines.last().unwrap().starts_with("report    reports/out/"), "{}", answer.text);
}
