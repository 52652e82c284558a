//! Glitches: a device that is correct except for a single transfer, refusal or output. Glitches test each check that
//! no defect needs. If only one check notices a wrong event, that check is needed.
//!
//! Each case runs alone. The case's events are counted on the faithful device, and then each event in turn is made to
//! fail.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use steps::judgment::Judgment;

use crate::case::LEAST_PATIENCE;
use crate::run::RunError;
use catalog::Rule;
use record::Verdict;
use simulator_contract::Event;

use super::experiment::{Attempt, Bench, Experiment};
use super::lab::{Lab, Trial, lock};

/// The maximum number of a rule's cases to try, in addition to the edges.
const CASES: u32 = 120;
/// The maximum number of a case's events to try.
const EVENTS: u64 = 64;
/// After this many events of one kind, no more events of that kind are tried if no event showed that a check is
/// needed.
const PATIENCE: u64 = 160;
/// The maximum number of events of one kind that are tried for a check. Only events that the check was the first to
/// notice count.
const TRIES: u32 = 8;
/// The maximum number of hangs in a rule. After these, no more events are tried.
const HANGS: u32 = 3;

/// For each check, the number of events of one kind that the check was the first to notice.
type Tries = BTreeMap<Judgment, u32>;

struct GlitchTally {
    /// The number of events that were tried.
    events: u64,
    /// True if a check turned out to be needed.
    needed: bool,
    /// The number of events after which a call did not return.
    hangs: u32,
}

impl Trial<'_> {
    /// Searches for events that only one check notices, among the checks that no defect needs.
    pub(super) fn glitches(&self, rules: &[&Rule]) -> Result<(), RunError> {
        let patience = self.target.executor.scope.patience;
        let mut options = self.options.clone();
        options.tune.deadline = u64::from(patience / LEAST_PATIENCE).max(1);
        let begin = || {
            let mut bench = Bench::new(self.target, &options, Vec::new())?;
            bench.glitches();
            Ok(Lab::new(bench))
        };
        self.each(rules, begin, |lab, rule| {
            lab.retire();
            self.glitches_of(lab, rule);
            Ok(())
        })
    }

    fn glitches_of(&self, lab: &mut Lab, rule: &Rule) {
        let cases = lab.bench.cases(rule, self.seed, CASES);
        for event in Event::ALL {
            let mut tries = Tries::default();
            let (mut fruitless, mut hangs) = (0, 0);
            for case in &cases {
                if !self.wanting(rule, event, &tries) || fruitless > PATIENCE || hangs >= HANGS {
                    break;
                }
                let found = self.glitches_in(lab, rule, (event, case), &mut tries);
                fruitless = if found.needed { 0 } else { fruitless + 1 + found.events };
                hangs += found.hangs;
            }
        }
    }

    /// Makes each event in a case fail in turn.
    fn glitches_in(&self, lab: &mut Lab, rule: &Rule, (event, case): (Event, &Json), tries: &mut Tries) -> GlitchTally {
        let seed = self.seed;
        let experiment = |number: u64, ignored: Option<Judgment>| {
            let only = vec![case.clone()];
            Experiment { ignored, only, event: Some((event, number)), ..Experiment::default() }
        };
        let faithful = lab.attempt(rule, seed, &experiment(u64::MAX, None), Attempt::passes);
        let events = if faithful.passes() { u64::MAX - faithful.left } else { 0 };
        let mut found = GlitchTally { events: events.min(EVENTS), needed: false, hangs: 0 };
        for number in 1..=found.events {
            if !self.wanting(rule, event, tries) || found.hangs >= HANGS {
                break;
            }
            let hoped = |attempt: &Attempt| attempt.passes() || self.failed_check(rule, attempt).is_some();
            let attempt = lab.attempt(rule, seed, &experiment(number, None), hoped);
            found.hangs += u32::from(attempt.verdict == Verdict::Timeout);
            let Some(ignored) = self.failed_check(rule, &attempt) else { continue };
            let tried = tries.entry(ignored).or_default();
            *tried += 1;
            if *tried > TRIES {
                continue;
            }
            let without = lab.attempt(rule, seed, &experiment(number, Some(ignored)), Attempt::passes);
            if !without.passes() {
                continue;
            }
            // Each confirmation runs in fresh processes, in which nothing has failed before.
            let mut fresh = |ignored| {
                lab.retire();
                lab.attempt(rule, seed, &experiment(number, ignored), |_| true)
            };
            if self.failed_check(rule, &fresh(None)) == Some(ignored) && fresh(Some(ignored)).passes() {
                found.needed = true;
                self.note(rule, |proof| {
                    if let Some(check) = proof.checks.iter_mut().find(|check| check.judgment == ignored) {
                        check.needed_for = Some(format!("a device whose {number}. {}", event.what()));
                    }
                });
            }
        }
        found
    }

    /// True if an event of this kind could show that one of the rule's remaining checks is needed.
    fn wanting(&self, rule: &Rule, event: Event, tries: &Tries) -> bool {
        let rules = lock(&self.rules);
        rules.get(&rule.id).is_some_and(|proof| {
            let mut open = proof.unneeded().map(|check| check.judgment);
            open.any(|judgment| {
                let sees = match judgment {
                    Judgment::Condition(_) | Judgment::Success => true,
                    Judgment::Failure(_) => event == Event::Success,
                    Judgment::Code(_) => event == Event::Code,
                };
                sees && tries.get(&judgment).is_none_or(|tries| *tries < TRIES)
            })
        })
    }

    /// The check that failed, if no defect or glitch has shown yet that the check is needed.
    fn failed_check(&self, rule: &Rule, attempt: &Attempt) -> Option<Judgment> {
        let rules = lock(&self.rules);
        let check = rules.get(&rule.id)?.checks.iter().find(|check| check.failed(attempt))?;
        (check.needed_for.is_none() && attempt.kills()).then_some(check.judgment)
    }
}
