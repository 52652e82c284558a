//! The folder that a run writes: journal, JUnit, counterexamples, and the link `latest`.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::record::{Journal, Recorded, RuleResult, RunEnd, RunResume, read_run, remove_left_over, replace_file};
use crate::report::write_junit;

use super::options::Options;
use super::resume::Earlier;
use super::session::{Planned, Session, SessionError, plan, project_root};

/// A rule that was in flight so often when the run ended is not tried again.
const TRIED: u32 = 2;

/// Where a run writes.
pub struct RunFolder {
    pub path: PathBuf,
    journal: Journal,
    keep: Option<PathBuf>,
    /// Other processes of the same run append to the same journal.
    shared: bool,
    /// What is known from before the run was resumed.
    results: HashMap<String, RuleResult>,
    /// Rules that ran when the run ended, with how often.
    in_flight: BTreeMap<String, u32>,
    /// Held until the run is over: nobody else writes to this folder.
    _lock: Option<File>,
}

impl RunFolder {
    /// Creates the folder and the journal with its first line, or opens those of the run that is resumed.
    pub fn open(
        session: &mut Session,
        options: &Options,
        selected: &[Planned],
        earlier: Option<Earlier>,
    ) -> Result<RunFolder, SessionError> {
        let keep = options.keep.then(|| session.regressions().to_owned());
        match earlier {
            Some(earlier) => RunFolder::resume(session, keep, earlier),
            None => RunFolder::create(session, options.report_dir.as_deref(), keep, selected),
        }
    }

    fn create(
        session: &mut Session,
        given: Option<&Path>,
        keep: Option<PathBuf>,
        selected: &[Planned],
    ) -> Result<RunFolder, SessionError> {
        let failed = |path: &Path, error: &dyn std::fmt::Display| {
            SessionError::Environment(format!(
                "{}: {error}; choose another folder with --report-dir DIR",
                path.display()
            ))
        };
        // A runner that starts a process for each test names the run in its environment.
        let shared = std::env::var("NEXTEST_RUN_ID").ok();
        let out = project_root().join("reports/out");
        let name = shared.clone().unwrap_or_else(|| run_name(&session.header.started, &session.header.product));
        let path = given.map_or_else(|| out.join(&name), Path::to_owned);
        session.header.run = match given {
            Some(path) => std::path::absolute(path).map_err(|error| failed(path, &error))?.display().to_string(),
            None => name,
        };
        if shared.is_none() && selected.len() < session.header.rules {
            session.header.settings.rules = Some(selected.iter().map(|planned| planned.id.clone()).collect());
        }
        std::fs::create_dir_all(&path).map_err(|error| failed(&path, &error))?;
        let lock = lock(&path, shared.is_some())?;
        let journal = match Journal::create(&path, &session.header) {
            Err(_) if shared.is_some() => Journal::append_to(&path),
            other => other,
        };
        let journal = journal.map_err(|error| SessionError::Environment(error.to_string()))?;
        if given.is_none() {
            link_latest(&out, &path);
        }
        Ok(RunFolder {
            path,
            journal,
            keep,
            shared: shared.is_some(),
            results: HashMap::new(),
            in_flight: BTreeMap::new(),
            _lock: lock,
        })
    }

    fn resume(session: &mut Session, keep: Option<PathBuf>, earlier: Earlier) -> Result<RunFolder, SessionError> {
        let path = earlier.folder;
        let failed = |error: &dyn std::fmt::Display| SessionError::Environment(error.to_string());
        let lock = lock(&path, false)?;
        // Nobody can have added anything since this was read but a run that has ended by now.
        let run = read_run(&path).map_err(|error| failed(&error))?;
        tidy(&path, &run.results, keep.as_deref())?;
        let journal = Journal::append_to(&path).map_err(|error| failed(&error))?;
        let started = OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default();
        journal.resume(&RunResume { started }).map_err(|error| failed(&error))?;
        session.header = run.header;
        let results = run.results.into_iter().map(|result| (result.id.clone(), result)).collect();
        Ok(RunFolder { path, journal, keep, shared: false, results, in_flight: run.in_flight, _lock: lock })
    }

    /// What is known from before the run was resumed, on one line.
    pub fn resumed(&self, rules: usize) -> String {
        let ran: Vec<&str> = self.in_flight.keys().map(String::as_str).collect();
        let ran = if ran.is_empty() { "none ran".to_owned() } else { format!("{} ran", ran.join(", ")) };
        format!(
            "resumes {}: {} of {rules} rules have a result; when the run ended, {ran}",
            self.path.display(),
            self.results.len()
        )
    }

    /// Runs something planned and writes its result down before anything else starts. What has a result from before
    /// the run was resumed is not run again.
    pub fn run(&self, session: &Session, planned: &Planned) -> Result<RuleResult, String> {
        if let Some(result) = self.results.get(&planned.id) {
            session.count(result.clone());
            return Ok(result.clone());
        }
        let interrupted = self.in_flight.get(&planned.id).copied().unwrap_or(0);
        let mut result = if interrupted >= TRIED {
            let reason = format!(
                "the run ended {interrupted} times while this rule ran, so it is not tried again; \
                 run it alone: cargo test -- --exact {}",
                planned.id
            );
            session.unanswered(planned, reason)
        } else {
            if session.runs(planned) {
                self.journal.begin(&planned.id).map_err(|error| self.lost(&error))?;
            }
            session.perform(planned)
        };
        result.interrupted = interrupted;
        self.record(&result).map_err(|error| self.lost(&error))?;
        session.count(result.clone());
        Ok(result)
    }

    fn lost(&self, error: &dyn std::fmt::Display) -> String {
        format!(
            "no result can be written any more, so the run ends here: {error}; `--resume {}` runs what has no result",
            self.path.display()
        )
    }

    fn record(&self, result: &RuleResult) -> Result<(), String> {
        self.journal.append(result).map_err(|error| error.to_string())?;
        write_cases(&self.path, result, self.keep.as_deref())
    }

    /// Writes the end of the run and the reports; gives what the reports were made from.
    pub fn finish(&self, session: &Session, end: &RunEnd) -> Result<Recorded, String> {
        if !self.shared {
            self.journal.finish(end.clone()).map_err(|error| self.lost(&error))?;
        }
        let mut run = read_run(&self.path).map_err(|error| error.to_string())?;
        run.end = run.end.or_else(|| self.shared.then(|| end.clone()));
        // The journal has the order in which rules ended, which threads and kills change.
        let order: HashMap<String, usize> =
            plan(&session.rules).into_iter().enumerate().map(|(position, planned)| (planned.id, position)).collect();
        run.results.sort_by_key(|result| order.get(&result.id).copied());
        write_junit(&self.path, &run.header, &run.results, run.end.as_ref()).map_err(|error| error.to_string())?;
        debug_assert_eq!(run.header.run, session.header.run, "the journal is that of this run");
        Ok(run)
    }
}

impl Earlier {
    /// Writes the reports of a run that has reached its end again.
    pub fn report(&self, keep: bool) -> Result<(), SessionError> {
        let _lock = lock(&self.folder, false)?;
        let keep = keep.then(super::session::regressions_folder);
        tidy(&self.folder, &self.run.results, keep.as_deref())?;
        write_junit(&self.folder, &self.run.header, &self.run.results, self.run.end.as_ref())
            .map(drop)
            .map_err(|error| SessionError::Environment(error.to_string()))
    }
}

/// Removes what a kill left half written, and writes what it kept from being written.
fn tidy(path: &Path, results: &[RuleResult], keep: Option<&Path>) -> Result<(), SessionError> {
    remove_left_over(path);
    remove_left_over(&path.join(CASES));
    results.iter().try_for_each(|result| write_cases(path, result, keep)).map_err(SessionError::Environment)
}

/// Locks a folder for one run, or for the processes of one run.
fn lock(path: &Path, shared: bool) -> Result<Option<File>, SessionError> {
    let Ok(folder) = File::open(path) else { return Ok(None) };
    let locked = if shared { folder.try_lock_shared() } else { folder.try_lock() };
    match locked {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Err(SessionError::Environment(format!(
            "another run writes to {}; wait for it to end, or choose another folder with --report-dir DIR",
            path.display()
        ))),
        // Some network file systems lock no folders. The journal still refuses a second result of a rule.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// `2026-11-20T13-52-01Z-a2-4711`
fn run_name(started: &str, product: &str) -> String {
    let seconds = started.split('.').next().unwrap_or(started).trim_end_matches('Z');
    format!("{}Z-{product}-{}", seconds.replace(':', "-"), std::process::id())
}

/// Points `latest` to a run; a file system without links does without it.
fn link_latest(out: &Path, run: &Path) {
    let Some(name) = run.file_name() else { return };
    remove_left_over(out);
    let partial = out.join(format!(".latest.{}.part", std::process::id()));
    if std::os::unix::fs::symlink(name, &partial).is_ok() && std::fs::rename(&partial, out.join("latest")).is_err() {
        // Nothing depends on the link; a left-over one would only confuse.
        let _ = std::fs::remove_file(&partial);
    }
}

/// A counterexample as it is kept: the values that every later run tries first, and what they did, for people.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownCase {
    pub case: serde_json::Value,
    /// The operations of the case when it failed.
    pub operations: Vec<String>,
    /// What was seen.
    pub seen: String,
}

/// Folder of the counterexamples in a run's folder.
const CASES: &str = "counterexamples";

/// Writes the counterexample of a result, if it has one: to the run's folder, and to those that are kept.
fn write_cases(path: &Path, result: &RuleResult, keep: Option<&Path>) -> Result<(), String> {
    if result.failure.as_ref().is_none_or(|failure| failure.replay_values.is_null()) {
        return Ok(());
    }
    let folder = path.join(CASES);
    write_case(&folder, result, false).map_err(|error| format!("{}: {error}", folder.display()))?;
    match keep {
        Some(keep) => write_case(keep, result, true).map_err(|error| format!("{}: {error}", keep.display())),
        None => Ok(()),
    }
}

/// Adds a counterexample to a rule's file.
fn write_case(folder: &Path, result: &RuleResult, add: bool) -> std::io::Result<()> {
    let Some(failure) = &result.failure else { return Ok(()) };
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("{}.json", result.id));
    let mut cases: Vec<KnownCase> = match std::fs::read_to_string(&path) {
        Ok(text) if add => serde_json::from_str(&text).map_err(std::io::Error::other)?,
        _ => Vec::new(),
    };
    if !cases.iter().any(|known| known.case == failure.replay_values) {
        cases.push(KnownCase {
            case: failure.replay_values.clone(),
            operations: failure.trace.clone(),
            seen: failure.message.clone(),
        });
    }
    let text = serde_json::to_string_pretty(&cases).map_err(std::io::Error::other)?;
    replace_file(&path, text + "\n")
}
