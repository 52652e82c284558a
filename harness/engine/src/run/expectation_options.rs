//! Which failures are known: the command line, and the folder beside the catalog.

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};

use catalog::{Rules, Specs};
use record::books::{Books, Expected, KnownFailures};
use record::{RunHeader, Sort};

use super::errors::RunError;
use super::places::{expectations_folder, unread_expectations};

/// Which failures are known. Each option has an environment variable, for runners that pass no arguments on.
#[derive(Debug, Clone, Default, Args)]
pub struct ExpectationOptions {
    /// Known failures: a YAML file, or a folder of them. Default: none; where cargo runs the suite in its checkout, the
    /// folder `expectations` there.
    #[arg(long, env = "ATLAS_CTS_EXPECTATIONS", value_name = "FILE-OR-DIR")]
    pub expectations: Option<PathBuf>,
    /// No failure is known, whatever lies in the checkout.
    #[arg(long, env = "ATLAS_CTS_NO_EXPECTATIONS", value_parser = BoolishValueParser::new())]
    pub no_expectations: bool,
    /// Also break the run (exit status 1) where a known failure is fixed, or as an entry says that has expired.
    #[arg(long, env = "ATLAS_CTS_FAIL_ON", value_name = "SORT", value_enum, value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
}

/// What breaks a run in which nothing new is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Expired,
    Fixed,
}

impl ExpectationOptions {
    /// Where the known failures are; `None`: there are none.
    pub fn place(&self, specs: &Specs) -> Option<PathBuf> {
        if self.no_expectations {
            return None;
        }
        self.expectations.clone().or_else(|| expectations_folder(specs))
    }

    /// The known failures, checked against the catalog; `None`: there are none.
    pub(super) fn read(
        &self,
        specs: &Specs,
        rules: &Rules,
        books: &dyn Books,
    ) -> Result<Option<Box<dyn KnownFailures>>, RunError> {
        let read = |place: PathBuf| books.known(&place, rules).map_err(RunError::Expectations);
        self.place(specs).map(read).transpose()
    }

    /// A line about a folder of known failures that is there and not read, because nobody named it.
    pub(super) fn left_alone(&self, specs: &Specs) -> Option<String> {
        let asked = self.no_expectations || self.expectations.is_some();
        let folder = unread_expectations(specs).filter(|_| !asked)?;
        let folder = folder.display();
        Some(format!(
            "known failures: none; {folder} is not read, since another user may have put it there: --expectations \
             {folder} reads it, --no-expectations says that nothing is known"
        ))
    }

    /// Known failures in the circumstances of a run. Its header says from now on which they are.
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
