//! Stored runs in `fixtures/runs`: journals, reports and counterexamples of the journal's format stay readable and keep
//! their meaning.

use crate::support;

#[path = "stored_runs/expected.rs"]
mod expected;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use expected::{RUNS, Stored};
use ledger::report::{FORMATS, JUNIT_FILE, write_junit};
use record::{Journal, JournalError, Recorded, RuleResult, Verdict, read_run};
use rstest::rstest;
use serde_json::Value as Json;
use support::{Bench, project};

const COUNTEREXAMPLES: &str = "counterexamples";

fn stored() -> PathBuf {
    project().join("fixtures/runs")
}

fn folders(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
    folders.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// The files below a folder, with their content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let name = PathBuf::from(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()).into_iter().map(|(file, content)| (name.join(file), content)));
        } else {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    found
}

impl Stored {
    fn path(&self) -> PathBuf {
        stored().join(self.name)
    }

    fn read(&self) -> Recorded {
        read_run(&self.path()).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn finished(&self) -> bool {
        self.exit.is_some()
    }

    fn counterexamples(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let folder = self.path().join(COUNTEREXAMPLES);
        if folder.exists() { files(&folder) } else { BTreeMap::new() }
    }

    /// Writes the files of the run to a folder of the bench.
    fn copy(&self, bench: &Bench, to: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = files(&self.path());
        for (name, content) in &files {
            let path = bench.path(to).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        files
    }
}

#[test]
fn every_stored_run_has_an_expectation_and_is_described() {
    let formats = folders(&stored()).into_iter();
    let found = formats.flat_map(|format| {
        let runs = folders(&stored().join(&format)).into_iter();
        runs.map(|run| format!("{format}/{run}")).collect::<Vec<_>>()
    });
    let expected: BTreeSet<String> = RUNS.iter().map(|run| run.name.to_owned()).collect();
    assert_eq!(found.collect::<BTreeSet<_>>(), expected, "add the run to tests/stored_runs/expected.rs");
    let readme = fs::read_to_string(stored().join("README.md")).unwrap();
    for run in &RUNS {
        assert!(readme.contains(&format!("| `{}` |", run.name)), "README.md does not describe {}", run.name);
    }
}

#[test]
fn a_stored_run_names_no_folder_of_the_machine_that_made_it() {
    for run in &RUNS {
        for (file, content) in files(&run.path()) {
            let text = String::from_utf8(content).unwrap();
            let paths = text.split(['"', '\'', ' ', '\n']).filter(|word| word.starts_with('/'));
            let foreign: Vec<&str> = paths.filter(|path| expected::is_foreign(path)).collect();
            assert_eq!(foreign, [""; 0], "{} {}", run.name, file.display());
        }
    }
}

#[test]
fn a_stored_run_keeps_its_meaning() {
    for run in &RUNS {
        let recorded = run.read();
        let header = &recorded.header;
        assert_eq!(
            (header.format, &*header.product, header.seed),
            (Journal::FORMAT, run.product, run.seed),
            "{}",
            run.name
        );
        assert_eq!(recorded.end.as_ref().map(|end| end.exit), run.exit, "{}", run.name);
        assert_eq!(header.resumed.len(), run.resumed, "{}", run.name);
        let verdicts = recorded.results.iter().map(|result| (result.id.as_str(), result.verdict.name()));
        assert_eq!(verdicts.collect::<Vec<_>>(), run.verdicts, "{}", run.name);
        let in_flight: Vec<&str> = recorded.in_flight.keys().map(String::as_str).collect();
        assert_eq!(in_flight, run.in_flight, "{}", run.name);
        let interrupted = recorded.results.iter().filter(|result| result.interrupted > 0);
        assert_eq!(interrupted.map(|result| result.id.as_str()).collect::<Vec<_>>(), run.interrupted, "{}", run.name);
    }
}

#[test]
fn the_counts_of_a_stored_run_are_those_of_its_results() {
    for run in RUNS.iter().filter(|run| run.finished()) {
        let recorded = run.read();
        let mut counts = BTreeMap::new();
        recorded.results.iter().for_each(|result| *counts.entry(result.verdict).or_default() += 1);
        assert_eq!(recorded.end.unwrap().counts, counts, "{}", run.name);
    }
}

#[test]
fn the_report_of_a_stored_run_is_rewritten_from_its_journal() {
    let bench = Bench::new();
    for run in RUNS.iter().filter(|run| run.finished()) {
        let recorded = run.read();
        let folder = bench.path(run.name);
        fs::create_dir_all(&folder).unwrap();
        write_junit(&folder, &recorded.header, &recorded.results, recorded.end.as_ref()).unwrap();
        let (then, now) = (run.path().join(JUNIT_FILE), folder.join(JUNIT_FILE));
        let (then, now) = (fs::read_to_string(then).unwrap(), fs::read_to_string(now).unwrap());
        assert_eq!(now, then, "{}", run.name);
    }
}

#[test]
fn resuming_a_finished_run_rewrites_its_reports_and_ends_with_its_status() {
    for run in RUNS.iter().filter(|run| run.finished()) {
        let bench = Bench::new();
        let written = run.copy(&bench, "copy");
        fs::remove_file(bench.path("copy").join(JUNIT_FILE)).unwrap();
        let lost = bench.path("copy").join(COUNTEREXAMPLES);
        if lost.exists() {
            fs::remove_dir_all(lost).unwrap();
        }
        let answer = bench.run(["run", "--resume", "copy"]);
        answer.says(i32::from(run.exit.unwrap()), &["this run is complete; rewriting its reports"]);
        let mut now = files(&bench.path("copy"));
        for page in FORMATS.map(|format| format.file).into_iter().filter(|file| *file != JUNIT_FILE) {
            // Not stored, because its layout changes with each version.
            assert!(now.remove(Path::new(page)).is_some_and(|page| !page.is_empty()), "{}: {page}", run.name);
        }
        assert!(now == written, "{}: another file, or another content", run.name);
    }
}

#[test]
fn an_interrupted_run_is_not_resumed_on_another_catalog() {
    let interrupted: Vec<&Stored> = RUNS.iter().filter(|run| !run.finished()).collect();
    assert!(!interrupted.is_empty());
    for run in interrupted {
        let bench = Bench::new();
        bench.catalog(expected::ANOTHER_CATALOG);
        let written = run.copy(&bench, "copy");
        let digest = format!("the catalog's digest: {} then, ", run.read().header.catalog_digest);
        let action = "now; give that run's catalog with --specs DIR, or restore it";
        let answer = bench.run(["run", "--resume", "copy", "--specs", "specs"]);
        answer.says(2, &["cannot be resumed because it tested something else", &digest, action]);
        answer.says(2, &["to test the current target, start a new run in another folder"]);
        assert_eq!(files(&bench.path("copy")), written, "nothing is written: {}", run.name);
    }
}

#[test]
fn a_stored_counterexample_is_the_failure_of_its_rule() {
    for run in &RUNS {
        let recorded = run.read();
        let with_values =
            |result: &&RuleResult| result.failure.as_ref().is_some_and(|failure| !failure.replay_values.is_null());
        let failed: Vec<&RuleResult> = recorded.results.iter().filter(with_values).collect();
        let counterexamples = run.counterexamples();
        let of = |result: &RuleResult| PathBuf::from(format!("{}.json", result.id));
        let expected: BTreeSet<PathBuf> = failed.iter().map(|result| of(result)).collect();
        assert_eq!(counterexamples.keys().cloned().collect::<BTreeSet<_>>(), expected, "{}", run.name);
        for result in failed {
            let failure = result.failure.as_ref().unwrap();
            let known: Json = serde_json::from_slice(&counterexamples[&of(result)]).unwrap();
            let case = serde_json::json!([{
                "case": failure.replay_values, "operations": failure.trace, "seen": failure.message
            }]);
            assert_eq!(known, case, "{} {}", run.name, result.id);
        }
    }
}

/// Runs the rules that have counterexamples in a stored run, on the same device, with these counterexamples.
fn try_counterexamples(bench: &Bench, run: &Stored) -> support::Answer {
    let ids: Vec<String> =
        run.counterexamples().keys().map(|file| file.file_stem().unwrap().to_str().unwrap().into()).collect();
    let seed = run.seed.to_string();
    let mut words = vec!["run", "--product", run.product, "--seed", &seed, "--report-dir", "report"];
    match run.fault {
        None => words.extend(["--backend", "simulator"]),
        Some(fault) => {
            bench.library("fixtures/faults/faults.c", &[fault]);
            words.extend(["--library", "libtested.so"]);
        }
    }
    let header = run.read().header;
    header.defects.iter().for_each(|defect| words.extend(["--defect", defect]));
    words.extend(run.arguments);
    words.extend(ids.iter().map(String::as_str));
    bench.run(words)
}

const UNUSED: &str = "this counterexample was skipped";

#[test]
fn the_counterexamples_of_stored_runs_fail_again_before_any_other_case() {
    for run in RUNS.iter().filter(|run| !run.counterexamples().is_empty()) {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("regressions")).unwrap();
        for (file, content) in run.counterexamples() {
            fs::write(bench.path("regressions").join(file), content).unwrap();
        }
        let answer = try_counterexamples(&bench, run);
        // The summary lists them too, as remarks.
        let unused = answer.text.lines().filter(|line| line.starts_with('/') && line.contains(UNUSED));
        let unused: BTreeSet<&str> = unused.map(|line| line.split(".json: ").next().unwrap()).collect();
        let named = |id: &&str| bench.path("regressions").join(id).display().to_string();
        let outgrown: BTreeSet<String> = run.outgrown.iter().map(named).collect();
        assert_eq!(unused, outgrown.iter().map(String::as_str).collect(), "{}", run.name);
        let (then, now) = (run.read(), bench.report("report"));
        assert_eq!(now.results.len(), run.counterexamples().len(), "{}: {}", run.name, answer.text);
        for result in now.results.iter().filter(|result| !run.outgrown.contains(&&*result.id)) {
            let earlier = then.results.iter().find(|earlier| earlier.id == result.id).unwrap();
            // A function that some editions lack was missing. This blocked its rule then, and skips it now.
            let missing = "and does not export it";
            if earlier.verdict == Verdict::Blocked && result.reason.ends_with(missing) {
                assert_eq!(result.verdict, Verdict::Skipped, "{} {}", run.name, result.id);
                continue;
            }
            // A function that ends its process is now called by one rule, no longer by each.
            if earlier.verdict == Verdict::Blocked && result.reason.contains("rules that call it are blocked") {
                assert_eq!(result.verdict, Verdict::Blocked, "{} {}", run.name, result.id);
                continue;
            }
            // A flaky case need not fail again.
            if earlier.verdict != Verdict::Flaky {
                let cases = earlier.failure.as_ref().unwrap().replay_values.as_array().map_or(1, Vec::len);
                assert_eq!(result.verdict, earlier.verdict, "{} {}: {}", run.name, result.id, result.reason);
                assert_eq!(result.failure.as_ref().unwrap().case, cases as u64, "{} {}", run.name, result.id);
            }
        }
    }
}

#[test]
fn a_counterexample_that_does_not_fit_its_rule_is_named() {
    let run = RUNS.iter().find(|run| !run.counterexamples().is_empty()).unwrap();
    let bench = Bench::new();
    fs::create_dir_all(bench.path("regressions")).unwrap();
    let (file, content) = run.counterexamples().into_iter().next().unwrap();
    let mut known: Json = serde_json::from_slice(&content).unwrap();
    known[0]["case"]["no_such_axis"] = 1.into();
    fs::write(bench.path("regressions").join(&file), known.to_string()).unwrap();
    let answer = try_counterexamples(&bench, run);
    assert!(answer.text.contains(UNUSED) && answer.text.contains(file.to_str().unwrap()), "{}", answer.text);
}

/// Copies a stored run and changes its journal.
fn damaged(bench: &Bench, run: &Stored, damage: impl FnOnce(String) -> String) -> PathBuf {
    run.copy(bench, "copy");
    let path = bench.path("copy").join(Journal::FILE);
    let text = fs::read_to_string(&path).unwrap();
    let changed = damage(text.clone());
    assert_ne!(changed, text);
    fs::write(&path, changed).unwrap();
    path
}

#[test]
fn a_last_line_that_is_cut_off_is_ignored() {
    for run in RUNS.iter().filter(|run| run.finished()) {
        let bench = Bench::new();
        let path = damaged(&bench, run, |text| text[..text.trim_end().len() - 1].to_owned());
        let recorded = read_run(&path).unwrap();
        assert!(recorded.end.is_none(), "{}", run.name);
        assert_eq!(recorded.results.len(), run.verdicts.len(), "{}", run.name);
    }
}

#[test]
fn another_line_that_is_cut_off_is_an_error_with_its_place() {
    for run in &RUNS {
        let bench = Bench::new();
        let path = damaged(&bench, run, |text| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines[1] = &lines[1][..lines[1].len() / 2];
            lines.join("\n") + "\n"
        });
        let error = read_run(&path).unwrap_err();
        assert!(matches!(error, JournalError::Broken { line: 2, .. }), "{}: {error}", run.name);
        let advice = "only the last line of a journal may be truncated, so the file was changed after the run";
        bench.run(["run", "--resume", "copy"]).says(2, &["no run to resume", "results.jsonl:2: ", advice]);
    }
}

#[rstest]
#[case::its_first_line_is_cut_off(|text: String| text[..20].to_owned(), "is not a journal of this suite")]
#[case::it_is_empty(|_| String::new(), "is not a journal of this suite")]
fn a_file_without_a_first_line_is_not_a_run(#[case] damage: fn(String) -> String, #[case] message: &str) {
    for run in &RUNS {
        let bench = Bench::new();
        let error = read_run(&damaged(&bench, run, damage)).unwrap_err();
        assert!(matches!(error, JournalError::NotAJournal { .. }), "{}: {error}", run.name);
        bench.run(["run", "--resume", "copy"]).says(2, &["no run to resume", message]);
    }
}

#[rstest]
#[case::earlier(Journal::FORMAT - 1)]
#[case::later(Journal::FORMAT + 1)]
fn another_format_is_refused_with_advice(#[case] other: u32) {
    for run in &RUNS {
        let bench = Bench::new();
        let path = damaged(&bench, run, |text| {
            text.replacen(&format!("\"format\":{},", Journal::FORMAT), &format!("\"format\":{other},"), 1)
        });
        let error = read_run(&path).unwrap_err();
        assert!(matches!(error, JournalError::Format { format, .. } if format == u64::from(other)), "{error}");
        let message = format!("has format {other} and this version reads only format {}", Journal::FORMAT);
        let advice = "as a baseline, run the old driver again with this version";
        bench.run(["run", "--resume", "copy"]).says(2, &["no run to resume", &message, advice]);
    }
}
