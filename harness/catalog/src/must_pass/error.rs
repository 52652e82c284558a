//! Errors of must-pass lists and logs of changes.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::CatalogError;

/// An error that prevents comparing a catalog with a must-pass list.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MustPassError {
    #[error("cannot read {path}: {source}; name a list that `atlas-cts mustpass --write` wrote")]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "{path}:{line}: not a line of a list; write `rule<tab>on, where or check<tab>what`, or restore the file \
         from the release"
    )]
    Line { path: PathBuf, line: usize },
    #[error("{path} lacks a version or rules; restore the file from the release")]
    Empty { path: PathBuf },
    /// The log of changes has mistakes.
    #[error("{0}")]
    Changes(CatalogError),
}
