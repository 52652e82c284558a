//! The reasons why a run started workers.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reason for starting a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartReason {
    /// The first use of a device, or a further worker on the same device.
    FirstUse,
    /// The first use of a device by rules that may spoil a worker. These rules share separate workers.
    SetApart,
    /// The rule requires a worker shared only by its own cases.
    Own,
    /// The rule requires a separate worker for each case.
    Isolated,
    /// The rule provokes undefined behavior, so each case has a separate worker.
    Hazardous,
    /// A rule ended the previous worker on purpose.
    EndedByRule,
    /// The previous worker crashed or hung.
    AfterLoss,
    /// The previous worker is no longer trusted because a case failed in it or did not clean up.
    AfterFailure,
    /// A failing case was rerun.
    Confirmation,
    /// The run listed the library's exports.
    Exports,
}

impl fmt::Display for StartReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            StartReason::FirstUse => "for the first use of a device",
            StartReason::SetApart => "for rules that may spoil a worker",
            StartReason::Own => "for the cases of one rule",
            StartReason::Isolated => "for single cases of isolated rules",
            StartReason::Hazardous => "for single cases of hazardous rules",
            StartReason::EndedByRule => "after a rule ended a worker",
            StartReason::AfterLoss => "after a crash or a hang",
            StartReason::AfterFailure => "after a failure",
            StartReason::Confirmation => "to run failures again",
            StartReason::Exports => "to list the library's exports",
        })
    }
}

/// The number of workers started for a reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Starts {
    /// The number of workers that loaded the library.
    pub processes: u64,
    /// The number of workers in which set-up or the rule initialized the runtime.
    pub runtimes: u64,
}

/// The total number of starts in several runs.
pub fn sum_of<'a>(runs: impl Iterator<Item = &'a BTreeMap<StartReason, Starts>>) -> BTreeMap<StartReason, Starts> {
    let mut sum: BTreeMap<StartReason, Starts> = BTreeMap::new();
    for (reason, starts) in runs.flatten() {
        let all = sum.entry(*reason).or_default();
        all.processes = all.processes.saturating_add(starts.processes);
        all.runtimes = all.runtimes.saturating_add(starts.runtimes);
    }
    sum
}
