//! Whole runs of the toy and of the depot on catalogs of a few rules: from the words of a command line to the folder of
//! the run.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use engine::run::{
    ExitStatus, ExpectationOptions, MergeOptions, Observer, Options, RunError, SelectionOptions, Work, merge, run,
};
use engine::runtime::Runtime;
use ledger::report::summary;
use record::{Recorded, RuleResult, RunEnd, RunHeader, read_journal};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::depot::device::{self, depot};
use crate::toy::runs::{self, TOY, library};

/// A test's own folder: its catalog, and what its runs write.
pub struct Bench {
    folder: TempDir,
    runtime: &'static Runtime,
    /// The words of every run.
    fixed: Vec<String>,
}

/// What a run ended with, and what it said.
pub struct Answer {
    pub status: ExitStatus,
    pub text: String,
}

/// What a run left in its folder.
pub struct Report {
    pub header: RunHeader,
    pub results: Vec<RuleResult>,
    pub end: RunEnd,
    pub journal: String,
    pub junit: String,
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

/// Where a rule names its clause: each runtime has one for it.
const CLAUSE: &str = "CLAUSE";

/// A rule with these lines of actors, axes and steps.
pub fn rule(id: &str, more: &str, steps: &str) -> String {
    let indented =
        |text: &str, by: &str| text.lines().map(|line| format!("{by}{}\n", line.trim_end())).collect::<String>();
    let (more, steps) = (indented(more, "    "), indented(steps, "      "));
    format!(
        "  - id: {id}\n    title: It answers\n    statement: It answers.\n    clauses: {{header: {CLAUSE}}}\n    \
         level: must\n{more}    steps: |\n{steps}"
    )
}

impl Bench {
    /// Runs of these rules on the toy's faithful library. The ids begin with `toy.small.`.
    pub fn toy(rules: &[String]) -> Bench {
        let library = library(&[]).display().to_string();
        Bench::new(&TOY, runs::folder(), "header.none", &["--library", &library], rules)
    }

    /// Runs of these rules on the depot's simulated device, two of them. The ids begin with `depot.small.`.
    pub fn depot(rules: &[String]) -> Bench {
        let bench = Bench::new(depot(), device::folder(), "header.depot-reserve", &["--backend", "simulator"], rules);
        let api = bench.path("specs/depot/api.yaml");
        let text = fs::read_to_string(&api).expect("it was copied").replace("value: \"1\"", "value: \"2\"");
        fs::write(api, text).expect("the folder is the test's own");
        bench
    }

    /// A bench with the catalog in a folder, in which these rules stand in place of its own.
    fn new(runtime: &'static Runtime, from: PathBuf, clause: &str, words: &[&str], rules: &[String]) -> Bench {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let specs = folder.path().join("specs");
        let (from, to) = (from.join("specs").join(runtime.name()), specs.join(runtime.name()));
        for folder in ["clauses", "rules"] {
            fs::create_dir_all(to.join(folder)).expect("a folder can be made");
        }
        for file in ["documents.yaml", "products.yaml", "api.yaml", "clauses/header.yaml"] {
            fs::copy(from.join(file), to.join(file)).expect("the catalog can be read");
        }
        let chapter = format!("title: Small\nrules:\n{}", rules.concat()).replace(CLAUSE, clause);
        fs::write(to.join("rules/small.yaml"), chapter).expect("the folder is the test's own");
        let specs = specs.display().to_string();
        // One rule at a time: what runs side by side ends in any order.
        let fixed = [&["run", "--specs", &specs, "--jobs", "1"], words].concat();
        Bench { fixed: fixed.into_iter().map(str::to_owned).collect(), folder, runtime }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs rules of the catalog, with further words of the command line.
    pub fn run(&self, report: &str, words: &[&str]) -> Answer {
        let report = self.path(report).display().to_string();
        let words = words.iter().copied().chain(["--report-dir", &report]);
        let line = Line::try_parse_from(self.fixed.iter().map(String::as_str).chain(words));
        let line = line.unwrap_or_else(|error| panic!("{error}"));
        let filter = line.selection.filter(line.filter, false, Vec::new()).map_err(RunError::from);
        answer(|told| run(line.options, self.runtime, &filter?, &ledger::Ledger, told))
    }

    /// Merges runs of this bench.
    pub fn merge(&self, report: &str, parts: &[impl AsRef<str>]) -> Answer {
        let options = MergeOptions {
            runs: parts.iter().map(|part| self.path(part.as_ref())).collect(),
            report_dir: Some(self.path(report)),
            specs: Some(self.path("specs")),
            known: ExpectationOptions::default(),
        };
        answer(|told| merge(&options, &[self.runtime], &ledger::Ledger, told))
    }

    pub fn report(&self, name: &str) -> Report {
        let folder = self.path(name);
        let (header, results, end) = read_journal(&folder).unwrap_or_else(|error| panic!("{error}"));
        let [journal, junit] = ["results.jsonl", "junit.xml"]
            .map(|file| fs::read_to_string(folder.join(file)).expect("a run that reached its end has both"));
        Report { header, results, end: end.expect("the run reached its end"), journal, junit }
    }
}

impl Answer {
    /// The answer has this status and says each of these.
    #[track_caller]
    pub fn says(&self, status: ExitStatus, fragments: &[&str]) {
        for fragment in fragments {
            assert!(self.text.contains(fragment), "`{fragment}` is missing in:\n{}", self.text);
        }
        assert_eq!(self.status, status, "{}", self.text);
    }
}

impl Report {
    /// The journal without what no two runs share: times, and the folder that was written.
    pub fn timeless(&self) -> Vec<Json> {
        fn forget(value: &mut Json) {
            match value {
                Json::Object(fields) => {
                    for name in ["started", "finished", "nanoseconds", "start_up_nanoseconds", "run", "patience"] {
                        if fields.get(name).is_some_and(|value| !value.is_object()) {
                            fields.remove(name);
                        }
                    }
                    fields.values_mut().for_each(forget);
                }
                Json::Array(items) => items.iter_mut().for_each(forget),
                _ => {}
            }
        }
        let lines = self.journal.lines().map(|line| serde_json::from_str(line).expect("a journal is JSON lines"));
        lines.map(|mut line| (forget(&mut line), line).1).collect()
    }

    /// The result of a rule.
    #[track_caller]
    pub fn result(&self, id: &str) -> &RuleResult {
        self.results.iter().find(|result| result.id == id).unwrap_or_else(|| panic!("there is no result of {id}"))
    }
}

fn answer(run: impl FnOnce(&mut Told) -> Result<ExitStatus, RunError>) -> Answer {
    let mut told = Told(String::new());
    match run(&mut told) {
        Ok(status) => Answer { status, text: told.0 },
        Err(error) => Answer { status: error.exit(), text: error.to_string() },
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

    fn perform(&mut self, work: &Arc<Work>) -> Result<(), RunError> {
        work.perform_all(|_| Ok(()))
    }

    fn summary(&mut self, run: &Recorded) -> Result<(), RunError> {
        self.0.push_str(&summary(&run.header, &run.results, run.end.as_ref(), false));
        Ok(())
    }
}
