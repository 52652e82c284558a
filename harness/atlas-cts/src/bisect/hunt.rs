//! The data of a search: its task, the trials of versions, and the result.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use engine::run::RunError;
use ledger::confidence::Confidence;
use record::Symptom;
use thiserror::Error;

use super::search::Conclusion;

/// The task of a search.
#[derive(Debug)]
pub(super) struct Hunt {
    /// Id of the rule.
    pub rule: String,
    /// The versions, in order of release.
    pub versions: Vec<String>,
    /// The shell command that sets up a version. The version is the command's last argument, or replaces each `{}`.
    pub set_up: String,
    /// This executable, which runs the rule with the command `run`.
    pub executable: PathBuf,
    /// Further arguments for `run`.
    pub words: Vec<OsString>,
    /// The symptom to search for; `None` means the symptom of the last version that can be tried.
    pub symptom: Option<Symptom>,
    /// The number of runs without the symptom after which a version counts as free of the symptom.
    pub runs: u32,
    /// The time limit of a set-up.
    pub set_up_limit: Duration,
    /// The time limit of one run.
    pub run_limit: Duration,
    /// A new folder for the runs and the commands' output.
    pub folder: PathBuf,
}

/// The trial of a version.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// The reason why the version cannot be tried; empty if the version was tried.
    pub unknown: String,
    /// The number of runs with the symptom.
    pub hits: u32,
    /// The number of runs that gave an answer.
    pub runs: u32,
    /// Other symptoms of the rule, in the order of the runs.
    pub other: Vec<Symptom>,
}

/// The result of a search.
#[derive(Debug)]
pub(super) struct SearchResult {
    pub conclusion: Conclusion,
    /// The confidence in the conclusion; `None` if each version ran once or nothing was found.
    pub confidence: Option<Confidence>,
    /// The machine's current set-up; `None` if nothing was tried.
    pub left: Option<String>,
}

/// The reasons why a search has no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BisectError {
    #[error("a search needs at least two versions, not {given}; give them after the set-up command, oldest first")]
    TooFew { given: usize },
    #[error("version `{version}` is listed twice; give each version once")]
    Twice { version: String },
    #[error("cannot write {path}: {source}; give a new folder with --report-dir")]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("{signal}: stopped; attempts so far are in {folder}; {left}")]
    Asked { signal: &'static str, left: String, folder: PathBuf },
    /// Printing failed.
    #[error("{0}")]
    Say(Box<RunError>),
}
