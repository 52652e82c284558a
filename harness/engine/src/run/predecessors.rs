//! Tries a failure that passes alone again after the rules that ran before it in the same processes. If it then fails
//! every time, it is not flaky: it fails after those rules, which are reduced to as few as needed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::case::{CaseFailure, SearchResult};
use crate::pool::{Assignment, Predecessor, Slot, interrupt};
use catalog::Rule;
use record::{Conclusion, Confirmation, Verdict};

use super::campaign::Campaign;

/// The largest number of rules that run again before a failure.
const MOST_RULES: usize = 50;
/// The longest time for one failure.
const MOST_TIME: Duration = Duration::from_secs(60);
/// The number of runs after the same rules that must all fail.
const ENOUGH: u32 = 2;

/// The start of the remark on a failure that was not tried after earlier rules.
pub(super) const HISTORY_NOT_TRIED: &str = "history not tried";

/// A failure, and the means to run it again.
pub(super) struct Again<'a> {
    pub assignment: &'a Assignment<'a>,
    pub slot: &'a mut Slot,
    /// The time, in milliseconds, that was spent on the reruns of the chapter.
    pub spent: &'a AtomicU64,
}

/// The reason why a failure was not tried after earlier rules.
struct NotTried(String);

impl Campaign {
    /// Decides whether a failure that passes alone fails after the rules that ran before it in its workers.
    pub(super) fn try_after_predecessors(
        &self,
        again: Again<'_>,
        search: &SearchResult,
        confirmation: &mut Confirmation,
    ) {
        let Some(failed) = &search.failure else { return };
        let Confirmation { conclusion, alone, rule, .. } = &confirmation;
        let once = alone.runs > 0 && alone.failed == 0 && rule.failed <= 1;
        let Again { assignment, slot, spent } = again;
        let before = slot.predecessors(MOST_RULES);
        if *conclusion != Conclusion::Flaky || !once || before.is_empty() {
            return;
        }
        let begun = Instant::now();
        let patience = self.target.executor.work.patience;
        let left = patience.left(Duration::from_millis(spent.load(Ordering::Relaxed))).min(MOST_TIME);
        let mut attempts = Attempts { campaign: self, assignment, slot, failure: &failed.failure, until: begun + left };
        match attempts.fewest(before) {
            Ok(Some(rules)) => {
                confirmation.conclusion = Conclusion::AfterRules;
                confirmation.after_rules = rules.iter().map(|before| self.rule_at(before).id.clone()).collect();
                confirmation.remark = String::new();
            }
            Ok(None) => {
                confirmation.remark =
                    "it also passes after the rules that ran before it in the same process".to_owned();
            }
            Err(NotTried(why)) => confirmation.remark = format!("{HISTORY_NOT_TRIED}: {why}"),
        }
        spent.fetch_add(begun.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    fn rule_at(&self, before: &Predecessor) -> &Rule {
        &self.target.rules.rules[before.index]
    }
}

/// Runs a rule again, each time in fresh workers and after other rules.
struct Attempts<'a> {
    campaign: &'a Campaign,
    assignment: &'a Assignment<'a>,
    slot: &'a mut Slot,
    failure: &'a CaseFailure,
    until: Instant,
}

impl Attempts<'_> {
    /// The fewest rules found after which the failure occurs every time: halves and then smaller parts of the list are left
    /// out while it does. `None` if it does not occur after all of them.
    fn fewest(&mut self, mut before: Vec<Predecessor>) -> Result<Option<Vec<Predecessor>>, NotTried> {
        if !self.fails_after(&before)? {
            return Ok(None);
        }
        let mut part = before.len();
        while part > 1 {
            part = part.div_ceil(2);
            let mut at = 0;
            while at < before.len() {
                let rest = before.get(at + part..).unwrap_or_default();
                let without = [&before[..at], rest].concat();
                // If the time is over, the list stays as short as it is.
                if !without.is_empty() && self.fails_after(&without).unwrap_or(false) {
                    before = without;
                } else {
                    at += part;
                }
            }
        }
        for _ in 1..ENOUGH {
            if !self.fails_after(&before)? {
                return Ok(None);
            }
        }
        Ok(Some(before))
    }

    /// Runs these rules and then the failing rule in fresh workers. Returns true if the failure occurs again.
    fn fails_after(&mut self, before: &[Predecessor]) -> Result<bool, NotTried> {
        let idle = self.slot.set_aside();
        let failed = self.run(before);
        self.slot.resume(idle, self.campaign.target.executor.factory.deadlines);
        failed
    }

    fn run(&mut self, before: &[Predecessor]) -> Result<bool, NotTried> {
        let executor = &self.campaign.target.executor;
        for before in before {
            let rule = self.campaign.rule_at(before);
            let mut assignment =
                Assignment { known: self.campaign.known.of(rule), ..executor.assignment(rule, before.seed) };
            assignment.budget.limit_milliseconds = self.left()?.min(assignment.budget.limit_milliseconds);
            assignment.deadline = assignment.deadline.min(executor.factory.brief());
            executor.search(&assignment, self.slot, &mut String::new()).map_err(|error| NotTried(error.to_string()))?;
        }
        let mut assignment = self.assignment.clone();
        assignment.budget.shrinks = 0;
        assignment.budget.limit_milliseconds = self.left()?.min(assignment.budget.limit_milliseconds);
        if self.failure.verdict == Verdict::Timeout {
            assignment.deadline = assignment.deadline.min(executor.factory.brief());
        }
        let found = executor.search(&assignment, self.slot, &mut String::new());
        let found = found.map_err(|error| NotTried(error.to_string()))?;
        Ok(found.failure.is_some_and(|again| again.failure.same_as(self.failure)))
    }

    /// The time left, in milliseconds.
    fn left(&self) -> Result<u64, NotTried> {
        if interrupt::requested().is_some() {
            return Err(NotTried("the run was interrupted".to_owned()));
        }
        match self.until.saturating_duration_since(Instant::now()).as_millis() as u64 {
            0 => Err(NotTried("the budget for reruns is used up; use a larger --profile".to_owned())),
            left => Ok(left),
        }
    }
}
