//! The search for a failing case, and then for the smallest failing case. For rules with one process, the search runs
//! in the worker; for rules with several processes, in the supervisor.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::case::{
    Budget, Case, CaseError, Discarded, Distinct, Plan, Scope, Value, case_to_json, cases_from_json, display_values,
    exhausted,
};
use record::{Boundary, Coverage, Cut, MemoryLimit, Verdict};
use steps::program::Program;
use steps::{Span, StatementId};

use super::answers::Tally;
use super::clock::{Clock, Shrinking};
use super::report::{CaseFailure, CaseReport, FailedCall};
use super::trace::Trace;

/// The results of a rule's cases.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SearchResult {
    pub cases: u64,
    /// The number of failed cases: at most one, unless all failures are counted.
    #[serde(default)]
    pub failed: u64,
    pub checks: u64,
    /// The number of cases that judged nothing, by the `if` on whose taken side the documents leave the answer free.
    #[serde(default)]
    pub observed: BTreeMap<StatementId, u64>,
    pub findings: Vec<String>,
    /// Set if a process reached its memory limit.
    #[serde(default)]
    pub memory_limit: Option<MemoryLimit>,
    pub exceeds: Option<String>,
    pub observations: BTreeMap<String, BTreeMap<String, u64>>,
    /// Answers to questions that no document settles.
    #[serde(default)]
    pub answers: Tally,
    pub failure: Option<Box<FailedCase>>,
    /// The tested share of the domain.
    #[serde(default)]
    pub coverage: Option<Coverage>,
    /// The code, if any, after which the process is unusable.
    pub fatal: Option<String>,
    /// The failure, if any, in the health check after the rule.
    pub unhealthy: Option<String>,
    /// The life-cycle call that caused `fatal` or `unhealthy`.
    pub stopped_by: Option<FailedCall>,
    /// The time of the quickest case that passed, in nanoseconds.
    #[serde(default)]
    pub quickest: Option<u64>,
}

/// The smallest failing case found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FailedCase {
    pub failure: CaseFailure,
    pub values: Vec<(String, String)>,
    pub replay_values: Json,
    pub case: u64,
    pub shrinks: u64,
    #[serde(default)]
    pub shrinking: Shrinking,
    pub trace: Trace,
    /// The boundary of the failure on each axis that was varied alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boundary: Vec<Boundary>,
}

impl FailedCase {
    /// Creates a failed case from the case's values. The case's number is 0.
    pub fn of(program: &Program, failure: CaseFailure, values: &[Value], salt: u64) -> FailedCase {
        let (replay_values, values) = (case_to_json(program, values, salt), display_values(program, values));
        FailedCase {
            failure,
            values,
            replay_values,
            case: 0,
            shrinks: 0,
            shrinking: Shrinking::default(),
            trace: Trace::default(),
            boundary: Vec::new(),
        }
    }
}

/// The result of running a case: its report, and the trace if the case failed.
pub struct Ran {
    pub report: CaseReport,
    pub trace: Trace,
    /// True if no further case can run because the process or the group is gone.
    pub last: bool,
}

/// The number of times that a smaller case with lanes is tried.
const RACY_TRIES: u32 = 4;

/// The reason why a search ended.
enum SearchEnd {
    /// The plan was completed.
    Done,
    /// The watchdog ended the plan early.
    Cut,
    /// A case failed, or only given cases were to run.
    Early,
}

/// The cases to try.
pub struct Search<'a> {
    pub program: &'a Program,
    pub scope: &'a Scope,
    pub seed: u64,
    pub budget: Budget,
    /// Known counterexamples, tried first: cases, and lists of cases.
    pub known: &'a [Json],
    /// The only cases to try, in this order. If this list is empty, all cases are tried.
    pub only: &'a [Json],
    /// True to continue after a failure and count the failing cases.
    pub counts: bool,
}

impl Search<'_> {
    /// Runs cases until one fails or the plan is complete.
    pub fn run(&self, run: &mut dyn FnMut(u64, &[Value], u64) -> Ran) -> SearchResult {
        let plan = Plan::new(self.program, self.scope, self.seed, &self.budget);
        let (mut plan, given) = match plan.and_then(|plan| Ok((plan, self.given()?))) {
            Ok(found) => found,
            Err(error) => return SearchResult::error(error),
        };
        let planned = plan.planned() + given.len() as u64;
        let mut distinct = Distinct::default();
        let (mut result, end) = self.try_cases(&mut plan, given, &mut distinct, run);
        let tried = result.cases;
        let discarded = plan.discarded().filter(|_| matches!(end, SearchEnd::Done));
        let left_out = discarded.map(|Discarded { discarded, drawn }| {
            format!("{tried} of {planned} cases were tried: `where` discarded {discarded} of {drawn} draws")
        });
        let limit_milliseconds = self.budget.limit_milliseconds;
        let edges_left = plan.edges_left();
        let cut = matches!(end, SearchEnd::Cut).then_some(Cut { ran: tried, planned, edges_left, limit_milliseconds });
        let distinct = distinct.count();
        let remark = left_out.filter(|_| !exhausted(self.program, self.scope, distinct));
        result.coverage = (tried > 0).then_some(Coverage { distinct, remark, cut });
        result
    }

    /// Tries the cases in order and returns the reason for stopping.
    fn try_cases(
        &self,
        plan: &mut Plan<'_>,
        given: Vec<Case>,
        distinct: &mut Distinct,
        run: &mut dyn FnMut(u64, &[Value], u64) -> Ran,
    ) -> (SearchResult, SearchEnd) {
        let started = Instant::now();
        let mut given_cases = given.into_iter();
        let mut result = SearchResult { answers: Tally::new(self.program), ..SearchResult::default() };
        let limit = Duration::from_millis(self.budget.limit_milliseconds);
        let end = loop {
            let case = match given_cases.next() {
                Some(case) => case,
                None if !self.only.is_empty() => break SearchEnd::Early,
                None if result.cases > 0 && plan.planned() > 0 && started.elapsed() >= limit => break SearchEnd::Cut,
                None => match plan.next_case() {
                    Some(Ok(case)) => case,
                    Some(Err(error)) => {
                        result.failure = SearchResult::error(error).failure;
                        return (result, SearchEnd::Early);
                    }
                    None => break SearchEnd::Done,
                },
            };
            result.cases += 1;
            distinct.note(&case.values);
            let begun = Instant::now();
            let mut ran = run(result.cases, &case.values, case.salt);
            let took = begun.elapsed();
            // A drawn sequence may consist of operations whose conditions do not hold; the whole rule must check something.
            let may_be_empty = self.program.sequence().is_some();
            let nothing_judged = ran.report.checks == 0 && ran.report.failure.is_none() && !may_be_empty;
            if let Some(branch) = ran.report.free_branch.filter(|_| nothing_judged) {
                *result.observed.entry(branch).or_default() += 1;
            } else if nothing_judged && !ran.last {
                let message = "the case executed no check, so nothing was tested".to_owned();
                ran.report.fail(Verdict::Error, Span::default(), message);
            }
            result.take(self.program, (&case.values, case.salt), &ran.report);
            let last = ran.last;
            if ran.report.failure.is_none() {
                let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
                result.quickest = Some(result.quickest.map_or(took, |quickest| quickest.min(took)));
            }
            if ran.report.failure.is_some() {
                result.failed += 1;
                if result.failure.is_none() {
                    result.failure = self.smaller(result.cases, case, ran, took, run).map(Box::new);
                }
                if !self.counts {
                    return (result, SearchEnd::Early);
                }
            }
            if last {
                return (result, SearchEnd::Early);
            }
        };
        if result.cases == 0 {
            return (SearchResult::error(CaseError::AllDiscarded), SearchEnd::Early);
        }
        if result.checks == 0 && self.program.sequence().is_some() {
            return (SearchResult::error(CaseError::NothingChecked), SearchEnd::Early);
        }
        (result, end)
    }

    /// The coverage of the first `count` cases, computed after a worker was lost together with its coverage figures.
    /// `None` if there are too many cases to draw.
    pub fn coverage(&self, count: u64) -> Option<Coverage> {
        const MOST: u64 = 10_000;
        let cases = Some(count).filter(|count| (1..=MOST).contains(count)).and_then(|count| self.first(count).ok())?;
        let mut distinct = Distinct::default();
        cases.iter().for_each(|case| distinct.note(&case.values));
        Some(Coverage { distinct: distinct.count(), remark: None, cut: None })
    }

    /// The cases to run before the cases in the plan.
    fn given(&self) -> Result<Vec<Case>, CaseError> {
        let given = if self.only.is_empty() { self.known } else { self.only };
        let read = |json: &Json| {
            cases_from_json(self.program, self.scope, json)
                .map_err(|error| CaseError::Given { case: json.to_string(), error: Box::new(error) })
        };
        Ok(given.iter().map(read).collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Draws the first `count` cases of [`Search::run`] again. These cases ran in a process before a case failed in
    /// that process.
    pub fn first(&self, count: u64) -> Result<Vec<Case>, CaseError> {
        let mut cases = self.given()?;
        let mut plan = Plan::new(self.program, self.scope, self.seed, &self.budget)?;
        while (cases.len() as u64) < count {
            cases.push(plan.next_case().ok_or(CaseError::PlanEnds)??);
        }
        cases.truncate(count as usize);
        Ok(cases)
    }

    /// Tries smaller cases until none fails in the same way or the budget runs out. An attempt is skipped if an attempt
    /// that takes as long as the original case would end too late. Returns `None` if no smaller case failed.
    pub fn smaller(
        &self,
        number: u64,
        case: Case,
        ran: Ran,
        took: Duration,
        run: &mut dyn FnMut(u64, &[Value], u64) -> Ran,
    ) -> Option<FailedCase> {
        let salt = case.salt;
        let mut best = (case.values, ran);
        let mut shrinks = 0;
        let mut tree = case
            .tree
            .filter(|_| best.1.report.failure.as_ref().is_some_and(|failure| failure.verdict != Verdict::Error));
        // Discarded draws cost time, though not on the device.
        let (mut attempts, mut tried) = (0, 0);
        let mut clock = Clock::new(self.budget.shrink_milliseconds, took);
        let mut smaller = tree.as_mut().is_some_and(|tree| tree.next(false));
        while smaller && attempts < self.budget.shrinks && tried < 100_000 && !best.1.last {
            let Some(tree) = &mut tree else { break };
            tried += 1;
            let accepted = |values: &Vec<Value>| self.scope.accepts(self.program, values).unwrap_or(false);
            let values = tree.values(self.program, self.scope).ok().filter(accepted);
            let mut failed_again = false;
            if let Some(values) = values.filter(|values| *values != best.0) {
                attempts += 1;
                if clock.is_over() {
                    break;
                }
                // A race does not show every time.
                let tries = if self.program.has_lanes() { RACY_TRIES } else { 1 };
                let mut ran = clock.time(|| run(number, &values, salt));
                let again = |ran: &Ran| {
                    let failures = ran.report.failure.as_ref().zip(best.1.report.failure.as_ref());
                    failures.is_some_and(|(new, old)| new.same_as(old))
                };
                for _ in 1..tries {
                    if again(&ran) || ran.last || clock.is_over() {
                        break;
                    }
                    ran = clock.time(|| run(number, &values, salt));
                }
                let last = ran.last;
                failed_again = again(&ran);
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
        let failed = FailedCase::of(self.program, ran.report.failure?, &values, salt);
        Some(FailedCase { case: number, shrinks, shrinking: clock.shrinking(), trace: ran.trace, ..failed })
    }
}

impl SearchResult {
    /// The result of a search that the suite could not perform.
    fn error(error: CaseError) -> SearchResult {
        let failed = FailedCase {
            failure: CaseFailure::of(Verdict::Error, Span::default(), error.to_string()),
            values: Vec::new(),
            replay_values: Json::Null,
            case: 0,
            shrinks: 0,
            shrinking: Shrinking::default(),
            trace: Trace::default(),
            boundary: Vec::new(),
        };
        SearchResult { failure: Some(Box::new(failed)), ..SearchResult::default() }
    }

    /// True if cases ran and none of them judged anything.
    pub fn judged_nothing(&self) -> bool {
        self.checks == 0 && !self.observed.is_empty()
    }

    fn take(&mut self, program: &Program, case: (&[Value], u64), report: &CaseReport) {
        const MOST_FINDINGS: usize = 8;
        self.checks = self.checks.saturating_add(report.checks);
        self.memory_limit = self.memory_limit.take().or_else(|| report.memory_limit.clone());
        let releases = if report.failure.is_some() { report.releases.as_slice() } else { &[] };
        for finding in report.findings.iter().chain(releases) {
            if !self.findings.contains(finding) && self.findings.len() < MOST_FINDINGS {
                self.findings.push(finding.clone());
            }
        }
        if self.exceeds.is_none() {
            self.exceeds.clone_from(&report.exceeds);
        }
        self.answers.take(program, case, &report.answers, &report.observations);
        for (index, class) in &report.observations {
            // The report may come from a process that the library corrupted.
            let Some((name, ..)) = program.observe.get(*index) else { continue };
            match self.observations.get_mut(name).and_then(|classes| classes.get_mut(class)) {
                Some(count) => *count += 1,
                None => drop(self.observations.entry(name.clone()).or_default().insert(class.clone(), 1)),
            }
        }
    }
}
