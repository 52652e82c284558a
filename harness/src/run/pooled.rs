//! A rule of one process: its whole loop of cases runs inside a pooled worker. What fails there is confirmed alone.

use std::path::Path;

use serde_json::Value as Json;

use crate::generate::{case_to_json, display_values};
use crate::lang::program::State;
use crate::record::Verdict;
use crate::rules::Rule;
use crate::worker::protocol::{Reply, Request, RunRule};
use crate::worker::search::{FailedCase, SearchResult};
use crate::worker::{CaseFailure, trace};

use super::child::{WorkerEnd, WorkerProcess};
use super::group::describe_accident;
use super::pool::{SetUp, Slot, StartError};
use super::session::Session;

/// A run of a rule in one worker.
struct Ran {
    result: SearchResult,
    /// What the library printed, if the rule failed.
    output: String,
    /// The worker is gone.
    lost: bool,
}

impl Session {
    /// Runs a rule in the worker of its device.
    pub(super) fn search_pooled(
        &self,
        rule: &Rule,
        seed: u64,
        slot: &mut Slot,
        output: &mut String,
    ) -> Result<SearchResult, StartError> {
        let device = rule.program.processes[0].device;
        let run = RunRule {
            rule: rule.id.clone(),
            product: self.target.product.clone(),
            devices: self.target.devices,
            seed,
            budget: self.trial.budget(self.profile.budget()),
            known: self.known_cases(rule),
            only: self.only_case.clone(),
            ignored: self.trial.ignored,
            counts: self.trial.counts,
        };
        let ran = self.run_in(rule, &run, slot.worker(&self.factory, device, 0)?);
        if ran.lost {
            slot.workers.remove(&(device, 0));
        }
        let mut result = ran.result;
        if result.fatal.is_some() || result.unhealthy.is_some() {
            slot.workers.clear();
        }
        *output = ran.output;
        if self.confirms && self.only_case.is_none() {
            self.confirm(rule, &run, &slot.machine, &mut result);
        }
        Ok(result)
    }

    /// Runs the failing case alone in a fresh worker. If it passes there, the report says what it depends on.
    fn confirm(&self, rule: &Rule, run: &RunRule, machine: &Path, result: &mut SearchResult) {
        let Some(failed) = &mut result.failure else { return };
        let judged =
            matches!(failed.failure.verdict, Verdict::Fail | Verdict::WrongCode | Verdict::Crash | Verdict::Timeout);
        if !judged || failed.replay_values.is_null() {
            return;
        }
        let alone = RunRule { only: Some(failed.replay_values.clone()), ..run.clone() };
        let fails = |run: &RunRule| -> Option<bool> {
            let set_up = SetUp { state: State::Device, device: rule.program.processes[0].device, only: None };
            let (mut worker, _) = self.factory.start(machine, set_up).ok()?;
            let ran = self.run_in(rule, run, &mut worker);
            if !ran.lost {
                worker.stop(self.factory.deadlines.step);
            }
            Some(ran.result.failure.is_some())
        };
        let depends = match fails(&alone) {
            Some(false) => match fails(run) {
                Some(true) => "it fails only after earlier cases of the rule; run the whole rule to see it again",
                Some(false) => {
                    "a second run of the whole rule passes too: it fails rarely, or only after what other rules did"
                }
                None => "no second process could be started to see more",
            },
            _ => return,
        };
        let message = &mut failed.failure.message;
        *message = format!("{message}; alone in a fresh process this case passes, and {depends}");
    }

    fn run_in(&self, rule: &Rule, run: &RunRule, worker: &mut WorkerProcess) -> Ran {
        let accident = match worker.ask(&Request::Run(Box::new(run.clone())), self.factory.deadlines.step) {
            Ok(Reply::Searched(result)) => {
                let output = if result.failure.is_some() { worker.output() } else { String::new() };
                return Ran { result: *result, output, lost: false };
            }
            Ok(other) => WorkerEnd::Confused(format!("{other:?}")),
            Err(end) => end,
        };
        let failed = self.accident_case(rule, worker, &accident);
        let result =
            SearchResult { cases: failed.case, failed: 1, failure: Some(Box::new(failed)), ..SearchResult::default() };
        Ran { result, output: worker.output(), lost: true }
    }

    /// The case that ran when a worker was lost, from its flight recorder.
    fn accident_case(&self, rule: &Rule, worker: &WorkerProcess, accident: &WorkerEnd) -> FailedCase {
        let (records, dropped) = worker.flight.calls();
        let (verdict, span, message) = describe_accident(&self.rules, rule, &records, accident);
        let (number, salt, values) = worker.flight.case().unwrap_or_default();
        let complete = values.len() == rule.program.axes.len();
        FailedCase {
            failure: CaseFailure { verdict, start: span.start, end: span.end, message, blocked_by: None },
            values: if complete { display_values(&rule.program, &values) } else { Vec::new() },
            replay_values: if complete { case_to_json(&rule.program, &values, salt) } else { Json::Null },
            case: number,
            shrinks: 0,
            trace: trace::trace(&self.rules, &rule.program, &records, dropped),
        }
    }
}
