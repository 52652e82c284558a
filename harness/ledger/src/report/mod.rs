//! Reports, made from the journal's data and from nothing else.
//!
//! - [`first_line`] says what was loaded: printed before anything runs.
//! - [`failure_text`] is the block printed when a rule fails, and the body of its entry in `junit.xml`.
//! - [`summary`] is printed when a run ends.
//! - [`FORMATS`] are the reports in a run's folder; [`write_reports`] writes all of them, [`write_junit`] the one for
//!   programs (`reports/schema/junit.xsd` describes it).
//!
//! Every text that comes from outside (a library's output, a file name, a value) is cleaned before it is shown: it can
//! neither move the cursor of a terminal nor break a file.

mod conclusion;
mod expected;
mod facts;
mod failure;
mod fingerprint;
mod host;
mod html;
mod junit;
mod markup;
mod parts;
mod step_summary;
mod subjects;
mod summary;
mod text;

use std::io;
use std::path::{Path, PathBuf};

use catalog::files;
use record::Recorded;

pub use conclusion::conclusion_text;
pub use failure::failure_text;
pub use html::PAGE_FILE;
pub(crate) use html::{document, escaped};
pub use junit::{JUNIT_FILE, write_junit};
pub use step_summary::STEP_SUMMARY_FILE;
pub use summary::{first_line, summary};
pub use text::{clean, markdown_line, wrap};
pub(crate) use text::{duration, one_line};

/// A report that every run writes beside its journal.
#[derive(Debug)]
pub struct Format {
    /// Its name in the run's folder.
    pub file: &'static str,
    /// Whether a run without it does not count: programs go by it.
    needed: bool,
    /// Its bytes, for a run whose logs lie below the folder.
    make: fn(&Path, &Recorded) -> Result<Vec<u8>, ReportError>,
}

/// All reports, in the order in which they are written.
pub const FORMATS: [Format; 3] = [
    Format { file: JUNIT_FILE, needed: true, make: junit::junit },
    Format { file: PAGE_FILE, needed: false, make: |folder, run| Ok(html::page(folder, run).into_bytes()) },
    Format { file: STEP_SUMMARY_FILE, needed: false, make: |_, run| Ok(step_summary::step_summary(run).into_bytes()) },
];

/// Writes all reports of a run into its folder, in place of older ones. Gives remarks about those that nobody needs and
/// that could not be written: the journal has everything.
///
/// # Errors
/// A report that is needed cannot be written.
pub fn write_reports(folder: &Path, run: &Recorded) -> Result<Vec<String>, ReportError> {
    let mut remarks = Vec::new();
    for format in &FORMATS {
        let path = folder.join(format.file);
        let Err(source) = files::replace(&path, (format.make)(folder, run)?) else { continue };
        if format.needed {
            return Err(ReportError::Write { path, source });
        }
        remarks.push(format!(
            "{} was not written: {source}; make room, then `atlas-cts report {}` writes it from the journal",
            path.display(),
            folder.display()
        ));
    }
    Ok(remarks)
}

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
