//! The status that a command ends with.

use std::io;

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

/// Whether a named file is missing.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
