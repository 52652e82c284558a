//! Limits on the work for a rule: cases, time, process starts, hanging calls.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The number of cases to try for a rule. It does not depend on the machine's speed: the same seed gives the same cases
/// everywhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The number of cases of a rule with axes.
    pub cases: u32,
    /// The number of cases of a rule without axes, which differ only in the salt.
    pub repeats: u32,
    /// The approximate limit of calls for cases other than edges, as estimated before they run.
    pub calls: u64,
    /// The time limit in milliseconds: no further case starts after it, and the rule's result is unknown.
    pub limit_milliseconds: u64,
    /// The number of attempts at shrinking a failing case.
    pub shrinks: u32,
    /// The time limit for shrinking, in milliseconds. No attempt starts that would exceed it if it took as long as the
    /// longest.
    pub shrink_milliseconds: u64,
}

/// Limits on the work for investigating a rule's failure.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// The number of process starts.
    pub starts: u32,
    /// The number of calls that hang until the deadline.
    pub hangs: u32,
    /// The wall time for one rule.
    pub time: Duration,
    /// The wall time for all rules of a run together, so that a run with many failures does not take too long.
    pub time_of_run: Duration,
    /// The number of runs that must all fail before a failure counts as reproducible.
    pub repeats: u32,
    /// The number of runs for the failure rate of a flaky case.
    pub rate: u32,
}

impl Patience {
    /// The time for one rule, given the time spent on others.
    pub fn left(&self, spent: Duration) -> Duration {
        self.time.min(self.time_of_run.saturating_sub(spent))
    }

    /// The time for shrinking one rule's failure: half of the remaining time, since the other half is for confirmation,
    /// and at most the time for hangs.
    pub fn shrinking(&self, spent: Duration, deadline: Duration) -> Duration {
        (self.left(spent) / 2).min(deadline.saturating_mul(self.hangs))
    }
}

/// Limits on the work for a rule, by the processes of its cases.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// For one pooled process.
    pub single: Budget,
    /// For several processes, in which a step costs a hundred times as much.
    pub group: Budget,
    /// For processes that the rule may spoil.
    pub apart: Budget,
    /// For processes that are started for each case.
    pub fresh: Budget,
    pub patience: Patience,
}
