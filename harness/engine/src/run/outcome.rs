//! A rule's outcome before any blame is assigned.

use crate::case::{FailedCall, LostIn};
use record::{RetryCause, RuleResult};

/// A rule's outcome before any blame is assigned.
#[derive(Debug, Clone)]
pub(super) struct RuleOutcome {
    pub result: RuleResult,
    /// The failed call, if the rule ended at a failed call.
    pub call: Option<FailedCall>,
    /// The function that hung or terminated its process, if any.
    pub lost: Option<LostIn>,
    /// The cause, if the outcome proves nothing about the rule: a lost device, or a process whose calls no longer had
    /// any effect.
    pub not_the_rule: Option<RetryCause>,
}

impl RuleOutcome {
    /// Creates the outcome of a rule without a failed call.
    pub(super) fn of(result: RuleResult) -> RuleOutcome {
        RuleOutcome { result, call: None, lost: None, not_the_rule: None }
    }
}
