//! A run of rules on a target: each rule once, its result held against what the owners of its calls showed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use serde_json::Value as Json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::case::rule_seed;
use crate::catalog::{Rule, Rules};
use crate::confirm::{Inquest, confirm};
use crate::record::{Meaning, RuleResult, RunEnd, RunHeader, Verdict};
use crate::runtime::Runtime;
use crate::workers::{Assignment, Slot};

use super::exit::{ExitStatus, RunError};
use super::known::KnownCases;
use super::options::Options;
use super::owners::Outcome;
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
    strict: bool,
    min_executed: Option<u64>,
    /// If there are any: these cases, in this order, and no others.
    pub(super) only: Vec<Json>,
    known: KnownCases,
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
        let target = Target::open(options, runtime, rules)?;
        Ok(Campaign {
            outcomes: target.rules.rules.iter().map(|_| OnceLock::new()).collect(),
            header: target.header(options),
            only,
            known: KnownCases::of_project(),
            strict: options.strict,
            min_executed: options.min_executed,
            begun: Instant::now(),
            confirming: AtomicU64::new(0),
            results: Mutex::default(),
            target,
        })
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
            None => support_rule::exported(&self.target, planned),
            Some(index) => self.judged(index),
        }
    }

    /// Takes a result into account: in the counts and the exit status.
    pub(super) fn count(&self, result: RuleResult) {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
    }

    /// Whether something planned applies here.
    pub(super) fn runs(&self, planned: &Planned) -> bool {
        planned.rule.is_none_or(|index| self.target.skip(&self.target.rules.rules[index]).is_none())
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
            let without_run = |verdict, reason| {
                let result = RuleResult { verdict, reason, ..empty_result(&self.target.rules, rule, 0) };
                Outcome { result, call: None }
            };
            if let Some(reason) = self.target.skip(rule) {
                return without_run(Verdict::Skipped, reason);
            }
            let pool = &self.target.executor.pool;
            match pool.take() {
                Ok(mut slot) => {
                    let mut outcome = self.run_rule(rule, &mut slot);
                    let lost = if outcome.result.verdict.passes() { None } else { self.vanished(&slot) };
                    match lost {
                        None => pool.give_back(slot),
                        Some(reason) => {
                            let result =
                                RuleResult { verdict: Verdict::Error, reason, failure: None, ..outcome.result };
                            outcome = Outcome { result, call: None };
                        }
                    }
                    outcome
                }
                Err(error) => without_run(
                    Verdict::Error,
                    format!("no folder for a simulated machine: {error}; set TMPDIR to a writable folder"),
                ),
            }
        })
    }

    /// Why a machine of the simulated device is of no further use. What a real device did has nothing to do with it.
    fn vanished(&self, slot: &Slot) -> Option<String> {
        if self.target.library.simulated { slot.machine.vanished() } else { None }
    }

    /// Runs a rule on a machine of the pool; a failure is run again before it is believed.
    fn run_rule(&self, rule: &Rule, slot: &mut Slot) -> Outcome {
        let begun = Instant::now();
        let executor = &self.target.executor;
        let seed = rule_seed(self.header.seed, &rule.id);
        let known = self.known.of(rule);
        let assignment = Assignment { known: &known, only: &self.only, ..executor.assignment(rule, seed) };
        let mut output = String::new();
        let (result, call) = match executor.search(&assignment, slot, &mut output) {
            Ok(mut search) => {
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
                let finished = Finished { search, confirmation, output };
                (finished.result(self, rule, seed), call)
            }
            Err(error) => {
                let empty = empty_result(&self.target.rules, rule, seed);
                let result = RuleResult { verdict: error.verdict(), reason: error.to_string(), ..empty };
                (result, error.call())
            }
        };
        Outcome { result: RuleResult { nanoseconds: begun.elapsed().as_nanos() as u64, ..result }, call }
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
        let mut counts: BTreeMap<Verdict, u64> = BTreeMap::new();
        for result in &results {
            *counts.entry(result.verdict).or_default() += 1;
        }
        RunEnd {
            finished: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(),
            nanoseconds: self.begun.elapsed().as_nanos() as u64,
            counts,
            workers_started: factory.started.load(Ordering::Relaxed),
            start_up_nanoseconds: factory.start_up.load(Ordering::Relaxed),
            remarks: factory.remarks.all(),
            exit: self.exit(&results) as u8,
        }
    }

    /// Whether a result keeps the run from being conformant.
    pub fn breaks(&self, result: &RuleResult) -> bool {
        match result.meaning() {
            Meaning::Broken | Meaning::Unknown => true,
            Meaning::Finding => self.strict,
            Meaning::Good | Meaning::Skipped => false,
        }
    }

    fn exit(&self, results: &[RuleResult]) -> ExitStatus {
        let any = |meaning: Meaning| results.iter().any(|result| result.meaning() == meaning);
        let executed = results.iter().filter(|result| result.verdict != Verdict::Skipped).count() as u64;
        if any(Meaning::Broken) || (self.strict && any(Meaning::Finding)) {
            ExitStatus::Broken
        } else if any(Meaning::Unknown) || self.min_executed.is_some_and(|least| executed < least) {
            ExitStatus::Unknown
        } else {
            ExitStatus::Conformant
        }
    }
}
