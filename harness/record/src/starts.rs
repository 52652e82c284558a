//! Why a run started its processes.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a worker process was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartReason {
    /// A rule used a device for the first time, or a further process on it.
    FirstUse,
    /// The same for rules that may spoil a process, which only they share.
    SetApart,
    /// The rule asks for a process that only its cases share.
    Own,
    /// The rule asks for a process of its own for each case.
    Isolated,
    /// The rule does what the documents call undefined: each case has a process of its own.
    Hazardous,
    /// The one before it ended because a rule wanted that.
    EndedByRule,
    /// The one before it crashed or hung.
    AfterLoss,
    /// The one before it is not trusted any more: a case failed there, or left something behind.
    AfterFailure,
    /// A failure was run again.
    Confirmation,
    /// The library was only asked what it exports.
    Exports,
}

impl fmt::Display for StartReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            StartReason::FirstUse => "for the first use of a device",
            StartReason::SetApart => "set apart for rules that may spoil them",
            StartReason::Own => "for the cases of one rule",
            StartReason::Isolated => "for single cases of isolated rules",
            StartReason::Hazardous => "for single cases of hazardous rules",
            StartReason::EndedByRule => "after a rule had ended one",
            StartReason::AfterLoss => "after a crash or a hang",
            StartReason::AfterFailure => "after a failure",
            StartReason::Confirmation => "to run failures again",
            StartReason::Exports => "to ask what the library exports",
        })
    }
}

/// What was started for one reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Starts {
    /// Processes that loaded the library.
    pub processes: u64,
    /// Those of them in which the runtime was initialized, by the set-up or by the rule.
    pub runtimes: u64,
}

/// The starts of several runs together.
pub fn sum_of<'a>(runs: impl Iterator<Item = &'a BTreeMap<StartReason, Starts>>) -> BTreeMap<StartReason, Starts> {
    let mut sum: BTreeMap<StartReason, Starts> = BTreeMap::new();
    for (reason, starts) in runs.flatten() {
        let all = sum.entry(*reason).or_default();
        all.processes = all.processes.saturating_add(starts.processes);
        all.runtimes = all.runtimes.saturating_add(starts.runtimes);
    }
    sum
}
