//! Compares a run's results with known failures.

use std::collections::BTreeSet;

use messages::{comma, message};
use time::Date;

use record::{AppliedExpectations, ExpectationFiles, Meaning, RuleResult, RunHeader, Sort, SortedResult, Symptom};

use super::flake::too_often;
use super::known_failure::{Fit, KnownFailure, Versions};
use super::model::Kind;
use super::read::Expectations;

/// The start of the reason for not running a rule. Journals contain this text, so the text must not change.
const NOT_RUN: &str = "not run, a known danger: ";

/// The known failures that apply to a run.
#[derive(Debug, Clone)]
pub struct Expecting {
    known: Expectations,
    /// Entries that apply.
    entries: Vec<KnownFailure>,
    /// Entries that may or may not apply, each with the reason.
    undecided: Vec<String>,
    fail_on: Vec<Sort>,
    on: Date,
}

/// A failure compared with an entry.
enum Judged {
    AsKnown,
    TooOften(String),
    Other(Vec<String>),
}

impl Expecting {
    /// Selects the entries that apply to a run on a given day. An entry that depends on an unknown version excuses
    /// nothing, but a rule that the entry calls dangerous is skipped anyway.
    pub fn new(known: Expectations, header: &RunHeader, fail_on: Vec<Sort>, on: Date) -> Expecting {
        let versions = Versions::of(header);
        let (mut entries, mut undecided) = (Vec::new(), Vec::new());
        for entry in &known.entries {
            match entry.fit(&header.product, &versions) {
                Fit::Applies => entries.push(entry.clone()),
                Fit::Elsewhere => {}
                Fit::Undecided(why) if entry.kind == Kind::Skip => {
                    undecided.push(format!("{}: {why}; dangerous rules are not run", entry.place));
                    entries.push(entry.clone());
                }
                Fit::Undecided(why) => undecided.push(format!("{}: {why}; the entry excuses nothing", entry.place)),
            }
        }
        Expecting { known, entries, undecided, fail_on, on }
    }

    /// A line with the files' names and the number of entries.
    pub fn line(&self) -> String {
        let files = &self.known.files;
        let (all, here) = (files.entries, self.entries.len());
        let digest = &files.digest[..files.digest.len().min(12)];
        let line = message!("known-line", path = files.path.as_str(), sha256 = digest, count = all, applying = here);
        match self.undecided.len() {
            0 => line,
            open => format!("{line}{}{}", comma(), message!("known-open", count = open)),
        }
    }

    /// The files.
    pub fn files(&self) -> &ExpectationFiles {
        &self.known.files
    }

    /// The reason for not running a rule; `None` if the rule runs.
    pub fn skip(&self, id: &str) -> Option<String> {
        let entry = self.entries.iter().find(|entry| entry.kind == Kind::Skip && entry.is_about(id))?;
        Some(format!("{NOT_RUN}{}; {}", entry.danger, entry.tracker))
    }

    /// True if a result does not count because it is a known failure.
    pub fn excuses(&self, result: &RuleResult, strict: bool) -> bool {
        self.applied(std::slice::from_ref(result), strict).excuses(&result.id)
    }

    /// Compares the results with the entries.
    pub fn applied(&self, results: &[RuleResult], strict: bool) -> AppliedExpectations {
        let mut sorted: Vec<SortedResult> = results.iter().filter_map(|result| self.sort(result, strict)).collect();
        let still_failing: BTreeSet<String> = sorted
            .iter()
            .filter(|result| matches!(result.sort, Sort::Known | Sort::Expired | Sort::TooOften))
            .filter_map(|result| Some(result.entry.as_ref()?.place.clone()))
            .collect();
        // An entry for several rules does not claim that each of them fails.
        let fixed = |result: &SortedResult| {
            let entry = result.entry.as_ref();
            result.sort != Sort::Fixed || !entry.is_some_and(|entry| still_failing.contains(&entry.place))
        };
        sorted.retain(fixed);
        AppliedExpectations {
            files: self.known.files.clone(),
            on: self.on.to_string(),
            fail_on: self.fail_on.clone(),
            results: sorted,
            open: self.undecided.iter().cloned().chain(self.unmet(results)).collect(),
        }
    }

    /// Sorts a single result; `None` if no entry covers the result and the result is not a new failure.
    pub(super) fn sort(&self, result: &RuleResult, strict: bool) -> Option<SortedResult> {
        let about: Vec<&KnownFailure> = self.entries.iter().filter(|entry| entry.is_about(&result.id)).collect();
        match result.meaning() {
            Meaning::Skipped => {
                let entry = about.into_iter().find(|entry| entry.kind == Kind::Skip)?;
                result.reason.starts_with(NOT_RUN).then(|| self.as_known(result, entry))
            }
            Meaning::Good => {
                let entry = about.into_iter().find(|entry| entry.kind == Kind::Fail)?;
                let expected = entry.symptom.as_ref().map(ToString::to_string).unwrap_or_default();
                let why = format!("the rule holds, but the entry expects {expected}; remove the entry");
                Some(sorted(result, Sort::Fixed, why, Some(entry)))
            }
            Meaning::Broken | Meaning::Finding | Meaning::Unknown => self.failed(result, &about, strict),
        }
    }

    fn failed(&self, result: &RuleResult, about: &[&KnownFailure], strict: bool) -> Option<SortedResult> {
        let judged: Vec<(&KnownFailure, Judged)> =
            about.iter().filter_map(|entry| Some((*entry, judge(entry, result)?))).collect();
        let as_known =
            || judged.iter().filter(|(_, judged)| matches!(judged, Judged::AsKnown)).map(|(entry, _)| *entry);
        if let Some(entry) = as_known().find(|entry| !entry.expired(self.on)).or_else(|| as_known().next()) {
            return Some(self.as_known(result, entry));
        }
        let beyond = judged.iter().find_map(|(entry, judged)| match judged {
            Judged::TooOften(why) => Some(sorted(result, Sort::TooOften, why.clone(), Some(entry))),
            _ => None,
        });
        if beyond.is_some() {
            return beyond;
        }
        let broken = match result.meaning() {
            Meaning::Broken => true,
            Meaning::Finding => strict || !judged.is_empty(),
            // A missing answer does not count as a different symptom.
            _ => false,
        };
        let other = judged.iter().find_map(|(entry, judged)| match judged {
            Judged::Other(differences) => Some((*entry, differences)),
            _ => None,
        });
        match other.filter(|_| broken) {
            Some((entry, differences)) => Some(sorted(result, Sort::Unlike, differences.join("; "), Some(entry))),
            None if broken => Some(sorted(result, Sort::New, "no entry is about it".to_owned(), None)),
            None => None,
        }
    }

    fn as_known(&self, result: &RuleResult, entry: &KnownFailure) -> SortedResult {
        let what = match (&entry.symptom, entry.kind) {
            (Some(symptom), Kind::Flake) => format!("a flake with a rate of at most {}: {symptom}", entry.rate),
            (Some(symptom), _) => symptom.to_string(),
            (None, _) => entry.danger.clone(),
        };
        match entry.expired(self.on) {
            false => sorted(result, Sort::Known, what, Some(entry)),
            true => sorted(result, Sort::Expired, format!("expired on {}: {what}", entry.expires), Some(entry)),
        }
    }

    /// Remarks about entries whose rules were all skipped for other reasons.
    fn unmet(&self, results: &[RuleResult]) -> Vec<String> {
        let entries = self.entries.iter().filter(|entry| entry.kind != Kind::Skip);
        let why = |entry: &KnownFailure| {
            let mut about = results.iter().filter(|result| entry.is_about(&result.id)).peekable();
            let first = *about.peek()?;
            let skipped = about.all(|result| result.meaning() == Meaning::Skipped);
            skipped.then(|| format!("{}: {} did not run: {}", entry.place, first.id, first.reason))
        };
        entries.filter_map(why).collect()
    }
}

/// Compares a failure with an entry; `None` if the entry is for rules that are not run.
fn judge(entry: &KnownFailure, result: &RuleResult) -> Option<Judged> {
    let expected = entry.symptom.as_ref()?;
    let flake = entry.kind == Kind::Flake;
    let seen = if flake { Symptom::of_single_run(result) } else { Symptom::of(result) };
    let differences = expected.differences_in(result, &seen);
    if !differences.is_empty() {
        return Some(Judged::Other(differences));
    }
    let again = result.runs_again();
    if flake && too_often(again, entry.rate) {
        return Some(Judged::TooOften(format!(
            "failed in {again}, but the entry allows a rate of at most {}",
            entry.rate
        )));
    }
    Some(Judged::AsKnown)
}

fn sorted(result: &RuleResult, sort: Sort, why: String, entry: Option<&KnownFailure>) -> SortedResult {
    SortedResult { rule: result.id.clone(), sort, why, entry: entry.map(KnownFailure::reference) }
}
