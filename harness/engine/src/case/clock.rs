//! The time budget for shrinking a failing case.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// The time spent on shrinking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shrinking {
    pub milliseconds: u64,
    /// True if the budget ran out before all smaller cases were tried.
    pub cut: bool,
}

impl Shrinking {
    /// The time spent.
    pub fn time(self) -> Duration {
        Duration::from_millis(self.milliseconds)
    }
}

/// The clock for the shrinking budget.
pub(super) struct Clock {
    begun: Instant,
    limit: Duration,
    /// The duration of the longest run so far.
    longest: Duration,
    over: bool,
}

impl Clock {
    /// Creates a clock for a failing case that took the given time.
    pub(super) fn new(milliseconds: u64, case: Duration) -> Clock {
        Clock { begun: Instant::now(), limit: Duration::from_millis(milliseconds), longest: case, over: false }
    }

    /// True if another run that takes as long as the longest run so far would exceed the budget.
    pub(super) fn is_over(&mut self) -> bool {
        self.over |= self.begun.elapsed() + self.longest > self.limit;
        self.over
    }

    /// Runs a closure and adds its duration to the time spent.
    pub(super) fn time<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let ran = run();
        self.longest = self.longest.max(begun.elapsed());
        ran
    }

    pub(super) fn shrinking(&self) -> Shrinking {
        Shrinking { milliseconds: self.begun.elapsed().as_millis() as u64, cut: self.over }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_begun_that_would_end_too_late() {
        let slow = Duration::from_secs(61);
        let mut clock = Clock::new(60_000, slow);
        assert!(clock.is_over() && clock.shrinking().cut, "the case alone is slower than the whole budget");
        let mut clock = Clock::new(60_000, Duration::from_secs(24));
        assert!(!clock.is_over() && !clock.shrinking().cut);
        clock.longest = slow;
        assert!(clock.is_over(), "a smaller case was slower");
    }

    #[test]
    fn a_run_that_takes_longer_than_the_case_is_remembered() {
        let mut clock = Clock::new(30, Duration::ZERO);
        assert!(!clock.is_over());
        clock.time(|| std::thread::sleep(Duration::from_millis(20)));
        assert!(clock.longest >= Duration::from_millis(20) && clock.is_over());
        assert!(clock.shrinking().time() >= Duration::from_millis(20));
    }
}
