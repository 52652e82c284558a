//! The site file: options for every command on a machine, in TOML. The command line and the environment come first.
//!
//! - [`matches()`]: parses a command line with the site file's options as defaults.
//! - [`SiteFile`]: finds and reads the file. It is never looked for in the current folder, and a file that another user
//!   controls is refused, because it decides which library is loaded and which command recovers a device.

mod command;
mod file;

use std::path::PathBuf;

use thiserror::Error;

pub use command::{matches, on_command_line, passed_on, with_site};
pub use file::SiteFile;

/// The reason why the site file cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SiteError {
    #[error("{path}: {source}; correct the file, or ignore it with --no-config")]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// A mistake in the file, at `file:line:column`.
    #[error("{place}: {message}")]
    Mistake { place: String, message: String },
}
