//! What can go wrong with the files of a proof.

use std::io;
use std::path::PathBuf;

/// Why a ratchet or a matrix cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofFileError {
    /// The operating system refused.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}:{number}: a line is product, chapter, defects and percent, with tabs between")]
    Line { path: PathBuf, number: usize },
    /// The folder of the matrix cannot be written.
    #[error("{path}: {source}; name another folder with --report-dir")]
    Folder { path: PathBuf, source: io::Error },
}
