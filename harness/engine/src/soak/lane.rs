//! A rule of a soak: its processes, and its batches of cycles.

use std::time::Instant;

use catalog::Rule;
use record::{SoakBatch, SoakBreak, StartReason, Verdict};
use steps::program::Sharing;

use crate::case::{Budget, SearchResult};
use crate::pool::{Assignment, Executor, Home, Slot, StartError, interrupt};
use crate::run::verdict;

use super::levels::Look;

/// The number of cycles in a batch: in a process that lives as long as the soak, in several such processes, and where
/// each cycle starts processes.
const IN_ONE: u64 = 200;
const IN_SEVERAL: u64 = 40;
const WITH_STARTS: u64 = 4;
/// A cycle that starts processes counts as this many cycles of the number for each rule.
pub(super) const COSTS: u64 = 50;
/// After this many batches in the same processes, batches become twice as long, so that long soaks keep few lines.
const DOUBLES_AFTER: u32 = 400;
/// The maximum number of doublings.
const MOST_DOUBLINGS: u32 = 6;
/// After this many batches that broke off, a rule takes part no longer.
const MOST_BREAKS: u32 = 3;

/// A rule, its processes and its progress.
pub(super) struct Lane<'a> {
    /// The rule's position among the rules of the soak.
    pub position: usize,
    pub rule: &'a Rule,
    /// The rule's cycles that count, those before a resumption included.
    pub counted: u64,
    /// The reason why the rule takes part no longer, with `true` if the device refused what a cycle needs.
    pub out: Option<(String, bool)>,
    executor: &'a Executor,
    seed: u64,
    slot: Option<Slot>,
    /// The number of replacements of the processes.
    segment: u32,
    /// The finished batches and cycles of the present processes.
    batches: u32,
    cycles: u64,
    breaks: u32,
}

/// The result of a batch.
pub(super) enum Ended {
    Batch(SoakBatch),
    Broken(SoakBreak),
    /// A signal ended the batch.
    Interrupted,
}

/// True if each cycle of a rule starts processes.
pub(super) fn starts_processes(rule: &Rule) -> bool {
    Home::of(rule) == Home::Fresh || rule.program.processes.iter().any(|process| process.sharing == Sharing::Isolated)
}

/// The settings for exactly this many cycles of a rule, which are the same each time.
pub(super) fn cycles_of<'a>(executor: &Executor, rule: &'a Rule, seed: u64, cycles: u64) -> Assignment<'a> {
    let number = u32::try_from(cycles).unwrap_or(u32::MAX);
    let budget = Budget {
        cases: number,
        repeats: number,
        most: Some(number),
        sequences: number,
        calls: u64::MAX,
        sequence_calls: u64::MAX,
        limit_milliseconds: u64::MAX,
        ..Budget::default()
    };
    Assignment { budget, ..executor.assignment(rule, seed) }
}

impl<'a> Lane<'a> {
    pub(super) fn new(executor: &'a Executor, position: usize, rule: &'a Rule, seed: u64, counted: u64) -> Lane<'a> {
        let (slot, out) = (None, None);
        Lane { position, rule, counted, out, executor, seed, slot, segment: 0, batches: 0, cycles: 0, breaks: 0 }
    }

    /// The number of cycles in the next batch.
    fn size(&self) -> u64 {
        let first = match Home::of(self.rule) {
            _ if starts_processes(self.rule) => WITH_STARTS,
            Home::Worker => IN_ONE,
            _ => IN_SEVERAL,
        };
        first << (self.batches / DOUBLES_AFTER).min(MOST_DOUBLINGS)
    }

    /// Runs a batch, of at most `most` cycles.
    pub(super) fn batch(&mut self, most: u64, begun: Instant, before: u64) -> Ended {
        let cycles = self.size().min(most).max(1);
        let mut slot = match self.slot.take().map_or_else(|| self.executor.pool.take(), Ok) {
            Ok(slot) => slot,
            Err(error) => return self.broken(0, Verdict::Error, format!("no folder for a simulated machine: {error}")),
        };
        let ran = self.run(&mut slot, cycles);
        if interrupt::requested().is_some() {
            slot.clear(StartReason::AfterFailure);
            self.executor.pool.give_back(slot);
            return Ended::Interrupted;
        }
        match ran {
            Ok(batch) => {
                self.slot = Some(slot);
                (self.batches, self.cycles) = (self.batches + 1, self.cycles + cycles);
                self.counted += cycles;
                let at = before.saturating_add(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX));
                Ended::Batch(SoakBatch { at, ..batch })
            }
            Err((completed, verdict, reason)) => {
                slot.clear(StartReason::AfterFailure);
                self.slot = Some(slot);
                self.broken(completed, verdict, reason)
            }
        }
    }

    fn run(&self, slot: &mut Slot, cycles: u64) -> Result<SoakBatch, (u64, Verdict, String)> {
        let factory = &self.executor.factory;
        let unknown = |reason: String| (0, Verdict::Error, reason);
        let started = self.executor.start_workers(self.rule, slot);
        started.map_err(|error: StartError| (0, error.verdict(), error.to_string()))?;
        let before = Look::at(slot, factory, None).map_err(unknown)?;
        let assignment = cycles_of(self.executor, self.rule, self.seed, cycles);
        let begun = Instant::now();
        let found = self.executor.search(&assignment, slot, &mut String::new());
        let nanoseconds = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let found = found.map_err(|error| (0, error.verdict(), error.to_string()))?;
        let SearchResult { cases, quickest, .. } = found;
        let (verdict, reason) = verdict(&self.executor.rules, &found, None);
        if !matches!(verdict, Verdict::Pass | Verdict::Exceeds) {
            return Err((cases.saturating_sub(1), verdict, reason));
        }
        let after = Look::at(slot, factory, before.free()).map_err(unknown)?;
        if before.lost_before(&after) {
            return Err(unknown("the processes were replaced during the batch".to_owned()));
        }
        Ok(SoakBatch {
            rule: self.position,
            segment: self.segment,
            cycles,
            before: before.shared_with(&after),
            after: after.shared_with(&before),
            nanoseconds,
            at: 0,
            quickest,
        })
    }

    /// Notes that a batch broke off. The next batch runs in new processes.
    fn broken(&mut self, completed: u64, verdict: Verdict, reason: String) -> Ended {
        let after = self.cycles + completed;
        (self.segment, self.batches, self.cycles, self.breaks) = (self.segment + 1, 0, 0, self.breaks + 1);
        // Other rules judge what does not work from the beginning.
        let refused = verdict == Verdict::Blocked || verdict.kills();
        if self.counted == 0 {
            self.out = Some((format!("the first cycles do not pass: {verdict}: {reason}"), refused));
        } else if self.breaks >= MOST_BREAKS {
            self.out = Some((format!("{MOST_BREAKS} batches broke off, the last one with: {reason}"), false));
        }
        let fails = verdict.kills() || matches!(verdict, Verdict::Crash | Verdict::Timeout | Verdict::DeviceLost);
        Ended::Broken(SoakBreak { rule: self.position, after, verdict: verdict.name().to_owned(), reason, fails })
    }

    /// Ends the processes.
    pub(super) fn end(&mut self) {
        if let Some(slot) = self.slot.take() {
            self.executor.pool.give_back(slot);
        }
    }
}
