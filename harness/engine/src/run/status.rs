//! The exit status of a command.

use std::io;

/// The exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Every rule that applies holds.
    Success = 0,
    /// A rule is broken.
    Broken = 1,
    /// The command line or the catalog is wrong.
    Usage = 2,
    /// The environment or a device failed, so the answer is unknown.
    Unknown = 3,
}

impl ExitStatus {
    /// The status with this number.
    pub fn from_code(code: u8) -> ExitStatus {
        match code {
            0 => ExitStatus::Success,
            1 => ExitStatus::Broken,
            2 => ExitStatus::Usage,
            _ => ExitStatus::Unknown,
        }
    }
}

/// True if the named file is missing.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
