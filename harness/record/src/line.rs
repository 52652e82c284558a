//! The lines of the journal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::end::RunEnd;
use crate::header::RunHeader;
use crate::result::RuleResult;

/// One line of the journal. The first is a run; then come a begin and a result for each rule that runs, a result alone for
/// each that does not apply, and an end if the run reached it. Format 1 has no begin, no resume, no settings and no
/// interrupted, format 2 no stop, format 3 no events of the end. What a description calls `None` is an absent key, or null.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(title = "A line of results.jsonl")]
pub enum Line {
    /// The first line: what was tested, and how.
    Run(Box<RunHeader>),
    /// A rule begins, written before it starts. Without a result after it, the run ended while the rule ran.
    Begin(RuleBegin),
    /// One rule's result, written before the next rule starts.
    Result(Box<RuleResult>),
    /// What was killed goes on from here.
    Resume(RunResume),
    /// The run was asked to end, and did: no rule that was in flight is to blame.
    Stop(RunStop),
    /// The last line of a run that reached its end.
    End(Box<RunEnd>),
}

/// A rule that begins.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RuleBegin {
    /// The rule's id.
    pub id: String,
}

/// A run that ends before its end, because it was asked to.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunStop {
    /// When, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    /// The signal that asked.
    pub signal: String,
}

/// A run that goes on after it was killed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunResume {
    /// When, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub started: String,
}
