//! A rule of one process: its whole loop of cases runs inside a pooled worker.

use serde_json::Value as Json;

use crate::generate::{case_to_json, display_values};
use crate::rules::Rule;
use crate::worker::protocol::{Reply, Request, RunRule};
use crate::worker::search::{FailedCase, Search, SearchResult};
use crate::worker::trace;

use super::child::{WorkerEnd, WorkerProcess};
use super::group::accident_failure;
use super::pool::{Slot, StartError};
use super::rule::Home;
use super::session::Session;

/// A run of a rule in one worker.
pub(super) struct RanRule {
    pub result: SearchResult,
    /// What the library printed, if the rule failed.
    pub output: String,
    /// The worker is gone.
    pub lost: bool,
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
        let run = RunRule { known: self.known_cases(rule), only: self.only_cases.clone(), ..self.run_of(rule, seed) };
        let ran = self.run_in(rule, &run, slot.worker(&self.factory, device, 0)?);
        if ran.lost {
            slot.workers.remove(&(device, 0));
        }
        let result = ran.result;
        if result.fatal.is_some() || result.unhealthy.is_some() {
            slot.workers.clear();
        }
        *output = ran.output;
        Ok(result)
    }

    /// The request for a whole rule, without known cases.
    pub(super) fn run_of(&self, rule: &Rule, seed: u64) -> RunRule {
        RunRule {
            rule: rule.id.clone(),
            product: self.target.product.clone(),
            devices: self.target.devices,
            seed,
            budget: self.budget(Home::Worker),
            known: Vec::new(),
            only: Vec::new(),
            ignored: self.trial.ignored,
            counts: self.trial.counts,
        }
    }

    /// Runs a rule in a worker. An accident is the failure of the case that ran.
    pub(super) fn run_in(&self, rule: &Rule, run: &RunRule, worker: &mut WorkerProcess) -> RanRule {
        let accident = match worker.ask(&Request::Run(Box::new(run.clone())), self.factory.deadlines.step) {
            Ok(Reply::Searched(result)) => {
                let output = if result.failure.is_some() { worker.output() } else { String::new() };
                return RanRule { result: *result, output, lost: false };
            }
            Ok(other) => WorkerEnd::Confused(format!("{other:?}")),
            Err(end) => end,
        };
        let failed = self.accident_case(rule, worker, &accident);
        let scope = self.scope();
        let search = Search {
            program: &rule.program,
            scope: &scope,
            seed: run.seed,
            budget: run.budget,
            known: &run.known,
            only: &run.only,
            counts: run.counts,
        };
        let coverage = search.coverage(failed.case);
        let result = SearchResult {
            cases: failed.case,
            failed: 1,
            failure: Some(Box::new(failed)),
            coverage,
            ..SearchResult::default()
        };
        RanRule { result, output: worker.output(), lost: true }
    }

    /// The case that ran when a worker was lost, from its flight recorder.
    fn accident_case(&self, rule: &Rule, worker: &WorkerProcess, accident: &WorkerEnd) -> FailedCase {
        let (records, dropped) = worker.flight.calls();
        let (number, salt, values) = worker.flight.case().unwrap_or_default();
        // Between cases there is none, and a long list does not fit into the recorder.
        let complete = number > 0 && values.len() == rule.program.axes.len();
        FailedCase {
            failure: accident_failure(&self.rules, rule, &records, accident),
            values: if complete { display_values(&rule.program, &values) } else { Vec::new() },
            replay_values: if complete { case_to_json(&rule.program, &values, salt) } else { Json::Null },
            case: number,
            shrinks: 0,
            trace: trace::trace(&self.rules, &rule.program, &records, dropped),
        }
    }
}
