//! What is looked for, what was seen with a version, and what was found.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use engine::run::RunError;
use ledger::confidence::Confidence;
use record::Symptom;
use thiserror::Error;

use super::search::Conclusion;

/// What is looked for, and how.
#[derive(Debug)]
pub(super) struct Hunt {
    /// The rule's id.
    pub rule: String,
    /// The versions, in the order in which they were released.
    pub versions: Vec<String>,
    /// A command of the shell that sets a version up: it is its last argument, or stands in place of each `{}`.
    pub set_up: String,
    /// This executable, whose command `run` runs the rule.
    pub executable: PathBuf,
    /// Further words for `run`.
    pub words: Vec<OsString>,
    /// How the rule fails; `None`: as it does with the last version that can be tried.
    pub symptom: Option<Symptom>,
    /// How often the rule runs with a version before it is free of the symptom.
    pub runs: u32,
    /// How long setting a version up may take.
    pub set_up_limit: Duration,
    /// How long one run may take.
    pub run_limit: Duration,
    /// A folder, which must not be there, for the runs and for what the commands print.
    pub folder: PathBuf,
}

/// What was seen with a version.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// Why it cannot be tried; empty: it was.
    pub unknown: String,
    /// Runs with the symptom.
    pub hits: u32,
    /// Runs with an answer.
    pub runs: u32,
    /// How the rule failed otherwise, in the order of the runs.
    pub other: Vec<Symptom>,
}

/// What was found.
#[derive(Debug)]
pub(super) struct Found {
    pub conclusion: Conclusion,
    /// How sure that is; `None`: one run for each version says nothing about that, or nothing was found.
    pub confidence: Option<Confidence>,
    /// How the machine is set up now; `None`: nothing was tried.
    pub left: Option<String>,
}

/// Why nothing can be said.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BisectError {
    #[error("a search takes two versions or more, not {given}; name them after the set-up command, the oldest first")]
    TooFew { given: usize },
    #[error("`{version}` stands twice in the list; give each version once")]
    Twice { version: String },
    #[error("cannot write {path}: {source}; name a folder that is not there with --report-dir")]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("{signal}: asked to end; what was tried stands in {folder}; {left}")]
    Asked { signal: &'static str, left: String, folder: PathBuf },
    /// Nothing can be printed any more.
    #[error("{0}")]
    Say(Box<RunError>),
}
