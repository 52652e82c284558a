//! A failing case.

use history::Picture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::boundary::Boundary;
use crate::confirmation::Confirmation;
use crate::difference::Difference;
use crate::stack::Stack;

/// A failing case after shrinking.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The failed statement, as written in the catalog.
    pub statement: String,
    /// The start and the end of the failed statement in the rule's steps, in bytes. `None` if no statement failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(u32, u32)>,
    /// The statement's place: `specs/…/file.yaml:line:column`. The journal has it in its header.
    #[serde(default, skip_serializing)]
    pub place: String,
    /// The message, for example `f(…) returned 107000 (SOME_ERROR_NAME), expected success`.
    pub message: String,
    /// The rule's statement. The journal has it in its header.
    #[serde(default, skip_serializing)]
    pub rule_statement: String,
    /// The documents that the rule cites: `title (edition), section`. The journal has them in its header.
    #[serde(default, skip_serializing)]
    pub sources: Vec<String>,
    /// Ids of the clauses that the failed statement rests on.
    #[serde(default, rename = "clauses", skip_serializing_if = "Vec::is_empty")]
    pub clause_ids: Vec<String>,
    /// The clauses, each with its id, text, document and editions. The journal has them in its header.
    #[serde(default, rename = "clause_texts", skip_serializing)]
    pub clauses: Vec<String>,
    /// True if one of the clauses promises an outcome of the failed statement, so that its call returns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub promised: bool,
    /// The failing values by name, in the order of `forall`, as text.
    pub values: Vec<(String, String)>,
    /// The same values in the form of `--case`. If the failure needs earlier cases, this is a list of cases to run in
    /// this order in one process, with the failing case last.
    pub replay_values: serde_json::Value,
    /// The devices visible to the rule's processes, by the machine's numbering; empty for all devices and in older
    /// journals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// The number of the failing case before shrinking, counted from 1.
    pub case: u64,
    /// The number of shrinking steps that succeeded.
    pub shrinks: u64,
    /// True if shrinking stopped at its budget.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// For each entry of `trace`, the number of its line in the catalog's file; 0 for an entry outside the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<u32>,
    /// The steps around the failed statement. `None` if no statement failed. The journal has them in its header.
    #[serde(default, skip_serializing)]
    pub steps: Option<Steps>,
    /// The calls of the shrunk case in order, one line each, with their arguments and results.
    pub trace: Vec<String>,
    /// The last part of the library's output; empty if the library printed nothing.
    pub output: String,
    /// The runtime's report of the thread's last errors, queried right after the failure; empty if there were none or
    /// the runtime was not queried.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recent_error: String,
    /// The stack of the process that the case lost; `None` if no process was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<Box<Stack>>,
    /// A command that reruns the case.
    pub replay: String,
    /// The case, or the cases that fail only together, as a C program without the prelude that `atlas-cts reproducer`
    /// adds. `None` if C cannot express the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The difference, if the failed check compared bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// The smallest inconsistent part of the calls that actors made at once, if the failed check looked for an order of
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Box<Picture>>,
    /// For each axis that was varied alone, the values with which the case fails and passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boundary: Vec<Boundary>,
    /// The functions that the rule owns; empty if there are none. The journal has them in its header.
    #[serde(default, skip_serializing)]
    pub owns: Vec<String>,
    /// The results of rerunning the case; `None` if it was not rerun.
    pub confirmation: Option<Confirmation>,
}

/// The lines of a rule's steps around a failed statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Steps {
    /// The number of the first line in the catalog's file.
    pub first: u32,
    /// The lines as written.
    pub text: String,
    /// The start of the failed statement in `text`, in bytes.
    pub start: u32,
    /// The end of the failed statement in `text`, in bytes.
    pub end: u32,
    /// For each entry of `trace`, the number of its line in the catalog's file; 0 for an entry outside the steps.
    pub calls: Vec<u32>,
}
