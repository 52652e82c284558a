//! The amount of work in a run, by profile.

use std::time::Duration;

use crate::case::{Budget, Effort, Patience};

/// A run's amount of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Profile {
    /// The default: every edge, and about a hundred cases per rule.
    #[default]
    Smoke,
    /// For a nightly run: five times as much work as smoke, with a new seed for each run.
    Nightly,
    /// For the validation of a new driver: twenty times as much work as smoke.
    Validation,
    /// For a run of several days: a thousand times as much work as smoke.
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

    /// The amount of work per rule. The watchdog ends a rule after `limit` seconds or, without a limit, after the
    /// profile's default.
    pub fn work(self, limit: Option<u64>) -> Effort {
        let (cases, repeats, calls, usual_limit) = match self {
            Profile::Smoke => (100, 3, 2_000, 600),
            Profile::Nightly => (500, 10, 10_000, 1_800),
            Profile::Validation => (2_000, 40, 40_000, 7_200),
            Profile::Soak => (100_000, 3_000, 2_000_000, 86_400),
        };
        let limit_milliseconds = limit.unwrap_or(usual_limit) * 1_000;
        // Half of the time spent on a failure is for shrinking the case, and half is for rerunning the case.
        let shrink_milliseconds = self.patience().time.as_millis() as u64 / 2;
        // A sequence pays off by length and number: its calls are many, and short.
        let (more_cases, more_calls) = match self {
            Profile::Smoke => (1, 20),
            _ => (20, 400),
        };
        let single = Budget {
            cases,
            repeats,
            sequences: cases.saturating_mul(more_cases),
            sequence_calls: calls * more_calls,
            calls,
            limit_milliseconds,
            shrinks: 200,
            shrink_milliseconds,
            ..Budget::default()
        };
        let apart = Budget { cases: (cases / 25).max(4), repeats: (repeats / 3).max(1), shrinks: 12, ..single };
        // Each case costs a process start, which takes seconds on hardware. The default profile therefore runs every
        // edge once, and no other cases.
        let fresh = if self == Profile::Smoke { Budget { cases: 1, ..apart } } else { apart };
        Effort {
            single,
            group: Budget {
                cases: (cases / 4).max(20),
                sequences: (single.sequences / 4).max(20),
                sequence_calls: single.sequence_calls / 20,
                shrinks: 60,
                ..single
            },
            apart,
            fresh,
            patience: self.patience(),
        }
    }

    /// The budget for confirming a failure. On a real device, starting a process takes seconds, and each hang takes as
    /// long as the deadline.
    fn patience(self) -> Patience {
        let (starts, hangs, seconds, chapter_seconds) = match self {
            Profile::Smoke => (40, 4, 120, 120),
            Profile::Nightly => (100, 8, 600, 900),
            Profile::Validation => (200, 16, 1_800, 3_600),
            Profile::Soak => (1_000, 40, 3_600, 10_800),
        };
        let (repeats, rate) = match self {
            Profile::Smoke => (2, 10),
            Profile::Nightly => (3, 20),
            Profile::Validation | Profile::Soak => (5, 40),
        };
        let (time, time_of_chapter) = (Duration::from_secs(seconds), Duration::from_secs(chapter_seconds));
        Patience { starts, hangs, time, time_of_chapter, repeats, rate }
    }
}
