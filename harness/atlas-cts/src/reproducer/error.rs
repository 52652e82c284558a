//! The errors in `reproducer`.

use std::io;
use std::path::PathBuf;

use engine::case::CaseError;
use thiserror::Error;

/// The reasons why no reproducer can be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReproducerError {
    #[error("{rule} has no result in {run}; its junit.xml lists the rules that ran")]
    NoResult { rule: String, run: PathBuf },
    #[error("{rule} did not run ({reason}), so there is nothing to reproduce; give a rule that ran")]
    Skipped { rule: String, reason: String },
    #[error(
        "{rule} did not fail with these values in this run; give the values that it failed with ({found}), or use `print`"
    )]
    OtherCase { rule: String, found: String },
    #[error(
        "the journal's case of {rule} does not fit this catalog's rule: {source}; give the run's catalog with --specs"
    )]
    Case { rule: String, source: CaseError },
    #[error("{rule} cannot be printed: {source}")]
    Print { rule: String, source: CaseError },
    #[error("cannot write {path}: {source}; give another folder with --to")]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {path}: {source}; give the catalog of the run with --specs")]
    Header { path: PathBuf, source: io::Error },
}
