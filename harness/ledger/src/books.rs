//! The reports and known failures that a run uses.

use std::path::Path;

use catalog::{Originals, Rules};
use record::books::{Books, BooksError, Expected, KnownFailures};
use record::{AppliedExpectations, ExpectationFiles, Recorded, RuleResult, RunHeader, Sort};

use crate::expectations::{Expectations, Expecting, today};
use crate::report;

/// Implements [`Books`] with this crate's reports and known failures.
#[derive(Debug, Clone, Copy)]
pub struct Ledger;

impl Books for Ledger {
    fn known(&self, place: &Path, rules: &Rules) -> Result<Box<dyn KnownFailures>, BooksError> {
        Ok(Box::new(Expectations::read(place, rules)?))
    }

    fn first_line(&self, header: &RunHeader) -> String {
        report::first_line(header)
    }

    fn write_reports(
        &self,
        folder: &Path,
        run: &Recorded,
        previous: Option<&Recorded>,
    ) -> Result<Vec<String>, BooksError> {
        Ok(report::write_reports(folder, run, previous)?)
    }
}

/// The reports of [`Ledger`], with the documents' own sentences in failures.
#[derive(Debug)]
pub struct Quoting<'a>(pub &'a Originals);

impl Books for Quoting<'_> {
    fn known(&self, place: &Path, rules: &Rules) -> Result<Box<dyn KnownFailures>, BooksError> {
        Ledger.known(place, rules)
    }

    fn first_line(&self, header: &RunHeader) -> String {
        Ledger.first_line(header)
    }

    fn write_reports(
        &self,
        folder: &Path,
        run: &Recorded,
        since: Option<&Recorded>,
    ) -> Result<Vec<String>, BooksError> {
        let mut quoted = run.clone();
        quoted.results.iter_mut().for_each(|result| report::quote(result, &run.header, self.0));
        Ledger.write_reports(folder, &quoted, since)
    }
}

impl KnownFailures for Expectations {
    fn expecting(self: Box<Self>, header: &RunHeader, fail_on: Vec<Sort>) -> Box<dyn Expected> {
        let known = if header.settings.redact { self.without_names() } else { *self };
        Box::new(Expecting::new(known, header, fail_on, today()))
    }
}

impl Expected for Expecting {
    fn line(&self) -> String {
        Expecting::line(self)
    }

    fn files(&self) -> &ExpectationFiles {
        Expecting::files(self)
    }

    fn skip(&self, id: &str) -> Option<String> {
        Expecting::skip(self, id)
    }

    fn excuses(&self, result: &RuleResult, strict: bool) -> bool {
        Expecting::excuses(self, result, strict)
    }

    fn applied(&self, results: &[RuleResult], strict: bool) -> AppliedExpectations {
        Expecting::applied(self, results, strict)
    }
}
