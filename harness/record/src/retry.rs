//! Retries, which are caused by the infrastructure and never by a verdict.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A retry of a rule or of a worker's start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    pub cause: RetryCause,
    /// The rule that ran again; `None` if no rule did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The reason why the first attempt failed.
    pub reason: String,
}

/// The cause of a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetryCause {
    /// A worker did not start, although other workers had started before.
    Start,
    /// A device was lost while a rule was using it.
    LostDevice,
    /// Calls no longer had any effect in a rule's worker, but the device works in another worker.
    SpentProcess,
}

impl RetryCause {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            RetryCause::Start => "start",
            RetryCause::LostDevice => "lost-device",
            RetryCause::SpentProcess => "spent-process",
        }
    }
}

impl fmt::Display for RetryCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
