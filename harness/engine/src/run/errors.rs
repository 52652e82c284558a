//! The reasons why there is no run, or why it ends early.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::case::QueryError;
use catalog::{CatalogError, UnknownName};
use record::JournalError;
use record::books::BooksError;

use super::library::LibraryError;
use super::status::{ExitStatus, is_missing};
use super::target::TargetError;

/// Why there is no run, or why it ends early.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A product, rule or defect that does not exist.
    #[error("error: {0}")]
    Unknown(#[from] UnknownName),
    /// It is not clear which runtime is meant.
    #[error("error: {0}")]
    Registry(#[from] RegistryError),
    #[error("error: {0}")]
    Selection(#[from] NothingSelected),
    /// What says which rules are asked for cannot be read.
    #[error("error: {0}")]
    SelectionOptions(#[from] SelectionError),
    /// Known failures that cannot be used.
    #[error("{0}")]
    Expectations(BooksError),
    #[error("error: {0}")]
    Library(#[from] LibraryError),
    /// The runtime, its devices or what was asked of them are in the way.
    #[error("error: {0}")]
    Target(#[from] TargetError),
    #[error("error: --case {text}: {reason}; give the JSON that a failure prints")]
    Case { text: String, reason: String },
    #[error("error: {0}")]
    Folder(#[from] FolderError),
    /// Results can no longer be written.
    #[error("error: {0}")]
    Lost(Arc<FolderError>),
    #[error("error: {0}")]
    Resume(#[from] ResumeError),
    /// Runs do not make one together.
    #[error("error: {0}")]
    Merge(#[from] MergeError),
    #[error("error: {0}")]
    Journal(#[from] JournalError),
    #[error("error: {0}")]
    Report(BooksError),
    #[error("error: what the rules reach cannot be read: {source}; give it room (/dev/shm, or TMPDIR) and prove again")]
    Reach { source: io::Error },
    #[error("error: standard output: {0}; let it go where there is room, or to a terminal")]
    Output(io::Error),
    /// A rule that was selected has no result, or several.
    #[error(
        "error: results are missing or doubled: {}; this is a mistake of the suite: run them again alone, and \
         report it with the journal",
        .missing.join(", ")
    )]
    Results { missing: Vec<String> },
}

impl RunError {
    /// The status that the command ends with.
    pub fn exit(&self) -> ExitStatus {
        match self {
            RunError::Catalog(_)
            | RunError::Unknown(_)
            | RunError::Registry(_)
            | RunError::Selection(_)
            | RunError::SelectionOptions(_)
            | RunError::Expectations(_)
            | RunError::Merge(_)
            | RunError::Folder(FolderError::Name { .. } | FolderError::Keep)
            | RunError::Case { .. } => ExitStatus::Usage,
            // Only the user names a run to read.
            RunError::Journal(JournalError::Io { attempt: "read", source, .. }) if is_missing(source) => {
                ExitStatus::Usage
            }
            RunError::Library(error) => error.exit(),
            RunError::Target(error) => error.exit(),
            RunError::Resume(error) => error.exit(),
            _ => ExitStatus::Unknown,
        }
    }
}

/// Why no runtime is chosen.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// A runtime or a product that does not exist.
    #[error(transparent)]
    Unknown(UnknownName),
    #[error(
        "--runtime {runtime} and --product {product} exclude each other: {product} is a product of {of}; \
         give --runtime {of}, or leave it out"
    )]
    Contradiction { runtime: &'static str, product: String, of: &'static str },
    #[error("there are two runtimes `{name}` in the registry; give one of them, and its folder, another name")]
    TwoRuntimes { name: &'static str },
    #[error(
        "`{product}` is a product of {first} and of {second}, so that it does not tell which one is meant; \
         rename it in one of their products.yaml"
    )]
    TwoProducts { product: String, first: &'static str, second: &'static str },
}

/// A selection in which nothing would be tested of what was asked for, and that would look like a pass.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NothingSelected {
    /// These match no rule, each with a hint at what was meant.
    #[error("{}; `cargo test -- --list` or `atlas-cts list` names all {rules}", unmatched(.texts))]
    Unmatched { texts: Vec<(String, String)>, rules: usize },
    #[error("no rule of {rules} is left to run; leave out less with --skip or --exclude")]
    LeftOut { rules: usize },
}

fn unmatched(texts: &[(String, String)]) -> String {
    let lines: Vec<String> = texts.iter().map(|(text, hint)| format!("no rule matches `{text}`{hint}")).collect();
    lines.join("\n")
}

/// Why it is not clear which rules are asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SelectionError {
    #[error("--rules {path}: {source}; give a file with an id on each line")]
    List { path: PathBuf, source: io::Error },
    #[error("--rules {path} lists no rule, and none would be run; give a file with an id on each line")]
    EmptyList { path: PathBuf },
    #[error("--times: {error}")]
    Times { error: JournalError },
    #[error("{text}: {source}")]
    Query { text: String, source: QueryError },
    #[error("{text} gives a case, and {other} is given with it; give one rule and one case")]
    QueryAndMore { text: String, other: String },
    #[error(
        "--shard: nextest starts a process for each rule, and none of them knows the whole part; use \
         `cargo test -- --shard K/N`, or nextest's own --partition"
    )]
    Nextest,
}

/// Bytes of the longest name that a runner may give a run.
pub(super) const LONGEST_NAME: usize = 100;

/// Why the folder of a run cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FolderError {
    #[error("{path}: {source}; choose another folder with --report-dir DIR")]
    Create { path: PathBuf, source: io::Error },
    #[error("another run writes to {path}; wait for it to end, or choose another folder with --report-dir DIR")]
    InUse { path: PathBuf },
    #[error(
        "NEXTEST_RUN_ID={given:?} cannot be the name of a folder; unset it, or let it be at most {LONGEST_NAME} letters, \
         digits, hyphens, underscores and dots, the first of them not a dot"
    )]
    Name { given: String },
    #[error("--keep: nobody said where; let ATLAS_CTS_REGRESSIONS name a folder that is your own")]
    Keep,
    #[error(
        "no result can be written any more, so the run ends here: {reason}; `--resume {path}` runs what has no result"
    )]
    Lost { path: PathBuf, reason: JournalError },
    /// Somebody touched the journal: it cannot be gone on with.
    #[error("the run ends here: {reason}; what ran until then is in the report")]
    Changed { reason: JournalError },
}

/// Why a run cannot be resumed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ResumeError {
    #[error(
        "--resume: nextest starts a process for each rule, and none of them knows the whole run; \
         use `cargo test -- --resume DIR`"
    )]
    Nextest,
    #[error("there is no run to resume: {error}")]
    NoRun { error: JournalError },
    /// All that differs, a line each.
    #[error(
        "{folder} cannot be resumed, it tested something else:\n{}\nto test what there is now, start a new run in \
         another folder",
        .found.join("\n")
    )]
    Different { folder: PathBuf, found: Vec<String> },
    #[error(
        "{folder} cannot be resumed: its journal has a line about {id}, which is not a rule of the catalog, so the file \
         was changed after the run; restore it from a copy or run again"
    )]
    Foreign { folder: PathBuf, id: String },
    #[error("{folder} cannot be resumed: {error}")]
    Library { folder: PathBuf, error: LibraryError },
    #[error("{folder} cannot be resumed: {error}")]
    Target { folder: PathBuf, error: TargetError },
}

impl ResumeError {
    /// The status that the command ends with.
    pub fn exit(&self) -> ExitStatus {
        match self {
            ResumeError::Nextest
            | ResumeError::NoRun { .. }
            | ResumeError::Different { .. }
            | ResumeError::Foreign { .. } => ExitStatus::Usage,
            ResumeError::Library { error, .. } => error.exit(),
            ResumeError::Target { error, .. } => error.exit(),
        }
    }
}

/// Why runs do not make one together.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MergeError {
    #[error("{error}; leave this part out to have its rules reported without an answer")]
    Unreadable { error: JournalError },
    #[error("{path} is not a part of a run: run each part with --shard K/N")]
    NotAPart { path: PathBuf },
    /// All that differs from the first run, a line each.
    #[error(
        "{path} cannot be merged with {first}, it tested something else:\n{}\nmerge only parts of one run",
        .found.join("\n")
    )]
    Different { path: PathBuf, first: PathBuf, found: Vec<String> },
    #[error(
        "{path} has a result of {id}, which is not a rule of its part, so its journal was changed after the run; restore \
         it from a copy, or leave it out"
    )]
    Foreign { path: PathBuf, id: String },
    #[error(
        "the runs tested the runtime {name}, which this executable does not know; merge with the one that ran them"
    )]
    Runtime { name: String },
    #[error(
        "the runs were made with version {suite} and another catalog than this one: give that catalog with --specs DIR, \
         or merge with the executable that ran them"
    )]
    Catalog { suite: String },
}
