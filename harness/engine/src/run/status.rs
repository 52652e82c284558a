//! A command's exit status.

use std::io;

/// A command's exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Every applicable rule holds, apart from known failures.
    Success = 0,
    /// A rule is broken.
    Broken = 1,
    /// The command line or the catalog is wrong.
    Usage = 2,
    /// The environment or a device failed, so the result is unknown.
    Unknown = 3,
}

impl ExitStatus {
    /// The exit status with this number.
    pub fn from_code(code: u8) -> ExitStatus {
        match code {
            0 => ExitStatus::Success,
            1 => ExitStatus::Broken,
            2 => ExitStatus::Usage,
            _ => ExitStatus::Unknown,
        }
    }
}

/// True if the error means that a named file does not exist.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
