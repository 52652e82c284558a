//! The settings given on the command line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::expected::ExpectationFiles;
use crate::shard::RecordedShard;

/// The longest deadline for a call, in seconds: 30 days.
pub const LONGEST_DEADLINE: u64 = 30 * 24 * 60 * 60;

/// The command-line settings that the rest of the header lacks; together they suffice to resume the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSettings {
    /// The only case to run, or a list of the cases to run.
    pub case: Option<serde_json::Value>,
    /// The catalog folder given by the user, if any.
    pub specs: Option<String>,
    /// The simulated device's edition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sim_edition: Option<String>,
    /// The memory size of each simulated device, in mebibytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sim_memory: Option<u64>,
    /// The time without progress that counts as a hang, in seconds.
    pub deadline: u64,
    /// The longest wait for an expected event, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// The time limit, in seconds, after which a rule starts no further case, if the user gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub rule_limit: Option<u64>,
    /// The length up to which all sequences of operations ran, if the user gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub exhaustive: Option<u32>,
    /// True if the run observed undefined behavior.
    pub hazardous: bool,
    /// True if the user declared exclusive use of the devices.
    pub dedicated: bool,
    /// The interface through which calls were made. Absent for calls in C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// True if rules for one device ran on each device.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_every_device: bool,
    /// Ids of the axioms that the run did not assume. Checks that rest on these axioms were only observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_axioms: Vec<String>,
    /// The number of times that each rule ran, with other seeds. Absent if it is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub repeat: Option<u64>,
    /// The time or the number of cycles for which rules were repeated, as the user gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<String>,
    /// The number of broken rules after which the run stopped. Absent without this limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_fail: Option<u64>,
    /// True if findings fail the run.
    pub strict: bool,
    /// The required number of executed rules; in a part, the number for all parts together.
    pub min_executed: Option<u64>,
    /// True if the names of machines, sites and people were removed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redact: bool,
    /// The part of a run; `None` for a whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<RecordedShard>,
    /// The known failures given to the run, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<ExpectationFiles>,
}
