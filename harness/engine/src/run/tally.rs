//! Keeps a run's results so far, and compares them with the known failures.

use std::sync::{Mutex, OnceLock};

use record::books::Expected;
use record::{AppliedExpectations, Meaning, RuleResult};

use super::locked::locked;
use super::outcome::RuleOutcome;

/// A run's results so far.
#[derive(Debug)]
pub(super) struct Tally {
    /// The outcome of each catalog rule; empty until the rule has run.
    pub outcomes: Vec<OnceLock<RuleOutcome>>,
    /// The known failures; `None` if there are none.
    pub expecting: Option<Box<dyn Expected>>,
    /// True if broken rules of level `info` fail the run too.
    strict: bool,
    results: Mutex<Vec<RuleResult>>,
}

impl Tally {
    /// Creates a tally for a new run with this number of rules.
    pub(super) fn new(rules: usize, strict: bool) -> Tally {
        let outcomes = (0..rules).map(|_| OnceLock::new()).collect();
        Tally { outcomes, expecting: None, strict, results: Mutex::default() }
    }

    /// The reason why a dangerous rule does not run.
    pub(super) fn danger(&self, id: &str) -> Option<String> {
        self.expecting.as_ref()?.skip(id)
    }

    /// Counts a result.
    pub(super) fn count(&self, result: RuleResult) {
        locked(&self.results).push(result);
    }

    /// The results so far.
    pub(super) fn results(&self) -> Vec<RuleResult> {
        locked(&self.results).clone()
    }

    /// The results, sorted into known and new failures; `None` if there are no known failures.
    pub(super) fn sorted(&self, results: &[RuleResult]) -> Option<AppliedExpectations> {
        self.expecting.as_ref().map(|expecting| expecting.applied(results, self.strict))
    }

    /// True if a result is a known failure and therefore does not count.
    pub(super) fn expected(&self, result: &RuleResult) -> bool {
        self.expecting.as_ref().is_some_and(|expecting| expecting.excuses(result, self.strict))
    }

    /// True if a result makes the run non-conformant.
    pub(super) fn breaks(&self, result: &RuleResult) -> bool {
        if self.expected(result) {
            return false;
        }
        match result.meaning() {
            Meaning::Broken => true,
            Meaning::Unknown => result.hides(self.strict),
            Meaning::Finding => self.strict,
            Meaning::Good | Meaning::Skipped => false,
        }
    }
}
