//! The outcome of a rule before any blame is assigned.

use crate::case::{FailedCall, LostIn};
use record::{RetryCause, RuleResult};

/// The outcome of a rule before any blame is assigned.
#[derive(Debug, Clone)]
pub(super) struct RuleOutcome {
    pub result: RuleResult,
    /// The call that failed, if the rule ended there.
    pub call: Option<FailedCall>,
    /// The function that hung or ended its process, if any.
    pub lost: Option<LostIn>,
    /// The devices that it ran on.
    pub units: Vec<usize>,
    /// A disturbance that says nothing about the rule: a lost device, or a process whose calls stopped having any
    /// effect.
    pub not_the_rule: Option<RetryCause>,
    /// The outcome on each device, if the rule ran on each.
    pub each: Vec<RuleOutcome>,
}

impl RuleOutcome {
    /// The outcome of a rule without a failed call.
    pub(super) fn of(result: RuleResult) -> RuleOutcome {
        RuleOutcome { result, call: None, lost: None, units: Vec::new(), not_the_rule: None, each: Vec::new() }
    }
}
