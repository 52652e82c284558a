//! Reports, made only from the journal.
//!
//! - [`first_line`] is printed before any rule runs, and names the tested library and devices.
//! - [`failure_text`] is the block printed when a rule fails, and the body of its entry in `junit.xml`.
//! - [`Notices`] has a line for the first failure of each cause while rules run.
//! - [`summary`] is printed when a run ends.
//! - [`annotations`] are the results that a CI system shows on the page of a job.
//! - [`brief_summary`] is its short form.
//! - [`FORMATS`] lists the reports in a run's folder; [`write_reports`] writes all of them. [`write_junit`] writes the
//!   report for programs (schema: `reports/schema/junit.xsd`).
//!
//! The wording comes from the crate `messages`, in the language in use; `junit.xml` is always English. Untrusted text
//! (a library's output, a file name, a value) is cleaned before printing, so the text cannot move the terminal's cursor or break a file.

mod actors;
mod advice;
mod annotations;
mod brief;
mod conclusion;
mod expected;
mod facts;
mod failure;
mod fingerprint;
mod host;
mod html;
mod junit;
mod layout;
mod markup;
mod notices;
mod parts;
mod place;
mod quotes;
mod step_summary;
mod steps;
mod subjects;
mod summary;
mod target;
mod text;

use std::io;
use std::path::{Path, PathBuf};

use catalog::files;
use messages::{Language, in_language};
use record::Recorded;

pub(crate) use crate::names::meaning_text;
pub use crate::names::{sort_text, verdict_text};
pub use annotations::{Annotation, Severity, annotations, workflow_commands};
pub use brief::brief_summary;
pub use conclusion::conclusion_text;
pub use failure::failure_text;
pub(crate) use html::{anchor, bar, class, document, prose};
pub use junit::{JUNIT_FILE, write_junit};
pub use layout::{Detail, Layout, PAGE_FILE};
pub use notices::Notices;
pub use quotes::quote;
pub use step_summary::STEP_SUMMARY_FILE;
pub(crate) use summary::MEANINGS;
pub use summary::summary;
pub use target::first_line;
pub use text::{clean, disarmed, markdown_line, pad, paint, wrap};
pub(crate) use text::{columns, duration, one_line, pad_left};

/// Makes a report's bytes.
type Make = fn(&Path, &Recorded, Option<&Recorded>) -> Result<Vec<u8>, ReportError>;

/// A report that every run writes next to its journal.
#[derive(Debug)]
pub struct Format {
    /// The file's name in the run's folder.
    pub file: &'static str,
    /// True if programs depend on the report. The run fails if such a report cannot be written.
    needed: bool,
    /// Makes the report for a run whose logs are in the folder. The last argument is the run before, if known.
    make: Make,
}

/// All reports, in the order in which they are written.
pub const FORMATS: [Format; 3] = [
    Format { file: JUNIT_FILE, needed: true, make: |folder, run, _| junit::junit(folder, run) },
    Format {
        file: PAGE_FILE,
        needed: false,
        make: |folder, run, previous| Ok(html::page(folder, run, previous).into_bytes()),
    },
    Format {
        file: STEP_SUMMARY_FILE,
        needed: false,
        make: |_, run, _| Ok(step_summary::step_summary(run).into_bytes()),
    },
];

/// Writes all reports to a run's folder, replacing older reports. Returns a remark for each optional report that could
/// not be written. A missing optional report is not an error, because the journal contains the same data. With the
/// run before, `previous`, the page says what is new.
///
/// # Errors
/// Fails if a required report cannot be written.
pub fn write_reports(folder: &Path, run: &Recorded, previous: Option<&Recorded>) -> Result<Vec<String>, ReportError> {
    let mut remarks = Vec::new();
    for format in &FORMATS {
        let path = folder.join(format.file);
        let made = in_language(Language::English, || (format.make)(folder, run, previous))?;
        let Err(source) = files::replace(&path, made) else { continue };
        if format.needed {
            return Err(ReportError::Write { path, source });
        }
        remarks.push(format!(
            "cannot write {}: {source}; free some space, then run `atlas-cts report {}`",
            path.display(),
            folder.display()
        ));
    }
    Ok(remarks)
}

/// The reason why a report cannot be written. The journal is not affected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The operating system refused to write the file.
    #[error(
        "cannot write {path}: {source}; free some space or change the folder's permissions, then run `atlas-cts report {}`",
        path.parent().unwrap_or(path).display()
    )]
    Write { path: PathBuf, source: io::Error },
    /// The XML libraries disagree about the document, which is a defect in the suite.
    #[error(
        "the JUnit report is not well-formed ({reason}), but the journal is complete; please report this defect of the \
         suite with the journal"
    )]
    Markup { reason: String },
}
