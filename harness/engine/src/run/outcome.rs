//! What a rule showed, before anybody asked whose failure it is.

use crate::case::{FailedCall, LostIn};
use record::{RetryCause, RuleResult};

/// What a rule showed, before anybody asked whose failure it is.
#[derive(Debug, Clone)]
pub(super) struct RuleOutcome {
    pub result: RuleResult,
    /// The call that did not answer as it must, if the rule ended there.
    pub call: Option<FailedCall>,
    /// The function that hung or ended its process, if one did.
    pub lost: Option<LostIn>,
    /// Where it ran.
    pub units: Vec<usize>,
    /// What it met that says nothing about the rule: a device that went out, or a process in which calls had no effect any
    /// more.
    pub not_the_rule: Option<RetryCause>,
    /// Its results on each device, if it ran on each.
    pub each: Vec<RuleOutcome>,
}

impl RuleOutcome {
    /// Of a rule that no call is blamed for.
    pub(super) fn of(result: RuleResult) -> RuleOutcome {
        RuleOutcome { result, call: None, lost: None, units: Vec::new(), not_the_rule: None, each: Vec::new() }
    }
}
