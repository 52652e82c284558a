//! The results of a run so far, and what they mean with the failures that are known.

use std::sync::{Mutex, OnceLock};

use record::books::Expected;
use record::{AppliedExpectations, Meaning, RuleResult};

use super::locked::locked;
use super::outcome::RuleOutcome;

/// The results of a run so far.
#[derive(Debug)]
pub(super) struct Tally {
    /// What each rule of the catalog showed, once it has run.
    pub outcomes: Vec<OnceLock<RuleOutcome>>,
    /// The failures that are known; `None`: none are.
    pub expecting: Option<Box<dyn Expected>>,
    /// Rules of level `info` count too.
    strict: bool,
    results: Mutex<Vec<RuleResult>>,
}

impl Tally {
    /// Of a run of this number of rules, none of which has run.
    pub(super) fn new(rules: usize, strict: bool) -> Tally {
        let outcomes = (0..rules).map(|_| OnceLock::new()).collect();
        Tally { outcomes, expecting: None, strict, results: Mutex::default() }
    }

    /// Why a rule is not run that does harm.
    pub(super) fn danger(&self, id: &str) -> Option<String> {
        self.expecting.as_ref()?.skip(id)
    }

    /// Takes a result into account.
    pub(super) fn count(&self, result: RuleResult) {
        locked(&self.results).push(result);
    }

    /// The results so far.
    pub(super) fn results(&self) -> Vec<RuleResult> {
        locked(&self.results).clone()
    }

    /// How known failures sort results.
    pub(super) fn sorted(&self, results: &[RuleResult]) -> Option<AppliedExpectations> {
        self.expecting.as_ref().map(|expecting| expecting.applied(results, self.strict))
    }

    /// Whether a result is as somebody expected, so that it does not count.
    pub(super) fn expected(&self, result: &RuleResult) -> bool {
        self.expecting.as_ref().is_some_and(|expecting| expecting.excuses(result, self.strict))
    }

    /// Whether a result keeps the run from being conformant.
    pub(super) fn breaks(&self, result: &RuleResult) -> bool {
        if self.expected(result) {
            return false;
        }
        match result.meaning() {
            Meaning::Broken => true,
            Meaning::Unknown => result.verdict.hides(result.level, self.strict),
            Meaning::Finding => self.strict,
            Meaning::Good | Meaning::Skipped => false,
        }
    }
}
