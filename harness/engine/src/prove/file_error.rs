//! What can go wrong with the files of a proof.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a ratchet or a matrix cannot be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProofFileError {
    /// The operating system refused.
    Io { path: PathBuf, source: io::Error },
    /// A line of the ratchet is something else.
    Line { path: PathBuf, number: usize },
    /// The folder of the matrix cannot be written.
    Folder { path: PathBuf, source: io::Error },
}

impl ProofFileError {
    pub(super) fn io(path: &Path, source: io::Error) -> ProofFileError {
        ProofFileError::Io { path: path.to_owned(), source }
    }
}

impl fmt::Display for ProofFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofFileError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            ProofFileError::Line { path, number } => {
                let path = path.display();
                write!(f, "{path}:{number}: a line is product, chapter, defects and percent, with tabs between")
            }
            ProofFileError::Folder { path, source } => {
                write!(f, "{}: {source}; name another folder with --report-dir", path.display())
            }
        }
    }
}

impl std::error::Error for ProofFileError {}
