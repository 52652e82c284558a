//! Runs a rule that has one process: the entire loop over cases runs inside a pooled worker.

use serde_json::Value as Json;
use steps::program::{Domain, Program};

use crate::case::{CaseFailure, FailedCase, SearchResult, Shrinking, Value, case_to_json, display_values};
use crate::wire::flight::{CallRecord, Flight};
use crate::wire::message::{Reply, Request, RunRule};
use crate::wire::trace;
use catalog::Rule;
use record::StartReason;

use super::child::WorkerProcess;
use super::end::WorkerEnd;
use super::executor::{Assignment, Executor};
use super::factory::StartError;
use super::group::accident_failure;
use super::seat::Seat;
use super::slots::Slot;

/// The result of running a rule in one worker.
pub struct RanRule {
    pub result: SearchResult,
    /// The library's output, if the rule failed.
    pub output: String,
    /// True if the worker is gone.
    pub lost: bool,
}

impl Executor {
    /// Runs a rule in its device's worker.
    pub(super) fn search_single(
        &self,
        assignment: &Assignment<'_>,
        slot: &mut Slot,
        output: &mut String,
    ) -> Result<SearchResult, StartError> {
        let device = assignment.rule.program.processes[0].device;
        let seat = Seat::pooled(device, 0);
        let ran = self.run_in(assignment, slot.worker(&self.factory, seat)?);
        if ran.lost {
            slot.vacate(seat, StartReason::AfterLoss);
        }
        let result = ran.result;
        if result.fatal.is_some() || result.unhealthy.is_some() {
            slot.clear(StartReason::AfterFailure);
        }
        *output = ran.output;
        Ok(result)
    }

    /// The request that runs an assignment.
    pub(super) fn run_request(&self, assignment: &Assignment<'_>) -> RunRule {
        RunRule {
            rule: assignment.rule.id.clone(),
            bytes: assignment.bytes.clone(),
            product: self.product.clone(),
            devices: self.scope.devices,
            patience: self.scope.patience,
            seed: assignment.seed,
            budget: assignment.budget,
            known: assignment.known.to_vec(),
            only: assignment.only.to_vec(),
            ignored: assignment.ignored,
            observed: assignment.observed.clone(),
            left_out: assignment.left_out.clone(),
            counts: assignment.counts,
        }
    }

    /// Runs a rule in a worker. An accident becomes the failure of the case that was running.
    pub fn run_in(&self, assignment: &Assignment<'_>, worker: &mut WorkerProcess) -> RanRule {
        let request = self.run_request(assignment);
        let before = worker.flight.progress();
        let accident = match worker.ask(&Request::Run(Box::new(request)), assignment.deadline) {
            Ok(Reply::Searched(result)) => {
                let output = if result.failure.is_some() { worker.output() } else { String::new() };
                return RanRule { result: *result, output, lost: false };
            }
            Ok(other) => WorkerEnd::Confused(format!("{other:?}")),
            Err(end) => end,
        };
        // A process that ended before it began this rule still has the calls from the previous rule.
        let recorded = if worker.flight.progress() == before { Default::default() } else { worker.flight.calls() };
        let rule = assignment.rule;
        let holds = worker.flight.has_closed_gates();
        let failure = worker.failure(&accident, || accident_failure(&self.texts(rule), &recorded.0, &accident, holds));
        let failed = self.lost_case(rule, &worker.flight, recorded, failure);
        RanRule { result: self.search_until(assignment, failed), output: worker.output(), lost: true }
    }

    /// The result of a search that ended with the loss of the process.
    pub(super) fn search_until(&self, assignment: &Assignment<'_>, failed: FailedCase) -> SearchResult {
        let coverage = assignment.search(&self.scope_of(assignment)).coverage(failed.case);
        SearchResult {
            cases: failed.case,
            failed: 1,
            failure: Some(Box::new(failed)),
            coverage,
            ..SearchResult::default()
        }
    }

    /// The case that was running when a process was lost, read from the process's flight recorder, with the recorded
    /// calls.
    pub(super) fn lost_case(
        &self,
        rule: &Rule,
        flight: &Flight,
        (records, dropped): (Vec<CallRecord>, u64),
        failure: CaseFailure,
    ) -> FailedCase {
        let (number, salt, values) = flight.case().unwrap_or_default();
        // Between cases, the recorder holds no values. A long list of values does not fit into the recorder.
        let complete = number > 0 && are_of(&rule.program, &values);
        FailedCase {
            boundary: Vec::new(),
            failure,
            values: if complete { display_values(&rule.program, &values) } else { Vec::new() },
            replay_values: if complete { case_to_json(&rule.program, &values, salt) } else { Json::Null },
            case: number,
            shrinks: 0,
            shrinking: Shrinking::default(),
            trace: trace::trace(&self.texts(rule), &records, dropped),
        }
    }
}

/// True if the values can be those of a case. The values may be invalid, because the library may have overwritten the
/// recorder.
fn are_of(program: &Program, values: &[Value]) -> bool {
    let is_position = |value: i128, count: usize| usize::try_from(value).is_ok_and(|position| position < count);
    values.len() == program.axes.len()
        && program.axes.iter().zip(values).all(|(axis, value)| match (&axis.domain, value) {
            (Domain::Choice(names), Value::Integer(value)) => is_position(*value, names.len()),
            (Domain::Text(texts), Value::Integer(value)) => is_position(*value, texts.len()),
            (Domain::List { .. } | Domain::Permutation(_) | Domain::Sequence(_) | Domain::Column { .. }, value) => {
                matches!(value, Value::List(_))
            }
            (_, value) => matches!(value, Value::Integer(_)),
        })
}
