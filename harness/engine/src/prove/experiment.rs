//! Experiments: a rule runs on a simulated device with seeded defects.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde_json::Value as Json;
use simulator_contract::{Event, glitch};
use steps::Span;
use steps::judgment::Judgment;

use crate::case::{Budget, Plan, SearchResult, case_to_json, rule_seed};
use crate::pool::{Assignment, Executor, Pool, Slot, StartError, event_file, reach_file};
use crate::run::{Options, Profile, RunError, SimulatedTarget, Target, of_owner, verdict};
use catalog::{Conditions, Rule, Rules};
use record::{Difference, StartReason, Verdict};

/// The settings for an experiment. By default, a rule runs as in any run, but without shrinking, because no user sees
/// the failing case.
#[derive(Debug, Clone, Default)]
pub(super) struct Experiment {
    /// The judgment to ignore, if any.
    pub ignored: Option<Judgment>,
    /// True to continue after a failure and count the failing cases.
    pub counts: bool,
    /// The maximum number of cases, if limited.
    pub cases: Option<u32>,
    /// The cases to run. If empty, all cases run.
    pub only: Vec<Json>,
    /// The event to make fail: its kind, and its number, counted from 1 over all processes on the machine. Requires a
    /// device that supports failing events.
    pub event: Option<(Event, u64)>,
}

/// The result of an experiment.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub verdict: Verdict,
    pub reason: String,
    /// The statement at which the first case failed; empty if no case failed.
    pub place: Span,
    /// The number of cases that ran.
    pub cases: u64,
    /// The number of cases that failed.
    pub failed: u64,
    /// The number of the first case that failed.
    pub first: u64,
    /// The difference, if the first failed check compared bytes.
    pub difference: Option<Difference>,
    /// The number of events of this kind that were still to come when the experiment ended, up to and including the
    /// event to make fail.
    pub left: u64,
}

impl Experiment {
    fn budget(&self, budget: Budget) -> Budget {
        let most = self.cases.unwrap_or(u32::MAX);
        Budget {
            cases: budget.cases.min(most),
            repeats: budget.repeats.min(most),
            sequences: budget.sequences.min(most),
            shrinks: 0,
            ..budget
        }
    }
}

impl Attempt {
    /// True if the rule failed and blamed the device.
    pub fn kills(&self) -> bool {
        self.verdict.kills()
    }

    /// True if the rule passed.
    pub fn passes(&self) -> bool {
        self.verdict.passes()
    }

    fn without_place(verdict: Verdict, reason: String) -> Attempt {
        Attempt { verdict, reason, place: Span::default(), cases: 0, failed: 0, first: 0, difference: None, left: 0 }
    }

    /// The result of a rule's search.
    fn of(rules: &Rules, rule: &Rule, found: &SearchResult, left: u64) -> Attempt {
        let (mut verdict, reason) = verdict(rules, found, None);
        let failed = found.failure.as_deref();
        if let Some(call) = failed.and_then(|failed| failed.failure.blocked_by.as_ref()) {
            verdict = of_owner(rules, &rule.id, verdict, call);
        }
        if rule.hazard.is_some() && verdict != Verdict::Error {
            verdict = Verdict::Observed;
        }
        let place = failed.map(|failed| Span { start: failed.failure.start, end: failed.failure.end });
        Attempt {
            verdict,
            reason,
            place: place.unwrap_or_default(),
            cases: found.cases,
            failed: found.failed,
            first: failed.map_or(0, |failed| failed.case),
            difference: failed.and_then(|failed| failed.failure.difference),
            left,
        }
    }
}

/// A simulated device with separate workers.
#[derive(Debug)]
pub(super) struct Bench {
    executor: Executor,
}

impl Bench {
    /// Creates a device with these defects, on which nothing has run.
    ///
    /// # Errors
    /// Fails if the runtime has no simulated device, or if the device's library cannot be written or read.
    pub(super) fn new(target: &Target, options: &Options, defects: Vec<String>) -> Result<Bench, RunError> {
        // A defect that needs a long history shows in one of a night's sequences. A device without defects is tried as in
        // the run.
        let defective = defects.iter().any(|name| !name.starts_with("variant."));
        let SimulatedTarget { factory, mut work } = target.simulated(options, defects)?;
        if defective {
            let night = Profile::Nightly.work(None);
            let longer = |budget: &mut Budget, night: Budget| {
                budget.sequences = budget.sequences.max(night.sequences);
                budget.sequence_calls = budget.sequence_calls.max(night.sequence_calls);
            };
            longer(&mut work.single, night.single);
            longer(&mut work.group, night.group);
            longer(&mut work.apart, night.apart);
            longer(&mut work.fresh, night.fresh);
        }
        let (product, devices) = (target.conditions.product.clone(), target.conditions.devices);
        let mut executor = Executor::new(target.rules.clone(), product, devices, work, factory, Pool::new());
        executor.known.editions.clone_from(&target.conditions.editions);
        executor.known.run_mode.clone_from(&target.executor.known.run_mode);
        executor.scope.patience = target.executor.scope.patience;
        executor.missing = target.conditions.missing(&target.rules);
        Ok(Bench { executor })
    }

    /// The conditions under which rules apply to this device.
    pub(super) fn conditions(&self, target: &Target) -> Result<Conditions, RunError> {
        target.conditions_of(&self.executor)
    }

    /// Runs a rule with the given seed.
    pub(super) fn attempt(&self, rule: &Rule, seed: u64, experiment: &Experiment) -> Attempt {
        let executor = &self.executor;
        let whole = executor.assignment(rule, rule_seed(seed, &rule.id));
        let assignment = Assignment {
            budget: experiment.budget(whole.budget),
            only: &experiment.only,
            ignored: experiment.ignored,
            counts: experiment.counts,
            ..whole
        };
        let unknown = |reason: String| Attempt::without_place(Verdict::Error, reason);
        let mut slot = match executor.pool.take() {
            Ok(slot) => slot,
            Err(error) => return unknown(format!("cannot create a folder for a machine: {error}")),
        };
        if let Err(reason) = experiment.event.map_or(Ok(()), |event| self.arm(rule, &mut slot, event)) {
            executor.pool.give_back(slot);
            return unknown(format!("cannot arm the event: {reason}"));
        }
        let found = executor.search(&assignment, &mut slot, &mut String::new());
        let left = experiment.event.map_or(Ok(0), |_| left(&slot.machine.path));
        match slot.machine.vanished() {
            Some(reason) => return unknown(reason),
            None => executor.pool.give_back(slot),
        }
        match (found, left) {
            (_, Err(error)) => unknown(format!("cannot read the events: {error}")),
            (Err(error @ StartError::Ended(..)), _) => Attempt::without_place(Verdict::DeviceLost, error.to_string()),
            (Err(error), _) => unknown(error.to_string()),
            (Ok(found), Ok(left)) => Attempt::of(&executor.rules, rule, &found, left),
        }
    }

    /// Arranges for an event to fail. First starts the rule's workers, because starting workers is not part of a case.
    fn arm(&self, rule: &Rule, slot: &mut Slot, (event, number): (Event, u64)) -> Result<(), String> {
        self.executor.start_workers(rule, slot).map_err(|error| error.to_string())?;
        let bytes = glitch::encode(event, number);
        let file = File::options().write(true).create(true).truncate(false).open(event_file(&slot.machine.path));
        file.and_then(|file| file.write_all_at(&bytes, 0)).map_err(|error| error.to_string())
    }

    /// A rule's cases with this seed: the edges, and at most `most` other cases.
    pub(super) fn cases(&self, rule: &Rule, seed: u64, most: u32) -> Vec<Json> {
        let whole = self.executor.assignment(rule, rule_seed(seed, &rule.id));
        let budget = Experiment { cases: Some(most), ..Experiment::default() }.budget(whole.budget);
        let scope = self.executor.scope_of(&whole);
        let Ok(mut plan) = Plan::new(&rule.program, &scope, whole.seed, &budget) else {
            return Vec::new();
        };
        let drawn = std::iter::from_fn(|| plan.next_case()?.ok());
        drawn.map(|case| case_to_json(&rule.program, &case.values, case.salt)).collect()
    }

    /// Starts a rule's workers, so that defects reached during start-up are not attributed to the rule.
    ///
    /// # Errors
    /// Fails if a machine's folder cannot be created, or if a worker does not start.
    pub(super) fn start(&self, rule: &Rule) -> Result<(), String> {
        let mut slot = self.executor.pool.take().map_err(|error| error.to_string())?;
        let started = self.executor.start_workers(rule, &mut slot).map_err(|error| error.to_string());
        self.executor.pool.give_back(slot);
        started
    }

    /// Ends the workers, so that the next rule starts in fresh processes.
    pub(super) fn retire(&self) {
        if let Ok(mut slot) = self.executor.pool.take() {
            slot.clear(StartReason::FirstUse);
            self.executor.pool.give_back(slot);
        }
    }

    /// Makes workers that start from now on record which defects the model queries.
    pub(super) fn notes_reach(&mut self) {
        if let Some(simulated) = &mut self.executor.factory.simulated {
            simulated.notes_reach = true;
        }
    }

    /// Makes workers that start from now on support failing events.
    pub(super) fn glitches(&mut self) {
        if let Some(simulated) = &mut self.executor.factory.simulated {
            simulated.glitches = true;
        }
    }

    /// The defects that the model has queried since the previous call, as the bytes described in
    /// [`simulator_contract::reach`].
    ///
    /// # Errors
    /// Fails if the file that the simulated processes share cannot be read.
    pub(super) fn reached(&self) -> std::io::Result<Vec<u8>> {
        let slot = self.executor.pool.take()?;
        let path = reach_file(&slot.machine.path);
        self.executor.pool.give_back(slot);
        let bits = match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            bits => bits?,
        };
        // The file is cleared in place, because processes have mapped the file.
        File::options().write(true).open(&path)?.write_all_at(&vec![0; bits.len()], 0)?;
        Ok(bits)
    }
}

/// The number of events still to come on a machine, up to and including the event to make fail.
fn left(machine: &Path) -> std::io::Result<u64> {
    let mut bytes = [0; glitch::BYTES];
    File::open(event_file(machine))?.read_exact_at(&mut bytes, 0)?;
    Ok(glitch::left(&bytes))
}
