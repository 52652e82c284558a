//! Errors about known failures.

use std::fmt;
use std::io;
use std::path::PathBuf;

use catalog::Diagnostic;

/// The reason why known failures cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpectationsError {
    #[error("error: --expectations {path}: {source}; give a readable YAML file of known failures, or a folder of them")]
    Unreadable { path: PathBuf, source: io::Error },
    /// The files have mistakes; all are listed.
    #[error("{}", Mistakes(.0))]
    Mistakes(Vec<Diagnostic>),
    #[error("error: {what} is not a day; write, for example, 2027-03-31")]
    NoDay { what: String },
}

struct Mistakes<'a>(&'a [Diagnostic]);

impl fmt::Display for Mistakes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|diagnostic| writeln!(f, "{diagnostic}"))?;
        write!(f, "{} in the known failures; nothing was run", catalog::count(self.0.len(), "mistake"))
    }
}
