//! The lines of the journal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::end::RunEnd;
use crate::header::RunHeader;
use crate::result::RuleResult;

/// One line of the journal. The first line is a run. Each rule that runs has a begin and a result; a rule that does not
/// apply has only a result. A finished run has an end. In a description, `None` means an absent key or null.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(title = "A line of results.jsonl")]
pub enum Line {
    /// The first line: what was tested, and how.
    Run(Box<RunHeader>),
    /// A rule starts; written just before it runs. If no result follows, the run ended while the rule was running.
    Begin(RuleBegin),
    /// The result of a rule, written before the next rule starts.
    Result(Box<RuleResult>),
    /// The resumption of a killed run.
    Resume(RunResume),
    /// The run stops on request, so the rules in flight did not cause the stop.
    Stop(RunStop),
    /// The last line of a finished run.
    End(Box<RunEnd>),
}

/// The start of a rule.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RuleBegin {
    /// The rule's id.
    pub id: String,
}

/// A stop that was requested.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunStop {
    /// The time, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    /// The signal that requested the stop, or `--max-fail` with its value.
    pub signal: String,
}

/// The resumption of a killed run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunResume {
    /// The time, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub started: String,
}
