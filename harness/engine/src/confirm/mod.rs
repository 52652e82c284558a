//! Confirms a failure by rerunning the failing case in fresh processes. The case runs first alone and, if it passes
//! alone, after the cases that preceded it.

mod again;
mod axes;
mod boundary;
mod shorten;

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use crate::case::{
    Case, CaseFailure, CaseReport, CaseTree, FailedCase, Patience, Ran, Search, SearchResult, Shrinking, Trace,
    case_from_json, case_to_json, display_values, smallest_case,
};
use crate::pool::{Assignment, Executor, Home, MachineFolder};
use record::{Boundary, Conclusion, Confirmation, Repeats, Verdict};

use again::{Again, Failed, Rerun};
use shorten::{Tried, shorten};

/// The failure under investigation: the rule as it ran, and the machine for reruns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inquest<'a> {
    pub executor: &'a Executor,
    pub assignment: &'a Assignment<'a>,
    /// The machine for reruns.
    pub machine: &'a MachineFolder,
    /// The time, in milliseconds, that the run has spent on confirmation so far, for all rules of the chapter.
    pub spent: &'a AtomicU64,
}

/// Investigates a rule's failure. Replaces the failing case with the smallest failing case or, if no single case is
/// enough, with a list of cases. Returns `None` if there is nothing to investigate.
pub(crate) fn confirm(inquest: Inquest<'_>, search: &mut SearchResult, output: &mut String) -> Option<Confirmation> {
    let failed = search.failure.as_deref_mut()?;
    let rule = inquest.assignment.rule;
    if rule.hazard.is_some() || !judged(failed.failure.verdict) {
        return None;
    }
    let case = case_from_json(&rule.program, &failed.replay_values).ok()?;
    let found = failed.failure.verdict;
    let scope = inquest.executor.scope_of(inquest.assignment);
    let inquiry = Inquiry {
        search: inquest.assignment.search(&scope),
        again: Again::new(inquest, Some(found), failed.shrinking),
        patience: inquest.executor.work.patience,
        home: Home::of(rule),
        failed,
        output,
        case,
        confirmation: Confirmation::without_rerun(found, String::new()),
    };
    Some(inquiry.confirm())
}

/// Runs a rule's smallest case alone in fresh processes, and returns its failure, if it failed. Each call may take as long
/// as the assignment's deadline.
///
/// # Errors
/// Fails with the reason if the case could not run.
pub(crate) fn smallest_alone(inquest: Inquest<'_>) -> Result<Option<CaseFailure>, String> {
    let program = &inquest.assignment.rule.program;
    let case = smallest_case(program, &inquest.executor.scope_of(inquest.assignment));
    let case = case.ok_or("the rule's domain is empty")?;
    let mut again = Again::new(inquest, None, Shrinking::default());
    match again.fresh(&[case]) {
        Rerun::Passed => Ok(None),
        Rerun::Failed(failed) => Ok(Some(failed.case.failure)),
        Rerun::Stopped => Err(again.stopped().unwrap_or_default().to_owned()),
    }
}

/// The number of runs that measure the failure rate of a case with lanes.
const RACY_RUNS: u32 = 20;

/// True if the verdict blames the library.
fn judged(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Fail | Verdict::WrongCode | Verdict::Crash | Verdict::Timeout)
}

/// A failure under investigation.
struct Inquiry<'a> {
    search: Search<'a>,
    again: Again<'a>,
    patience: Patience,
    home: Home,
    failed: &'a mut FailedCase,
    output: &'a mut String,
    /// The failing case.
    case: Case,
    confirmation: Confirmation,
}

impl Inquiry<'_> {
    fn confirm(mut self) -> Confirmation {
        self.confirmation.conclusion = self.conclude();
        if self.confirmation.conclusion == Conclusion::Alone {
            self.failed.boundary = self.boundaries();
        }
        if let (Some(why), true) = (self.again.stopped(), self.confirmation.remark.is_empty()) {
            self.confirmation.remark = why.to_owned();
        }
        self.blame_the_machine();
        self.confirmation
    }

    /// If the machine cannot start a process, the library may have lacked the same resource. A failure that did not
    /// occur in a fresh process is then not blamed on the library.
    fn blame_the_machine(&mut self) {
        let Some(shortage) = self.again.shortage() else { return };
        if self.confirmation.conclusion == Conclusion::After || self.confirmation.alone.failed > 0 {
            return;
        }
        let failure = &mut self.failed.failure;
        failure.message =
            format!("{shortage}; before that, the rule ended with {}: {}", failure.verdict, failure.message);
        failure.verdict = Verdict::Error;
        self.confirmation.conclusion = Conclusion::Open;
    }

    fn conclude(&mut self) -> Conclusion {
        if self.is_unshrunk() {
            self.run_alone(1);
            if self.confirmation.alone.failed == 1 && self.confirmation.remark.is_empty() {
                self.make_smaller(&[]);
            }
        }
        self.run_alone(self.enough());
        let races = self.search.program.has_lanes();
        if races && self.confirmation.alone.failed < self.confirmation.alone.runs {
            // A race shows only sometimes, so its rate comes first.
            self.run_alone(self.enough().max(RACY_RUNS));
        }
        let alone = self.confirmation.alone;
        match alone.failed {
            0 if alone.runs == 0 => Conclusion::Unconfirmed,
            failed if failed == alone.runs => Conclusion::Alone,
            0 => self.after_others().unwrap_or_else(|| self.rate()),
            _ => self.rate(),
        }
    }

    /// The boundary of the failure on each axis. A hang costs a deadline for each value and is not varied.
    fn boundaries(&mut self) -> Vec<Boundary> {
        if self.failed.failure.verdict == Verdict::Timeout {
            return Vec::new();
        }
        let most = if self.home == Home::Worker { axes::MOST_IN_WORKER } else { axes::MOST_IN_GROUP };
        let (case, again) = (&self.case, &mut self.again);
        axes::boundaries(self.search.program, self.search.scope, &case.values, most, &mut |values| {
            if !again.allows_more_than(0) {
                return None;
            }
            match again.next(&Case { values: values.to_vec(), salt: case.salt, tree: None }) {
                Rerun::Stopped => None,
                Rerun::Passed => Some(false),
                Rerun::Failed(again) => {
                    Some(again.case.failure.verdict).filter(|verdict| judged(*verdict)).map(|_| true)
                }
            }
        })
    }

    /// The number of runs that must agree: one for a hang, because each hang costs a deadline.
    fn enough(&self) -> u32 {
        if self.failed.failure.verdict == Verdict::Timeout { 1 } else { self.patience.repeats }
    }

    /// Runs the case alone until `runs` runs have been made.
    fn run_alone(&mut self, runs: u32) {
        while self.confirmation.alone.runs < runs {
            let ran = match self.search.program.has_lanes() && self.confirmation.alone.runs > 0 {
                // A start for each of many runs would cost more than it shows.
                true => self.again.next(&self.case),
                false => self.again.fresh(std::slice::from_ref(&self.case)),
            };
            match ran {
                Rerun::Stopped => return,
                Rerun::Passed => self.confirmation.alone.note(false),
                Rerun::Failed(again) => {
                    let failure = &again.case.failure;
                    if failure.verdict == Verdict::Error {
                        // The case neither failed nor passed in this run.
                        self.confirmation.remark = format!("the case could not be rerun alone: {}", failure.message);
                        return;
                    }
                    self.confirmation.alone.note(judged(failure.verdict));
                    if !failure.same_as(&self.failed.failure) {
                        self.confirmation.remark =
                            format!("alone, the case ends differently: {}: {}", failure.verdict, failure.message);
                    }
                }
            }
        }
    }

    /// True if the case was not shrunk because its process was lost.
    fn is_unshrunk(&self) -> bool {
        let lost = matches!(self.failed.failure.verdict, Verdict::Crash | Verdict::Timeout);
        lost && self.home == Home::Worker && self.failed.shrinks == 0
    }

    /// Tries smaller cases, each after the cases in `before`. If `before` is empty, each smaller case runs alone.
    fn make_smaller(&mut self, before: &[Case]) {
        let Ok(tree) = CaseTree::of(self.search.program, self.search.scope, &self.case.values) else { return };
        let case = Case { tree: Some(tree), ..self.case.clone() };
        let report = CaseReport { failure: Some(self.failed.failure.clone()), ..CaseReport::default() };
        let found = Ran { report, trace: Trace::default(), last: false };
        let again = &mut self.again;
        let mut cut = false;
        let smallest = self.search.smaller(self.failed.case, case, found, Duration::ZERO, &mut |_, values, salt| {
            let mut ran = Ran { report: CaseReport::default(), trace: Trace::default(), last: true };
            // One run is reserved for the smallest case.
            if again.allows_more_than(1) {
                let case = Case { values: values.to_vec(), salt, tree: None };
                let outcome = match before {
                    [] => again.next(&case),
                    _ => again.fresh(&[before, &[case]].concat()),
                };
                ran.last = matches!(outcome, Rerun::Stopped);
                cut |= ran.last;
                if let Rerun::Failed(again) = outcome
                    && again.case.case as usize == before.len() + 1
                {
                    ran.report.failure = Some(again.case.failure);
                }
            } else {
                cut = true;
            }
            ran
        });
        self.failed.shrinking.cut = cut || smallest.as_ref().is_some_and(|smallest| smallest.shrinking.cut);
        let Some(smallest) = smallest.filter(|smallest| smallest.shrinks > 0) else { return };
        let Ok(case) = case_from_json(self.search.program, &smallest.replay_values) else { return };
        // In the original process, other cases may have run first.
        if let Some(again) = self.fails_again(&[before, std::slice::from_ref(&case)].concat()) {
            self.case = case;
            if before.is_empty() {
                self.confirmation.alone = Repeats { failed: 1, runs: 1 };
            }
            self.take(*again, smallest.shrinks);
        }
    }

    /// Runs cases in order in fresh processes, and returns the case that fails in the same way as the original.
    fn fails_again(&mut self, cases: &[Case]) -> Option<Box<Failed>> {
        match self.again.fresh(cases) {
            Rerun::Failed(again) if again.case.failure.same_as(&self.failed.failure) => Some(again),
            _ => None,
        }
    }

    /// Replaces the reported failure with the failure from a rerun.
    fn take(&mut self, again: Failed, shrinks: u64) {
        *self.failed = FailedCase { case: self.failed.case, shrinks, shrinking: self.failed.shrinking, ..again.case };
        *self.output = again.output;
    }

    /// The rule's cases that ran before the failing case. `None` if there were none.
    fn earlier(&mut self) -> Option<Vec<Case>> {
        const MOST: u64 = 100_000;
        if self.home == Home::Fresh || self.failed.case <= 1 {
            return None;
        }
        let why = match self.search.first(self.failed.case.min(MOST)) {
            Ok(cases) if cases.last().is_some_and(|last| last.salt == self.case.salt) => return Some(cases),
            Ok(_) => String::new(),
            Err(error) => format!(": {error}"),
        };
        self.confirmation.remark = format!("the preceding cases could not be rerun{why}");
        None
    }

    /// Finds the smallest set of preceding cases after which the case fails. `None` if the case passes after all
    /// preceding cases, or does not fail every time.
    fn after_others(&mut self) -> Option<Conclusion> {
        let mut whole = self.earlier()?;
        if self.failed.shrinks == 0 {
            whole.pop();
            whole.push(self.case.clone());
        }
        if self.run_whole(&whole)? {
            let list = [&whole[..whole.len() - 1], std::slice::from_ref(&self.case)].concat();
            let smaller = self.failed.shrinks > 0 && self.fails_again(&list).is_some();
            let list = if smaller { list } else { whole.clone() };
            let alone_passes = smaller || self.failed.shrinks == 0;
            let keep = self.enough();
            let (list, complete) = shorten(list, alone_passes, &mut |cases| self.try_list(cases, keep));
            if let Some(conclusion) = self.settle(&list, complete) {
                return Some(conclusion);
            }
            // No shorter list fails every time, but the full list may.
            while self.confirmation.rule.runs <= self.enough() {
                self.run_whole(&whole)?;
            }
            if self.confirmation.rule.failed == self.confirmation.rule.runs {
                return self.settle(&whole, false);
            }
            return None;
        }
        while self.confirmation.rule.runs <= self.patience.repeats + 1 {
            self.run_whole(&whole)?;
        }
        None
    }

    /// Runs the rule up to the failing case. `None` if the rule could not run.
    fn run_whole(&mut self, whole: &[Case]) -> Option<bool> {
        let failed = match self.again.fresh(whole) {
            Rerun::Stopped => return None,
            Rerun::Passed => false,
            Rerun::Failed(again) if again.case.failure.verdict == Verdict::Error => return None,
            Rerun::Failed(again) => again.case.failure.same_as(&self.failed.failure),
        };
        self.confirmation.rule.note(failed);
        Some(failed)
    }

    fn try_list(&mut self, cases: &[Case], keep: u32) -> Tried {
        if !self.again.allows_more_than(keep) {
            return Tried::Stopped;
        }
        match self.again.fresh(cases) {
            Rerun::Stopped => Tried::Stopped,
            Rerun::Failed(again) if again.case.failure.same_as(&self.failed.failure) => {
                let at = usize::try_from(again.case.case).ok().and_then(|number| number.checked_sub(1));
                // The worker that numbered the case is lost.
                at.filter(|at| *at < cases.len()).map_or(Tried::Stopped, Tried::FailsAt)
            }
            _ => Tried::Passes,
        }
    }

    /// Reports a list of cases if the list fails every time.
    fn settle(&mut self, list: &[Case], complete: bool) -> Option<Conclusion> {
        let mut last = None;
        let mut runs = Repeats::default();
        while runs.runs < self.enough() {
            let again = self.fails_again(list).filter(|again| again.case.case as usize == list.len())?;
            runs.note(true);
            last = Some(again);
        }
        let (case, before) = list.split_last()?;
        let shrinks = if case.values == self.case.values { self.failed.shrinks } else { 0 };
        self.take(*last?, shrinks);
        self.case = case.clone();
        if before.is_empty() {
            self.confirmation.alone = runs;
            return Some(Conclusion::Alone);
        }
        if self.is_unshrunk() {
            self.make_smaller(before);
        }
        let program = self.search.program;
        self.confirmation.after = before.iter().map(|case| display_values(program, &case.values)).collect();
        let json = |case: &Case| case_to_json(program, &case.values, case.salt);
        self.failed.replay_values = before.iter().chain([&self.case]).map(json).collect();
        if !complete {
            self.confirmation.remark =
                "fewer of these cases may be enough; a larger --profile searches longer".to_owned();
        }
        Some(Conclusion::After)
    }

    /// The failure rate of the case when it runs alone. If that rate is 0, the conclusion comes from the runs of the
    /// full list.
    fn rate(&mut self) -> Conclusion {
        self.run_alone(self.patience.rate);
        let alone = self.confirmation.alone;
        if self.home != Home::Fresh && alone.failed == 0 {
            if self.failed.case == 1 {
                // For the rule's first case, running the case alone and running the rule up to that case are the same.
                self.confirmation.rule.runs += alone.runs;
            }
            let rule = self.confirmation.rule;
            if rule.failed == 1 && rule.runs > 1 && self.confirmation.remark.is_empty() {
                self.confirmation.remark = "it fails rarely".to_owned();
            }
            return if rule.runs > 1 { Conclusion::Flaky } else { Conclusion::Open };
        }
        Conclusion::Flaky
    }
}
