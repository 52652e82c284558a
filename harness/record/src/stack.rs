//! The stack of a process that crashed or hung.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The stack of a process that crashed, or that was killed because it hung.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stack {
    /// The event at which the stack was read: `SIGSEGV: no memory is mapped at 0x8`, `read before the process was
    /// killed`.
    pub reason: String,
    /// The threads. The first one crashed or made the call that hung. Empty if no stack was read; the remarks say why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<StackThread>,
    /// The number of threads that are left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// The first thread's registers at a crash: `rip=0x7f… rsp=0x7f…`; those that are 0 are left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub registers: String,
    /// The files of the frames at a crash, each with its build id if it has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<String>,
    /// The reasons why parts are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// A thread of a process that crashed or hung.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StackThread {
    /// The thread's number on the machine.
    pub id: u32,
    /// The thread's name.
    pub name: String,
    /// The state of a thread that hung: `asleep in futex (futex_do_wait)`, `running`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub wait: String,
    /// The frames, innermost first: `#0 libfoo.so+0x1234 symbol+0x10 (file.c:12)`, or as the debugger prints them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
    /// The number of outer frames that are left out; those of the suite itself are not counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
