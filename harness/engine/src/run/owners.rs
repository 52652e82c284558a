//! Assigns blame. If a call also fails in the rule that owns the called function, other rules that make the call are
//! blocked. One broken function is therefore reported as one failure.

use std::sync::atomic::AtomicU64;

use crate::case::{FailedCall, rule_seed};
use crate::confirm::{Inquest, smallest_alone};
use crate::pool::MachineFolder;
use catalog::{Level, Rules};
use record::{Conclusion, RuleResult, Verdict};

use super::breaker::Accident;
use super::campaign::Campaign;
use super::devices::Lease;
use super::outcome::RuleOutcome;

impl Campaign {
    /// A rule's final result, determined from the rule's outcome and the outcome of the failed call's owner.
    pub(super) fn judged(&self, index: usize) -> RuleResult {
        let outcome = self.outcome(index);
        let mut result = outcome.result.clone();
        let Some(call) = outcome.call.as_ref().filter(|_| stopped(result.verdict)) else { return result };
        let rules = &self.target.rules;
        match rules.owners.get(&call.function) {
            Some(owner) if *owner == result.id => result.verdict = of_owner(rules, &result.id, result.verdict, call),
            Some(owner) if result.verdict != Verdict::Blocked && self.sees_the_same(owner, outcome) => {
                result.verdict = Verdict::Blocked;
                result.reason = format!("{}; {owner}, which owns {}, fails the same way", result.reason, call.function);
            }
            _ => {}
        }
        result
    }

    /// Determines whether a function that hung or terminated its process is broken for every caller. The function's
    /// plain form decides: the smallest case of the rule that owns the function, alone in fresh processes. If no such rule
    /// can run, the next rule that calls the function decides.
    pub(super) fn blame(&self, outcome: &RuleOutcome, lease: &Lease<'_>, machine: &MachineFolder) {
        let Some(lost) = outcome.lost.as_ref().filter(|_| !self.replays()) else { return };
        let (result, rules) = (&outcome.result, &self.target.rules);
        let confirmation = result.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
        let confirmed = confirmation.is_some_and(|confirmation| confirmation.conclusion == Conclusion::Alone);
        // If the result was only observed or was reclassified, the confirmation still has the original verdict.
        let verdict = confirmation.map_or(result.verdict, |confirmation| confirmation.found);
        let owner = rules.owners.get(&lost.function).and_then(|owner| rules.rule(owner));
        let owner = owner.filter(|owner| self.target.skip(owner).is_none() && owner.hazard.is_none());
        let accident = Accident { verdict, confirmed, has_plain_form: owner.is_some() };
        if !lease.breaker().accident(&result.id, lost, accident, rules) {
            return;
        }
        let Some(owner) = owner else { return };
        let executor = &self.target.executor;
        let assignment = executor.assignment(owner, rule_seed(self.header.seed, &owner.id));
        let inquest = Inquest { executor, assignment: &assignment, machine, spent: &AtomicU64::new(0) };
        let lost_again = match smallest_alone(inquest) {
            Ok(failure) => {
                let again = failure.and_then(|failure| failure.lost_in);
                again.is_some_and(|again| again.function == lost.function)
            }
            // Without a process, a function that starts every process does not work either; others are still unknown.
            Err(_) => lost.life_cycle,
        };
        if lost_again {
            lease.breaker().trip(&result.id, lost, verdict);
        } else {
            lease.breaker().acquit(&lost.function);
        }
    }

    /// True if the owner of a call failed at the same call with the same code. If the owner was not selected, the
    /// owner runs only for this comparison, and the owner's result is not reported.
    fn sees_the_same(&self, owner: &str, outcome: &RuleOutcome) -> bool {
        // A replay judges only the replayed rule, so no owner runs.
        if self.replays() {
            return false;
        }
        let Some(position) = self.target.rules.positions.get(owner) else { return false };
        // Uses the owner's outcome, not the owner's final result, because the final results of two owners may depend
        // on each other.
        let theirs = self.outcome(*position);
        let as_strong = theirs.result.level == Level::Must || outcome.result.level == Level::Info;
        as_strong && stopped(theirs.result.verdict) && theirs.call == outcome.call
    }
}

/// The verdict for a rule that ended at a call. If the rule owns the called function, the rule fails even if the call
/// was in the set-up or the life cycle, because no other rule can report the failure. Functions that are not exported
/// are reported by the rule on exported functions.
pub fn of_owner(rules: &Rules, id: &str, verdict: Verdict, call: &FailedCall) -> Verdict {
    let owns = rules.owners.get(&call.function).is_some_and(|owner| owner == id);
    match verdict {
        Verdict::Blocked | Verdict::DeviceLost | Verdict::Error if owns && call.code.is_some() => Verdict::Fail,
        verdict => verdict,
    }
}

/// True if a rule with this verdict ended early and a call may be to blame.
fn stopped(verdict: Verdict) -> bool {
    use Verdict::{Blocked, DeviceLost, Error, Fail, WrongCode};
    matches!(verdict, Fail | WrongCode | Blocked | DeviceLost | Error)
}
