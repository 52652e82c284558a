//! Parts of a run that several machines share, and what they were put together from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::Host;

/// The most parts of a run.
pub const MOST_PARTS: u32 = 100_000;

/// The part of a run that a journal holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Which part, counted from 1.
    #[schemars(range(min = 1))]
    pub number: u32,
    /// How many parts the run has.
    #[schemars(range(min = 1))]
    pub of: u32,
    /// Which rules are in which part by their times in an earlier run: SHA-256 over that, lower-case hex. `None`: by
    /// their ids alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub balanced: Option<String>,
    /// Ids of the rules of all parts; `None`: all of the catalog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<String>>,
}

/// A run that a merged one was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergedRun {
    /// The name that the run has in its own journal.
    pub run: String,
    /// Which part of the merged run it is, counted from 1.
    #[schemars(range(min = 1))]
    pub part: u32,
    /// How many parts there are.
    #[schemars(range(min = 1))]
    pub of: u32,
    /// Start, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub started: String,
    /// End, RFC 3339 in UTC; `None`: the run did not reach it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub finished: Option<String>,
    /// The exit status that it ended with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<u8>,
    /// Rules that have a result.
    pub results: usize,
    /// The machine that it was made on; `None`: a simulated device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
}
