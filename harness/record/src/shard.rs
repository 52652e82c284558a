//! The parts (shards) of a run on several machines, and the runs combined by a merge.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::Host;

/// The largest number of parts in a run.
pub const MOST_SHARDS: u32 = 100_000;

/// The part of a run that a journal contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedShard {
    /// The number of the part, counted from 1.
    #[schemars(range(min = 1))]
    pub number: u32,
    /// The number of parts in the run.
    #[schemars(range(min = 1))]
    pub of: u32,
    /// SHA-256 of the assignment of rules to parts by their times in an earlier run, lower-case hex; `None` if rules
    /// were assigned by id alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub balanced: Option<String>,
    /// Ids of this part's rules.
    pub rules: Vec<String>,
}

/// A run that was merged into another run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergedRun {
    /// The run's name in its own journal.
    pub run: String,
    /// The number of the run's part in the merged run, counted from 1.
    #[schemars(range(min = 1))]
    pub part: u32,
    /// The number of parts.
    #[schemars(range(min = 1))]
    pub of: u32,
    /// Start time, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub started: String,
    /// End time, RFC 3339 in UTC; `None` if the run did not finish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub finished: Option<String>,
    /// The run's exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<u8>,
    /// The number of rules with a result.
    pub results: usize,
    /// The machine on which the run took place; `None` for a simulated device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
}
