//! Which failures are known: the command line, and the folder beside the catalog.

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};

use catalog::{Rules, Specs};
use ledger::expectations::{Expectations, ExpectationsError, Expecting, today};
use record::{RunHeader, Sort};

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
    /// The known failures, checked against the catalog; `None`: there are none.
    ///
    /// # Errors
    /// They cannot be read, or have mistakes.
    pub fn read(&self, specs: &Specs, rules: &Rules) -> Result<Option<Expectations>, ExpectationsError> {
        if self.no_expectations {
            return Ok(None);
        }
        let place = self.expectations.clone().or_else(|| expectations_folder(specs));
        place.map(|place| Expectations::read(&place, rules)).transpose()
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
    pub(super) fn expecting(&self, known: Expectations, header: &mut RunHeader) -> Expecting {
        let known = if header.settings.redact { known.without_names() } else { known };
        let fail_on = self.fail_on.iter().map(|fail_on| match fail_on {
            FailOn::Expired => Sort::Expired,
            FailOn::Fixed => Sort::Fixed,
        });
        header.settings.expectations = Some(known.files.clone());
        Expecting::new(known, header, fail_on.collect(), today())
    }
}
