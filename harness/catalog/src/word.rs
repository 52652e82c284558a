//! Words of the user that add rules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that only the user can say, and without which rules are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// Nobody else uses the devices.
    Dedicated,
    /// A process, or the device, may suffer.
    Hazardous,
}

impl Word {
    /// The option that says it.
    pub fn option(self) -> &'static str {
        match self {
            Word::Dedicated => "--dedicated",
            Word::Hazardous => "--hazardous",
        }
    }
}
