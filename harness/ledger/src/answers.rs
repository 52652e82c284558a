//! The answers of a device to the questions that no document settles: what rules observed, with what identifies the
//! device and its libraries, in one file to send or keep.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use catalog::{Rules, files};
use record::books::{Books, BooksError, KnownFailures};
use record::{Fingerprint, FurtherLibrary, LibraryIdentity, Recorded, RunHeader, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Ledger;

/// The observations of a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DeviceAnswers {
    /// Version of the suite.
    pub suite: String,
    /// Start time of the run, RFC 3339 in UTC.
    pub started: String,
    /// The runtime's name.
    pub runtime: String,
    /// The id of the product.
    pub product: String,
    /// The device name reported by the runtime, if any.
    pub reported_name: Option<String>,
    /// The runtime's edition, if known.
    pub edition: Option<String>,
    /// The library under test.
    pub library: LibraryIdentity,
    /// The runtime's other libraries that are installed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_libraries: Vec<FurtherLibrary>,
    /// The identity of the devices; `None` for simulated devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// The run's seed.
    pub seed: u64,
    /// SHA-256 of the catalog's files, lower-case hex.
    pub catalog_digest: String,
    /// Seeded defects that were active in the simulated device.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defects: Vec<String>,
    /// The answers, by rule, for each rule that observes something or was skipped.
    pub answers: BTreeMap<String, RuleAnswer>,
}

/// The observations of a rule.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleAnswer {
    /// The rule's title, which may be a question.
    pub title: String,
    /// The rule's verdict.
    pub verdict: Verdict,
    /// The reason of a verdict other than a pass.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Observed values: name → class → number of cases.
    pub observations: BTreeMap<String, BTreeMap<String, u64>>,
}

impl DeviceAnswers {
    /// The answers in a run's journal.
    pub fn of(run: &Recorded) -> DeviceAnswers {
        let header = &run.header;
        let shown = run.results.iter().filter(|result| {
            !result.observations.is_empty() || result.verdict == Verdict::Skipped || !result.verdict.passes()
        });
        let answer = |result: &record::RuleResult| RuleAnswer {
            title: result.title.clone(),
            verdict: result.verdict,
            reason: result.reason.clone(),
            observations: result.observations.clone(),
        };
        DeviceAnswers {
            suite: header.suite.clone(),
            started: header.started.clone(),
            runtime: header.runtime.clone(),
            product: header.product.clone(),
            reported_name: header.reported_name.clone(),
            edition: header.edition.clone(),
            library: header.library.clone(),
            further_libraries: header.further_libraries.clone(),
            fingerprint: header.fingerprint.clone(),
            seed: header.seed,
            catalog_digest: header.catalog_digest.clone(),
            defects: header.defects.clone(),
            answers: shown.map(|result| (result.id.clone(), answer(result))).collect(),
        }
    }
}

/// Writes the answers in the journal of the run in `folder` to a file, which is replaced.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write(file: &Path, folder: &Path, run: &Recorded) -> Result<(), AnswersError> {
    let text = serde_json::to_string_pretty(&DeviceAnswers::of(run)).expect("answers are strings and numbers") + "\n";
    let failed = |source| AnswersError { file: file.to_owned(), folder: folder.to_owned(), source };
    files::replace(file, text.into_bytes()).map_err(failed)
}

/// The reason why the answers cannot be written. The journal is not affected.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot write {file}: {source}; the journal is complete: name another file in `atlas-cts report {folder} --record FILE`"
)]
pub struct AnswersError {
    file: PathBuf,
    folder: PathBuf,
    source: io::Error,
}

/// The books of [`Ledger`], which also write the answers of a device to a file.
#[derive(Debug)]
pub struct Recording {
    /// The file for the answers, as JSON. It is replaced.
    pub file: PathBuf,
}

impl Books for Recording {
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
        previous: Option<&Recorded>,
    ) -> Result<Vec<String>, BooksError> {
        let remarks = Ledger.write_reports(folder, run, previous)?;
        write(&self.file, folder, run)?;
        Ok(remarks)
    }
}
