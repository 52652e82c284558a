//! A failing case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::confirmation::Confirmation;

/// A failing case, as small as it could be made.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The statement that failed, as written in the catalog.
    pub statement: String,
    /// Its place: `specs/…/file.yaml:line:column`.
    pub place: String,
    /// What was seen, for example `f(…) returned 107000 (SOME_ERROR_NAME), expected success`.
    pub message: String,
    /// The rule's statement, from the catalog.
    pub rule_statement: String,
    /// The documents that the rule cites: `title (edition), section`.
    pub sources: Vec<String>,
    /// What the failed statement rests on: for each clause its id, what it says, where, and in which editions. Older
    /// journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// The failing values by name, in the order of `forall`, as text.
    pub values: Vec<(String, String)>,
    /// The same values in the form in which a case can be replayed. A list, if cases before this one are needed: they
    /// run in this order in one process, and this case is the last.
    pub replay_values: serde_json::Value,
    /// The devices that the rule's processes saw, as the machine numbers them; empty: all that there were, or an older
    /// journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// Number of the failing case, counted from 1, before shrinking.
    pub case: u64,
    /// How many times the case was made smaller.
    pub shrinks: u64,
    /// The budget was used up before there was nothing smaller to try. Older journals do not know it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The calls of the minimal case in order, one line each, with their arguments and results.
    pub trace: Vec<String>,
    /// The end of what the library printed, if it printed anything.
    pub output: String,
    /// What the runtime said of the thread's last errors right after the case had failed; empty: nothing, or it was not
    /// asked. Older journals do not know it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recent_error: String,
    /// A command that runs exactly this case again.
    pub replay: String,
    /// The case, or the cases that fail only together, as a C program, without the prelude that `atlas-cts reproducer`
    /// writes beside it. `None`: it cannot be printed as one, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What running the case again showed; `None`: it was not run again. Older journals do not know it.
    #[serde(default)]
    pub confirmation: Option<Confirmation>,
}
