//! A process that reached the limit of its memory.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known of a process that reached the limit of its memory while a rule ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryLimit {
    /// Mebibytes that it got beside what it held once it was set up.
    pub mebibytes: u64,
    /// The call that was open when little was left; `None`: there was none, or the process is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryLimit { mebibytes, call } = self;
        let call = call.as_ref().map_or(String::new(), |call| format!(", in {call}"));
        write!(
            f,
            "the process reached its limit of {mebibytes} MiB beside what it held once it was set up{call} \
             (--worker-memory allows more)"
        )
    }
}
