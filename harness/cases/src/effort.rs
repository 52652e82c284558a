//! How much work a rule may cost: cases, time, starts of processes, calls that hang.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The number of cases that are tried for a rule. The machine's speed decides nothing: the same seed gives the same
/// cases everywhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Cases of a rule with axes.
    pub cases: u32,
    /// Cases of a rule without axes: only the salt differs.
    pub repeats: u32,
    /// The approximate limit of calls for the cases beyond the edges, as far as the steps tell before they run.
    pub calls: u64,
    /// A guard against hangs, in milliseconds: no further case starts after it, and the rule's result is not known.
    pub limit_milliseconds: u64,
    /// Attempts to make a failing case smaller.
    pub shrinks: u32,
    /// No further attempt is started that would end after this many milliseconds, if it takes as long as the longest.
    pub shrink_milliseconds: u64,
}

/// What it may cost to find out more about a rule's failure.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Processes that are started.
    pub starts: u32,
    /// Calls that do not return, and are waited for until the deadline.
    pub hangs: u32,
    /// Wall time.
    pub time: Duration,
    /// Wall time for all rules of a run together: where everything fails, nobody waits for the last confirmation.
    pub time_of_run: Duration,
    /// Runs that must agree before something is said to fail each time.
    pub repeats: u32,
    /// Runs that the rate of a flaky case is taken from.
    pub rate: u32,
}

impl Patience {
    /// The time for one rule after so much was spent on others.
    pub fn left(&self, spent: Duration) -> Duration {
        self.time.min(self.time_of_run.saturating_sub(spent))
    }

    /// The time for making one rule's failure smaller: half of what is left, since the other half is for running it
    /// again, and no more than is waited for hangs.
    pub fn shrinking(&self, spent: Duration, deadline: Duration) -> Duration {
        (self.left(spent) / 2).min(deadline.saturating_mul(self.hangs))
    }
}

/// The work that a rule may cost, by where its cases run.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// In one pooled process.
    pub single: Budget,
    /// In several processes: a step costs a hundred times as much.
    pub group: Budget,
    /// In processes that the rule may spoil.
    pub apart: Budget,
    /// In processes that are started for each case.
    pub fresh: Budget,
    pub patience: Patience,
}
