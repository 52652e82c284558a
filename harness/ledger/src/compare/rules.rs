//! Compares verdicts rule by rule.

use std::collections::BTreeSet;

use record::{self, Level, Meaning, Recorded, RuleResult, Verdict};

use super::difference::{Change, Drift, DriftKind, RuleChange, Share};
use super::drift::Candidate;
use super::flake::{self, Flake};
use super::pairs::Pairs;
use super::statistics::Tests;
use super::symptom;

/// The result of comparing verdicts.
#[derive(Default)]
pub(super) struct Compared {
    pub changes: Vec<RuleChange>,
    pub flakes: Vec<Flake>,
    /// Verdict drift: the rule has level `info`, or both verdicts are good.
    pub verdicts: Vec<Drift>,
    /// Rules with level `info` that fail sometimes.
    pub rates: Vec<Candidate>,
}

/// Compares the verdicts of all rules that have a result in both runs. Adds the failures of rules that have a result
/// only in the newer run.
pub(super) fn compare(pairs: &Pairs<'_>, tests: &mut Tests) -> Compared {
    let mut compared = Compared::default();
    let (old_broken, new_broken) = (broken(pairs.old), broken(pairs.new));
    for (old, new) in pairs.both.values() {
        let (blocked_before, blocked) = (stopped(old, &old_broken), stopped(new, &new_broken));
        match (old.meaning(), new.meaning()) {
            // A call's answer changed, but no rule forbids the new answer, so no promise is broken.
            (Meaning::Good, Meaning::Unknown) if blocked => compared.verdicts.push(drift(old, new)),
            (Meaning::Unknown, Meaning::Good) if blocked_before => compared.verdicts.push(drift(old, new)),
            _ => compared.take(old, new, tests),
        }
    }
    for new in pairs.only_new.values().filter(|new| new.meaning() == Meaning::Broken) {
        compared.changes.push(change(Change::NewFailure, None, new));
    }
    compared
}

impl Compared {
    fn take(&mut self, old: &RuleResult, new: &RuleResult, tests: &mut Tests) {
        let meanings = (old.meaning(), new.meaning());
        if old.level == Level::Info || new.level == Level::Info {
            if answered(old) && answered(new) {
                if flake::are_rates(old, new) {
                    self.rates.push(flake::drift(drift(old, new), old, new, tests));
                } else if old.verdict != new.verdict {
                    self.verdicts.push(drift(old, new));
                }
            }
            return;
        }
        match meanings {
            (Meaning::Good | Meaning::Broken, Meaning::Broken) | (Meaning::Broken, Meaning::Good)
                if flake::are_rates(old, new) =>
            {
                self.flakes.push(Flake::of(old, new, tests));
                if meanings == (Meaning::Broken, Meaning::Broken) && !symptom::same_in_a_run(old, new) {
                    self.changes.push(change(Change::OtherSymptom, Some(old), new));
                }
            }
            (Meaning::Good, Meaning::Broken) => self.changes.push(change(Change::Regression, Some(old), new)),
            (Meaning::Broken, Meaning::Good) => self.changes.push(change(Change::Fix, Some(old), new)),
            (Meaning::Broken, Meaning::Broken) | (Meaning::Unknown, Meaning::Unknown)
                if symptom::symptom(old) != symptom::symptom(new) =>
            {
                self.changes.push(change(Change::OtherSymptom, Some(old), new));
            }
            (Meaning::Skipped | Meaning::Unknown, Meaning::Broken) => {
                self.changes.push(change(Change::NewFailure, Some(old), new));
            }
            (Meaning::Good, Meaning::Good) if old.verdict != new.verdict => self.verdicts.push(drift(old, new)),
            _ => {}
        }
    }
}

/// The broken rules in a run.
fn broken(run: &Recorded) -> BTreeSet<&str> {
    run.results.iter().filter(|result| result.meaning() == Meaning::Broken).map(|result| result.id.as_str()).collect()
}

/// True if a rule is blocked by a function whose owner is not broken. In this case, no other rule reports the failure.
/// False if set-up failed for another reason, for example because the device is too small or too busy.
fn stopped(result: &RuleResult, broken: &BTreeSet<&str>) -> bool {
    let by_a_function = || record::Symptom::of(result).call.is_some();
    result.verdict == Verdict::Blocked && by_a_function() && owner(&result.reason).is_none_or(|id| !broken.contains(id))
}

/// The rule that a reason names as a function's owner: `…; f is owned by RULE` or `…; RULE, which owns f, sees the
/// same`.
fn owner(reason: &str) -> Option<&str> {
    let after = reason.rsplit_once(" is owned by ").and_then(|(_, owner)| owner.split([' ', ';', ',']).next());
    after.or_else(|| reason.rsplit_once(", which owns ").and_then(|(owner, _)| owner.rsplit(' ').next()))
}

/// True if the verdict is an answer about the device.
pub(super) fn answered(result: &RuleResult) -> bool {
    !matches!(result.meaning(), Meaning::Skipped | Meaning::Unknown)
}

fn change(change: Change, old: Option<&RuleResult>, new: &RuleResult) -> RuleChange {
    RuleChange {
        rule: new.id.clone(),
        title: new.title.clone(),
        level: new.level.name().to_owned(),
        change,
        old: old.map(symptom::outcome),
        new: Some(symptom::outcome(new)),
        p: None,
        significant: None,
    }
}

/// A changed verdict that breaks no promise.
fn drift(old: &RuleResult, new: &RuleResult) -> Drift {
    let share = |result: &RuleResult| {
        let reason = if result.reason.is_empty() { String::new() } else { format!(": {}", result.reason) };
        let example = result.failure.as_ref().map(|failure| failure.replay_values.clone());
        let example = example.filter(|values| !values.is_null());
        vec![Share { answer: format!("{}{reason}", result.verdict), cases: 1, example }]
    };
    Drift {
        rule: new.id.clone(),
        kind: DriftKind::Verdict,
        what: new.title.clone(),
        strength: 1.0,
        p: None,
        old: share(old),
        new: share(new),
        finding: new.meaning() == Meaning::Finding && old.meaning() != Meaning::Finding,
    }
}
