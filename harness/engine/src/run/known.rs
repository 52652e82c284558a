//! Counterexamples. A run writes the counterexamples that it finds, and tries kept counterexamples first.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::case::{CaseError, Scope, cases_from_json, unique_keys};
use catalog::Rule;
use catalog::files;
use record::RuleResult;

use super::places::regressions_folder;

/// A kept counterexample: the values that later runs try first, and notes for the reader.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownCase {
    #[serde(deserialize_with = "unique_keys")]
    case: Json,
    /// The operations in the failing case.
    operations: Vec<String>,
    /// A description of the observed failure.
    seen: String,
}

/// The maximum size of a counterexample file, in bytes.
const LARGEST: u64 = 16 << 20;

/// The known counterexamples for a run's selected rules.
#[derive(Debug, Default)]
pub(super) struct KnownCases {
    cases: HashMap<String, Vec<Json>>,
    /// The counterexamples that are not tried, each with the reason.
    pub(super) remarks: Vec<String>,
    /// The number of remarks about broken files.
    pub(super) unusable: u64,
}

impl KnownCases {
    /// Reads the counterexamples from the folder that the environment names or, under cargo, from the checkout.
    pub(super) fn read<'a>(rules: impl Iterator<Item = &'a Rule>, scope: &Scope) -> KnownCases {
        let Some(folder) = regressions_folder() else { return KnownCases::default() };
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let files: HashSet<OsString> = entries.map(|entry| entry.file_name()).collect();
        let mut known = KnownCases::default();
        for rule in rules {
            let name = format!("{}.json", rule.id);
            if files.contains(OsStr::new(&name)) {
                known.read_file(&folder.join(name), rule, scope);
            }
        }
        known
    }

    /// The kept counterexamples that are still valid cases of the rule.
    pub(super) fn of(&self, rule: &Rule) -> &[Json] {
        self.cases.get(&rule.id).map_or(&[], Vec::as_slice)
    }

    fn read_file(&mut self, path: &Path, rule: &Rule, scope: &Scope) {
        let mut unused = |what: &dyn Display, broken: bool| {
            let advice = if broken { "fix or remove it" } else { "it may apply to another target" };
            self.remarks.push(format!("{}: {what}; this counterexample was skipped; {advice}", path.display()));
            self.unusable += u64::from(broken);
        };
        let kept = match read_cases(path) {
            Ok(kept) => kept,
            Err(error) => return unused(&error, true),
        };
        let mut cases = Vec::new();
        for KnownCase { case, .. } in kept {
            match cases_from_json(&rule.program, scope, &case) {
                Ok(_) => cases.push(case),
                // Not an error: the case may come from a product with other sizes, or from a machine with more
                // devices.
                Err(error @ (CaseError::NotHere { .. } | CaseError::Excluded)) => unused(&error, false),
                Err(error) => unused(&error, true),
            }
        }
        self.cases.insert(rule.id.clone(), cases);
    }
}

fn read_cases(path: &Path) -> io::Result<Vec<KnownCase>> {
    Ok(serde_json::from_slice(&files::read(path, LARGEST)?)?)
}

/// Writes a counterexample to a rule's file in an existing folder. With `add`, keeps the file's other counterexamples;
/// otherwise, replaces the file.
pub(super) fn write_case(folder: &Path, result: &RuleResult, add: bool) -> io::Result<()> {
    let Some(failure) = &result.failure else { return Ok(()) };
    let path = folder.join(format!("{}.json", result.id));
    let mut cases = match add.then(|| read_cases(&path)) {
        Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
            return Err(io::Error::new(error.kind(), format!("{}: {error}; fix or remove it", path.display())));
        }
        Some(Ok(cases)) => cases,
        _ => Vec::new(),
    };
    if !cases.iter().any(|known| known.case == failure.replay_values) {
        cases.push(KnownCase {
            case: failure.replay_values.clone(),
            operations: failure.trace.clone(),
            seen: failure.message.clone(),
        });
    }
    let text = serde_json::to_string_pretty(&cases).map_err(io::Error::other)?;
    files::replace(&path, text + "\n")
}
