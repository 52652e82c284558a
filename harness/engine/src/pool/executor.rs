//! Runs a rule's cases in worker processes: in a pooled worker, in a group, or in fresh processes for each case.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;

use steps::Span;
use steps::StatementId;
use steps::judgment::Judgment;
use steps::program::{Readiness, Sharing};

use crate::case::{Budget, CaseReport, Effort, Patience, Ran, Scope, Search, SearchResult, Trace, Value};
use crate::wire::message::RunCase;
use crate::wire::trace::Texts;
use catalog::book::encode_rule;
use catalog::digest::hex;
use catalog::{Alternative, Known, Missing, Rule, Rules, left_out};
use record::{StartReason, Verdict};

use super::child::WorkerProcess;
use super::factory::{Factory, SetUp, StartError};
use super::group::{Group, GroupEnd};
use super::machines::MachineFolder;
use super::seat::seats;
use super::slots::{Pool, Slot};

/// The processes in which a rule's cases run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    /// All cases run in the pooled worker.
    Worker,
    /// Each of the rule's processes has a worker. Some of the workers are started for each case.
    Group,
    /// All processes are started for each case.
    Fresh,
}

impl Home {
    /// Selects the processes that run a rule's cases.
    pub(crate) fn of(rule: &Rule) -> Home {
        if rule.program.all_are(Sharing::Isolated) || rule.hazard.is_some() {
            Home::Fresh
        } else if rule.program.several_processes() || !rule.program.all_are(Sharing::Pooled) {
            Home::Group
        } else {
            Home::Worker
        }
    }
}

/// The budget for a rule. A rule whose cases may spoil processes gets few cases; a rule whose cases start processes
/// gets fewer.
fn budget(rule: &Rule, work: &Effort) -> Budget {
    match Home::of(rule) {
        Home::Worker => work.single,
        Home::Group if rule.program.all_are(Sharing::Pooled) => work.group,
        Home::Group if rule.program.processes.iter().any(|process| process.sharing == Sharing::Isolated) => work.fresh,
        Home::Group => work.apart,
        Home::Fresh => work.fresh,
    }
}

fn is_blocked(report: &CaseReport) -> bool {
    report.failure.as_ref().is_some_and(|failure| failure.verdict == Verdict::Blocked)
}

/// The rule's cases to run, and the judgments to make.
#[derive(Debug, Clone)]
pub struct Assignment<'a> {
    pub rule: &'a Rule,
    /// The rule's bytes in hexadecimal, for workers.
    pub bytes: Arc<str>,
    /// The rule's seed.
    pub seed: u64,
    pub budget: Budget,
    /// Known counterexamples, tried first.
    pub known: &'a [Json],
    /// The only cases to run, in this order. If this list is empty, all cases run.
    pub only: &'a [Json],
    /// A judgment that a proof leaves out.
    pub ignored: Option<Judgment>,
    /// True to continue after a failure and count the failing cases.
    pub counts: bool,
    /// The ids of statements whose checks are only reported for this library.
    pub observed: Vec<StatementId>,
    /// The alternatives that this product or library does not offer.
    pub left_out: Vec<Alternative>,
    /// The maximum time for a call without progress.
    pub deadline: Duration,
}

/// Runs rules' cases with one library, for one product.
#[derive(Debug)]
pub struct Executor {
    pub rules: Arc<Rules>,
    /// The product's id.
    pub product: String,
    /// The quantities used to draw cases: facts about the product, and the number of devices.
    pub scope: Scope,
    /// Facts about the library and the host because of which some checks only observe.
    pub known: Known,
    /// Functions, values and calls that rules cannot use, though the product offers them.
    pub missing: Missing,
    /// The amount of work per rule.
    pub work: Effort,
    pub factory: Factory,
    pub pool: Pool,
}

impl Executor {
    /// Creates an executor for a product and a number of devices, with the workers already in the pool.
    pub fn new(
        rules: Arc<Rules>,
        product: String,
        devices: u32,
        work: Effort,
        factory: Factory,
        pool: Pool,
    ) -> Executor {
        let facts = rules.product(&product).map(|product| product.facts.clone()).unwrap_or_default();
        Executor {
            rules,
            product,
            scope: Scope::new(facts, devices),
            known: Known {
                editions: Default::default(),
                run_mode: None,
                virtual_machine: Some(false),
                shown: BTreeSet::new(),
                without: BTreeSet::new(),
            },
            missing: Missing::default(),
            work,
            factory,
            pool,
        }
    }

    /// The scope for drawing an assignment's cases.
    pub fn scope_of(&self, assignment: &Assignment<'_>) -> Cow<'_, Scope> {
        match &assignment.left_out {
            left_out if left_out.is_empty() => Cow::Borrowed(&self.scope),
            left_out => Cow::Owned(Scope { left_out: left_out.clone(), ..self.scope.clone() }),
        }
    }

    /// The programs whose calls a rule's processes record.
    pub(super) fn texts<'a>(&'a self, rule: &'a Rule) -> Texts<'a> {
        Texts { rules: &self.rules, program: &rule.program, life_cycle: self.rules.life_cycle.of(&self.product) }
    }

    /// The assignment for a complete rule, without known cases.
    pub fn assignment<'a>(&self, rule: &'a Rule, seed: u64) -> Assignment<'a> {
        let budget = budget(rule, &self.work);
        let (observed, _) = rule.observed_only(&self.rules, &self.known);
        let left_out = left_out(rule, &self.product, &self.missing, &self.rules);
        let deadline = self.factory.deadlines.step;
        Assignment {
            rule,
            bytes: self.bytes_of(rule),
            seed,
            budget,
            known: &[],
            only: &[],
            ignored: None,
            counts: false,
            observed,
            left_out,
            deadline,
        }
    }

    /// Runs a rule on a machine from the pool. Puts the last part of the library's output into `output`.
    ///
    /// # Errors
    /// Fails if a worker for the rule cannot be started.
    pub fn search(
        &self,
        assignment: &Assignment<'_>,
        slot: &mut Slot,
        output: &mut String,
    ) -> Result<SearchResult, StartError> {
        let rule = assignment.rule;
        let home = Home::of(rule);
        if home == Home::Worker {
            return self.search_single(assignment, slot, output);
        }
        let fresh = home == Home::Fresh;
        // If the processes do not survive a failing case, the next case gets fresh processes.
        let replaced = !rule.program.all_are(Sharing::Pooled);
        let Patience { mut starts, hangs, .. } = self.work.patience;
        let mut hangs = self.factory.further_hangs(assignment.deadline, hangs);
        let mut assignment = Cow::Borrowed(assignment);
        let whole = assignment.clone();
        let mut trouble = None;
        let mut fatal = None;
        let mut result = whole.search(&self.scope_of(&whole)).run(&mut |number, values, salt| {
            let case = self.run_case(&assignment, number, values, salt);
            let end = if fresh {
                self.case_in_fresh_processes(&assignment, &slot.machine, &case)
            } else {
                self.case_in_pool(&assignment, slot, &case)
            };
            match end {
                Ok(end) => {
                    if !end.output.is_empty() {
                        *output = end.output;
                    }
                    // Smaller cases hang and crash too. A hang costs the deadline; a crash costs starting all
                    // processes again.
                    match end.report.failure.as_ref().map(|failure| failure.verdict) {
                        Some(Verdict::Timeout) => {
                            hangs = hangs.saturating_sub(1);
                            // The hang itself is already confirmed.
                            let deadline = self.factory.brief().min(assignment.deadline);
                            assignment.to_mut().deadline = deadline;
                        }
                        Some(Verdict::Crash) => starts = starts.saturating_sub(end.lost.len() as u32),
                        _ => {}
                    }
                    // Another case would wait for the same work.
                    let waited = end.hung && is_blocked(&end.report);
                    let last = (!replaced && end.fatal.is_some()) || starts == 0 || hangs == 0 || waited;
                    fatal = fatal.take().or(end.fatal);
                    Ran { report: end.report, trace: end.trace, last }
                }
                Err(error) => {
                    let mut report = CaseReport::default();
                    report.fail(Verdict::Error, Span::default(), error.to_string());
                    trouble = Some(error);
                    Ran { report, trace: Trace::default(), last: true }
                }
            }
        });
        for seat in seats(rule).into_iter().flatten().filter(|seat| seat.sharing == Sharing::Own) {
            if let Some(worker) = slot.take(seat) {
                worker.stop(self.factory.deadlines.step);
            }
        }
        if let Some(trouble) = fatal.filter(|_| !replaced) {
            (result.fatal, result.stopped_by) = (Some(trouble.message), trouble.call);
        }
        trouble.map_or(Ok(result), Err)
    }

    /// The request to run a case in a group.
    pub fn run_case(&self, assignment: &Assignment<'_>, number: u64, values: &[Value], salt: u64) -> RunCase {
        RunCase {
            rule: assignment.rule.id.clone(),
            bytes: assignment.bytes.clone(),
            product: self.product.clone(),
            devices: self.scope.devices,
            patience: self.scope.patience,
            process: 0,
            number,
            values: values.to_vec(),
            salt,
            meeting: None,
            ignored: assignment.ignored,
            observed: assignment.observed.clone(),
            left_out: assignment.left_out.clone(),
        }
    }

    /// Starts a rule's missing workers. Rules with fresh processes have none.
    pub fn start_workers(&self, rule: &Rule, slot: &mut Slot) -> Result<(), StartError> {
        if Home::of(rule) != Home::Fresh {
            for seat in seats(rule).into_iter().flatten() {
                slot.worker(&self.factory, seat)?;
            }
        }
        Ok(())
    }

    fn case_in_pool(
        &self,
        assignment: &Assignment<'_>,
        slot: &mut Slot,
        case: &RunCase,
    ) -> Result<GroupEnd, StartError> {
        let rule = assignment.rule;
        let seats = seats(rule);
        self.start_workers(rule, slot)?;
        // These workers end with the case in any event. They start first, because the steps that follow cannot fail.
        let isolated = (0..seats.len()).filter(|process| seats[*process].is_none());
        let mut isolated = isolated
            .map(|process| self.fresh_process(rule, process, &slot.machine, StartReason::Isolated))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter();
        let mut workers = Vec::new();
        for seat in &seats {
            let worker = match seat {
                Some(seat) => slot.take(*seat),
                None => isolated.next(),
            };
            workers.push(worker.expect("every seat has a worker, and so has every process without a seat"));
        }
        let end = self.case_in(assignment, &mut workers, case);
        let spoiled = end.fatal.is_some() || !end.report.releases.is_empty();
        for (member, (worker, seat)) in workers.into_iter().zip(seats).enumerate() {
            let lost = end.lost.contains(&member);
            let Some(seat) = seat else {
                self.end_process(rule, member, worker, lost);
                continue;
            };
            // A case that did not pass may have spoiled the process.
            let doubtful = seat.sharing != Sharing::Pooled && end.report.failure.is_some();
            if lost && end.report.failure.is_none() {
                slot.vacate(seat, StartReason::EndedByRule);
            } else if lost {
                slot.vacate(seat, StartReason::AfterLoss);
            } else if spoiled {
                drop(worker);
                slot.vacate(seat, StartReason::AfterFailure);
            } else if doubtful {
                worker.stop(self.factory.deadlines.step);
                slot.vacate(seat, StartReason::AfterFailure);
            } else {
                slot.put(seat, worker);
            }
        }
        Ok(end)
    }

    fn case_in_fresh_processes(
        &self,
        assignment: &Assignment<'_>,
        machine: &MachineFolder,
        case: &RunCase,
    ) -> Result<GroupEnd, StartError> {
        let hazardous = assignment.rule.hazard.is_some();
        let reason = if hazardous { StartReason::Hazardous } else { StartReason::Isolated };
        let mut workers = self.fresh_processes(assignment.rule, machine, reason)?;
        let end = self.case_in(assignment, &mut workers, case);
        self.leave(assignment.rule, workers, &end);
        Ok(end)
    }

    fn group<'a>(&'a self, assignment: &Assignment<'a>, members: Vec<&'a mut WorkerProcess>) -> Group<'a> {
        let rule = assignment.rule;
        Group { texts: self.texts(rule), rule, members, deadline: assignment.deadline }
    }

    /// Starts a rule's processes.
    pub fn fresh_processes(
        &self,
        rule: &Rule,
        machine: &MachineFolder,
        reason: StartReason,
    ) -> Result<Vec<WorkerProcess>, StartError> {
        (0..rule.program.processes.len()).map(|process| self.fresh_process(rule, process, machine, reason)).collect()
    }

    /// Starts one of a rule's processes.
    pub fn fresh_process(
        &self,
        rule: &Rule,
        process: usize,
        machine: &MachineFolder,
        reason: StartReason,
    ) -> Result<WorkerProcess, StartError> {
        let process = &rule.program.processes[process];
        let set_up = SetUp::new(process.state, process.device, reason);
        // A rule that begins with only the library loaded may start the runtime itself.
        let by_rule = || {
            let changes = &self.rules.environment.process_functions;
            rule.function_names().any(|name| changes.contains(name))
        };
        let set_up = SetUp { runtime: set_up.runtime || by_rule(), sight: &process.sight, ..set_up };
        Ok(self.factory.start(machine, set_up)?.0)
    }

    fn bytes_of(&self, rule: &Rule) -> Arc<str> {
        hex(&encode_rule(rule, &self.rules).expect("a checked rule names only what is in its header")).into()
    }

    /// Runs a case in processes that were started for the rule.
    pub fn case_in(&self, assignment: &Assignment<'_>, workers: &mut [WorkerProcess], case: &RunCase) -> GroupEnd {
        self.group(assignment, workers.iter_mut().collect()).run(case)
    }

    /// Ends processes that were started for the rule, after their last case.
    pub fn leave(&self, rule: &Rule, workers: Vec<WorkerProcess>, end: &GroupEnd) {
        for (member, worker) in workers.into_iter().enumerate() {
            self.end_process(rule, member, worker, end.lost.contains(&member));
        }
    }

    /// Ends one of a rule's processes after its last case.
    pub fn end_process(&self, rule: &Rule, member: usize, worker: WorkerProcess, lost: bool) {
        if lost || rule.program.processes[member].state == Readiness::Loaded {
            drop(worker);
        } else {
            worker.stop(self.factory.deadlines.step);
        }
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.pool.close(self.factory.deadlines);
    }
}

impl Assignment<'_> {
    /// The search for a failing case in this assignment.
    pub fn search<'a>(&'a self, scope: &'a Scope) -> Search<'a> {
        Search {
            program: &self.rule.program,
            scope,
            seed: self.seed,
            budget: self.budget,
            known: self.known,
            only: self.only,
            counts: self.counts,
        }
    }
}
