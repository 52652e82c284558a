//! The trial of a version: its set-up, and fresh runs of the rule.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use catalog::files;
use ledger::confidence::Confidence;
use record::{Meaning, RuleResult, Symptom, read_run};

use super::child::{End, last_line, run};
use super::hunt::{BisectError, Hunt, Tried};
use super::search::Seen;
use super::text;

/// The environment variable that gives a set-up command the path of a file. The command writes variables for its
/// version's runs to this file.
pub(super) const VARIABLES: &str = "ATLAS_CTS_SETUP_ENV";

/// Variables that would make `run` omit rules or resume another run.
const SELECTING: [&str; 5] =
    ["ATLAS_CTS_SHARD", "ATLAS_CTS_TIMES", "ATLAS_CTS_RULES", "ATLAS_CTS_EXCLUDE", "ATLAS_CTS_RESUME"];

/// The maximum size of a file of variables, in bytes.
const LARGEST: u64 = 1 << 20;

/// The trials of versions, with their results so far.
pub(super) struct Bench<'a> {
    hunt: &'a Hunt,
    symptom: Option<Symptom>,
    /// The results by the version's position.
    tried: BTreeMap<usize, Tried>,
    /// For the first version that showed the symptom, the number of runs with the symptom and the number of all runs.
    rate: Option<(u32, u32)>,
    /// The version that was set up last, and true if the set-up succeeded.
    left: Option<(usize, bool)>,
}

/// The result of one run of the rule.
enum RunAnswer {
    Holds,
    Fails(Symptom),
    /// No answer, for this reason.
    None(String),
}

impl<'a> Bench<'a> {
    pub(super) fn new(hunt: &'a Hunt) -> Bench<'a> {
        Bench { hunt, symptom: hunt.symptom.clone(), tried: BTreeMap::new(), rate: None, left: None }
    }

    /// Sets up a version and runs the rule until the symptom shows. For the first version that shows the symptom, all
    /// runs are made, to measure the symptom's rate.
    pub(super) fn look(&mut self, version: usize) -> Result<Seen, BisectError> {
        let mut tried = Tried::default();
        match self.set_up(version)? {
            Ok(variables) => self.run_rule(version, &variables, &mut tried)?,
            Err(reason) => tried.unknown = reason,
        }
        let seen = match (tried.hits, tried.unknown.is_empty()) {
            (1.., _) => Seen::With,
            (0, true) => Seen::Without,
            (0, false) => Seen::Unknown,
        };
        if seen == Seen::With && self.rate.is_none() {
            self.rate = Some((tried.hits, tried.runs));
        }
        self.tried.insert(version, tried);
        Ok(seen)
    }

    /// The variables written by the set-up command, or the reason why the version cannot be set up.
    fn set_up(&mut self, version: usize) -> Result<Result<Vec<(String, String)>, String>, BisectError> {
        let name = &self.hunt.versions[version];
        let variables = self.file(version, "variables");
        let log = self.file(version, "set-up.txt");
        let mut command = Command::new("sh");
        command.args(["-c", &script(&self.hunt.set_up), "sh", name]).env(VARIABLES, absolute(&variables));
        self.left = Some((version, false));
        let end = run(&mut command, &log, self.hunt.set_up_limit);
        self.left = Some((version, matches!(end, End::Status(0))));
        let failed = |how: String| format!("the set-up {how}: {}", last_line(&log));
        Ok(match end {
            End::Status(0) => read_variables(&variables),
            End::Status(status) => Err(failed(format!("failed with exit status {status}"))),
            End::Signal(signal) => Err(failed(format!("was killed by signal {signal}"))),
            End::TimedOut => Err(failed(format!("took more than {} s", self.hunt.set_up_limit.as_secs()))),
            End::NotStarted(error) => Err(format!("the set-up cannot be started: {error}")),
            End::Asked(signal) => return Err(self.asked(signal)),
        })
    }

    fn run_rule(
        &mut self,
        version: usize,
        variables: &[(String, String)],
        tried: &mut Tried,
    ) -> Result<(), BisectError> {
        for number in 1..=self.hunt.runs {
            match self.run_once(version, number, variables)? {
                RunAnswer::None(reason) => {
                    tried.unknown = format!("run {number}: {reason}");
                    break;
                }
                RunAnswer::Holds => tried.runs += 1,
                RunAnswer::Fails(symptom) => {
                    tried.runs += 1;
                    if *self.symptom.get_or_insert_with(|| symptom.clone()) == symptom {
                        tried.hits += 1;
                    } else {
                        tried.other.push(symptom);
                    }
                }
            }
            if tried.hits > 0 && self.rate.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn run_once(&self, version: usize, number: u32, variables: &[(String, String)]) -> Result<RunAnswer, BisectError> {
        let folder = self.file(version, &format!("run-{number}"));
        let log = self.file(version, &format!("run-{number}.txt"));
        let mut command = Command::new(&self.hunt.executable);
        // A known failure must not keep the rule from running.
        command.args(["run", &self.hunt.rule, "--no-expectations"]).args(&self.hunt.words);
        // Variables that select rules for other runs on this machine must not affect this run.
        for name in SELECTING {
            command.env_remove(name);
        }
        command.arg("--report-dir").arg(&folder);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        let none = |how: String| Ok(RunAnswer::None(format!("{how}: {}", last_line(&log))));
        match run(&mut command, &log, self.hunt.run_limit) {
            End::Status(_) => {}
            End::Signal(signal) => return none(format!("it was killed by signal {signal}")),
            End::TimedOut => return none(format!("it took more than {} s", self.hunt.run_limit.as_secs())),
            End::NotStarted(error) => return Ok(RunAnswer::None(format!("it cannot be started: {error}"))),
            End::Asked(signal) => return Err(self.asked(signal)),
        }
        let Ok(run) = read_run(&folder) else { return none("it wrote no journal".to_owned()) };
        match run.results.iter().find(|result| result.id == self.hunt.rule) {
            Some(result) => Ok(answer(result)),
            None => none("it has no result of the rule".to_owned()),
        }
    }

    fn asked(&self, signal: &'static str) -> BisectError {
        let left = self.left().unwrap_or_else(|| "no version was set up".to_owned());
        BisectError::Asked { signal, left, folder: self.hunt.folder.clone() }
    }

    /// A version's result, as one line of text.
    pub(super) fn line(&self, version: usize) -> String {
        text::tried(&self.hunt.versions[version], &self.tried[&version], self.symptom.as_ref())
    }

    /// The confidence in the conclusion; `None` if each version ran once.
    pub(super) fn confidence(&self) -> Option<Confidence> {
        let (hits, runs) = self.rate.filter(|_| self.hunt.runs > 1)?;
        let free = self.tried.values().filter(|tried| tried.hits == 0 && tried.unknown.is_empty()).count();
        Some(Confidence::of(hits, runs, (free as u32, self.hunt.runs)))
    }

    /// The machine's current set-up.
    pub(super) fn left(&self) -> Option<String> {
        let (version, well) = self.left?;
        let name = &self.hunt.versions[version];
        Some(match well {
            true => format!("the machine is set up for {name}"),
            false => format!("the last set-up, for {name}, failed; set up the version that you want"),
        })
    }

    /// The path of a version's file or folder. The path contains the version's number, because the version's name may
    /// not be a valid file name.
    fn file(&self, version: usize, name: &str) -> PathBuf {
        self.hunt.folder.join(format!("version-{}-{name}", version + 1))
    }
}

/// The shell command, which gets the version as its first argument.
fn script(set_up: &str) -> String {
    match set_up.contains("{}") {
        true => set_up.replace("{}", "\"$1\""),
        false => format!("{set_up} \"$1\""),
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The variables that a set-up wrote, one `NAME=VALUE` on each line; none if there is no file.
fn read_variables(path: &Path) -> Result<Vec<(String, String)>, String> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = files::read_to_string(path, LARGEST).map_err(|error| format!("the file ${VARIABLES} {error}"))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let named = line.split_once('=').filter(|(name, _)| !name.is_empty());
            let (name, value) = named.ok_or_else(|| format!("`{line}` in the file ${VARIABLES} is not NAME=VALUE"))?;
            Ok((name.to_owned(), value.to_owned()))
        })
        .collect()
}

/// The answer from a result. A flake's symptom comes from one of its failing runs.
fn answer(result: &RuleResult) -> RunAnswer {
    match result.meaning() {
        Meaning::Good => RunAnswer::Holds,
        Meaning::Broken | Meaning::Finding => RunAnswer::Fails(Symptom::of_single_run(result)),
        Meaning::Skipped | Meaning::Unknown => RunAnswer::None(format!("{}: {}", result.verdict, result.reason)),
    }
}
