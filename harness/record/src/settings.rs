//! What the command line asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::expected::ExpectationFiles;
use crate::part::Part;

/// The longest wait for a call, in seconds: 30 days.
pub const LONGEST_DEADLINE: u64 = 30 * 24 * 60 * 60;

/// What the command line asked for and the rest of the header does not say: enough to resume the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSettings {
    /// Ids of the rules that were selected; `None`: all.
    pub rules: Option<Vec<String>>,
    /// The only case to run, or a list of cases.
    pub case: Option<serde_json::Value>,
    /// Folder of the catalog, if one was given.
    pub specs: Option<String>,
    /// The edition that the simulated device was to play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sim_edition: Option<String>,
    /// Mebibytes of memory that each simulated device was to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sim_memory: Option<u64>,
    /// Seconds without progress that are a hang.
    pub deadline: u64,
    /// Milliseconds that rules waited for what was expected to happen. Older journals do not know it: 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// Seconds after which no further case of a rule was started, where they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub rule_limit: Option<u64>,
    /// Undefined behavior was observed.
    pub hazardous: bool,
    /// Nobody else used the devices.
    #[serde(default)]
    pub dedicated: bool,
    /// Rules of one device ran on each. Older journals do not know it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_every_device: bool,
    /// Ids of the axioms that the run did without: checks that assume them were only observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_axioms: Vec<String>,
    /// Findings break the run.
    pub strict: bool,
    /// The fewest rules that must be executed; of a part: in all parts together.
    pub min_executed: Option<u64>,
    /// What names a machine, a site or a person was taken out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redact: bool,
    /// The part that this is of a run; `None`: the whole. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The known failures that the run began with; `None`: there were none. Older journals do not know them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<ExpectationFiles>,
}
