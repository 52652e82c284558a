//! The settings of the command line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::expected::ExpectationFiles;
use crate::shard::RecordedShard;

/// The longest wait for a call, in seconds: 30 days.
pub const LONGEST_DEADLINE: u64 = 30 * 24 * 60 * 60;

/// The settings of the command line that the rest of the header lacks: enough to resume the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSettings {
    /// Ids of the selected rules; `None`: all.
    pub rules: Option<Vec<String>>,
    /// The only case to run, or a list of cases.
    pub case: Option<serde_json::Value>,
    /// The given folder of the catalog, if any.
    pub specs: Option<String>,
    /// The edition of the simulated device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sim_edition: Option<String>,
    /// The memory of each simulated device, in mebibytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sim_memory: Option<u64>,
    /// The number of seconds without progress that count as a hang.
    pub deadline: u64,
    /// The longest wait for an expected event, in milliseconds. Absent in older journals: 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// The given time after which no further case of a rule starts, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub rule_limit: Option<u64>,
    /// Undefined behavior was observed.
    pub hazardous: bool,
    /// No one else used the devices.
    #[serde(default)]
    pub dedicated: bool,
    /// Rules of one device ran on each device. Absent in older journals.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_every_device: bool,
    /// Ids of the axioms that the run did not assume: checks that assume them were only observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_axioms: Vec<String>,
    /// Findings fail the run.
    pub strict: bool,
    /// The least number of executed rules; for a part: of all parts together.
    pub min_executed: Option<u64>,
    /// Names of machines, sites and persons were removed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redact: bool,
    /// The part of a run; `None`: the whole run. Absent in older journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<RecordedShard>,
    /// The known failures of the run; `None`: none. Absent in older journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<ExpectationFiles>,
}
