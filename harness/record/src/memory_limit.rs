//! A process that reached its memory limit.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A process that reached its memory limit while a rule ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryLimit {
    /// The limit in mebibytes, in addition to the memory that the process used after start-up.
    pub mebibytes: u64,
    /// The call in progress when memory ran low; `None` if there was none or the process no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryLimit { mebibytes, call } = self;
        let call = call.as_ref().map_or(String::new(), |call| format!(", in {call}"));
        write!(
            f,
            "the process reached its limit of {mebibytes} MiB on top of what it used after start-up{call} (--tune worker-memory=MIB \
             raises it)"
        )
    }
}
