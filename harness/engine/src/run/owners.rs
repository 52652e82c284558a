//! Assigns blame. If a call also fails in the rule that owns the called function, other rules that make the call are
//! blocked. One broken function is therefore reported as one failure.

use crate::case::FailedCall;
use catalog::{Level, Rules};
use record::{Conclusion, RuleResult, Verdict};

use super::campaign::Campaign;
use super::outcome::RuleOutcome;

impl Campaign {
    /// A rule's final result, determined from the rule's outcome and the outcome of the failed call's owner.
    pub(super) fn judged(&self, index: usize) -> RuleResult {
        let outcome = self.outcome(index);
        match &outcome.each[..] {
            [] => self.blame(outcome),
            each => each.iter().for_each(|outcome| self.blame(outcome)),
        }
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

    /// Determines whether a function that hung or terminated its process is broken for every caller. The outcome of
    /// the rule that owns the function decides, because this rule uses the function in the smallest valid way. If no
    /// rule owns the function, the next rule that calls the function decides.
    fn blame(&self, outcome: &RuleOutcome) {
        let Some(lost) = outcome.lost.as_ref().filter(|_| !self.replays()) else { return };
        let (result, rules) = (&outcome.result, &self.target.rules);
        let confirmation = result.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
        let confirmed = confirmation.is_some_and(|confirmation| confirmation.conclusion == Conclusion::Alone);
        // If the result was only observed or was reclassified, the confirmation still has the original verdict.
        let verdict = confirmation.map_or(result.verdict, |confirmation| confirmation.found);
        let breaker = self.devices.breaker(&outcome.units);
        if !breaker.accident(&result.id, lost, verdict, confirmed, rules) {
            self.tell_who_is_out();
            return;
        }
        let Some(owner) = rules.owners.get(&lost.function) else { return };
        let theirs = rules.positions.get(owner).filter(|_| *owner != result.id).map(|position| self.outcome(*position));
        // The owner's outcome on the device where the failure occurred, if the owner ran there.
        let theirs = theirs.map(|theirs| theirs.each.iter().find(|one| one.units == outcome.units).unwrap_or(theirs));
        let works = |theirs: &RuleOutcome| {
            let ran = !matches!(
                theirs.result.verdict,
                Verdict::Blocked | Verdict::DeviceLost | Verdict::Error | Verdict::Skipped
            );
            ran && theirs.lost.as_ref().is_none_or(|theirs| theirs.function != lost.function)
        };
        if theirs.is_none_or(|theirs| !works(theirs)) {
            breaker.trip(&result.id, lost, verdict);
            self.tell_who_is_out();
        } else {
            breaker.acquit(&lost.function);
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
