//! The runs of a proof: each simulated device with the rules that are of interest there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::lang::judgement::Judgement;
use crate::run::{Attempt, Options, Planned, Session, SessionError, Trial};

use super::matrix::Cell;
use super::{ProofOptions, RuleProof};

/// A miss is judged by so many seeds.
const SEEDS: u64 = 20;
/// Cases of a rule in the matrix, of which those that fail are counted, on a defect that it claims.
const COUNTED: u32 = 32;
/// The most cases of a rule in the matrix, up to the first that fails, on a defect that it does not claim. Edges always run.
const TRIED: u32 = 8;

/// A simulated device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// Without a defect, or a legal variant.
    Faithful(Option<&'static str>),
    Defect(&'static str),
    /// Wrong everywhere.
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

/// A device with the rules that run there.
#[derive(Debug)]
pub struct Configuration {
    pub device: Device,
    /// The first seed, and how many.
    pub seeds: (u64, u64),
    pub rules: Vec<Planned>,
    /// Rules that do not claim the defect, for the matrix.
    pub others: Vec<Planned>,
}

/// What the threads of a proof share.
pub struct Work<'a> {
    pub session: &'a Session,
    pub options: Options,
    pub proof: &'a ProofOptions,
    pub rules: Mutex<BTreeMap<String, RuleProof>>,
    pub cells: Mutex<Vec<Cell>>,
}

/// A session on a simulated device, and whether something failed there since its workers started.
pub struct Bench {
    session: Session,
    dirty: bool,
}

impl Bench {
    /// A session in which nothing has run.
    pub fn new(session: Session) -> Bench {
        Bench { session, dirty: false }
    }

    /// What is known of the device, and of the rules' cases there.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// From now on this rule runs, in workers of its own, which read no other chapter.
    pub fn begin(&mut self, planned: &Planned) {
        self.retire();
        if let Some(chapter) = self.session.chapter_file(planned) {
            self.session.reads_only(chapter);
        }
    }

    /// Ends the workers: the next attempt is made in fresh ones.
    pub fn retire(&mut self) {
        self.session.retire();
        self.dirty = false;
    }

    /// Runs a rule. What is not as hoped after an earlier failure is tried again in fresh processes.
    pub fn attempt(
        &mut self,
        planned: &Planned,
        seed: u64,
        trial: &Trial,
        hoped: impl Fn(&Attempt) -> bool,
    ) -> Attempt {
        let mut attempt = self.session.attempt(planned, seed, trial.clone());
        if self.dirty && !hoped(&attempt) {
            self.retire();
            attempt = self.session.attempt(planned, seed, trial.clone());
        }
        self.dirty |= !attempt.passes();
        attempt
    }
}

impl Work<'_> {
    /// Does a piece of work for each item, several at the same time; a thread keeps what `begin` gave it.
    ///
    /// # Errors
    /// The first one of `begin` or `work`, whose thread ends; the others finish the list.
    pub fn each<T: Sync, S>(
        &self,
        items: &[T],
        begin: impl Fn() -> Result<S, SessionError> + Sync,
        work: impl Fn(&mut S, &T) -> Result<(), SessionError> + Sync,
    ) -> Result<(), SessionError> {
        let next = AtomicUsize::new(0);
        let thread = || {
            let mut kept = begin()?;
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                work(&mut kept, item)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.proof.jobs.max(1)).map(|_| scope.spawn(thread)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("a proof's threads do not panic"))
        })
    }

    /// Runs all configurations.
    pub fn run(&self, configurations: &[Configuration]) -> Result<(), SessionError> {
        self.each(configurations, || Ok(()), |(), configuration| self.configuration(configuration))
    }

    /// Runs every rule on a faithful device that notes what its model asks for.
    pub fn reach(&self, rules: &[Planned]) -> Result<BTreeMap<String, Vec<u8>>, SessionError> {
        let found = Mutex::new(BTreeMap::new());
        let begin = || {
            let mut session = self.session.with_defects(&self.options, Vec::new())?;
            session.notes_reach();
            Ok(session)
        };
        self.each(rules, begin, |session: &mut Session, planned| {
            let trial = Trial { cases: Some(COUNTED), unread: true, ..Trial::default() };
            session.attempt(planned, self.session.header.seed, trial);
            // The start of a worker belongs to each rule.
            session.retire();
            let bits = session
                .reached()
                .map_err(|error| SessionError::Environment(format!("what the rules reach cannot be read: {error}")))?;
            lock(&found).insert(planned.id.clone(), bits);
            Ok(())
        })?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn configuration(&self, configuration: &Configuration) -> Result<(), SessionError> {
        let defects = configuration.device.name().map(str::to_owned).into_iter().collect();
        let mut session = self.session.with_defects(&self.options, defects)?;
        if let Some(first) = configuration.rules.first()
            && let Some(chapter) = session.chapter_file(first)
            && configuration.others.is_empty()
            && configuration.rules.iter().all(|planned| planned.chapter == first.chapter)
        {
            session.reads_only(chapter);
        }
        let mut bench = Bench::new(session);
        let (first, seeds) = configuration.seeds;
        let trial = Trial { unread: true, ..Trial::default() };
        for planned in &configuration.rules {
            match configuration.device {
                Device::Defect(name) => self.claim(&mut bench, planned, name, first, seeds),
                Device::Faithful(name) => {
                    for seed in first..first + seeds {
                        let attempt = bench.attempt(planned, seed, &trial, Attempt::passes);
                        if !attempt.passes() {
                            let what = format!("{}: {}", attempt.verdict, attempt.reason);
                            self.note(planned, |rule| {
                                rule.false_alarms.insert(name.unwrap_or("faithful").to_owned(), what);
                            });
                        }
                    }
                }
                Device::Bad(name) => {
                    for seed in first..first + seeds {
                        let attempt = bench.attempt(planned, seed, &trial, |attempt| !attempt.passes());
                        if attempt.passes() {
                            self.note(planned, |rule| {
                                rule.passes_on.insert(name.to_owned());
                            });
                        } else {
                            self.weaken(&mut bench, planned, name, seed, &attempt, |without| !without.passes());
                        }
                    }
                }
            }
        }
        if let Device::Defect(name) = configuration.device
            && self.proof.matrix
        {
            let rules = configuration.rules.iter().map(|planned| (planned, true));
            for (planned, claimed) in rules.chain(configuration.others.iter().map(|planned| (planned, false))) {
                self.cell(&mut bench, planned, name, first, claimed);
            }
        }
        Ok(())
    }

    /// A rule on a defect that it claims: with every seed, and with twenty if one of them misses it.
    fn claim(&self, bench: &mut Bench, planned: &Planned, name: &'static str, first: u64, seeds: u64) {
        let trial = Trial { unread: true, ..Trial::default() };
        let (mut wanted, mut seed) = (seeds, first);
        let mut missed = 0;
        while seed < first + wanted && missed * SEEDS <= wanted {
            let attempt = bench.attempt(planned, seed, &trial, Attempt::kills);
            let killed = attempt.kills();
            self.note(planned, |rule| rule.kills.entry(name.to_owned()).or_default().note(&attempt));
            if killed {
                self.weaken(bench, planned, name, seed, &attempt, Attempt::kills);
            } else {
                missed += 1;
                wanted = wanted.max(SEEDS);
            }
            seed += 1;
        }
    }

    /// Runs the rule again without the check that failed first: that is the only one whose removal can change anything.
    fn weaken(
        &self,
        bench: &mut Bench,
        planned: &Planned,
        device: &'static str,
        seed: u64,
        attempt: &Attempt,
        notices: impl Fn(&Attempt) -> bool,
    ) {
        if !self.proof.weaken {
            return;
        }
        let mut ignored: Option<Judgement> = None;
        let mut claimed = true;
        self.note(planned, |rule| {
            claimed = rule.kills.contains_key(device) || device.starts_with("bad.");
            if let Some(check) = rule.checks.iter_mut().find(|check| check.failed(attempt)) {
                check.caught.insert(device.to_owned());
                let known = check.needed_for.is_some() || (!claimed && check.could_claim.is_some());
                ignored = (!known).then_some(check.judgement);
            }
        });
        let Some(ignored) = ignored else { return };
        let trial = Trial { ignored: Some(ignored), unread: true, ..Trial::default() };
        let without = bench.attempt(planned, seed, &trial, |without| notices(without) || without.passes());
        if !notices(&without) {
            self.note(planned, |rule| {
                if let Some(check) = rule.checks.iter_mut().find(|check| check.judgement == ignored) {
                    let found = if claimed { &mut check.needed_for } else { &mut check.could_claim };
                    *found = Some(device.to_owned());
                }
            });
        }
    }

    /// A pair of the matrix: how many cases notice the defect.
    fn cell(&self, bench: &mut Bench, planned: &Planned, name: &'static str, seed: u64, claimed: bool) {
        let cases = Some(if claimed { COUNTED } else { TRIED });
        let trial = Trial { counts: claimed, cases, unread: true, ..Trial::default() };
        let attempt = bench.attempt(planned, seed, &trial, Attempt::passes);
        if !claimed && attempt.kills() {
            self.weaken(bench, planned, name, seed, &attempt, Attempt::kills);
        }
        let statement = self.session.rules.rule(&planned.id).map(|rule| rule.text(attempt.place)).unwrap_or_default();
        lock(&self.cells).push(Cell {
            defect: name,
            rule: planned.id.clone(),
            claimed,
            verdict: attempt.verdict,
            cases: attempt.cases,
            failed: attempt.failed,
            first: attempt.first,
            statement,
        });
    }

    pub fn note(&self, planned: &Planned, change: impl FnOnce(&mut RuleProof)) {
        if let Some(rule) = lock(&self.rules).get_mut(&planned.id) {
            change(rule);
        }
    }
}

pub fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
