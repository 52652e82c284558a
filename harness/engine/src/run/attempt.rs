//! Runs a rule on devices: leases the devices, runs the rule, and examines the devices if the rule's result makes them
//! suspect.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::case::rule_seed;
use crate::confirm::{Inquest, confirm};
use crate::pool::{Assignment, Slot, interrupt};
use catalog::Rule;
use record::{Confirmation, Incident, Retry, RetryCause, RuleResult, StartReason, Verdict};

use super::breaker::calls;
use super::campaign::Campaign;
use super::devices::{Demand, Lease, Taken};
use super::empty_result::empty_result;
use super::library::room_for_files;
use super::outcome::RuleOutcome;
use super::predecessors::Again;
use super::replay;
use super::result::Finished;
use crate::pool::visible;

/// The circumstances of one attempt at a rule.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    /// True if the result shows whether functions that hung or crashed before work again.
    probes: bool,
    /// True if each call may take at most as long as the run's longest call so far.
    brief: bool,
    /// The round of `--repeat`, from 0.
    round: u64,
}

impl Campaign {
    /// Returns a rule's outcome. Each rule runs only once. If a rule is already running, other threads wait for its
    /// outcome.
    pub(super) fn outcome(&self, index: usize) -> &RuleOutcome {
        self.tally.outcomes[index].get_or_init(|| {
            let rule = &self.target.rules.rules[index];
            if let Some(skip) = self.target.skip(rule) {
                let mut outcome = self.without_run(rule, Verdict::Skipped, skip.to_string());
                outcome.result.skipped_without = skip.word();
                return outcome;
            }
            if let Some(reason) = self.danger(&rule.id) {
                return self.without_run(rule, Verdict::Skipped, reason);
            }
            if self.runs_on_each(rule) {
                return self.on_each(index);
            }
            let order = self.devices.order(self.header.seed, &rule.id);
            self.in_rounds(index, &order, false)
        })
    }

    /// Runs a rule on as many devices as the rule needs, and returns the rule's outcome. A rule that needs one device
    /// uses the first usable device in `order`. With `briefly`, each call may take at most as long as the run's
    /// longest call so far. The round, from 0, determines the seed.
    pub(super) fn on_one_of(&self, index: usize, order: &[usize], briefly: bool, round: u64) -> RuleOutcome {
        let rule = &self.target.rules.rules[index];
        let calls = calls(rule, &self.target.rules);
        // A function that is broken for every rule is a failure of its owner, which runs all the same.
        let owns = |call: &&str| rule.owns.iter().any(|function| function == call);
        let others: BTreeSet<&str> = calls.iter().copied().filter(|call| !owns(call)).collect();
        let mut causes = Vec::new();
        loop {
            let (lease, brief) = match self.lease(rule, order, &others) {
                Ok((lease, brief)) => {
                    let known = rule.owns.iter().any(|function| lease.breaker().knows(function));
                    (lease, brief || known)
                }
                Err((verdict, reason)) => return self.without_run(rule, verdict, reason),
            };
            let brief_calls = briefly || (brief && lease.breaker().may_hang(&calls));
            let attempt = Attempt { probes: brief || briefly, brief: brief_calls, round };
            let outcome = self.on_devices(index, &lease, attempt, &calls);
            self.tell_who_is_out();
            // Each cause allows one retry, so that a rule cannot disable one device after another.
            match outcome.not_the_rule {
                Some(cause) if !causes.contains(&cause) => {
                    causes.push(cause);
                    self.retry(cause, &outcome.result, &lease);
                }
                _ => return outcome,
            }
        }
    }

    /// Reports that a rule is being rerun because a device or a process was disturbed.
    fn retry(&self, cause: RetryCause, result: &RuleResult, lease: &Lease<'_>) {
        let RuleResult { id, reason, .. } = result;
        let (rule, reason) = (id.clone(), reason.clone());
        self.happened(Incident::RuleRetried {
            rule: rule.clone(),
            cause,
            devices: lease.labels(),
            reason: reason.clone(),
        });
        self.news.retried(Retry { cause, rule: Some(rule), reason });
    }

    fn without_run(&self, rule: &Rule, verdict: Verdict, reason: String) -> RuleOutcome {
        let result = RuleResult { verdict, reason, ..empty_result(&self.target.rules, rule, 0) };
        RuleOutcome::of(result)
    }

    /// Leases the devices that a rule needs. If a device is lost and recovery is allowed, tries to recover the device
    /// first.
    fn lease(
        &self,
        rule: &Rule,
        order: &[usize],
        calls: &BTreeSet<&str>,
    ) -> Result<(Lease<'_>, bool), (Verdict, String)> {
        let demand = Demand::of(rule);
        // A replay needs this rule's result even after accidents on the devices.
        if self.replays() {
            return Ok((self.devices.take_anyway(demand), false));
        }
        loop {
            match self.devices.take(demand, order, calls, self.recovery.as_ref()) {
                Taken::Runs { lease, brief } => return Ok((lease, brief)),
                Taken::Out { lease, recovery } => self.happened(lease.recover(recovery, &self.target.executor)),
                Taken::Refused(verdict, reason) => return Err((verdict, reason)),
            }
        }
    }

    /// Runs a rule on its leased devices, and examines these devices if the rule's result makes them suspect.
    fn on_devices(&self, index: usize, lease: &Lease<'_>, attempt: Attempt, calls: &BTreeSet<&str>) -> RuleOutcome {
        let rule = &self.target.rules.rules[index];
        let pool = &self.target.executor.pool;
        let mut slot = match pool.take_seeing(lease.visible().as_deref()) {
            Ok(slot) => slot,
            Err(error) => {
                let reason =
                    format!("cannot create a folder for a simulated machine: {error}{}", room_for_files(&error));
                return self.without_run(rule, Verdict::Error, reason);
            }
        };
        let mut outcome = self.run_rule(index, lease, &mut slot, attempt);
        self.blame(&outcome, lease, &slot.machine);
        if attempt.probes {
            lease.breaker().probed(calls, outcome.result.verdict.passes(), outcome.lost.as_ref());
        }
        if outcome.result.verdict.passes() || outcome.result.verdict == Verdict::Cut {
            outcome = self.repeated(index, lease, &mut slot, attempt.round, outcome);
            self.note_free_memory(&mut slot);
            self.checkpoint(index, lease, false, &mut slot);
            outcome = self.unless_unwell(outcome, lease, false, &mut slot);
            pool.give_back(slot);
            return outcome;
        }
        if let Some(reason) = self.vanished(&slot) {
            let result = RuleResult { verdict: Verdict::Error, reason, failure: None, ..outcome.result };
            return RuleOutcome::of(result);
        }
        let (seen, memory_was_lost) = self.unless_memory_was_lost(outcome, &mut slot);
        outcome = seen;
        if memory_was_lost {
            pool.give_back(slot);
            return outcome;
        }
        if self.speaks_against_devices(&outcome) {
            if self.devices.gated {
                let (out, replaced) = lease.examine(&outcome.result, &self.target.executor, &mut slot);
                // If a rule fails in this process but not in a fresh process, an earlier rule's leftovers affected the
                // rule.
                let only_here = outcome.result.passes_in_fresh_processes();
                outcome.not_the_rule = replaced.as_ref().filter(|_| only_here).map(|_| RetryCause::SpentProcess);
                replaced.into_iter().for_each(|event| self.happened(event));
                match out {
                    Some(why) => outcome = lost(outcome, &why),
                    None => self.checkpoint(index, lease, true, &mut slot),
                }
            }
            if outcome.not_the_rule != Some(RetryCause::LostDevice) {
                outcome = self.unless_unwell(outcome, lease, true, &mut slot);
            }
        }
        pool.give_back(slot);
        outcome
    }

    /// Returns a rule's outcome, unless one of the rule's devices has deteriorated since the run began.
    fn unless_unwell(&self, outcome: RuleOutcome, lease: &Lease<'_>, suspicious: bool, slot: &mut Slot) -> RuleOutcome {
        if self.replays() {
            return outcome;
        }
        let (out, said) = lease.look(&outcome.result, suspicious);
        said.into_iter().for_each(|text| self.remark(text));
        match out {
            Some(why) => {
                slot.clear(StartReason::AfterFailure);
                lost(outcome, &why)
            }
            None => outcome,
        }
    }

    fn checkpoint(&self, index: usize, lease: &Lease<'_>, suspicious: bool, slot: &mut Slot) {
        if self.devices.gated && !self.replays() {
            let (leaks, said) = lease.checkpoint(index, suspicious, self.header.seed, &self.target.executor, slot);
            leaks.into_iter().for_each(|leak| self.happened(leak));
            said.into_iter().for_each(|text| self.remark(text));
        }
    }

    /// True if this outcome makes the devices suspect, so that they must be examined. A rule that never ran proves
    /// nothing about the devices.
    fn speaks_against_devices(&self, outcome: &RuleOutcome) -> bool {
        let tried = !matches!(outcome.result.verdict, Verdict::Blocked | Verdict::Skipped);
        let asked_to_end = interrupt::requested().is_some();
        !self.replays() && !asked_to_end && (tried || outcome.call.is_some())
    }

    /// The devices visible to a rule's processes, as named on the machine. Empty if all devices are visible, or if the
    /// visible devices are unknown.
    pub(super) fn seen(&self, lease: &Lease<'_>) -> Vec<String> {
        let variable = self.target.rules.visible.as_ref().filter(|_| !self.target.private_machines);
        let given = || variable.map(|variable| visible::given(variable)).unwrap_or_default();
        let all = || Some(given()).filter(|given| given.len() == self.target.conditions.devices as usize);
        lease.visible().map(|names| visible::named(&names)).or_else(all).unwrap_or_default()
    }

    /// The reason why a simulated machine is unusable; always `None` for a real device.
    fn vanished(&self, slot: &Slot) -> Option<String> {
        if self.target.library.simulated { slot.machine.vanished() } else { None }
    }

    /// Runs a rule on a machine from the pool, and confirms a failure by rerunning it.
    fn run_rule(&self, index: usize, lease: &Lease<'_>, slot: &mut Slot, attempt: Attempt) -> RuleOutcome {
        let rule = &self.target.rules.rules[index];
        let begun = Instant::now();
        let executor = &self.target.executor;
        let watch = self.evidence.begin(&slot.machine.activity);
        let devices = lease.names();
        self.news.begun(&rule.id, &devices);
        let _running = self.running.begin(&rule.id, devices, &slot.machine.activity);
        let run_seed = self.seed_of(attempt.round);
        let seed = rule_seed(run_seed, &rule.id);
        let only = replay::repeated(rule, &self.only);
        let mut assignment = Assignment { known: self.known.of(rule), only: &only, ..executor.assignment(rule, seed) };
        if attempt.brief {
            assignment.deadline = executor.factory.brief();
        }
        let spent = &self.confirming[rule.chapter];
        let so_far = Duration::from_millis(spent.load(Ordering::Relaxed));
        let shrinking = executor.work.patience.shrinking(so_far, executor.factory.deadlines.step);
        assignment.budget.shrink_milliseconds = shrinking.as_millis() as u64;
        if self.debugger.is_some() {
            assignment.budget.shrinks = 0;
        }
        let mut output = String::new();
        slot.begin_rule();
        let searched = match &self.debugger {
            None => executor.search(&assignment, slot, &mut output),
            Some(debugger) => executor.search_debugged(&assignment, slot, debugger),
        };
        let (mut result, call, lost) = match searched {
            Ok(mut search) => {
                if let Some(failed) = &search.failure {
                    spent.fetch_add(failed.shrinking.milliseconds, Ordering::Relaxed);
                }
                let lost = search.failure.is_some() && self.vanished(slot).is_some();
                // If a function is known to hang, another hang costs a deadline and adds no information. Any accident
                // also costs a process start.
                let hung = search.failure.as_ref().filter(|failed| failed.failure.verdict == Verdict::Timeout);
                let hung_in = hung.and_then(|failed| failed.failure.lost_in.as_ref());
                let known = hung_in.filter(|lost| lease.breaker().knows(&lost.function));
                let confirmation = if self.replays() || lost {
                    None
                } else if let Some(known) = known {
                    let remark = format!("{} is known not to return", known.function);
                    Some(Confirmation::without_rerun(Verdict::Timeout, remark))
                } else {
                    let inquest = Inquest { executor, assignment: &assignment, machine: &slot.machine, spent };
                    let mut confirmation = confirm(inquest, &mut search, &mut output);
                    if let Some(confirmation) = &mut confirmation {
                        let again = Again { assignment: &assignment, slot, spent };
                        self.try_after_predecessors(again, &search, confirmation);
                    }
                    confirmation
                };
                let failed = search.failure.as_ref().map(|failed| failed.failure.blocked_by.clone());
                let call = failed.unwrap_or_else(|| search.stopped_by.clone());
                let lost = search.failure.as_ref().and_then(|failed| failed.failure.lost_in.clone());
                let devices = self.seen(lease);
                let finished = Finished { search, confirmation, output, devices, run_seed };
                (finished.result(self, rule, seed), call, lost)
            }
            Err(error) => {
                // With several devices, the examination determines which device hung.
                if error.hung() && (lease.units().len() == 1 || !self.devices.gated) {
                    lease.breaker().put_out(&error.to_string());
                }
                let empty = empty_result(&self.target.rules, rule, seed);
                let result = RuleResult { verdict: error.verdict(), reason: error.to_string(), ..empty };
                (result, error.call(), None)
            }
        };
        result.ran_in = slot.end_rule(index, seed);
        self.evidence.end(&watch, &slot.machine.activity, &result);
        result.findings.extend(slot.machine.activity.take_traced());
        result.findings.extend(self.debugger.iter().map(|debugger| format!("it ran under a debugger: {debugger}")));
        result.nanoseconds = begun.elapsed().as_nanos() as u64;
        RuleOutcome { call, lost, ..RuleOutcome::of(result) }
    }
}

/// The outcome of a rule on a lost device. Such an outcome proves nothing about the rule.
fn lost(outcome: RuleOutcome, why: &str) -> RuleOutcome {
    let RuleResult { verdict, reason, .. } = &outcome.result;
    let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let reason = format!("{why}; the rule itself ended with {verdict}{reason}");
    let result = RuleResult { verdict: Verdict::DeviceLost, reason, ..outcome.result };
    RuleOutcome { not_the_rule: Some(RetryCause::LostDevice), ..RuleOutcome::of(result) }
}
