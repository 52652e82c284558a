//! The reasons why a run cannot be resumed.

use std::path::PathBuf;

use thiserror::Error;

use record::JournalError;

use crate::run::library::LibraryError;
use crate::run::status::ExitStatus;
use crate::run::target::TargetError;

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
