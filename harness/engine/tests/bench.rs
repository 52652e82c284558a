//! Whole runs of the toy on catalogs of a few rules: from the command line to the folder of the run.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use engine::run::{Agenda, ExitStatus, Observer, Options, RunError, SelectionOptions, run};
use ledger::report::{Layout, summary};
use record::{Recorded, RuleResult, RunEnd, RunHeader, read_journal};
use tempfile::TempDir;

use crate::toy::runs::{TOY, folder, library};

/// The folder of a test: its catalog, and the output of its runs.
pub struct Bench(TempDir);

/// The exit status and the output of a run.
pub struct Answer {
    pub status: ExitStatus,
    pub text: String,
}

/// The files of a run.
pub struct Report {
    pub header: RunHeader,
    pub results: Vec<RuleResult>,
    pub end: RunEnd,
    pub journal: String,
}

/// The command line of a run.
#[derive(Debug, Parser)]
struct Line {
    filter: Vec<String>,
    #[command(flatten)]
    selection: SelectionOptions,
    #[command(flatten)]
    options: Options,
}

/// A rule of the chapter `small` with these lines of actors, axes and steps.
pub fn rule(name: &str, more: &str, steps: &str) -> String {
    let indented =
        |text: &str, by: &str| text.lines().map(|line| format!("{by}{}\n", line.trim_end())).collect::<String>();
    let (more, steps) = (indented(more, "    "), indented(steps, "      "));
    format!(
        "  - id: toy.small.{name}\n    title: It answers\n    statement: It answers.\n    \
         clauses: {{header: header.none}}\n    level: must\n{more}    steps: |\n{steps}"
    )
}

impl Bench {
    /// A bench with the toy's catalog, with these rules instead of the toy's.
    pub fn new(rules: &[String]) -> Bench {
        let bench = Bench(tempfile::tempdir().expect("a folder can be made"));
        let (from, to) = (folder().join("specs/toy"), bench.path("specs/toy"));
        for folder in ["clauses", "rules"] {
            fs::create_dir_all(to.join(folder)).expect("a folder can be made");
        }
        for file in ["documents.yaml", "products.yaml", "api.yaml", "clauses/header.yaml"] {
            fs::copy(from.join(file), to.join(file)).expect("the toy's catalog can be read");
        }
        let chapter = format!("title: Small\nrules:\n{}", rules.concat());
        fs::write(to.join("rules/small.yaml"), chapter).expect("the folder is the test's own");
        bench
    }

    /// Changes a text in a file of the toy's catalog.
    pub fn change(self, file: &str, from: &str, to: &str) -> Bench {
        let path = self.path("specs/toy").join(file);
        let text = fs::read_to_string(&path).expect("the file was copied");
        assert!(text.contains(from), "{file} does not contain {from}");
        fs::write(&path, text.replacen(from, to, 1)).expect("the folder is the test's own");
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs rules of the catalog on the faithful library, one at a time, with more command-line arguments.
    pub fn run(&self, report: &str, words: &[&str]) -> Answer {
        self.run_with(&[], report, words)
    }

    /// The same on a library with these defects.
    pub fn run_with(&self, defects: &[&str], report: &str, words: &[&str]) -> Answer {
        let paths = [self.path("specs"), library(defects), self.path(report)].map(|path| path.display().to_string());
        let [specs, library, report] = &paths;
        let fixed = ["toy", "--specs", specs, "--library", library, "--report-dir", report, "--jobs", "1"];
        let line = Line::try_parse_from(fixed.iter().chain(words)).unwrap_or_else(|error| panic!("{error}"));
        let mut told = Told(String::new());
        let filter = line.selection.filter(line.filter, false, Vec::new()).map_err(RunError::from);
        let ended = filter.and_then(|filter| run(line.options, &TOY, &filter, &ledger::Ledger, &mut told));
        match ended {
            Ok(status) => Answer { status, text: told.0 },
            Err(error) => Answer { status: error.exit(), text: error.to_string() },
        }
    }

    pub fn report(&self, name: &str) -> Report {
        let folder = self.path(name);
        let (header, results, end) = read_journal(&folder).unwrap_or_else(|error| panic!("{error}"));
        let journal = fs::read_to_string(folder.join("results.jsonl")).expect("it was just read");
        Report { header, results, end: end.expect("the run reached its end"), journal }
    }
}

impl Answer {
    /// Checks the status, and that the output contains each of these.
    #[track_caller]
    pub fn says(&self, status: ExitStatus, fragments: &[&str]) {
        for fragment in fragments {
            assert!(self.text.contains(fragment), "`{fragment}` is missing in:\n{}", self.text);
        }
        assert_eq!(self.status, status, "{}", self.text);
    }
}

impl Report {
    /// The result of a rule.
    #[track_caller]
    pub fn result(&self, id: &str) -> &RuleResult {
        self.results.iter().find(|result| result.id == id).unwrap_or_else(|| panic!("no result of {id}"))
    }
}

/// The lines of a run, and its summary.
struct Told(String);

impl Observer for Told {
    fn line(&mut self, text: &str) -> Result<(), RunError> {
        self.0.push_str(text);
        self.0.push('\n');
        Ok(())
    }

    fn perform(&mut self, work: &Arc<Agenda>) -> Result<(), RunError> {
        work.perform_all(|_| Ok(()))
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        self.0.push_str(&summary(&run.header, &run.results, run.end.as_ref(), Layout::FILE));
        Ok(())
    }
}
