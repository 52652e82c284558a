//! Reruns a rule's cases in fresh processes, within a budget.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use steps::program::{Readiness, Sharing};

use crate::case::{Case, FailedCase, Patience, Shrinking, case_to_json};
use crate::pool::{Assignment, Home, SetUp, StartError, WorkerProcess, interrupt};
use catalog::Rule;
use record::{StartReason, Verdict};

use super::Inquest;

/// The time limit for investigating a hang, in every profile. A device with an intermittent fault may hang often, and
/// each attempt may take as long as all the preceding cases.
const LONGEST_OF_A_HANG: Duration = Duration::from_secs(120);

/// The result of a rerun.
pub(super) enum Rerun {
    Passed,
    Failed(Box<Failed>),
    /// Nothing was rerun; [`Again::stopped`] gives the reason.
    Stopped,
}

/// The case that failed in a rerun.
pub(super) struct Failed {
    /// The case's number is its position in the rerun, from 1.
    pub case: FailedCase,
    /// The library's output.
    pub output: String,
}

/// Reruns a rule's cases, in processes that run nothing else.
pub(super) struct Again<'a> {
    inquest: Inquest<'a>,
    rule: &'a Rule,
    home: Home,
    /// The number of process starts left in the budget.
    starts: u32,
    hangs: u32,
    begun: Instant,
    until: Instant,
    /// The reason why reruns stopped.
    stopped: Option<String>,
    /// True if the machine lacked a resource to start a process.
    short: bool,
    /// The deadline for a call. For a hang, at most the longest time that a call has taken so far.
    deadline: Duration,
    /// A process that survived a case, kept for the next case.
    survivor: Option<WorkerProcess>,
}

impl<'a> Again<'a> {
    /// Prepares reruns of a failure with this verdict, or of a case of which nothing is known. Time spent on shrinking in
    /// the original process is subtracted from the rule's time.
    pub(super) fn new(inquest: Inquest<'a>, found: Option<Verdict>, shrinking: Shrinking) -> Again<'a> {
        let found_hang = found == Some(Verdict::Timeout);
        let patience = inquest.executor.work.patience;
        let deadline = match found_hang {
            true => inquest.executor.factory.brief().min(inquest.assignment.deadline),
            false => inquest.assignment.deadline,
        };
        let spent = Duration::from_millis(inquest.spent.load(Ordering::Relaxed));
        let patience = Patience { time: patience.time.saturating_sub(shrinking.time()), ..patience };
        let time = match found_hang {
            true => patience.left(spent).min(LONGEST_OF_A_HANG),
            false => patience.left(spent),
        };
        // Only a hang costs a full deadline on each attempt. A crash keeps the usual budget.
        let hangs = match found_hang {
            true => inquest.executor.factory.further_hangs(inquest.assignment.deadline, patience.hangs),
            false => patience.hangs,
        };
        let begun = Instant::now();
        let rule = inquest.assignment.rule;
        Again {
            inquest,
            rule,
            home: Home::of(rule),
            starts: patience.starts,
            hangs,
            begun,
            until: begun + time,
            stopped: None,
            short: false,
            deadline,
            survivor: None,
        }
    }

    /// Runs the cases in the given order in fresh processes until one fails.
    pub(super) fn fresh(&mut self, cases: &[Case]) -> Rerun {
        if let Some(survivor) = self.survivor.take() {
            survivor.stop(self.inquest.executor.factory.deadlines.step);
        }
        self.run(cases, false)
    }

    /// Runs a case in the process that survived the previous case, or in a fresh process.
    pub(super) fn next(&mut self, case: &Case) -> Rerun {
        self.run(std::slice::from_ref(case), true)
    }

    /// True if the budget allows more than `runs` further runs, each of which may hang.
    pub(super) fn allows_more_than(&self, runs: u32) -> bool {
        let processes = self.rule.program.processes.len() as u32;
        self.stopped.is_none()
            && interrupt::requested().is_none()
            && self.starts > runs * processes
            && self.hangs > runs
            && Instant::now() < self.until
    }

    /// The reason why reruns stopped.
    pub(super) fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// The resource shortage on the machine, if a shortage prevented further reruns.
    pub(super) fn shortage(&self) -> Option<&str> {
        self.stopped().filter(|_| self.short)
    }

    fn run(&mut self, cases: &[Case], reuse: bool) -> Rerun {
        if self.stopped.is_none() && !self.allows_more_than(0) {
            self.stopped = Some("the budget for reruns is used up; use a larger --profile".to_owned());
        }
        if self.stopped.is_some() {
            return Rerun::Stopped;
        }
        let ran = match self.home {
            Home::Worker => self.in_worker(cases, reuse),
            Home::Group => self.in_group(cases),
            Home::Fresh => cases.chunks(1).map(|case| self.in_group(case)).find_map(Result::transpose).transpose(),
        };
        match ran {
            Ok(None) => Rerun::Passed,
            Ok(Some(failed)) => {
                self.hangs -= u32::from(failed.case.failure.verdict == Verdict::Timeout);
                Rerun::Failed(Box::new(failed))
            }
            Err(error) => {
                self.stopped = Some(error.to_string());
                self.short = error.is_shortage();
                Rerun::Stopped
            }
        }
    }

    fn in_worker(&mut self, cases: &[Case], reuse: bool) -> Result<Option<Failed>, StartError> {
        let (executor, program) = (self.inquest.executor, &self.rule.program);
        let mut worker = match self.survivor.take() {
            Some(worker) => worker,
            None => {
                self.starts = self.starts.saturating_sub(1);
                let device = program.processes[0].device;
                let set_up = SetUp::new(Readiness::Device, device, StartReason::Confirmation);
                executor.factory.start(self.inquest.machine, set_up)?.0
            }
        };
        let only: Vec<_> = cases.iter().map(|case| case_to_json(program, &case.values, case.salt)).collect();
        let assignment =
            Assignment { known: &[], only: &only, deadline: self.deadline, ..self.inquest.assignment.clone() };
        let ran = executor.run_in(&assignment, &mut worker);
        let healthy = ran.result.fatal.is_none() && ran.result.unhealthy.is_none();
        if reuse && healthy && !ran.lost {
            self.survivor = Some(worker);
        } else if !ran.lost {
            worker.stop(executor.factory.deadlines.step);
        }
        Ok(ran.result.failure.map(|case| Failed { case: *case, output: ran.output }))
    }

    fn in_group(&mut self, cases: &[Case]) -> Result<Option<Failed>, StartError> {
        let Inquest { executor, assignment, machine, .. } = self.inquest;
        let rule = self.rule;
        let assignment = Assignment { deadline: self.deadline, ..assignment.clone() };
        self.starts = self.starts.saturating_sub(rule.program.processes.len() as u32);
        let mut workers = executor.fresh_processes(rule, machine, StartReason::Confirmation)?;
        for (index, case) in cases.iter().enumerate() {
            let number = index as u64 + 1;
            let request = executor.run_case(&assignment, number, &case.values, case.salt);
            let end = executor.case_in(&assignment, &mut workers, &request);
            if index + 1 == cases.len() || end.report.failure.is_some() || end.fatal.is_some() {
                executor.leave(rule, workers, &end);
                let Some(failure) = end.report.failure else { return Ok(None) };
                let failed = FailedCase::of(&rule.program, failure, &case.values, case.salt);
                let case = FailedCase { case: number, trace: end.trace, ..failed };
                return Ok(Some(Failed { case, output: end.output }));
            }
            for (member, process) in rule.program.processes.iter().enumerate() {
                // A process that the rule ended is missing from the next case, and a process started for one case
                // has exited.
                let lost = end.lost.contains(&member);
                if lost || process.sharing == Sharing::Isolated {
                    self.starts = self.starts.saturating_sub(1);
                    let next = executor.fresh_process(rule, member, machine, StartReason::Confirmation)?;
                    executor.end_process(rule, member, std::mem::replace(&mut workers[member], next), lost);
                }
            }
        }
        Ok(None)
    }
}

impl Drop for Again<'_> {
    fn drop(&mut self) {
        if let Some(survivor) = self.survivor.take() {
            survivor.stop(self.inquest.executor.factory.deadlines.step);
        }
        self.inquest.spent.fetch_add(self.begun.elapsed().as_millis() as u64, Ordering::Relaxed);
    }
}
