//! An interface to reports and known failures. A run uses the interface without knowing the formats.

use std::error::Error;
use std::fmt::Debug;
use std::path::Path;

use catalog::Rules;

use crate::{AppliedExpectations, ExpectationFiles, Recorded, RuleResult, RunHeader, Sort};

/// The reason why known failures cannot be read or reports cannot be written, with the next action.
pub type BooksError = Box<dyn Error + Send + Sync>;

/// Access to reports and known failures.
pub trait Books: Debug + Sync {
    /// Reads known failures from a file or a folder, and checks them against the catalog.
    ///
    /// # Errors
    /// Fails if a file cannot be read or has mistakes.
    fn known(&self, place: &Path, rules: &Rules) -> Result<Box<dyn KnownFailures>, BooksError>;

    /// The line that names the tested library and devices.
    fn first_line(&self, header: &RunHeader) -> String;

    /// Writes a run's reports to its folder. Returns a remark for each optional report that could not be written.
    /// `previous` is the run before, if there is one; reports say what is new since then.
    ///
    /// # Errors
    /// Fails if a required report cannot be written.
    fn write_reports(
        &self,
        folder: &Path,
        run: &Recorded,
        previous: Option<&Recorded>,
    ) -> Result<Vec<String>, BooksError>;
}

/// Known failures that were read but not yet matched with a run.
pub trait KnownFailures: Debug {
    /// Selects the known failures that apply to a run. A result with a sort in `fail_on` fails the run even without new
    /// failures.
    fn expecting(self: Box<Self>, header: &RunHeader, fail_on: Vec<Sort>) -> Box<dyn Expected>;
}

/// The known failures that apply to a run.
pub trait Expected: Debug + Send + Sync {
    /// A line with the files' names and the number of entries.
    fn line(&self) -> String;

    /// The files of known failures.
    fn files(&self) -> &ExpectationFiles;

    /// The reason for not running a rule; `None` if the rule runs.
    fn skip(&self, id: &str) -> Option<String>;

    /// True if a result does not count because it is a known failure.
    fn excuses(&self, result: &RuleResult, strict: bool) -> bool;

    /// Compares the results with the known failures.
    fn applied(&self, results: &[RuleResult], strict: bool) -> AppliedExpectations;
}
