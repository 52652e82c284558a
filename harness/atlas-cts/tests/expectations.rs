//! Known failures, end to end: a run broken only by them ends with 0, another symptom does not, and a fix is reported.

use crate::support;

use std::fs;

use record::{Meaning, Sort, Verdict, read_run};
use rstest::{fixture, rstest};
use support::small::{ALIGNED, ELSEWHERE, HOLDS, MISALIGNED, chapter};
use support::{Answer, Bench, Report, project};

const ENTRY: &str = "\
expectations:
  - rule: acl.small.aligned
    kind: fail
    products: [a2]
    versions: {edition: \">=8.5\"}
    symptom: {verdict: fail, check: \"(uintptr_t)p % 64 == 0;\"}
    tracker: https://tracker.example/1
    owner: memory
    expires: 2999-12-31
";

#[fixture]
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, HOLDS, ELSEWHERE]));
    bench
}

fn run(bench: &Bench, report: &str, arguments: &[&str]) -> Answer {
    bench.run_catalog(report, &[&["--product", "a2", "--backend", "simulator"], arguments].concat())
}

fn broken(bench: &Bench, report: &str, arguments: &[&str]) -> Answer {
    run(bench, report, &[&["--defect", MISALIGNED], arguments].concat())
}

/// The sort of a rule's result.
fn sort(report: &Report, rule: &str) -> Option<Sort> {
    report.end().expectations.as_ref()?.of(rule).map(|sorted| sorted.sort)
}

#[rstest]
fn a_known_failure_ends_with_0_and_keeps_its_recorded_verdict(bench: Bench) {
    broken(&bench, "before", &[]).says(1, &["FAIL  acl.small.aligned", "not conformant: 1 rule broken"]);
    bench.write("known.yaml", ENTRY);
    let answer = broken(&bench, "report", &["--expectations", "known.yaml"]);
    answer.says(
        0,
        &[
            "known failures: known.yaml (sha256",
            "1 entry, 1 for this device",
            "known failures (1) acl.small.aligned",
            "nothing new: 1 known failure; no other rule that ran is broken",
            "https://tracker.example/1, owner memory, until 2999-12-31 (known.yaml:2)",
        ],
    );
    assert!(!answer.text.contains("conformant: no rule"), "{}", answer.text);
    let report = bench.report("report");
    assert_eq!(report.result("acl.small.aligned").verdict, Verdict::Fail, "the recorded verdict is the observed one");
    assert_eq!((report.end().exit, sort(&report, "acl.small.aligned")), (0, Some(Sort::Known)));
    assert!(report.end().retries.is_empty(), "a verdict does not cause a rerun");
    let files = report.header.settings.expectations.as_ref().expect("the header names the known failures");
    assert_eq!(*files, report.end().expectations.as_ref().unwrap().files);
    assert!(report.junit.contains("<skipped type=\"known\""), "{}", report.junit);
    assert!(
        report.junit.contains("https://tracker.example/1") && !report.junit.contains("<failure"),
        "{}",
        report.junit
    );
}

#[rstest]
#[case::another_check("p % 64", "p % 128", 1, Sort::Unlike, "check: seen (uintptr_t)p % 64 == 0;")]
#[case::another_verdict("verdict: fail", "verdict: crash", 1, Sort::Unlike, "verdict: seen fail, expected crash")]
#[case::a_call_that_is_none(
    "check:",
    "call: aclrtFree, check:",
    1,
    Sort::Unlike,
    "call: seen none, expected aclrtFree"
)]
#[case::another_rule("small.aligned", "small.holds", 1, Sort::New, "no entry is about it")]
#[case::another_product("[a2]", "[a3]", 1, Sort::New, "no entry is about it")]
#[case::another_edition(">=8.5", "<8.5", 1, Sort::New, "no entry is about it")]
#[case::an_unknown_version("edition: \">=8.5\"", "driver: \">=25.5\"", 1, Sort::New, "no entry is about it")]
#[case::expired("2999", "2001", 0, Sort::Expired, "expired on 2001-12-31")]
#[case::a_pattern("acl.small.aligned", "\"*.ali*\"", 0, Sort::Known, "fail, check")]
fn another_symptom_or_device_is_not_expected(
    bench: Bench,
    #[case] text: &str,
    #[case] other: &str,
    #[case] status: i32,
    #[case] expected: Sort,
    #[case] why: &str,
) {
    bench.write("known.yaml", ENTRY.replace(text, other));
    broken(&bench, "report", &["--expectations", "known.yaml"]).says(status, &[]);
    let report = bench.report("report");
    let sorted = report.end().expectations.as_ref().and_then(|applied| applied.of("acl.small.aligned")).cloned();
    let sorted = sorted.expect("a broken rule is sorted");
    assert_eq!(sorted.sort, expected, "{sorted:?}");
    assert!(sorted.why.contains(why), "{sorted:?}");
}

#[rstest]
fn short_outputs_say_why_an_entry_does_not_excuse_a_failure(bench: Bench) {
    bench.write("known.yaml", ENTRY.replace("p % 64", "p % 128"));
    let why = "check: seen (uintptr_t)p % 64 == 0;, expected (uintptr_t)p % 128 == 0;";
    let answer = broken(&bench, "report", &["--expectations", "known.yaml", "--quiet"]);
    answer.says(1, &[why, "known.yaml:2"]);
    let summary = fs::read_to_string(bench.path("report/summary.md")).unwrap();
    let heading = "### unlike: the symptom differs from the known one (1)";
    assert!(summary.contains(heading) && summary.contains("known.yaml:2"), "{summary}");
}

#[rstest]
fn a_fixed_or_expired_failure_breaks_the_run_only_by_flag(bench: Bench) {
    bench.write("known.yaml", ENTRY);
    let known = ["--expectations", "known.yaml"];
    run(&bench, "fixed", &known).says(0, &["fixed: known failures that now hold (1)", "acl.small.aligned"]);
    let report = bench.report("fixed");
    assert_eq!(sort(&report, "acl.small.aligned"), Some(Sort::Fixed));
    assert!(report.junit.contains("fixed: the rule holds, but the entry expects fail"), "{}", report.junit);
    let by_flag = ["--expectations", "known.yaml", "--fail-on", "fixed,expired"];
    run(&bench, "fixed-by-flag", &by_flag).says(1, &["failed because of --fail-on"]);
    bench.write("known.yaml", ENTRY.replace("2999", "2001"));
    broken(&bench, "expired", &known).says(0, &["expired: known failures whose entries have expired (1)"]);
    broken(&bench, "expired-by-flag", &by_flag).says(1, &["FAIL  acl.small.aligned"]);
    assert!(bench.report("expired-by-flag").junit.contains("<failure"), "a result that breaks the run is a failure");
}

#[rstest]
fn a_dangerous_rule_does_not_run(bench: Bench) {
    let danger = "expectations:\n  - rule: acl.small.aligned\n    kind: skip\n    danger: hangs the machine\n    \
                  tracker: https://tracker.example/9\n    owner: memory\n    expires: 2999-12-31\n";
    bench.write("known.yaml", danger);
    broken(&bench, "report", &["--expectations", "known.yaml"]).says(0, &["hangs the machine"]);
    let report = bench.report("report");
    let result = report.result("acl.small.aligned");
    assert_eq!((result.verdict, result.cases, result.nanoseconds), (Verdict::Skipped, 0, 0));
    assert_eq!(result.reason, "not run, a known danger: hangs the machine; https://tracker.example/9");
    assert!(!report.journal.contains("{\"begin\":{\"id\":\"acl.small.aligned\"}}"), "it never began");
    assert_eq!(sort(&report, "acl.small.aligned"), Some(Sort::Known));
    assert!(report.junit.contains("https://tracker.example/9"), "{}", report.junit);
}

#[rstest]
fn the_folder_next_to_the_catalog_is_read_if_it_is_given(bench: Bench) {
    fs::create_dir(bench.path("expectations")).unwrap();
    bench.write("expectations/a2.yaml", ENTRY);
    bench.write("expectations/README.md", "not YAML: {");
    let named = ["--expectations", "expectations"];
    broken(&bench, "report", &named).says(0, &["known failures: expectations (sha256"]);
    let unread = "known failures: none; expectations is not read, because another user may have created it";
    broken(&bench, "unread", &[]).says(1, &[unread, "not conformant: 1 rule broken"]);
    broken(&bench, "without", &["--expectations", "none"]).says(1, &["not conformant: 1 rule broken"]);
    assert_eq!(bench.report("without").end().expectations, None);
    let replay = ["acl.small.aligned", "--case", "{\"size\":100}"];
    broken(&bench, "case", &replay).says(1, &["FAIL  acl.small.aligned"]);
}

#[rstest]
fn entries_drafted_from_a_run_match_it(bench: Bench) {
    broken(&bench, "report", &[]).says(1, &[]);
    let draft = ["expect", "--from", "report", "--to", "draft.yaml"];
    bench.run(draft.iter().chain(&["--owner", "memory", "--tracker", "https://tracker.example/2"])).says(
        0,
        &["draft.yaml: review each entry, then check the file: atlas-cts catalog lint --expectations draft.yaml"],
    );
    let text = fs::read_to_string(bench.path("draft.yaml")).unwrap();
    assert!(text.contains("check: \"(uintptr_t)p % 64 == 0;\"") && text.contains("products: [\"a2\"]"), "{text}");
    broken(&bench, "known", &["--expectations", "draft.yaml"]).says(0, &["nothing new: 1 known failure"]);
    let again = bench.run(["expect", "--from", "known"]);
    again.says(0, &["this run has no unexpected failure"]);
    let empty = bench.run(["expect", "--from", "report", "--to", "empty.yaml", "--expires", "2999-01-01"]);
    empty.says(0, &["fill in tracker and owner, review each entry"]);
    broken(&bench, "empty", &["--expectations", "empty.yaml"]).says(2, &["empty.yaml:", "the tracker is empty"]);
    bench.run(draft).says(3, &["draft.yaml already exists", "give another file, or move it away"]);
    bench.run(["expect", "--from", "report", "--expires", "soon"]).says(2, &["--expires soon is not a day"]);
}

#[rstest]
#[case::unknown_rule(
    "acl.small.aligned",
    "acl.small.aligend",
    "unknown rule `acl.small.aligend`; did you mean `acl.small.aligned`"
)]
#[case::pattern_without_a_rule("acl.small.aligned", "acl.large.*", "no rule matches `acl.large.*`")]
#[case::unknown_product("[a2]", "[a22]", "unknown product `a22`")]
#[case::unknown_version("edition:", "editon:", "unknown component `editon`")]
#[case::no_range(">=8.5", "8.5", "is not a range of versions")]
#[case::no_verdict("verdict: fail", "verdict: pass", "a rule cannot fail with `pass`")]
#[case::no_day("2999-12-31", "31.12.2999", "is not a day; write, for example, 2027-03-31")]
#[case::no_tracker("https://tracker.example/1", "\"\"", "the tracker is empty")]
#[case::no_rate("kind: fail", "kind: flake", "a flake needs a rate")]
#[case::no_danger("kind: fail", "kind: skip", "a rule may be left out only if running it does harm")]
#[case::misspelt_key("owner:", "ovner:", "unknown field `ovner`")]
fn a_mistake_is_named_with_its_place_and_nothing_is_run(
    bench: Bench,
    #[case] text: &str,
    #[case] other: &str,
    #[case] message: &str,
) {
    fs::create_dir(bench.path("expectations")).unwrap();
    bench.write("expectations/a2.yaml", ENTRY.replace(text, other));
    let named = ["--expectations", "expectations"];
    for answer in
        [broken(&bench, "report", &named), bench.run(["catalog", "lint", "--specs", "specs"].iter().chain(&named))]
    {
        answer.says(2, &[message, "expectations/a2.yaml:", "in the known failures; nothing was run"]);
    }
    assert!(!bench.path("report").exists(), "nothing was run");
}

#[rstest]
#[case::expired("2999", "2001", "a2.yaml:2: expired on 2001-12-31; check https://tracker.example/1")]
#[case::holds_for_ever("2999", "2998", "more than a year")]
#[case::unmatched("acl.small.aligned", "acl.small.elsewhere", "the entry's products support none of its rules")]
fn lint_warns_about_old_and_unmatched_entries(
    bench: Bench,
    #[case] text: &str,
    #[case] other: &str,
    #[case] warning: &str,
) {
    bench.write("a2.yaml", ENTRY.replace(text, other));
    let words = ["catalog", "lint", "--specs", "specs", "--expectations", "a2.yaml"];
    bench.run(words).says(0, &[warning, "1 known failure in a2.yaml: no mistakes"]);
    bench.run(words.iter().chain(&["--strict"])).says(2, &[warning]);
}

#[test]
fn the_example_has_no_mistakes() {
    let example = project().join("ci/examples/expectations");
    let bench = Bench::new();
    let answer = bench.run(["catalog".as_ref(), "lint".as_ref(), "--expectations".as_ref(), example.as_os_str()]);
    answer.says(0, &["3 known failures in"]);
}

#[rstest]
fn parts_are_sorted_when_they_are_merged(bench: Bench) {
    bench.write("known.yaml", ENTRY);
    let part = |number: u32| {
        let (report, shard) = (format!("part-{number}"), format!("{number}/2"));
        broken(&bench, &report, &["--shard", &shard, "--expectations", "none"]);
        report
    };
    let parts = [part(1), part(2)];
    let words = ["merge", "--specs", "specs", "--report-dir", "whole", "--expectations", "known.yaml"];
    let words = words.into_iter().chain(parts.iter().map(String::as_str));
    bench.run(words).says(0, &["nothing new: 1 known failure", "run with other known failures"]);
    assert_eq!(sort(&bench.report("whole"), "acl.small.aligned"), Some(Sort::Known));
}

/// A killed run leaves its journal up to the last result.
#[rstest]
fn a_run_resumed_with_other_entries_reports_them(bench: Bench) {
    bench.write("known.yaml", ENTRY);
    let known = ["--expectations", "known.yaml"];
    broken(&bench, "report", &known).says(0, &[]);
    let journal = bench.report("report").journal;
    let killed: String =
        journal.lines().filter(|line| !line.starts_with("{\"end\"")).map(|line| format!("{line}\n")).collect();
    let resume = ["--resume", "report", "--specs", "specs"];
    for (entry, status, said) in [(ENTRY.to_owned(), 0, false), (ENTRY.replace("% 64", "% 128"), 1, true)] {
        bench.write("report/results.jsonl", &killed);
        bench.write("known.yaml", entry);
        let answer = bench.run(["run"].iter().chain(&resume).chain(&known));
        answer.says(status, &[]);
        let told = answer.text.contains("the known failures changed since the run began");
        assert_eq!(told, said, "{}", answer.text);
    }
    let run = read_run(&bench.path("report")).unwrap();
    assert!(run.results.iter().any(|result| result.meaning() == Meaning::Broken));
}

#[rstest]
fn a_journal_with_an_end_that_does_not_follow_from_its_results_is_refused(bench: Bench) {
    bench.write("known.yaml", ENTRY);
    broken(&bench, "report", &["--expectations", "known.yaml"]).says(0, &[]);
    let journal = bench.report("report").journal;
    bench.write("report/results.jsonl", journal.replace("\"sort\":\"known\"", "\"sort\":\"fixed\""));
    let answer = bench.run(["run", "--resume", "report", "--specs", "specs"]);
    answer.says(2, &["the end calls acl.small.aligned fixed, which contradicts its result"]);
}

#[rstest]
#[case::within_its_rate("0.4", 0, Sort::Known)]
#[case::beyond_its_rate("0.02", 1, Sort::TooOften)]
fn a_flake_is_known_up_to_its_rate(#[case] rate: &str, #[case] status: i32, #[case] expected: Sort) {
    let bench = Bench::new();
    bench.catalog(chapter(&[&ALIGNED.replace("[100, 200]", "[5000, 6000]"), HOLDS, ELSEWHERE]));
    bench.library("fixtures/faults/history.c", &["FAULT_EVERY_THIRD_START"]);
    bench.write("starts", "xx");
    let entry = ENTRY.replace("kind: fail", &format!("kind: flake\n    rate: {rate}"));
    let entry = entry.replace("    versions: {edition: \">=8.5\"}\n", "");
    bench.write("known.yaml", entry.replace("check: \"(uintptr_t)p % 64 == 0;\"", "call: aclrtMalloc"));
    let words = ["run", "acl.small.aligned", "--specs", "specs", "--report-dir", "report", "--product", "a2"];
    let words = words.iter().chain(&["--library", "libtested.so", "--expectations", "known.yaml"]);
    let mut command = bench.command(words);
    for (variable, file) in [("FAULT_STARTS", "starts"), ("FAULT_HANGS", "hangs"), ("FAULT_CRASHED", "crashed")] {
        command.env(variable, bench.path(file));
    }
    support::answer(&mut command).says(status, &[]);
    let report = bench.report("report");
    assert_eq!(report.result("acl.small.aligned").verdict, Verdict::Flaky);
    assert_eq!(sort(&report, "acl.small.aligned"), Some(expected));
}
