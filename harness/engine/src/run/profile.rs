//! The work of a run by profile.

use std::time::Duration;

use crate::case::{Budget, Effort, Patience};

/// The amount of work of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Profile {
    /// The default: every edge, about a hundred cases per rule.
    #[default]
    Smoke,
    /// Five times as much, with a new seed each night.
    Nightly,
    /// For a new driver: twenty times as much.
    Validation,
    /// For days: a thousand times as much.
    Soak,
}

impl Profile {
    pub fn name(self) -> &'static str {
        match self {
            Profile::Smoke => "smoke",
            Profile::Nightly => "nightly",
            Profile::Validation => "validation",
            Profile::Soak => "soak",
        }
    }

    /// The work of a rule, limited by a watchdog of this many seconds if given.
    pub fn work(self, limit: Option<u64>) -> Effort {
        let (cases, repeats, calls, usual_limit) = match self {
            Profile::Smoke => (100, 3, 2_000, 600),
            Profile::Nightly => (500, 10, 10_000, 1_800),
            Profile::Validation => (2_000, 40, 40_000, 7_200),
            Profile::Soak => (100_000, 3_000, 2_000_000, 86_400),
        };
        let limit_milliseconds = limit.unwrap_or(usual_limit) * 1_000;
        // Half of the cost of a failure; the other half is for running it again.
        let shrink_milliseconds = self.patience().time.as_millis() as u64 / 2;
        let single = Budget { cases, repeats, calls, limit_milliseconds, shrinks: 200, shrink_milliseconds };
        let apart = Budget { cases: (cases / 25).max(4), repeats: (repeats / 3).max(1), shrinks: 12, ..single };
        // A case costs a process start, seconds on hardware: by default every edge once, and no more.
        let fresh = if self == Profile::Smoke { Budget { cases: 1, ..apart } } else { apart };
        Effort {
            single,
            group: Budget { cases: (cases / 4).max(20), shrinks: 60, ..single },
            apart,
            fresh,
            patience: self.patience(),
        }
    }

    /// The cost limit of confirming a failure. A start takes seconds on a real device, and a hang takes the deadline.
    fn patience(self) -> Patience {
        let (starts, hangs, seconds, run_seconds) = match self {
            Profile::Smoke => (40, 4, 120, 300),
            Profile::Nightly => (100, 8, 600, 3_600),
            Profile::Validation => (200, 16, 1_800, 14_400),
            Profile::Soak => (1_000, 40, 3_600, 43_200),
        };
        let (repeats, rate) = match self {
            Profile::Smoke => (2, 10),
            Profile::Nightly => (3, 20),
            Profile::Validation | Profile::Soak => (5, 40),
        };
        let (time, time_of_run) = (Duration::from_secs(seconds), Duration::from_secs(run_seconds));
        Patience { starts, hangs, time, time_of_run, repeats, rate }
    }
}
