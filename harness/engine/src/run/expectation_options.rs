//! A run's known failures: the options, and the folder next to the catalog.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use catalog::{Rules, Specs};
use record::books::{Books, Expected, KnownFailures};
use record::{RunHeader, Sort};

use super::errors::RunError;
use super::headings::RESULTS;
use super::places::{expectations_folder, unread_expectations};

/// The options for known failures. Each option can also be set with an environment variable, because some test runners
/// pass no arguments.
#[derive(Debug, Clone, Default, Args)]
pub struct ExpectationOptions {
    /// Known failures: a YAML file, a folder of YAML files, or `none`.
    ///
    /// Default: none or, if cargo runs the suite in its checkout, the folder `expectations` there.
    #[arg(long, value_name = "PATH", help_heading = RESULTS)]
    pub expectations: Option<PathBuf>,
    /// Also fail the run (exit status 1) on fixed or expired known failures.
    #[arg(long, value_name = "SORT", value_enum, value_delimiter = ',', help_heading = RESULTS, hide_short_help = true)]
    pub fail_on: Vec<FailOn>,
}

/// The kinds of known failures that fail a run even if no new failure occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Expired,
    Fixed,
}

impl ExpectationOptions {
    /// The path of the known failures; `None` if there are none.
    pub fn place(&self, specs: &Specs) -> Option<PathBuf> {
        match &self.expectations {
            Some(none) if none.as_os_str() == "none" => None,
            Some(given) => Some(given.clone()),
            None => expectations_folder(specs),
        }
    }

    /// The known failures, checked against the catalog; `None` if there are none.
    pub(super) fn read(
        &self,
        specs: &Specs,
        rules: &Rules,
        books: &dyn Books,
    ) -> Result<Option<Box<dyn KnownFailures>>, RunError> {
        let read = |place: PathBuf| books.known(&place, rules).map_err(RunError::Expectations);
        self.place(specs).map(read).transpose()
    }

    /// A line about a folder of known failures that exists but is not read, because no option names the folder.
    pub(super) fn left_alone(&self, specs: &Specs) -> Option<String> {
        let folder = unread_expectations(specs).filter(|_| self.expectations.is_none())?;
        let folder = folder.display();
        Some(format!(
            "known failures: none; {folder} is not read, because another user may have created it: give --expectations \
             {folder} to read it, or --expectations none to ignore it"
        ))
    }

    /// Loads a run's known failures, and records them in the run's header.
    pub(super) fn expecting(&self, known: Box<dyn KnownFailures>, header: &mut RunHeader) -> Box<dyn Expected> {
        let fail_on = self.fail_on.iter().map(|fail_on| match fail_on {
            FailOn::Expired => Sort::Expired,
            FailOn::Fixed => Sort::Fixed,
        });
        let expected = known.expecting(header, fail_on.collect());
        header.settings.expectations = Some(expected.files().clone());
        expected
    }
}
