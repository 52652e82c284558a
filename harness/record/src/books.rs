//! What is kept of runs beside their journals: reports, and the failures that are known. A run asks for both without
//! knowing their forms.

use std::error::Error;
use std::fmt::Debug;
use std::path::Path;

use catalog::Rules;

use crate::{AppliedExpectations, ExpectationFiles, Recorded, RuleResult, RunHeader, Sort};

/// The reason why known failures cannot be read, or reports not written; it finishes with the next action.
pub type BooksError = Box<dyn Error + Send + Sync>;

/// The keeper of reports and known failures.
pub trait Books: Debug + Sync {
    /// Known failures in a file or a folder, checked against the catalog.
    ///
    /// # Errors
    /// They cannot be read, or have mistakes.
    fn known(&self, place: &Path, rules: &Rules) -> Result<Box<dyn KnownFailures>, BooksError>;

    /// The line that says what is tested.
    fn first_line(&self, header: &RunHeader) -> String;

    /// Writes the reports of a run to its folder; gives remarks about those that could not be written.
    ///
    /// # Errors
    /// The report without which a run does not count cannot be written.
    fn write_reports(&self, folder: &Path, run: &Recorded) -> Result<Vec<String>, BooksError>;
}

/// Known failures that are not held against a run yet.
pub trait KnownFailures: Debug {
    /// Those that apply to a run. `fail_on`: what breaks a run in which nothing new is broken.
    fn expecting(self: Box<Self>, header: &RunHeader, fail_on: Vec<Sort>) -> Box<dyn Expected>;
}

/// Known failures in the circumstances of a run.
pub trait Expected: Debug + Send + Sync {
    /// What is applied, on one line.
    fn line(&self) -> String;

    /// Its files.
    fn files(&self) -> &ExpectationFiles;

    /// Why a rule is not run; `None`: it is.
    fn skip(&self, id: &str) -> Option<String>;

    /// Whether a result does not count, because it is as expected.
    fn excuses(&self, result: &RuleResult, strict: bool) -> bool;

    /// How results are sorted.
    fn applied(&self, results: &[RuleResult], strict: bool) -> AppliedExpectations;
}
