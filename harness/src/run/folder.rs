//! The folder that a run writes: journal, JUnit, counterexamples, and the link `latest`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::record::{Journal, RuleResult, RunEnd, read_journal};
use crate::report::write_junit;

use super::session::{Session, SessionError, project_root};

/// Where a run writes.
pub struct RunFolder {
    pub path: PathBuf,
    journal: Journal,
    keep: Option<PathBuf>,
    /// Other processes of the same run append to the same journal.
    shared: bool,
}

impl RunFolder {
    /// Creates the folder and the journal with its first line.
    pub fn create(session: &mut Session, given: Option<&Path>, keep: bool) -> Result<RunFolder, SessionError> {
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
        std::fs::create_dir_all(&path).map_err(|error| failed(&path, &error))?;
        let journal = match Journal::create(&path, &session.header) {
            Err(_) if shared.is_some() => Journal::append_to(&path),
            other => other,
        };
        let journal = journal.map_err(|error| SessionError::Environment(error.to_string()))?;
        if given.is_none() {
            link_latest(&out, &path);
        }
        let keep = keep.then(|| session.regressions().to_owned());
        Ok(RunFolder { path, journal, keep, shared: shared.is_some() })
    }

    /// Writes a result down before the next rule starts.
    pub fn record(&self, result: &RuleResult) -> Result<(), String> {
        self.journal.append(result).map_err(|error| error.to_string())?;
        if let Some(failure) = &result.failure
            && !failure.replay_values.is_null()
        {
            let folder = self.path.join("counterexamples");
            write_case(&folder, result, false).map_err(|error| format!("{}: {error}", folder.display()))?;
            if let Some(keep) = &self.keep {
                write_case(keep, result, true).map_err(|error| format!("{}: {error}", keep.display()))?;
            }
        }
        Ok(())
    }

    /// Writes the end of the run and the reports; gives the results that the reports were made from.
    pub fn finish(&self, session: &Session, end: &RunEnd) -> Result<Vec<RuleResult>, String> {
        if !self.shared {
            self.journal.finish(end.clone()).map_err(|error| error.to_string())?;
        }
        let (header, results, read_end) = read_journal(&self.path).map_err(|error| error.to_string())?;
        let end = read_end.or_else(|| self.shared.then(|| end.clone()));
        write_junit(&self.path, &header, &results, end.as_ref()).map_err(|error| error.to_string())?;
        debug_assert_eq!(header.run, session.header.run, "the journal is that of this run");
        Ok(results)
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
    let partial = out.join(format!(".latest-{}", std::process::id()));
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
    std::fs::write(path, text + "\n")
}
