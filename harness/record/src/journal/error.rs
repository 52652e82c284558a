//! Journal errors, each with the next action.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Journal;

/// The reason why a journal cannot be written or read. Each message ends with the next action.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The folder already contains a journal.
    #[error(
        "{path} already exists: finish that run with --resume {}, choose another folder for this run, or move the old \
         run elsewhere",
        path.parent().unwrap_or(path).display()
    )]
    Exists { path: PathBuf },
    /// The operating system refused an operation, for example to `create` the file.
    #[error("cannot {attempt} {path}: {source}: {}", advice(source.kind()))]
    Io { attempt: &'static str, path: PathBuf, source: io::Error },
    /// The file is not a journal.
    #[error("{path} is not a journal of this suite ({found}): give the {} of a run's folder", Journal::FILE)]
    NotAJournal { path: PathBuf, found: String },
    /// A version of the suite with another format wrote the file.
    #[error(
        "{path} has format {format} and this version reads only format {}: read it with the version of the suite that \
         wrote it, or, as a baseline, run the old driver again with this version",
        Journal::FORMAT
    )]
    Format { path: PathBuf, format: u64 },
    /// A line before the last one cannot be read. Lines count from 1.
    #[error(
        "{path}:{line}: {reason}: only the last line of a journal may be truncated, so the file was changed after the \
         run; restore it from a copy or run again"
    )]
    Broken { path: PathBuf, line: usize, reason: String },
    /// A rule has two results, in these lines.
    #[error(
        "{path}{}: a second result for {id} (the first is on line {first}): use a separate folder for each run, and \
         run each rule in one process only",
        second.map_or(String::new(), |line| format!(":{line}"))
    )]
    Duplicate { path: PathBuf, id: String, first: usize, second: Option<usize> },
    /// Another process holds the lock on the file.
    #[error(
        "another process has held the lock on {path} for more than {} s: find it with `fuser {path}` or `lslocks`, end \
         it, then resume the run",
        .waited.as_secs()
    )]
    Locked { path: PathBuf, waited: Duration },
    /// Another process changed the file during the run.
    #[error("{path} {what} during the run: find the process that did it, and start a new run in another folder")]
    Changed { path: PathBuf, what: &'static str },
    /// The run has ended.
    #[error("{path} is complete because its run has ended: start a new run in another folder")]
    Ended { path: PathBuf },
}

impl JournalError {
    pub(super) fn io(attempt: &'static str, path: &Path, source: io::Error) -> JournalError {
        JournalError::Io { attempt, path: path.to_owned(), source }
    }

    pub(super) fn broken(path: &Path, line: usize, error: &serde_json::Error) -> JournalError {
        let text = error.to_string();
        let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
        JournalError::Broken { path: path.to_owned(), line, reason: format!("column {}: {text}", error.column()) }
    }
}

/// The next action after an error from the operating system.
fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space, then resume the run",
        ErrorKind::FileTooLarge => "raise the file size limit (ulimit -f), then resume the run",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "choose a folder that you may write to",
        ErrorKind::NotFound => "give the folder of a run that was started",
        ErrorKind::NotADirectory => "choose a path in which every part before the last is a folder",
        ErrorKind::Unsupported => "choose a folder on a file system that supports file locks",
        _ => "check the path and the file system, then try again",
    }
}
