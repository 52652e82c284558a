//! Whose failure it is. A call that fails for the rule that owns the function blocks the other rules that make it: one
//! broken function is one failure.

use crate::case::FailedCall;
use catalog::{Level, Rules};
use record::{Conclusion, RuleResult, Verdict};

use super::campaign::Campaign;
use super::outcome::RuleOutcome;

impl Campaign {
    /// The result of a rule: what it showed, held against the owner of the call that it ended at.
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
                result.reason = format!("{}; {owner}, which owns {}, sees the same", result.reason, call.function);
            }
            _ => {}
        }
        result
    }

    /// Finds out whether a function that hung or ended its process does so for everybody: its owner, the rule with its
    /// smallest valid use, says that. Where it has none, the next rule that calls it does.
    fn blame(&self, outcome: &RuleOutcome) {
        let Some(lost) = outcome.lost.as_ref().filter(|_| !self.replays()) else { return };
        let (result, rules) = (&outcome.result, &self.target.rules);
        let confirmation = result.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
        let confirmed = confirmation.is_some_and(|confirmation| confirmation.conclusion == Conclusion::Alone);
        // What was only observed, or put in other words since, says how the process ended too.
        let verdict = confirmation.map_or(result.verdict, |confirmation| confirmation.found);
        let breaker = self.devices.breaker(&outcome.units);
        if !breaker.accident(&result.id, lost, verdict, confirmed, rules) {
            self.tell_who_is_out();
            return;
        }
        let Some(owner) = rules.owners.get(&lost.function) else { return };
        let theirs = rules.positions.get(owner).filter(|_| *owner != result.id).map(|position| self.outcome(*position));
        // The result on the device where it happened, if the owner ran there.
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

    /// Whether the owner of a call failed at the same call with the same answer. An owner that was not selected runs
    /// for this, and is not reported.
    fn sees_the_same(&self, owner: &str, outcome: &RuleOutcome) -> bool {
        // The replay of a case judges its rule by itself.
        if self.replays() {
            return false;
        }
        let Some(position) = self.target.rules.positions.get(owner) else { return false };
        // What the owner showed by itself, never what was made of it: owners may need each other.
        let theirs = self.outcome(*position);
        let as_strong = theirs.result.level == Level::Must || outcome.result.level == Level::Info;
        as_strong && stopped(theirs.result.verdict) && theirs.call == outcome.call
    }
}

/// The verdict of a rule that ended at a call. Wherever its own function fails, in its set-up or in the life cycle,
/// nobody else can say so. What is not exported is said by the rule on exported functions.
pub fn of_owner(rules: &Rules, id: &str, verdict: Verdict, call: &FailedCall) -> Verdict {
    let owns = rules.owners.get(&call.function).is_some_and(|owner| owner == id);
    match verdict {
        Verdict::Blocked | Verdict::DeviceLost | Verdict::Error if owns && call.code.is_some() => Verdict::Fail,
        verdict => verdict,
    }
}

/// Whether a rule ended early with this verdict, and a call may be to blame.
fn stopped(verdict: Verdict) -> bool {
    use Verdict::{Blocked, DeviceLost, Error, Fail, WrongCode};
    matches!(verdict, Fail | WrongCode | Blocked | DeviceLost | Error)
}
