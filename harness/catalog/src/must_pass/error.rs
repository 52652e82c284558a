//! Why lists and logs of changes cannot be read.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::CatalogError;

/// Why a catalog cannot be held against a list.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MustPassError {
    #[error("cannot read {path}: {source}; name a list that `atlas-cts mustpass --write` wrote")]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "{path}:{line}: no line of a list; write `rule<tab>on, where or check<tab>what`, or restore the file from the release"
    )]
    Line { path: PathBuf, line: usize },
    #[error("{path} names no version or no rule; restore the file from the release")]
    Empty { path: PathBuf },
    /// The log of changes has mistakes.
    #[error("{0}")]
    Changes(CatalogError),
}
