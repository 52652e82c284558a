//! How a run ends.

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::catalog::{CatalogError, UnknownName};
use crate::record::JournalError;
use crate::report::ReportError;

use super::folder::FolderError;
use super::library::LibraryError;
use super::registry::RegistryError;
use super::resume::ResumeError;
use super::selection::NothingSelected;
use super::target::TargetError;

/// The status that a command ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Every rule that applies holds.
    Conformant = 0,
    /// A rule is broken.
    Broken = 1,
    /// The command line or the catalog is wrong.
    Usage = 2,
    /// The environment or a device failed: the answer is not known.
    Unknown = 3,
}

impl ExitStatus {
    /// The status of a number.
    pub fn from_code(code: u8) -> ExitStatus {
        match code {
            0 => ExitStatus::Conformant,
            1 => ExitStatus::Broken,
            2 => ExitStatus::Usage,
            _ => ExitStatus::Unknown,
        }
    }
}

/// Why there is no run, or why it ends early.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The catalog has mistakes.
    Catalog(CatalogError),
    /// A product, rule or defect that does not exist.
    Unknown(UnknownName),
    /// It is not clear which runtime is meant.
    Registry(RegistryError),
    /// The filter matches no rule.
    Selection(NothingSelected),
    /// The library cannot be tested.
    Library(LibraryError),
    /// The runtime, its devices or what was asked of them are in the way.
    Target(TargetError),
    /// `--case` cannot be read.
    Case {
        /// What was given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder of the run cannot be used.
    Folder(FolderError),
    /// Results can no longer be written.
    Lost(Arc<FolderError>),
    /// The run that `--resume` names cannot go on.
    Resume(ResumeError),
    /// The journal cannot be written or read.
    Journal(JournalError),
    /// A report cannot be written.
    Report(ReportError),
    /// What rules reach on a simulated device cannot be read.
    Reach { source: io::Error },
    /// Nothing can be printed.
    Output(io::Error),
    /// A rule that was selected has no result, or several.
    Results {
        /// Ids of the rules without one.
        missing: Vec<String>,
    },
}

impl RunError {
    /// The status that the command ends with.
    pub fn exit(&self) -> ExitStatus {
        match self {
            RunError::Catalog(_)
            | RunError::Unknown(_)
            | RunError::Registry(_)
            | RunError::Selection(_)
            | RunError::Case { .. } => ExitStatus::Usage,
            RunError::Library(error) => error.exit(),
            RunError::Target(error) => error.exit(),
            RunError::Resume(error) => error.exit(),
            RunError::Folder(_)
            | RunError::Lost(_)
            | RunError::Journal(_)
            | RunError::Report(_)
            | RunError::Reach { .. }
            | RunError::Output(_)
            | RunError::Results { .. } => ExitStatus::Unknown,
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Catalog(error) => error.fmt(f),
            RunError::Unknown(error) => write!(f, "error: {error}"),
            RunError::Registry(error) => write!(f, "error: {error}"),
            RunError::Selection(error) => write!(f, "error: {error}"),
            RunError::Library(error) => write!(f, "error: {error}"),
            RunError::Target(error) => write!(f, "error: {error}"),
            RunError::Case { text, reason } => {
                write!(f, "error: --case {text}: {reason}; give the JSON that a failure prints")
            }
            RunError::Folder(error) => write!(f, "error: {error}"),
            RunError::Lost(error) => write!(f, "error: {error}"),
            RunError::Resume(error) => write!(f, "error: {error}"),
            RunError::Journal(error) => write!(f, "error: {error}"),
            RunError::Report(error) => write!(f, "error: {error}"),
            RunError::Reach { source } => write!(f, "error: what the rules reach cannot be read: {source}"),
            RunError::Output(error) => write!(f, "error: standard output: {error}"),
            RunError::Results { missing } => {
                write!(
                    f,
                    "error: results are missing or doubled: {}; this is a mistake of the suite",
                    missing.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for RunError {}

macro_rules! from {
    ($($variant:ident: $error:ty;)*) => {
        $(impl From<$error> for RunError {
            fn from(error: $error) -> RunError {
                RunError::$variant(error)
            }
        })*
    };
}

from! {
    Catalog: CatalogError;
    Unknown: UnknownName;
    Registry: RegistryError;
    Selection: NothingSelected;
    Library: LibraryError;
    Target: TargetError;
    Folder: FolderError;
    Resume: ResumeError;
    Journal: JournalError;
    Report: ReportError;
}
