//! Whose failure it is. A call that fails for the rule that owns the function blocks the other rules that make it: one
//! broken function is one failure.

use crate::record::{Level, RuleResult, Verdict};
use crate::worker::FailedCall;

use super::session::Session;

/// What a rule showed, before anybody asked whose failure it is.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub result: RuleResult,
    /// The call that did not answer as it must, if the rule ended there.
    pub call: Option<FailedCall>,
}

impl Session {
    /// The result of a rule: what it showed, and `blocked` where the owner of the call that failed saw the same.
    pub(super) fn judged(&self, index: usize) -> RuleResult {
        let outcome = self.outcome(index);
        let mut result = outcome.result.clone();
        if let (Some(call), Some(owner)) = (&outcome.call, self.blocking_owner(outcome)) {
            result.verdict = Verdict::Blocked;
            result.reason = format!("{}; {owner}, which owns {}, sees the same", result.reason, call.function);
        }
        result
    }

    /// The owner of the call that a rule failed at, if the same call with the same answer failed there too. An owner
    /// that was not selected runs for this, and is not reported.
    fn blocking_owner(&self, outcome: &Outcome) -> Option<&str> {
        // A proof judges each rule by itself, and so does the replay of one case.
        if !self.confirms || self.only_case.is_some() {
            return None;
        }
        let failed =
            |verdict| matches!(verdict, Verdict::Fail | Verdict::WrongCode | Verdict::DeviceLost | Verdict::Error);
        let call = outcome.call.as_ref().filter(|_| failed(outcome.result.verdict))?;
        let owner = self.rules.owners.get(&call.function).filter(|owner| **owner != outcome.result.id)?;
        // What the owner showed by itself, never what was made of it: owners may need each other.
        let theirs = self.outcome(*self.rules.positions.get(owner)?);
        let the_same = failed(theirs.result.verdict) && theirs.call.as_ref() == Some(call);
        let as_strong = theirs.result.level == Level::Must || outcome.result.level == Level::Info;
        (the_same && as_strong).then_some(owner.as_str())
    }

    /// What a rule shows. Each rule runs once; whoever asks meanwhile waits.
    fn outcome(&self, index: usize) -> &Outcome {
        self.outcomes[index].get_or_init(|| {
            let rule = &self.rules.rules[index];
            let without_run = |verdict, reason| {
                let mut result = self.empty_result(rule, 0);
                (result.verdict, result.reason) = (verdict, reason);
                Outcome { result, call: None }
            };
            if let Some(reason) = self.skip(rule) {
                return without_run(Verdict::Skipped, reason);
            }
            match self.pool.take() {
                Ok(mut slot) => {
                    let outcome = self.run_rule(rule, &mut slot);
                    self.pool.give_back(slot);
                    outcome
                }
                Err(error) => without_run(
                    Verdict::Error,
                    format!("no folder for a simulated machine: {error}; set TMPDIR to a writable folder"),
                ),
            }
        })
    }
}
