//! Permissions from the user that allow more rules to run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A permission that only the user can give. Without it, the rules that need it are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// The devices are not shared.
    Dedicated,
    /// A process, or the device, may be damaged.
    Hazardous,
}

impl Word {
    /// The option that gives the permission.
    pub fn option(self) -> &'static str {
        match self {
            Word::Dedicated => "--dedicated",
            Word::Hazardous => "--hazardous",
        }
    }
}
