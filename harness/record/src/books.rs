//! Reports and known failures, as a run sees them: it uses both without knowing their forms.

use std::error::Error;
use std::fmt::Debug;
use std::path::Path;

use catalog::Rules;

use crate::{AppliedExpectations, ExpectationFiles, Recorded, RuleResult, RunHeader, Sort};

/// The reason why known failures cannot be read or reports cannot be written. The text ends with the next action.
pub type BooksError = Box<dyn Error + Send + Sync>;

/// The keeper of reports and known failures.
pub trait Books: Debug + Sync {
    /// Reads known failures from a file or a folder, and checks them against the catalog.
    ///
    /// # Errors
    /// They cannot be read, or have mistakes.
    fn known(&self, place: &Path, rules: &Rules) -> Result<Box<dyn KnownFailures>, BooksError>;

    /// The line that names what is tested.
    fn first_line(&self, header: &RunHeader) -> String;

    /// Writes the reports of a run to its folder. Returns remarks about optional reports that could not be written.
    ///
    /// # Errors
    /// A needed report cannot be written.
    fn write_reports(&self, folder: &Path, run: &Recorded) -> Result<Vec<String>, BooksError>;
}

/// Known failures before they are applied to a run.
pub trait KnownFailures: Debug {
    /// The known failures that apply to a run. `fail_on`: the sorts that fail a run without new failures.
    fn expecting(self: Box<Self>, header: &RunHeader, fail_on: Vec<Sort>) -> Box<dyn Expected>;
}

/// The known failures that apply to a run.
pub trait Expected: Debug + Send + Sync {
    /// A line about the files and the number of entries.
    fn line(&self) -> String;

    /// The files.
    fn files(&self) -> &ExpectationFiles;

    /// The reason for not running a rule; `None`: it runs.
    fn skip(&self, id: &str) -> Option<String>;

    /// True if a result does not count because it is a known failure.
    fn excuses(&self, result: &RuleResult, strict: bool) -> bool;

    /// Sorts the results.
    fn applied(&self, results: &[RuleResult], strict: bool) -> AppliedExpectations;
}
