//! Counterexamples: those of a run, and those that are kept for every later run to try first.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::case::cases_from_json;
use crate::catalog::Rule;
use crate::files;
use crate::record::RuleResult;

use super::places::regressions_folder;

/// A counterexample as it is kept: the values that every later run tries first, and what they did, for people.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownCase {
    case: Json,
    /// The operations of the case when it failed.
    operations: Vec<String>,
    /// What was seen.
    seen: String,
}

/// The folder of known counterexamples, as it was when the run began.
#[derive(Debug)]
pub(super) struct KnownCases {
    folder: PathBuf,
    files: HashSet<OsString>,
}

impl KnownCases {
    /// Those of the project, or of the folder that the environment names.
    pub(super) fn of_project() -> KnownCases {
        let folder = regressions_folder();
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        KnownCases { files: entries.map(|entry| entry.file_name()).collect(), folder }
    }

    /// Counterexamples of earlier runs that are still cases of the rule.
    pub(super) fn of(&self, rule: &Rule) -> Vec<Json> {
        let name = format!("{}.json", rule.id);
        if !self.files.contains(OsStr::new(&name)) {
            return Vec::new();
        }
        let path = self.folder.join(name);
        let Ok(text) = std::fs::read_to_string(&path) else { return Vec::new() };
        let unused = |what: &dyn std::fmt::Display| {
            eprintln!("{}: {what}; this counterexample is not tried, mend or remove it", path.display());
        };
        let known: Vec<KnownCase> = match serde_json::from_str(&text) {
            Ok(known) => known,
            Err(error) => {
                unused(&error);
                return Vec::new();
            }
        };
        let still_a_case = |case: &Json| match cases_from_json(&rule.program, case) {
            Ok(_) => true,
            Err(error) => {
                unused(&error);
                false
            }
        };
        known.into_iter().map(|known| known.case).filter(still_a_case).collect()
    }
}

/// Adds a counterexample to a rule's file in a folder, or with `add` unset makes it the only one.
pub(super) fn write_case(folder: &Path, result: &RuleResult, add: bool) -> io::Result<()> {
    let Some(failure) = &result.failure else { return Ok(()) };
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("{}.json", result.id));
    let mut cases: Vec<KnownCase> = match std::fs::read_to_string(&path) {
        Ok(text) if add => serde_json::from_str(&text).map_err(io::Error::other)?,
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
