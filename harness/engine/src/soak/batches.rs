//! The batches of cycles in a repetition, and the levels before and after each.

use std::time::Instant;

use catalog::Rule;
use record::{Levels, StartReason, Verdict};
use steps::program::Sharing;

use crate::case::SearchResult;
use crate::pool::{Home, interrupt};

use super::{Length, RuleCycle};

/// The number of cycles in a batch: in a process that lives as long as the repetition, in several such processes, and
/// where each cycle starts processes.
const IN_ONE: u64 = 200;
const IN_SEVERAL: u64 = 40;
const WITH_STARTS: u64 = 4;
/// A cycle that starts processes counts as this many cycles of the number for each rule.
pub(crate) const CYCLES_OF_A_START: u64 = 50;
/// After this many batches in the same processes, batches become twice as long, so that long repetitions keep few.
const DOUBLES_AFTER: u32 = 400;
/// The maximum number of doublings.
const MOST_DOUBLINGS: u32 = 6;
/// After this many batches that broke off for no fault of the device, the repetition ends.
const MOST_BREAKS: u32 = 3;

/// A finished batch.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    /// The number of times that the processes were replaced before the batch.
    pub segment: u32,
    pub cycles: u64,
    pub before: Levels,
    pub after: Levels,
    /// The time of the quickest cycle in nanoseconds; `None` if cycles are not timed.
    pub quickest: Option<u64>,
}

/// The end of a repetition.
pub(super) enum Ended {
    /// The length was reached.
    Complete,
    /// A cycle failed after others had passed; the number counts them.
    Failed { after: u64, search: Box<SearchResult> },
    /// The machine or the suite kept the cycle from being measured.
    Unknown(String),
    /// A signal ended the run.
    Interrupted,
}

/// True if each cycle of a rule starts processes.
pub(crate) fn starts_processes(rule: &Rule) -> bool {
    Home::of(rule) == Home::Fresh || rule.program.processes.iter().any(|process| process.sharing == Sharing::Isolated)
}

/// The number of cycles in the next batch, after this many batches in the same processes.
fn size(rule: &Rule, batches: u32) -> u64 {
    let first = match Home::of(rule) {
        _ if starts_processes(rule) => WITH_STARTS,
        Home::Worker => IN_ONE,
        _ => IN_SEVERAL,
    };
    first << (batches / DOUBLES_AFTER).min(MOST_DOUBLINGS)
}

/// The reason why a batch broke off.
enum Broken {
    /// A cycle failed.
    Cycle(Box<SearchResult>),
    /// Something else than the device is to blame.
    Machine(String),
}

impl RuleCycle<'_> {
    /// Repeats the cycle in new processes until the length is reached.
    pub(super) fn repeat_in_batches(&mut self, length: Length) -> (Vec<Batch>, Ended) {
        let begun = Instant::now();
        let (mut batches, mut counted) = (Vec::new(), 0);
        let (mut segment, mut in_segment) = (0, 0);
        self.slot.clear(StartReason::FirstUse);
        loop {
            let left = match length {
                Length::Time(time) if begun.elapsed() >= time => 0,
                Length::Time(_) => u64::MAX,
                Length::Cycles(all) if starts_processes(self.rule) => {
                    all.div_ceil(CYCLES_OF_A_START).saturating_sub(counted)
                }
                Length::Cycles(all) => all.saturating_sub(counted),
            };
            if left == 0 {
                return (batches, Ended::Complete);
            }
            let cycles = size(self.rule, in_segment).min(left);
            let ran = self.batch(cycles);
            if interrupt::requested().is_some() {
                return (batches, Ended::Interrupted);
            }
            match ran {
                Ok(batch) => {
                    (counted, in_segment) = (counted + cycles, in_segment + 1);
                    batches.push(Batch { segment, ..batch });
                }
                Err(Broken::Cycle(search)) => {
                    return (batches, Ended::Failed { after: counted + search.cases.saturating_sub(1), search });
                }
                Err(Broken::Machine(reason)) if segment + 1 >= MOST_BREAKS => {
                    let reason = format!("{MOST_BREAKS} batches broke off, the last one with: {reason}");
                    return (batches, Ended::Unknown(reason));
                }
                Err(Broken::Machine(_)) => {
                    self.slot.clear(StartReason::AfterFailure);
                    (segment, in_segment) = (segment + 1, 0);
                }
            }
        }
    }

    fn batch(&mut self, cycles: u64) -> Result<Batch, Broken> {
        self.executor.start_workers(self.rule, self.slot).map_err(|error| Broken::Machine(error.to_string()))?;
        let before = self.look(None).map_err(Broken::Machine)?;
        let found = self.run(cycles).map_err(|error| Broken::Machine(error.to_string()))?;
        let (verdict, reason) = (self.judge)(&found);
        if !verdict.passes() {
            let fails = verdict.kills() || matches!(verdict, Verdict::Crash | Verdict::Timeout | Verdict::DeviceLost);
            return Err(if fails { Broken::Cycle(Box::new(found)) } else { Broken::Machine(reason) });
        }
        let after = self.look(before.free()).map_err(Broken::Machine)?;
        if before.lost_before(&after) {
            return Err(Broken::Machine("the processes were replaced during the batch".to_owned()));
        }
        Ok(Batch {
            segment: 0,
            cycles,
            before: before.shared_with(&after),
            after: after.shared_with(&before),
            quickest: found.quickest,
        })
    }
}
