//! Errors: the reasons why a run cannot start or ends early.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::case::QueryError;
use catalog::{CatalogError, UnknownName};
use record::JournalError;
use record::books::BooksError;

use super::library::LibraryError;
use super::not_debugged::NotDebugged;
use super::status::{ExitStatus, is_missing};
use super::target::TargetError;
use super::through::ThroughError;

/// The reason why a run cannot start or ends early.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// An unknown product, rule or defect.
    #[error("error: {0}")]
    Unknown(#[from] UnknownName),
    /// The runtime is ambiguous.
    #[error("error: {0}")]
    Registry(#[from] RegistryError),
    #[error("error: {0}")]
    Selection(#[from] NothingSelected),
    /// The selection of rules cannot be read.
    #[error("error: {0}")]
    SelectionOptions(#[from] SelectionError),
    /// The known failures cannot be used.
    #[error("{0}")]
    Expectations(BooksError),
    /// The selection cannot be debugged.
    #[error("error: {0}")]
    NotDebugged(#[from] NotDebugged),
    #[error("error: {0}")]
    Library(#[from] LibraryError),
    /// The runtime, its devices or an option prevents the run.
    #[error("error: {0}")]
    Target(#[from] TargetError),
    #[error("error: {0}")]
    Through(#[from] ThroughError),
    /// `given` is the option or the query that gave the case, `form` its kind of text.
    #[error("error: {given}: {reason}; give the {form} that a failure prints")]
    Case { given: String, reason: String, form: &'static str },
    /// A length without the profile that repeats rules.
    #[error("error: --for repeats rules until the time is over; add --profile soak")]
    Length,
    #[error("error: {0}")]
    Folder(#[from] FolderError),
    /// No more results can be written.
    #[error("error: {0}")]
    Lost(Arc<FolderError>),
    #[error("error: {0}")]
    Resume(#[from] ResumeError),
    /// The given runs are not parts of the same run.
    #[error("error: {0}")]
    Merge(#[from] MergeError),
    #[error("error: {0}")]
    Journal(#[from] JournalError),
    #[error("error: {0}")]
    Report(BooksError),
    #[error(
        "error: cannot read which defects the rules reached: {source}; free space in /dev/shm or set TMPDIR, then \
         prove again"
    )]
    Reach { source: io::Error },
    #[error(
        "error: cannot write to standard output: {0}; redirect it to a file system with free space, or to a terminal"
    )]
    Output(io::Error),
    /// A selected rule has no result, or several results.
    #[error(
        "error: results are missing or duplicated: {}; this is a bug in the suite: run these rules alone, and report \
         it with the journal",
        .missing.join(", ")
    )]
    Results { missing: Vec<String> },
}

impl RunError {
    /// The command's exit status.
    pub fn exit(&self) -> ExitStatus {
        match self {
            RunError::Catalog(_)
            | RunError::Unknown(_)
            | RunError::Registry(_)
            | RunError::Selection(_)
            | RunError::SelectionOptions(_)
            | RunError::Length
            | RunError::NotDebugged(_)
            | RunError::Expectations(_)
            | RunError::Merge(_)
            | RunError::Folder(FolderError::Name { .. } | FolderError::Keep)
            | RunError::Case { .. } => ExitStatus::Usage,
            // A missing file is a usage error, because only the user can name a run to read.
            RunError::Journal(JournalError::Io { attempt: "read", source, .. }) if is_missing(source) => {
                ExitStatus::Usage
            }
            RunError::Library(error) => error.exit(),
            RunError::Through(error) => error.exit(),
            RunError::Target(error) => error.exit(),
            RunError::Resume(error) => error.exit(),
            _ => ExitStatus::Unknown,
        }
    }
}

/// The reason why no runtime could be chosen.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// An unknown runtime or product.
    #[error(transparent)]
    Unknown(UnknownName),
    #[error(
        "--runtime {runtime} and --product {product} exclude each other: {product} is a product of {of}; give \
         --runtime {of}, or omit it"
    )]
    Contradiction { runtime: &'static str, product: String, of: &'static str },
    #[error("the registry has two runtimes named `{name}`; rename one of them and its folder")]
    TwoRuntimes { name: &'static str },
    #[error("`{product}` is a product of both {first} and {second}; rename it in the products.yaml of one of them")]
    TwoProducts { product: String, first: &'static str, second: &'static str },
}

/// A selection that is empty or matches nothing, and would look like a pass.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NothingSelected {
    /// Texts that match no rule, each with a hint.
    #[error("{}; `atlas-cts list` lists all {rules} rules", unmatched(.texts))]
    Unmatched { texts: Vec<(String, String)>, rules: usize },
    #[error("all {rules} rules are excluded; exclude fewer with --skip or --exclude")]
    LeftOut { rules: usize },
    /// Filters that exclude each other.
    #[error("no rule matches all of these together: {}; leave one of them out", .given.join(", "))]
    Disjoint { given: Vec<String> },
    #[error("--api {function}: no rule calls this function{hint}")]
    NoCaller { function: String, hint: String },
    #[error("--chapter {chapter}: unknown chapter{hint}; `atlas-cts list` prints all rules")]
    NoChapter { chapter: String, hint: String },
    #[error("--failed={run}: no rule of that run is broken or unknown; leave it out to run other rules")]
    NothingFailed { run: String },
    /// Rules that were removed from the catalog after the earlier run, or belong to another catalog.
    #[error(
        "--failed={run}: the catalog has no rule {}; give that run's catalog with --specs DIR, or name the rules",
        .ids.join(", ")
    )]
    Gone { run: String, ids: Vec<String> },
}

fn unmatched(texts: &[(String, String)]) -> String {
    let lines: Vec<String> = texts.iter().map(|(text, hint)| format!("no rule matches `{text}`{hint}")).collect();
    lines.join("\n")
}

/// The reason why the selection of rules is unclear.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SelectionError {
    #[error("--rules {path}: {source}; give a file with an id on each line")]
    List { path: PathBuf, source: io::Error },
    #[error("--rules {path} lists no rules; give a file with an id on each line")]
    EmptyList { path: PathBuf },
    #[error("--shard: {error}")]
    Times { error: JournalError },
    #[error("--failed: {error}; give a run as in --failed=RUN")]
    Failed { error: JournalError },
    /// An earlier run as a separate word, which is a filter.
    #[error("`{run}` is a run; to select the rules that failed in it, write --failed={run}")]
    FailedRun { run: String },
    #[error("{text}: {source}")]
    Query { text: String, source: QueryError },
    #[error("{text} already gives a case, so {other} cannot be used with it; give one rule and one case")]
    QueryAndMore { text: String, other: String },
    #[error(
        "--shard: nextest starts one process per rule, which cannot know the whole shard; use `cargo test -- --shard \
         K/N` or nextest's --partition"
    )]
    Nextest,
}

/// The maximum length, in bytes, of a run name that a test runner sets.
pub(super) const LONGEST_NAME: usize = 100;

/// The reason why a run's folder cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FolderError {
    #[error("{path}: {source}; choose another folder with --report-dir DIR")]
    Create { path: PathBuf, source: io::Error },
    #[error("another run writes to {path}; wait for it to end, or choose another folder with --report-dir DIR")]
    InUse { path: PathBuf },
    #[error(
        "NEXTEST_RUN_ID={given:?} is not a valid folder name; unset it, or use at most {LONGEST_NAME} letters, \
         digits, hyphens, underscores and dots, without a leading dot"
    )]
    Name { given: String },
    #[error("--tune keep: no folder to keep cases in; set ATLAS_CTS_REGRESSIONS to a folder that you own")]
    Keep,
    #[error("cannot write results; stopping the run: {reason}; `--resume {path}` runs the rules without a result")]
    Lost { path: PathBuf, reason: JournalError },
    /// The journal was modified by another program, so the run cannot append to it.
    #[error("stopping the run: {reason}; the report has the results so far")]
    Changed { reason: JournalError },
}

/// The reason why a run cannot be resumed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ResumeError {
    #[error(
        "--resume: nextest starts one process per rule, which cannot know the whole run; use `cargo test -- --resume \
         DIR`"
    )]
    Nextest,
    #[error("there is no run to resume: {error}")]
    NoRun { error: JournalError },
    /// All differences, one per line.
    #[error(
        "{folder} cannot be resumed because it tested something else:\n{}\nto test the current target, start a new \
         run in \
         another folder",
        .found.join("\n")
    )]
    Different { folder: PathBuf, found: Vec<String> },
    #[error(
        "{folder} cannot be resumed: its journal has a result for {id}, which is not a rule in the catalog, so the \
         file \
         was changed after the run; restore it from a copy or run again"
    )]
    Foreign { folder: PathBuf, id: String },
    #[error("{folder} cannot be resumed: {error}")]
    Library { folder: PathBuf, error: Box<LibraryError> },
    #[error("{folder} cannot be resumed: {error}")]
    Target { folder: PathBuf, error: Box<TargetError> },
}

impl ResumeError {
    /// The command's exit status.
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

/// The reason why runs cannot be merged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MergeError {
    #[error("{error}; leave this part out to have its rules reported without an answer")]
    Unreadable { error: JournalError },
    #[error("{path} is not a part of a run: run each part with --shard K/N")]
    NotAPart { path: PathBuf },
    /// All differences from the first run, one per line.
    #[error(
        "{path} cannot be merged with {first} because it tested something else:\n{}\nmerge only parts of one run",
        .found.join("\n")
    )]
    Different { path: PathBuf, first: PathBuf, found: Vec<String> },
    #[error(
        "{path} has a result for {id}, which is not a rule in its part, so its journal was modified after the run; \
         restore it from a copy, or leave the part out"
    )]
    Foreign { path: PathBuf, id: String },
    #[error("unknown runtime {name} in the runs; merge with the executable that ran them")]
    Runtime { name: String },
}
