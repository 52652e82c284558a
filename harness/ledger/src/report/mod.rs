//! Reports, made from the journal's data and from nothing else.
//!
//! - [`first_line`] says what was loaded: printed before anything runs.
//! - [`failure_text`] is the block printed when a rule fails, and the body of its entry in `junit.xml`.
//! - [`summary`] is printed when a run ends.
//! - [`write_reports`] writes all of a run's folder: `junit.xml` ([`write_junit`]; `reports/schema/junit.xsd` describes
//!   it), `report.html` for persons, `summary.md` for merge requests.
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

/// Writes all reports of a run into its folder, in place of older ones. Gives remarks about those for persons that could
/// not be written: programs go by `junit.xml`, and the journal has everything.
///
/// # Errors
/// `junit.xml` cannot be written.
pub fn write_reports(folder: &Path, run: &Recorded) -> Result<Vec<String>, ReportError> {
    write_junit(folder, &run.header, &run.results, run.end.as_ref())?;
    let texts = [(PAGE_FILE, html::page(folder, run)), (STEP_SUMMARY_FILE, step_summary::step_summary(run))];
    let failed = |(name, text): (&str, String)| {
        let path = folder.join(name);
        let source = files::replace(&path, text).err()?;
        Some(format!(
            "{} was not written: {source}; make room, then `atlas-cts report {}` writes it from the journal",
            path.display(),
            folder.display()
        ))
    };
    Ok(texts.into_iter().filter_map(failed).collect())
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
