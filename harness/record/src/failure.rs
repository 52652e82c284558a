//! A failing case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::confirmation::Confirmation;

/// A failing case after shrinking.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The failed statement, as written in the catalog.
    pub statement: String,
    /// Its place: `specs/…/file.yaml:line:column`.
    pub place: String,
    /// The message, for example `f(…) returned 107000 (SOME_ERROR_NAME), expected success`.
    pub message: String,
    /// The rule's statement, from the catalog.
    pub rule_statement: String,
    /// The documents that the rule cites: `title (edition), section`.
    pub sources: Vec<String>,
    /// The clauses of the failed statement, each with its id, text, document and editions. Absent in older
    /// journals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// The failing values by name, in the order of `forall`, as text.
    pub values: Vec<(String, String)>,
    /// The same values in the form of `--case`. A list if earlier cases are needed: they run in this order in one
    /// process, this case last.
    pub replay_values: serde_json::Value,
    /// The devices that the rule's processes saw, in the numbering of the machine; empty: all devices, or an older
    /// journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// The number of the failing case before shrinking, counted from 1.
    pub case: u64,
    /// The number of times that the case was shrunk.
    pub shrinks: u64,
    /// True if shrinking stopped at its budget. Absent in older journals.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The calls of the shrunk case in order, one line each, with their arguments and results.
    pub trace: Vec<String>,
    /// The end of the library's output, if it printed anything.
    pub output: String,
    /// The runtime's own report of the thread's last errors, right after the failure; empty: none, or not queried.
    /// Absent in older journals.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recent_error: String,
    /// A command that runs this case again.
    pub replay: String,
    /// The case, or the cases that fail only together, as a C program without the prelude of `atlas-cts reproducer`.
    /// `None`: C cannot express it, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The results of running the case again; `None`: it was not run again. Absent in older journals.
    #[serde(default)]
    pub confirmation: Option<Confirmation>,
}
