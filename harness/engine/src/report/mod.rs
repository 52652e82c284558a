//! Reports, made from the journal's data and from nothing else.
//!
//! - [`first_line`] says what was loaded: printed before anything runs.
//! - [`failure_text`] is the block printed when a rule fails, and the body of its entry in `junit.xml`.
//! - [`summary`] is printed when a run ends.
//! - [`write_junit`] writes `junit.xml`; `reports/schema/junit.xsd` describes it.
//!
//! Every text that comes from outside (a library's output, a file name, a value) is cleaned before it is shown: it can
//! neither move the cursor of a terminal nor break a file.

mod expected;
mod failure;
mod fingerprint;
mod host;
mod junit;
mod markup;
mod parts;
mod subjects;
mod summary;
mod text;

use std::io;
use std::path::PathBuf;

pub use failure::failure_text;
pub use junit::{JUNIT_FILE, write_junit};
pub use summary::{first_line, summary};
pub use text::{clean, wrap};

/// Why a report could not be written. Every message ends with what to do next; the journal is never at risk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The operating system refused to write the file.
    #[error(
        "cannot write {path}: {source}: make room or change the folder's permissions, then make the reports again \
         from the journal with --resume and the run's folder"
    )]
    Write { path: PathBuf, source: io::Error },
    /// The XML libraries disagree about what was written: a defect of the suite.
    #[error(
        "the JUnit report is not well-formed ({reason}): the journal is complete; please report this with the journal"
    )]
    Markup { reason: String },
}
