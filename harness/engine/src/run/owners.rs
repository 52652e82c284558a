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
    /// The result of a rule: what it showed, held against the owner of the call that it ended at.
    pub(super) fn judged(&self, index: usize) -> RuleResult {
        let outcome = self.outcome(index);
        let mut result = outcome.result.clone();
        let Some(call) = outcome.call.as_ref().filter(|_| stopped(result.verdict)) else { return result };
        match self.rules.owners.get(&call.function) {
            Some(owner) if *owner == result.id => result.verdict = self.of_owner(&result.id, result.verdict, call),
            Some(owner) if result.verdict != Verdict::Blocked && self.sees_the_same(owner, outcome) => {
                result.verdict = Verdict::Blocked;
                result.reason = format!("{}; {owner}, which owns {}, sees the same", result.reason, call.function);
            }
            _ => {}
        }
        result
    }

    /// The verdict of a rule that ended at a call. Wherever its own function fails, in its set-up or in the life cycle,
    /// nobody else can say so. What is not exported is said by the rule on exported functions.
    pub(super) fn of_owner(&self, id: &str, verdict: Verdict, call: &FailedCall) -> Verdict {
        let owns = self.rules.owners.get(&call.function).is_some_and(|owner| owner == id);
        match verdict {
            Verdict::Blocked | Verdict::DeviceLost | Verdict::Error if owns && call.code.is_some() => Verdict::Fail,
            verdict => verdict,
        }
    }

    /// Whether the owner of a call failed at the same call with the same answer. An owner that was not selected runs
    /// for this, and is not reported.
    fn sees_the_same(&self, owner: &str, outcome: &Outcome) -> bool {
        // A proof judges each rule by itself, and so does the replay of one case.
        if !self.confirms || !self.only_cases.is_empty() {
            return false;
        }
        let Some(position) = self.rules.positions.get(owner) else { return false };
        // What the owner showed by itself, never what was made of it: owners may need each other.
        let theirs = self.outcome(*position);
        let as_strong = theirs.result.level == Level::Must || outcome.result.level == Level::Info;
        as_strong && stopped(theirs.result.verdict) && theirs.call == outcome.call
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

/// Whether a rule ended early with this verdict, and a call may be to blame.
fn stopped(verdict: Verdict) -> bool {
    use Verdict::{Blocked, DeviceLost, Error, Fail, WrongCode};
    matches!(verdict, Fail | WrongCode | Blocked | DeviceLost | Error)
}
