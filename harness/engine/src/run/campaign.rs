//! A run of rules on a target: each rule once, its result held against what the owners of its calls showed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::case::{CaseError, cases_from_json, rule_seed};
use crate::catalog::{Rule, Rules};
use crate::confirm::{Inquest, confirm};
use crate::expectations::{Expectations, Expecting};
use crate::record::{
    Meaning, Retry, RetryCause, RuleResult, RunEnd, RunHeader, StartReason, Verdict, counts, exit_code,
};
use crate::report::clean;
use crate::runtime::Runtime;
use crate::workers::{Assignment, Slot, interrupt};

use super::breaker::calls;
use super::devices::{self, Demand, Devices, Lease, Opened, Recovery, Taken};
use super::evidence::Evidence;
use super::exit::RunError;
use super::known::KnownCases;
use super::options::Options;
use super::owners::Outcome;
use super::redacted;
use super::result::{Finished, empty_result};
use super::selection::Planned;
use super::support_rule;
use super::target::Target;

/// A run: what is tested and with what settings, and the results so far.
#[derive(Debug)]
pub struct Campaign {
    pub target: Target,
    /// The journal's first line.
    pub header: RunHeader,
    /// If there are any: these cases, in this order, and no others.
    pub(super) only: Vec<Json>,
    known: KnownCases,
    /// The failures that are known; `None`: none are.
    expecting: Option<Expecting>,
    /// What is to be said about the run as a whole.
    remarks: Mutex<Vec<String>>,
    /// Rules that ran once more.
    retries: Mutex<Vec<Retry>>,
    pub(super) devices: Devices,
    /// How a device that is out may be brought back.
    recovery: Option<Recovery>,
    pub(super) evidence: Evidence,
    begun: Instant,
    /// Milliseconds that running failures again has taken.
    confirming: AtomicU64,
    /// What each rule of the catalog showed, once it has run.
    outcomes: Vec<OnceLock<Outcome>>,
    results: Mutex<Vec<RuleResult>>,
}

impl Campaign {
    /// Opens the target of a run in which no rule has run.
    ///
    /// # Errors
    /// The options ask for what does not exist, or the library, the runtime or a device is in the way.
    pub fn open(options: &Options, runtime: &'static Runtime, rules: Arc<Rules>) -> Result<Campaign, RunError> {
        let only = options.only_cases()?;
        let mut target = Target::open(options, runtime, rules)?;
        let Opened { devices, out, fingerprint, said } = devices::open(&mut target, options)?;
        let limit = Duration::from_secs(options.recover_limit);
        let evidence = Evidence::of(options, runtime, target.executor.factory.simulated.is_some());
        let mut header = RunHeader { devices_out: out, fingerprint, ..target.header(options) };
        if let Some(redactor) = &evidence.redactor {
            redacted::header(&mut header, redactor);
        }
        let campaign = Campaign {
            outcomes: target.rules.rules.iter().map(|_| OnceLock::new()).collect(),
            header,
            evidence,
            only,
            known: KnownCases::default(),
            devices,
            recovery: options.recover_cmd.clone().map(|command| Recovery { command, limit }),
            expecting: None,
            remarks: Mutex::default(),
            retries: Mutex::default(),
            begun: Instant::now(),
            confirming: AtomicU64::new(0),
            results: Mutex::default(),
            target,
        };
        said.into_iter().for_each(|text| campaign.remark(text));
        Ok(campaign)
    }

    /// Looks at the cases that were given and at those that are kept, before anything runs.
    ///
    /// # Errors
    /// What `--case` gives is not a case of the one rule that was selected.
    pub(super) fn expect_cases(&mut self, options: &Options, selected: &[Planned]) -> Result<(), RunError> {
        let rules = self.target.rules.clone();
        let scope = &self.target.executor.scope;
        if let Some(text) = &options.case {
            let rule = only_rule(selected).map(|index| &rules.rules[index]);
            let checked = rule.and_then(|rule| {
                let cases = |json: &Json| match json {
                    Json::Array(_) => Err(CaseError::NotAnObject),
                    json => cases_from_json(&rule.program, scope, json),
                };
                self.only.iter().try_for_each(|json| cases(json).map(drop)).map_err(|error| error.to_string())
            });
            checked.map_err(|reason| RunError::Case { text: text.clone(), reason })?;
            return Ok(());
        }
        let rules = selected.iter().filter_map(|planned| planned.rule).map(|index| &rules.rules[index]);
        self.known = KnownCases::read(rules, scope);
        self.known.remarks.iter().for_each(|remark| self.remark(remark.clone()));
        Ok(())
    }

    /// Takes known failures into account from now on; gives what is to be said about them.
    pub(super) fn expect_failures(&mut self, options: &Options, known: Option<Expectations>) -> Option<String> {
        self.expecting = known.map(|known| options.known.expecting(known, &mut self.header));
        self.expecting.as_ref().map(Expecting::line)
    }

    /// The failures that are known.
    pub(super) fn expecting(&self) -> Option<&Expecting> {
        self.expecting.as_ref()
    }

    /// Why a rule is not run that does harm.
    fn danger(&self, id: &str) -> Option<String> {
        self.expecting.as_ref()?.skip(id)
    }

    /// Whether a result is as somebody expected, so that it does not count.
    pub fn expected(&self, result: &RuleResult) -> bool {
        let strict = self.header.settings.strict;
        self.expecting.as_ref().is_some_and(|expecting| expecting.excuses(result, strict))
    }

    /// Says something about the run as a whole: now, and in the reports.
    pub(super) fn remark(&self, text: String) {
        eprintln!("{}", clean(&text));
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// Runs something planned, or says why it does not apply. The result counts from now on.
    pub fn execute(&self, planned: &Planned) -> RuleResult {
        let result = self.perform(planned);
        self.count(result.clone());
        result
    }

    /// The result of something planned, which is not counted yet.
    pub(super) fn perform(&self, planned: &Planned) -> RuleResult {
        match planned.rule {
            None => match self.danger(&planned.id) {
                Some(reason) => RuleResult { verdict: Verdict::Skipped, reason, ..support_rule::empty_result(planned) },
                None => support_rule::exported(&self.target, planned),
            },
            Some(index) => self.judged(index),
        }
    }

    /// Takes a result into account: in the counts and the exit status.
    pub(super) fn count(&self, result: RuleResult) {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
    }

    /// The order in which rules begin. On devices that they share, those of few devices come before those of many, which
    /// would otherwise wait, and keep others waiting, again and again.
    pub(super) fn order<'a>(&self, selected: &'a [Planned]) -> Vec<&'a Planned> {
        let mut order: Vec<&Planned> = selected.iter().collect();
        if self.devices.at_the_same_time().is_some_and(|most| most > 1) {
            order.sort_by_key(|planned| planned.rule.map(|index| Demand::of(&self.target.rules.rules[index])));
        }
        order
    }

    /// Whether something planned applies here.
    pub(super) fn runs(&self, planned: &Planned) -> bool {
        let applies = |index: usize| self.target.skip(&self.target.rules.rules[index]).is_none();
        planned.rule.is_none_or(applies) && self.danger(&planned.id).is_none()
    }

    /// The result of something planned that is not run.
    pub(super) fn unanswered(&self, planned: &Planned, reason: String) -> RuleResult {
        let result = match planned.rule {
            None => support_rule::empty_result(planned),
            Some(index) => {
                let rule = &self.target.rules.rules[index];
                empty_result(&self.target.rules, rule, rule_seed(self.header.seed, &rule.id))
            }
        };
        RuleResult { verdict: Verdict::Error, reason, ..result }
    }

    /// Whether one case is run again that was given: its rule is judged by itself.
    pub(super) fn replays(&self) -> bool {
        !self.only.is_empty()
    }

    /// What a rule shows. Each rule runs once; whoever asks meanwhile waits.
    pub(super) fn outcome(&self, index: usize) -> &Outcome {
        self.outcomes[index].get_or_init(|| {
            let rule = &self.target.rules.rules[index];
            if let Some(reason) = self.target.skip(rule).or_else(|| self.danger(&rule.id)) {
                return self.without_run(rule, Verdict::Skipped, reason);
            }
            let calls = calls(rule, &self.target.rules);
            let (mut lost_before, mut replaced_before) = (false, false);
            loop {
                let (lease, brief) = match self.lease(rule, &calls) {
                    Ok(leased) => leased,
                    Err((verdict, reason)) => return self.without_run(rule, verdict, reason),
                };
                let outcome = self.on_devices(index, &lease, brief, &calls);
                // The device was to blame, and others may answer: once, so that no rule takes one after the other.
                if outcome.device_out && !lost_before {
                    lost_before = true;
                    let RuleResult { id, reason, .. } = &outcome.result;
                    self.remark(format!("{id} has lost {} and runs once more: {reason}", lease.names()));
                    self.retried(RetryCause::LostDevice, id, reason);
                    continue;
                }
                if outcome.process_bad && !replaced_before {
                    replaced_before = true;
                    let RuleResult { id, reason, .. } = &outcome.result;
                    self.remark(format!(
                        "{id} ran in a process whose calls had no effect any more, and runs once more"
                    ));
                    self.retried(RetryCause::SpentProcess, id, reason);
                    continue;
                }
                return outcome;
            }
        })
    }

    /// Notes that a rule runs once more, for what it met and not for what it said.
    fn retried(&self, cause: RetryCause, id: &str, reason: &str) {
        let retry = Retry { cause, rule: Some(id.to_owned()), reason: reason.to_owned() };
        self.retries.lock().unwrap_or_else(PoisonError::into_inner).push(retry);
    }

    fn without_run(&self, rule: &Rule, verdict: Verdict, reason: String) -> Outcome {
        let result = RuleResult { verdict, reason, ..empty_result(&self.target.rules, rule, 0) };
        Outcome::of(result)
    }

    /// Takes the devices that a rule needs. Where one is out that may be brought back, that is tried first.
    fn lease(&self, rule: &Rule, calls: &BTreeSet<&str>) -> Result<(Lease<'_>, bool), (Verdict, String)> {
        let demand = Demand::of(rule);
        // The replay of a case asks how this rule goes, whatever happens.
        if self.replays() {
            return Ok((self.devices.take_anyway(demand), false));
        }
        loop {
            match (self.devices.take(demand, calls, self.recovery.is_some()), &self.recovery) {
                (Taken::Runs { lease, brief }, _) => return Ok((lease, brief)),
                (Taken::Out(lease), Some(recovery)) => {
                    self.remark(lease.recover(recovery, &self.target.executor));
                }
                (Taken::Out(_), None) => {}
                (Taken::Refused(verdict, reason), _) => return Err((verdict, reason)),
            }
        }
    }

    /// Runs a rule on devices that it has for its own, and looks at them where the result speaks against them.
    fn on_devices(&self, index: usize, lease: &Lease<'_>, brief: bool, calls: &BTreeSet<&str>) -> Outcome {
        let rule = &self.target.rules.rules[index];
        let pool = &self.target.executor.pool;
        let mut slot = match pool.take_seeing(lease.visible().as_deref()) {
            Ok(slot) => slot,
            Err(error) => {
                let reason = format!("no folder for a simulated machine: {error}; set TMPDIR to a writable folder");
                return self.without_run(rule, Verdict::Error, reason);
            }
        };
        let mut outcome = self.run_rule(rule, lease, &mut slot, brief);
        if brief {
            lease.breaker().probed(calls, outcome.lost.as_ref());
        }
        if outcome.result.verdict.passes() {
            self.checkpoint(index, lease, false, &mut slot);
            outcome = self.unless_unwell(outcome, lease, false, &mut slot);
            pool.give_back(slot);
            return outcome;
        }
        if let Some(reason) = self.vanished(&slot) {
            let result = RuleResult { verdict: Verdict::Error, reason, failure: None, ..outcome.result };
            return Outcome::of(result);
        }
        if self.speaks_against_devices(&outcome) {
            if self.devices.gated {
                let (out, replaced) = lease.examine(&outcome.result, &self.target.executor, &mut slot);
                // Whoever fails there and not in a fresh process has met what somebody before it left.
                outcome.process_bad = replaced.is_some() && outcome.result.verdict == Verdict::Flaky;
                replaced.into_iter().for_each(|text| self.remark(text));
                match out {
                    Some(why) => outcome = lost(outcome, &why),
                    None => self.checkpoint(index, lease, true, &mut slot),
                }
            }
            if !outcome.device_out {
                outcome = self.unless_unwell(outcome, lease, true, &mut slot);
            }
        }
        pool.give_back(slot);
        outcome
    }

    /// The outcome of a rule, unless a device that it ran on got worse since the run began.
    fn unless_unwell(&self, outcome: Outcome, lease: &Lease<'_>, suspicious: bool, slot: &mut Slot) -> Outcome {
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
            let said = lease.checkpoint(index, suspicious, self.header.seed, &self.target.executor, slot);
            said.into_iter().for_each(|text| self.remark(text));
        }
    }

    /// Whether the devices are looked at after this: not for what was never tried.
    fn speaks_against_devices(&self, outcome: &Outcome) -> bool {
        let tried = !matches!(outcome.result.verdict, Verdict::Blocked | Verdict::Skipped);
        let asked_to_end = interrupt::requested().is_some();
        !self.replays() && !asked_to_end && (tried || outcome.call.is_some())
    }

    /// Why a machine of the simulated device is of no further use. What a real device did has nothing to do with it.
    fn vanished(&self, slot: &Slot) -> Option<String> {
        if self.target.library.simulated { slot.machine.vanished() } else { None }
    }

    /// Runs a rule on a machine of the pool; a failure is run again before it is believed.
    fn run_rule(&self, rule: &Rule, lease: &Lease<'_>, slot: &mut Slot, brief: bool) -> Outcome {
        let begun = Instant::now();
        let executor = &self.target.executor;
        let watch = self.evidence.begin(&executor.factory.asked, &slot.machine.path);
        let seed = rule_seed(self.header.seed, &rule.id);
        let mut assignment =
            Assignment { known: self.known.of(rule), only: &self.only, ..executor.assignment(rule, seed) };
        if brief {
            assignment.deadline = executor.factory.brief();
        }
        let spent = Duration::from_millis(self.confirming.load(Ordering::Relaxed));
        let shrinking = executor.work.patience.shrinking(spent, executor.factory.deadlines.step);
        assignment.budget.shrink_milliseconds = shrinking.as_millis() as u64;
        let mut output = String::new();
        let (result, call, lost) = match executor.search(&assignment, slot, &mut output) {
            Ok(mut search) => {
                if let Some(failed) = &search.failure {
                    self.confirming.fetch_add(failed.shrinking.milliseconds, Ordering::Relaxed);
                }
                let lost = search.failure.is_some() && self.vanished(slot).is_some();
                let confirmation = if self.replays() || lost {
                    None
                } else {
                    let machine = &slot.machine;
                    let inquest = Inquest { executor, assignment: &assignment, machine, spent: &self.confirming };
                    confirm(inquest, &mut search, &mut output)
                };
                let failed = search.failure.as_ref().map(|failed| failed.failure.blocked_by.clone());
                let call = failed.unwrap_or_else(|| search.stopped_by.clone());
                let lost = search.failure.as_ref().and_then(|failed| failed.failure.lost_in.clone());
                let finished = Finished { search, confirmation, output };
                (finished.result(self, rule, seed), call, lost)
            }
            Err(error) => {
                // On which of several devices it hung, the examination finds out.
                if error.hung() && (lease.units().len() == 1 || !self.devices.gated) {
                    lease.breaker().put_out(&error.to_string());
                }
                let empty = empty_result(&self.target.rules, rule, seed);
                let result = RuleResult { verdict: error.verdict(), reason: error.to_string(), ..empty };
                (result, error.call(), None)
            }
        };
        self.evidence.end(&watch, &executor.factory.asked, &slot.machine.path, &result);
        let result = RuleResult { nanoseconds: begun.elapsed().as_nanos() as u64, ..result };
        Outcome { result, call, lost, units: lease.units().to_vec(), device_out: false, process_bad: false }
    }

    /// The results so far.
    pub fn results(&self) -> Vec<RuleResult> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the workers and sums the run up.
    pub fn finish(&self) -> RunEnd {
        let factory = &self.target.executor.factory;
        self.target.executor.pool.close(factory.deadlines);
        let results = self.results();
        let mut remarks = factory.remarks.all();
        remarks.extend(self.remarks.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        let mut retries = factory.retries.lock().unwrap_or_else(PoisonError::into_inner).clone();
        retries.extend(self.retries.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        if let Some(redactor) = &self.evidence.redactor {
            remarks.iter_mut().for_each(|remark| *remark = redactor.text(remark));
            retries.iter_mut().for_each(|retry| retry.reason = redactor.text(&retry.reason));
        }
        let settings = &self.header.settings;
        let expectations = self.expecting.as_ref().map(|expecting| expecting.applied(&results, settings.strict));
        RunEnd {
            finished: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(),
            nanoseconds: self.begun.elapsed().as_nanos() as u64,
            counts: counts(&results),
            workers_started: factory.starts.processes(),
            starts: factory.starts.all(),
            start_up_nanoseconds: factory.start_up.load(Ordering::Relaxed),
            remarks,
            unusable_cases: self.known.unusable,
            retries,
            exit: exit_code(settings, &results, self.known.unusable, expectations.as_ref()),
            expectations,
        }
    }

    /// Whether a result keeps the run from being conformant.
    pub fn breaks(&self, result: &RuleResult) -> bool {
        if self.expected(result) {
            return false;
        }
        match result.meaning() {
            Meaning::Broken | Meaning::Unknown => true,
            Meaning::Finding => self.header.settings.strict,
            Meaning::Good | Meaning::Skipped => false,
        }
    }
}

/// The outcome of a rule on a device that is out: it says nothing about the rule.
fn lost(outcome: Outcome, why: &str) -> Outcome {
    let RuleResult { verdict, reason, .. } = &outcome.result;
    let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let reason = format!("{why}; the rule itself ended with {verdict}{reason}");
    let result = RuleResult { verdict: Verdict::DeviceLost, reason, ..outcome.result };
    Outcome { device_out: true, ..Outcome::of(result) }
}

/// Position of the rule that was selected, if it is one.
fn only_rule(selected: &[Planned]) -> Result<usize, String> {
    match selected {
        [Planned { rule: Some(index), .. }] => Ok(*index),
        [planned] => Err(format!("{} has no cases", planned.id)),
        _ => Err(format!("it is of one rule, and {} are selected; name its rule", selected.len())),
    }
}
