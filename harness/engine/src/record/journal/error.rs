//! What can go wrong with a journal, and what to do about it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Journal;

/// Why a journal could not be written or read. Every message ends with what to do next.
#[derive(Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// The folder already holds a journal.
    Exists {
        /// The journal.
        path: PathBuf,
    },
    /// The operating system refused.
    Io {
        /// What was attempted, for example `create`.
        attempt: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file is something else.
    NotAJournal {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        found: String,
    },
    /// A newer version of the suite wrote the file.
    Newer {
        /// The journal.
        path: PathBuf,
        /// Its format.
        format: u64,
    },
    /// A line that is not the last cannot be read.
    Broken {
        /// The journal.
        path: PathBuf,
        /// The line's number, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A rule has two results.
    Duplicate {
        /// The journal.
        path: PathBuf,
        /// The rule.
        id: String,
        /// The line of its first result.
        first: usize,
        /// The line of its second result, if that was written.
        second: Option<usize>,
    },
    /// The run is over.
    Ended {
        /// The journal.
        path: PathBuf,
    },
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

impl std::fmt::Display for JournalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            JournalError::Exists { path } => write!(
                f,
                "{} already exists: finish that run with --resume {}, choose another folder for this run, or move the old one away",
                path.display(),
                path.parent().unwrap_or(path).display()
            ),
            JournalError::Io { attempt, path, source } => {
                write!(f, "cannot {attempt} {}: {source}: {}", path.display(), advice(source.kind()))
            }
            JournalError::NotAJournal { path, found } => write!(
                f,
                "{} is not a journal of this suite ({found}): give the {} of a run's folder",
                path.display(),
                Journal::FILE
            ),
            JournalError::Newer { path, format } => write!(
                f,
                "{} has format {format} and this version reads formats up to {}: use the version of the suite that wrote it, or a newer one",
                path.display(),
                Journal::FORMAT
            ),
            JournalError::Broken { path, line, reason } => write!(
                f,
                "{}:{line}: {reason}: only the last line of a journal may be cut short, so the file was changed after the run; restore it from a copy or run again",
                path.display()
            ),
            JournalError::Duplicate { path, id, first, second } => {
                let place = second.map_or(String::new(), |line| format!(":{line}"));
                write!(
                    f,
                    "{}{place}: a second result of {id}, the first is in line {first}: give each run its own folder, and each rule to one process of a run",
                    path.display()
                )
            }
            JournalError::Ended { path } => {
                write!(f, "{} is complete, its run has ended: start a new run in another folder", path.display())
            }
        }
    }
}

impl std::error::Error for JournalError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let JournalError::Io { source, .. } = self { Some(source) } else { None }
    }
}

/// What to do about a refusal of the operating system.
fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space, then resume the run",
        ErrorKind::FileTooLarge => "raise the limit on the size of files (ulimit -f), then resume the run",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "choose a folder that you may write to",
        ErrorKind::NotFound => "give the folder of a run that was started",
        ErrorKind::NotADirectory => "choose a path on which every part but the last is a folder",
        ErrorKind::Unsupported => "choose a folder on a file system that supports file locks",
        _ => "check the path and the file system, then try again",
    }
}
