//! The parts (shards) of a run on several machines, and the runs that a merge combined.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::Host;

/// The most parts of a run.
pub const MOST_SHARDS: u32 = 100_000;

/// The part of a run that a journal has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedShard {
    /// The number of the part, counted from 1.
    #[schemars(range(min = 1))]
    pub number: u32,
    /// The number of parts of the run.
    #[schemars(range(min = 1))]
    pub of: u32,
    /// SHA-256 of the distribution of rules by their times in an earlier run, lower-case hex; `None`: the distribution
    /// is by ids alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub balanced: Option<String>,
    /// Ids of the rules of all parts; `None`: the whole catalog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<String>>,
}

/// A run that was merged into another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergedRun {
    /// The name of the run in its own journal.
    pub run: String,
    /// The number of its part in the merged run, counted from 1.
    #[schemars(range(min = 1))]
    pub part: u32,
    /// The number of parts.
    #[schemars(range(min = 1))]
    pub of: u32,
    /// Start, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub started: String,
    /// End, RFC 3339 in UTC; `None`: the run did not finish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub finished: Option<String>,
    /// Its exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<u8>,
    /// The number of rules with a result.
    pub results: usize,
    /// The machine of the run; `None`: a simulated device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
}
