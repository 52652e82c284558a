//! Limits on the work spent on a rule: cases, time, process starts, hanging calls.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The number of cases to try for a rule. It does not depend on the machine's speed, so that the same seed gives the
/// same cases everywhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The number of cases for a rule with axes.
    pub cases: u32,
    /// The number of cases for a rule without axes, which differ only in the salt.
    pub repeats: u32,
    /// The maximum number of cases, edges included; `None` if every edge runs. The cases that remain are the first ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// The number of cases for a rule with a `sequence`.
    #[serde(default)]
    pub sequences: u32,
    /// The limit on calls for a rule with a `sequence`, as `calls`.
    #[serde(default)]
    pub sequence_calls: u64,
    /// The length up to which all sequences over a small domain run, instead of drawn ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exhaustive: Option<u32>,
    /// The approximate limit on calls in cases other than edges, as estimated before the cases run.
    pub calls: u64,
    /// The time limit in milliseconds. After the limit, no further case starts, and the rule's result is unknown.
    pub limit_milliseconds: u64,
    /// The maximum number of attempts to shrink a failing case.
    pub shrinks: u32,
    /// The time limit for shrinking, in milliseconds. An attempt does not start if it could exceed the limit, assuming
    /// that it takes as long as the longest attempt so far.
    pub shrink_milliseconds: u64,
}

/// Limits on the work spent on investigating a rule's failure.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// The number of process starts.
    pub starts: u32,
    /// The number of calls that may hang until the deadline.
    pub hangs: u32,
    /// The limit on the wall-clock time for one rule.
    pub time: Duration,
    /// The time limit for all rules of a chapter together, so that a run with many failures does not take too long, and
    /// hangs in one chapter leave the reruns of the others alone.
    pub time_of_chapter: Duration,
    /// The number of runs that must all fail before a failure counts as reproducible.
    pub repeats: u32,
    /// The number of runs that measure the failure rate of a flaky case.
    pub rate: u32,
}

impl Patience {
    /// The remaining time for one rule, given the time spent on other rules of the chapter.
    pub fn left(&self, spent: Duration) -> Duration {
        self.time.min(self.time_of_chapter.saturating_sub(spent))
    }

    /// The time for shrinking one rule's failure: half of the remaining time, but at most the time reserved for hangs.
    /// The other half is reserved for confirmation.
    pub fn shrinking(&self, spent: Duration, deadline: Duration) -> Duration {
        (self.left(spent) / 2).min(deadline.saturating_mul(self.hangs))
    }
}

/// Limits on the work spent on a rule, by the kind of process that runs its cases.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// For one pooled process.
    pub single: Budget,
    /// For several processes, where a step costs a hundred times as much as in a single process.
    pub group: Budget,
    /// For processes that the rule may leave unusable for other rules.
    pub apart: Budget,
    /// For processes that are started anew for each case.
    pub fresh: Budget,
    pub patience: Patience,
}
