//! How a run ends.

use std::io;
use std::sync::Arc;

use thiserror::Error;

use catalog::{CatalogError, UnknownName};
use record::JournalError;
use record::books::BooksError;

use super::folder::FolderError;
use super::library::LibraryError;
use super::merge::MergeError;
use super::registry::RegistryError;
use super::resume::ResumeError;
use super::selection::NothingSelected;
use super::selection_options::SelectionError;
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
