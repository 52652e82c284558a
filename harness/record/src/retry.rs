//! What was done a second time: only what the infrastructure did, never what a rule said.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that was done once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    pub cause: RetryCause,
    /// The rule that ran once more; `None`: it was no rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What went wrong the first time.
    pub reason: String,
}

/// Why something was done once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetryCause {
    /// A worker did not start, after others had.
    Start,
    /// A device went out while a rule ran on it.
    LostDevice,
    /// A rule met a process in which calls had no effect any more, and the device works in another one.
    SpentProcess,
}

impl RetryCause {
    /// The name used in every report.
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
