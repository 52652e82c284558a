//! The search for a failing case, and for the smallest one. Workers run it for rules of one process, the supervisor for
//! rules of several.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::generate::{Budget, Case, Plan, Scope, Value, case_from_json, case_to_json, display_values};
use crate::lang::Span;
use crate::lang::program::Program;
use crate::record::Verdict;

use super::report::{CaseFailure, CaseReport, FailedCall};

/// What the cases of a rule showed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SearchResult {
    pub cases: u64,
    pub checks: u64,
    pub findings: Vec<String>,
    pub exceeds: Option<String>,
    pub observations: BTreeMap<String, BTreeMap<String, u64>>,
    pub failure: Option<Box<FailedCase>>,
    /// A code was seen after which the process is of no further use.
    pub fatal: Option<String>,
    /// The health check after the rule failed.
    pub unhealthy: Option<String>,
    /// The call of the life cycle that `fatal` or `unhealthy` is about.
    pub stopped_by: Option<FailedCall>,
}

/// The smallest failing case that was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FailedCase {
    pub failure: CaseFailure,
    pub values: Vec<(String, String)>,
    pub replay_values: Json,
    pub case: u64,
    pub shrinks: u64,
    pub trace: Vec<String>,
}

/// What running a case gives: its report, and the trace when it failed.
pub struct Ran {
    pub report: CaseReport,
    pub trace: Vec<String>,
    /// Nothing more can be run: the process or the group is gone.
    pub last: bool,
}

/// The cases to try.
pub struct Search<'a> {
    pub program: &'a Program,
    pub scope: &'a Scope,
    pub seed: u64,
    pub budget: Budget,
    pub known: &'a [Json],
    pub only: Option<&'a Json>,
}

impl Search<'_> {
    /// Runs cases until one fails or the plan is done.
    pub fn run(&self, run: &mut dyn FnMut(u64, &[Value], u64) -> Ran) -> SearchResult {
        let mut result = SearchResult::default();
        let started = Instant::now();
        let fault = |result: &mut SearchResult, message: String| {
            let failure = CaseFailure { verdict: Verdict::Error, start: 0, end: 0, message, blocked_by: None };
            let failed = FailedCase {
                failure,
                values: Vec::new(),
                replay_values: Json::Null,
                case: 0,
                shrinks: 0,
                trace: Vec::new(),
            };
            result.failure = Some(Box::new(failed));
        };
        let mut plan = match Plan::new(self.program, self.scope, self.seed, &self.budget) {
            Ok(plan) => plan,
            Err(message) => {
                fault(&mut result, message);
                return result;
            }
        };
        let given: Vec<&Json> = self.only.map_or_else(|| self.known.iter().collect(), |only| vec![only]);
        let mut given_cases = Vec::new();
        for json in given {
            match case_from_json(self.program, json) {
                Ok(case) => given_cases.push(case),
                Err(error) => {
                    fault(&mut result, format!("{json}: {error}"));
                    return result;
                }
            }
        }
        let mut given_cases = given_cases.into_iter();
        let required = plan.required() as u64;
        loop {
            let case = match given_cases.next() {
                Some(case) => case,
                None if self.only.is_some() => break,
                None if result.cases >= required
                    && started.elapsed().as_millis() as u64 >= self.budget.milliseconds =>
                {
                    break;
                }
                None => match plan.next_case() {
                    Some(Ok(case)) => case,
                    Some(Err(message)) => {
                        fault(&mut result, message);
                        return result;
                    }
                    None => break,
                },
            };
            result.cases += 1;
            let mut ran = run(result.cases, &case.values, case.salt);
            if ran.report.checks == 0 && ran.report.failure.is_none() && !ran.last {
                let message = "the case executed no check; nothing was tested".to_owned();
                ran.report.fail(Verdict::Error, Span::default(), message);
            }
            result.take(self.program, &ran.report);
            if ran.report.failure.is_some() {
                self.shrink(case, ran, &plan, &mut result, run);
                return result;
            }
            if ran.last {
                return result;
            }
        }
        if result.cases == 0 {
            fault(&mut result, "`where` discards every case; nothing was tested".to_owned());
        }
        result
    }

    fn shrink(
        &self,
        case: Case,
        ran: Ran,
        plan: &Plan<'_>,
        result: &mut SearchResult,
        run: &mut dyn FnMut(u64, &[Value], u64) -> Ran,
    ) {
        let number = result.cases;
        let salt = case.salt;
        let mut best = (case.values, ran);
        let mut shrinks = 0;
        let mut tree = case
            .tree
            .filter(|_| best.1.report.failure.as_ref().is_some_and(|failure| failure.verdict != Verdict::Error));
        // What `where` discards costs nothing on the device, but it costs time.
        let (mut attempts, mut tried) = (0, 0);
        let mut smaller = tree.as_mut().is_some_and(|tree| tree.next(false));
        while smaller && attempts < self.budget.shrinks && tried < 100_000 && !best.1.last {
            let Some(tree) = &mut tree else { break };
            tried += 1;
            let values = tree.values(self.program, self.scope);
            let usable = values.as_ref().is_ok_and(|values| plan.accepts(values).unwrap_or(false) && *values != best.0);
            let mut failed_again = false;
            if usable && let Ok(values) = values {
                attempts += 1;
                let ran = run(number, &values, salt);
                let last = ran.last;
                failed_again = ran.report.same_failure(&best.1.report);
                if failed_again {
                    shrinks += 1;
                    best = (values, ran);
                }
                if last {
                    break;
                }
            }
            smaller = tree.next(failed_again);
        }
        let (values, ran) = best;
        let Some(failure) = ran.report.failure else { return };
        result.failure = Some(Box::new(FailedCase {
            failure,
            values: display_values(self.program, &values),
            replay_values: case_to_json(self.program, &values, salt),
            case: number,
            shrinks,
            trace: ran.trace,
        }));
    }
}

impl SearchResult {
    fn take(&mut self, program: &Program, report: &CaseReport) {
        const MOST_FINDINGS: usize = 8;
        self.checks += report.checks;
        let releases = if report.failure.is_some() { report.releases.as_slice() } else { &[] };
        for finding in report.findings.iter().chain(releases) {
            if !self.findings.contains(finding) && self.findings.len() < MOST_FINDINGS {
                self.findings.push(finding.clone());
            }
        }
        if self.exceeds.is_none() {
            self.exceeds.clone_from(&report.exceeds);
        }
        for (index, class) in &report.observations {
            let (name, ..) = &program.observe[*index];
            match self.observations.get_mut(name).and_then(|classes| classes.get_mut(class)) {
                Some(count) => *count += 1,
                None => {
                    self.observations.entry(name.clone()).or_default().insert(class.clone(), 1);
                }
            }
        }
    }
}
