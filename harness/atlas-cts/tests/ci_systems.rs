//! The output for CI systems and dashboards: annotations, the place of each rule in JUnit, metrics, and the nightly script.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use rstest::{fixture, rstest};
use support::small::{ALIGNED, ELSEWHERE, HOLDS, MISALIGNED, chapter};
use support::{Answer, Bench, answer, project, take_environment};

const RUN: [&str; 7] = ["run", "--specs", "specs", "--product", "a2", "--backend", "simulator"];
const BROKEN: [&str; 2] = ["--defect", MISALIGNED];

#[fixture]
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, HOLDS, ELSEWHERE]));
    bench
}

/// The workflow commands in an output, as GitHub's runner finds them.
fn commands(output: &str) -> Vec<&str> {
    let is_command = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
    output.split(['\r', '\n']).filter(is_command).collect()
}

#[rstest]
#[case::on_github("true", 1)]
#[case::elsewhere("", 0)]
fn a_broken_rule_is_an_annotation_of_the_job(bench: Bench, #[case] github: &str, #[case] number: usize) {
    let words = ["--report-dir", "night"];
    let mut command = bench.command(RUN.iter().chain(&BROKEN).chain(&words));
    let run = answer(command.env("GITHUB_ACTIONS", github));
    assert_eq!((run.status, commands(&run.text).len()), (1, number), "{}", run.text);
    let again = answer(bench.command(["report", "night"]).env("GITHUB_ACTIONS", github));
    assert_eq!(commands(&again.text), commands(&run.text), "`report` prints the same");
    for command in commands(&run.text) {
        let line = fs::read_to_string(bench.path("specs/acl/rules/small.yaml")).unwrap();
        let line = line.lines().position(|line| line.contains("% 64 == 0")).unwrap() + 1;
        let place = format!("::error file=specs/acl/rules/small.yaml,line={line},col=");
        assert!(command.starts_with(&place), "{command}");
        assert!(command.contains("title=acl.small.aligned%3A fail::A block is aligned%0A"), "{command}");
    }
}

#[rstest]
fn annotations_do_not_disturb_the_log_for_programs(bench: Bench) {
    let words = ["--report-dir", "night", "--log-format", "json"];
    let mut command = bench.command(RUN.iter().chain(&BROKEN).chain(&words));
    let output = command.env("GITHUB_ACTIONS", "true").output().unwrap();
    let (objects, aside) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(objects.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{objects}");
    assert_eq!(commands(&aside).len(), 1, "{aside}");
}

/// The library prints commands for the runner, also where a line is wrapped, and then crashes. They are in the failure's
/// block as text.
#[rstest]
#[case::while_it_runs(&[])]
#[case::for_programs(&["--log-format", "json"])]
fn no_output_of_a_library_is_a_command_to_the_ci_system(#[case] more: &[&str]) {
    let bench = Bench::new();
    bench.catalog(chapter(&[&HOLDS.replace("64,", "8192,")]));
    bench.library("fixtures/faults/faults.c", &["FAULT_WRITES_COMMANDS"]);
    let words = ["run", "--specs", "specs", "--product", "a2", "--library", "libtested.so", "--report-dir", "night"];
    let run = answer(bench.command(words.iter().chain(more)).env("GITHUB_ACTIONS", "true"));
    assert_eq!(run.status, 1, "{}", run.text);
    let failure = bench.report("night").result("acl.small.holds").failure.clone().unwrap();
    assert_eq!(commands(&failure.output).len(), 3, "the journal has the output as it was: {}", failure.output);
    let commands = commands(&run.text);
    let [annotation] = commands[..] else { panic!("{commands:#?} in\n{}", run.text) };
    assert!(annotation.starts_with("::error file=specs/acl/rules/small.yaml,line="), "{annotation}");
}

#[rstest]
fn each_case_of_junit_names_its_file_and_a_failure_its_line(bench: Bench) {
    bench.run(RUN.iter().chain(&BROKEN).chain(&["--report-dir", "night"])).says(1, &[]);
    let junit = bench.report("night").junit;
    let cases: Vec<&str> = junit.lines().filter(|line| line.contains("<testcase")).collect();
    assert_eq!(cases.len(), 3, "{junit}");
    for case in cases {
        let file = case.split(" file=\"").nth(1).and_then(|rest| rest.split('"').next()).expect(case);
        assert!(bench.path(file).is_file(), "{case}");
        assert_eq!(case.contains(" line=\""), case.contains("acl.small.aligned"), "{case}");
    }
}

/// The value of a metric with these labels in a text for Prometheus.
fn metric(text: &str, start: &str) -> Option<f64> {
    let found: Vec<&str> = text.lines().filter(|line| line.starts_with(start)).collect();
    assert!(found.len() < 2, "{found:?}");
    found.first().map(|line| line.rsplit(' ').next().unwrap().parse().unwrap())
}

#[rstest]
fn a_history_writes_metrics_for_prometheus(bench: Bench) {
    bench.run(RUN.iter().chain(&["--report-dir", "runs/one"])).says(0, &[]);
    bench.run(RUN.iter().chain(&BROKEN).chain(&["--report-dir", "runs/two"])).says(1, &[]);
    bench.run(["history", "runs", "--prometheus", "cts.prom"]).says(0, &["acl on a2 (simulated), 2 runs"]);
    let text = fs::read_to_string(bench.path("cts.prom")).unwrap();
    let labels = "{runtime=\"acl\",product=\"a2\",simulated=\"true\"";
    let rules = |meaning: &str| metric(&text, &format!("atlas_cts_rules{labels},meaning=\"{meaning}\"}}"));
    assert_eq!(["good", "broken", "skipped", "unknown"].map(rules), [1.0, 1.0, 1.0, 0.0].map(Some), "{text}");
    assert_eq!(metric(&text, &format!("atlas_cts_run_exit_status{labels}}}")), Some(1.0), "{text}");
    assert_eq!(metric(&text, &format!("atlas_cts_rules_changed{labels}}}")), Some(1.0), "{text}");
    bench.run(["history", "runs", "--prometheus", "no/folder/cts.prom"]).says(2, &["no/folder/cts.prom"]);
}

/// Starts the nightly script in the bench's folder, with the built command on PATH.
fn night(bench: &Bench, words: &[&str], environment: &[(&str, &str)]) -> Answer {
    let atlas = bench.command([""; 0]);
    let tools = bench.path("tools");
    fs::create_dir_all(&tools).unwrap();
    let _ = symlink(atlas.get_program(), tools.join("atlas-cts"));
    let mut script = Command::new(project().join("ci/package/nightly.sh"));
    take_environment(script.args(words).current_dir(bench.path("")), &atlas);
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    script.env("PATH", path).env("ATLAS_CTS_SPECS", "specs").env("ATLAS_CTS_PRODUCT", "a2");
    script.env("ATLAS_CTS_BACKEND", "simulator").env("ATLAS_CTS_PROFILE", "smoke");
    // Cargo runs the suite in its checkout; this script keeps its nights in the current folder.
    script.env_remove("CARGO_MANIFEST_DIR");
    answer(script.envs(environment.iter().copied()))
}

/// The texts in the folder of the latest night.
fn texts(bench: &Bench) -> BTreeMap<String, String> {
    let folder = bench.path("reports/out/latest");
    let names = ["doctor.txt", "diff.txt", "diff.md", "junit.xml", "results.jsonl"];
    let read = |name: &str| Some((name.to_owned(), fs::read_to_string(folder.join(name)).ok()?));
    names.into_iter().filter_map(read).collect()
}

#[rstest]
fn a_second_night_names_what_broke_since_the_first(bench: Bench) {
    let metrics = [("NIGHTLY_PROMETHEUS", "cts.prom")];
    night(&bench, &[], &metrics).says(0, &["This is the first night", "=== history"]);
    assert_eq!(texts(&bench).keys().filter(|name| name.starts_with("diff")).count(), 0);
    let summary = bench.write("step-summary.md", "");
    let summary_of_github = [metrics[0], ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap())];
    let second = night(&bench, &BROKEN, &summary_of_github);
    second.says(1, &["Regressions (1) acl.small.aligned", "=== doctor", "acl on a2 (simulated), 2 runs"]);
    let texts = texts(&bench);
    assert_eq!(texts.len(), 5, "{:?}", texts.keys());
    assert!(texts["diff.txt"].contains("Regressions (1)") && texts["diff.md"].contains("acl.small.aligned"));
    let shown = fs::read_to_string(summary).unwrap();
    assert!(shown.contains("## ❌ Atlas CTS") && shown.contains(texts["diff.md"].trim()), "{shown}");
    let metrics = fs::read_to_string(bench.path("cts.prom")).unwrap();
    assert!(
        metrics.contains("atlas_cts_history_runs{runtime=\"acl\",product=\"a2\",simulated=\"true\"} 2"),
        "{metrics}"
    );
}

#[rstest]
fn a_night_in_parts_is_compared_too(bench: Bench) {
    night(&bench, &[], &[]).says(0, &[]);
    for part in ["1/2", "2/2"] {
        let folder = format!("part-{}", &part[..1]);
        let words = ["--seed", "7", "--shard", part, "--report-dir", &folder];
        bench.run(RUN.iter().chain(&BROKEN).chain(&words));
    }
    night(&bench, &["merge", "part-1", "part-2"], &[]).says(1, &["Regressions (1) acl.small.aligned"]);
    assert!(!texts(&bench).contains_key("doctor.txt"), "the parts ran elsewhere");
}

#[rstest]
fn a_step_that_fails_stops_no_other_step(bench: Bench) {
    night(&bench, &["no-such-rule"], &[]).says(2, &["no rule matches `no-such-rule`", "there is no new run"]);
    night(&bench, &["--report-dir", "elsewhere"], &[]).says(2, &["omit --report-dir"]);
    let no_folder = [("NIGHTLY_PROMETHEUS", "no/folder/cts.prom")];
    night(&bench, &[], &no_folder).says(3, &["conformant: ", "the history failed with exit status 2"]);
    // The run's own status comes first.
    night(&bench, &BROKEN, &no_folder).says(1, &["Regressions (1)", "the history failed with exit status 2"]);
    assert!(texts(&bench).contains_key("diff.md"));
    let drift = [("NIGHTLY_FAIL_ON", "fix")];
    night(&bench, &[], &drift).says(1, &["conformant: ", "exit status 1, because of fix"]);
}
