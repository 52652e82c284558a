//! The runs in a proof: each simulated device with its relevant rules.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use steps::judgment::Judgment;

use crate::run::{Options, RunError, Target};
use catalog::{Level, Rule, applies};
use record::Verdict;

use super::experiment::{Attempt, Bench, Experiment};
use super::matrix::Cell;
use super::{Hold, ProofOptions, RuleProof, Tally, Unclaimed};

/// The number of cases in the matrix for a rule on a defect that the rule claims. All of these cases run, and the
/// failures are counted.
pub(super) const COUNTED: u32 = 32;
/// The maximum number of cases in the matrix for a rule on a defect that the rule does not claim. The rule stops at
/// its first failure. Edges always run.
const TRIED: u32 = 8;

/// A simulated device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Device {
    /// A faithful device, or one with a legal variant.
    Faithful(Option<&'static str>),
    Defect(&'static str),
    /// A bad device, whose behavior is wrong everywhere.
    Bad(&'static str),
}

impl Device {
    fn name(self) -> Option<&'static str> {
        match self {
            Device::Faithful(name) => name,
            Device::Defect(name) | Device::Bad(name) => Some(name),
        }
    }
}

/// A device, and the rules to run on it.
#[derive(Debug)]
pub(super) struct Configuration<'a> {
    pub device: Device,
    /// The first seed, and the number of seeds.
    pub seeds: (u64, u64),
    pub rules: Vec<&'a Rule>,
    /// The rules that do not claim the defect. These rules run for the matrix, or to find defects that rules could
    /// claim.
    pub others: Vec<&'a Rule>,
}

/// The state shared by a proof's threads.
pub(super) struct Trial<'a> {
    pub target: &'a Target,
    /// The first seed.
    pub seed: u64,
    pub options: Options,
    pub proof: &'a ProofOptions,
    pub rules: Mutex<BTreeMap<String, RuleProof>>,
    pub cells: Mutex<Vec<Cell>>,
}

/// A simulated device, and a flag that is set if a rule has failed on the device since the workers started.
pub(super) struct Lab {
    pub bench: Bench,
    dirty: bool,
}

impl Lab {
    /// Creates a lab with a device on which nothing has run.
    pub(super) fn new(bench: Bench) -> Lab {
        Lab { bench, dirty: false }
    }

    /// Ends the workers, so that the next attempt runs in fresh workers.
    pub(super) fn retire(&mut self) {
        self.bench.retire();
        self.dirty = false;
    }

    /// Runs a rule. If the attempt does not satisfy `hoped` and a rule failed earlier in the same processes, runs the
    /// rule again in fresh processes.
    pub(super) fn attempt(
        &mut self,
        rule: &Rule,
        seed: u64,
        experiment: &Experiment,
        hoped: impl Fn(&Attempt) -> bool,
    ) -> Attempt {
        let mut attempt = self.bench.attempt(rule, seed, experiment);
        if self.dirty && !hoped(&attempt) {
            self.retire();
            attempt = self.bench.attempt(rule, seed, experiment);
        }
        self.dirty |= !attempt.passes();
        attempt
    }
}

impl Trial<'_> {
    /// Processes items on several threads. Each thread keeps the value that `begin` returns.
    ///
    /// # Errors
    /// Returns the first error from `begin` or `work`. The thread with the error ends, and the other threads process
    /// the remaining items.
    pub(super) fn each<T: Sync, S>(
        &self,
        items: &[T],
        begin: impl Fn() -> Result<S, RunError> + Sync,
        work: impl Fn(&mut S, &T) -> Result<(), RunError> + Sync,
    ) -> Result<(), RunError> {
        let next = AtomicUsize::new(0);
        let thread = || {
            let mut kept = begin()?;
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                work(&mut kept, item)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            // The current thread works too. If no more threads can start, the existing threads do the work.
            let more =
                (1..self.proof.jobs.min(items.len())).map_while(|_| Builder::new().spawn_scoped(scope, thread).ok());
            let more: Vec<_> = more.collect();
            let first = thread();
            let joined = more.into_iter().map(|thread| thread.join().expect("a proof's threads do not panic"));
            joined.fold(first, Result::and)
        })
    }

    /// Runs all configurations.
    pub(super) fn run(&self, configurations: &[Configuration<'_>]) -> Result<(), RunError> {
        self.each(configurations, || Ok(()), |(), configuration| self.configuration(configuration))
    }

    /// Runs every rule on a faithful device that records which defects the device's model queries.
    pub(super) fn reach(&self, rules: &[&Rule]) -> Result<BTreeMap<String, Vec<u8>>, RunError> {
        let found = Mutex::new(BTreeMap::new());
        let begin = || {
            let mut bench = Bench::new(self.target, &self.options, Vec::new())?;
            bench.notes_reach();
            Ok(bench)
        };
        self.each(rules, begin, |bench: &mut Bench, rule| {
            bench.attempt(rule, self.seed, &Experiment { cases: Some(COUNTED), ..Experiment::default() });
            // Ends the workers, so that each rule starts workers and the defects queried at start-up count for each
            // rule.
            bench.retire();
            let bits = bench.reached().map_err(|source| RunError::Reach { source })?;
            lock(&found).insert(rule.id.clone(), bits);
            Ok(())
        })?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The cells that were recorded since the last call, sorted by defect and rule.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let mut cells = std::mem::take(&mut *lock(&self.cells));
        cells.sort_by(|a, b| (a.defect, &a.rule).cmp(&(b.defect, &b.rule)));
        cells
    }

    fn configuration(&self, configuration: &Configuration<'_>) -> Result<(), RunError> {
        let defects = configuration.device.name().map(str::to_owned).into_iter().collect();
        let conditions = match configuration.device {
            // A variant may lack what a capability stands for; its own machine answers, so that the rules' is unused.
            Device::Faithful(Some(name)) => {
                let variant = Bench::new(self.target, &self.options, vec![name.to_owned()])?;
                Some(variant.conditions(self.target)?)
            }
            _ => None,
        };
        let mut lab = Lab::new(Bench::new(self.target, &self.options, defects)?);
        let (first, seeds) = configuration.seeds;
        let experiment = Experiment::default();
        for rule in &configuration.rules {
            match configuration.device {
                Device::Defect(name) => self.claim(&mut lab, rule, name, first, seeds),
                Device::Faithful(name) => {
                    let skip =
                        conditions.as_ref().and_then(|conditions| applies(rule, conditions, &self.target.rules).err());
                    if let (Some(name), Some(skip)) = (name, skip) {
                        self.note(rule, |proof| _ = proof.blocked.insert(name.to_owned(), skip.to_string()));
                        continue;
                    }
                    for seed in first..first + seeds {
                        // A variant may refuse what a rule's set-up needs. The rule is then blocked, and no promise is
                        // reported as broken.
                        let blocked = |attempt: &Attempt| name.is_some() && attempt.verdict == Verdict::Blocked;
                        let quiet = |attempt: &Attempt| attempt.passes() || blocked(attempt);
                        let attempt = lab.attempt(rule, seed, &experiment, quiet);
                        if attempt.verdict == Verdict::Cut {
                            self.cut(rule, name.unwrap_or("faithful"), &attempt);
                        } else if !attempt.passes() {
                            let what = format!("{}: {}", attempt.verdict, attempt.reason);
                            let device = name.unwrap_or("faithful").to_owned();
                            let informs = name.is_some() && rule.level == Level::Info;
                            self.note(rule, |proof| {
                                let seen = if blocked(&attempt) {
                                    &mut proof.blocked
                                } else if informs {
                                    &mut proof.findings
                                } else {
                                    &mut proof.false_alarms
                                };
                                seen.insert(device, what);
                            });
                        }
                    }
                }
                Device::Bad(name) => {
                    for seed in first..first + seeds {
                        let attempt = lab.attempt(rule, seed, &experiment, |attempt| !attempt.passes());
                        if attempt.verdict == Verdict::Cut {
                            self.cut(rule, name, &attempt);
                        } else if attempt.passes() {
                            self.note(rule, |proof| _ = proof.passes_on.insert(name.to_owned()));
                        } else {
                            self.weaken(&mut lab, rule, name, seed, &attempt, |without| !without.passes());
                        }
                    }
                }
            }
        }
        if let Device::Defect(name) = configuration.device {
            let rules = configuration.rules.iter().filter(|_| self.proof.matrix).map(|rule| (rule, true));
            for (rule, claimed) in rules.chain(configuration.others.iter().map(|rule| (rule, false))) {
                self.cell(&mut lab, rule, name, first, claimed);
            }
        }
        Ok(())
    }

    /// Runs a rule on a defect that the rule claims, with one seed after another, until it is known whether the rule
    /// misses the defect too often. A single miss may be chance: some defects show only if callers meet.
    fn claim(&self, lab: &mut Lab, rule: &Rule, name: &'static str, first: u64, seeds: u64) {
        let experiment = Experiment::default();
        let mut tally = Tally::default();
        while tally.needs(seeds).is_some_and(|needed| tally.seeds < needed) {
            let seed = first.wrapping_add(tally.seeds);
            let attempt = lab.attempt(rule, seed, &experiment, Attempt::kills);
            tally.note(&attempt);
            self.note(rule, |proof| _ = proof.kills.insert(name.to_owned(), tally));
            if attempt.kills() {
                self.note(rule, |proof| {
                    let check =
                        proof.checks.iter().find(|check| check.failed(&attempt)).map(|check| check.text.clone());
                    proof.noticed_by.extend(check.map(|check| (name.to_owned(), check)));
                });
                self.weaken(lab, rule, name, seed, &attempt, Attempt::kills);
            } else if matches!(attempt.verdict, Verdict::Cut | Verdict::Timeout) {
                // The defect is neither killed nor missed, because a rule that the watchdog ended might have failed
                // later.
                return self.cut(rule, name, &attempt);
            }
        }
    }

    /// Reruns the rule without the check that failed first. Removing any other check cannot change the result.
    fn weaken(
        &self,
        lab: &mut Lab,
        rule: &Rule,
        device: &'static str,
        seed: u64,
        attempt: &Attempt,
        notices: impl Fn(&Attempt) -> bool,
    ) {
        if !self.proof.weaken {
            return;
        }
        let mut ignored: Option<Judgment> = None;
        let mut claimed = true;
        self.note(rule, |proof| {
            claimed = proof.kills.contains_key(device) || device.starts_with("bad.");
            if let Some(check) = proof.checks.iter_mut().find(|check| check.failed(attempt)) {
                check.caught.insert(device.to_owned());
                let known = check.needed_for.is_some() || (!claimed && check.could_claim.is_some());
                ignored = (!known).then_some(check.judgment);
            }
        });
        let Some(ignored) = ignored else { return };
        let experiment = Experiment { ignored: Some(ignored), ..Experiment::default() };
        let without = lab.attempt(rule, seed, &experiment, |without| notices(without) || without.passes());
        if !notices(&without) && without.verdict != Verdict::Cut {
            self.note(rule, |proof| {
                if let Some(check) = proof.checks.iter_mut().find(|check| check.judgment == ignored) {
                    let found = if claimed { &mut check.needed_for } else { &mut check.could_claim };
                    *found = Some(device.to_owned());
                }
            });
        }
    }

    /// Runs a rule on a defect for one cell in the matrix, and counts the cases that notice the defect.
    fn cell(&self, lab: &mut Lab, rule: &Rule, name: &'static str, seed: u64, claimed: bool) {
        let cases = match (claimed, self.proof.matrix, self.proof.unclaimed) {
            (true, ..) => Some(COUNTED),
            // No limit is needed, because only a few rules are tried on unclaimed defects.
            (false, false, Unclaimed::Nobodys) => None,
            (false, false, _) if self.proof.hold == Hold::Raise => None,
            (false, ..) => Some(TRIED),
        };
        let experiment = Experiment { counts: claimed, cases, ..Experiment::default() };
        let attempt = lab.attempt(rule, seed, &experiment, Attempt::passes);
        if !claimed && attempt.kills() {
            self.weaken(lab, rule, name, seed, &attempt, Attempt::kills);
        }
        lock(&self.cells).push(Cell {
            defect: name,
            rule: rule.id.clone(),
            claimed,
            verdict: attempt.verdict,
            cases: attempt.cases,
            failed: attempt.failed,
            first: attempt.first,
            statement: rule.program.text(attempt.place),
        });
    }

    /// Records that a rule's result on a device is unknown.
    fn cut(&self, rule: &Rule, device: &str, attempt: &Attempt) {
        self.note(rule, |proof| _ = proof.cut.insert(device.to_owned(), attempt.reason.clone()));
    }

    pub(super) fn note(&self, rule: &Rule, change: impl FnOnce(&mut RuleProof)) {
        if let Some(proof) = lock(&self.rules).get_mut(&rule.id) {
            change(proof);
        }
    }
}

pub(super) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
