//! Repeats a cycle alone, with a look after each cycle, to find how often a quantity grows.

use record::{GrowthAlone, Levels, Quantity, StartReason};

use crate::pool::interrupt;

use super::RuleCycle;
use super::batches::starts_processes;
use super::levels::Look;

/// The number of cycles before the first look, and the largest number of cycles.
const WARM_UP: u64 = 40;
const MOST: u64 = 6_000;
/// The largest number of cycles of a rule whose cycles start processes.
const MOST_STARTS: u64 = 300;
/// The number of times that the quantity has to grow. The time between the first two is not typical.
const GROWTHS: usize = 5;

/// The smallest growth at once that counts.
fn least(quantity: Quantity) -> i64 {
    match quantity {
        Quantity::Heap => 32,
        Quantity::ResidentMemory => 4096,
        _ => 1,
    }
}

impl RuleCycle<'_> {
    /// Repeats the cycle alone in new processes until the quantity has grown several times. `None` if the quantity
    /// cannot be read after each cycle, if it did not grow, or if a cycle failed.
    pub(super) fn repeat_alone(&mut self, quantity: Quantity) -> Option<GrowthAlone> {
        self.slot.clear(StartReason::FirstUse);
        let starts = starts_processes(self.rule);
        self.executor.start_workers(self.rule, self.slot).ok()?;
        let first = self.look(None).ok()?;
        let mut highest = quantity.of(&self.measure(&first, if starts { 4 } else { WARM_UP })?)?;
        let (mut cycles, mut growths) = (0, Vec::new());
        while cycles < if starts { MOST_STARTS } else { MOST } && growths.len() < GROWTHS {
            let level = quantity.of(&self.measure(&first, 1)?)?;
            cycles += 1;
            if level - highest >= least(quantity) {
                growths.push((cycles, level - highest));
                highest = level;
            }
        }
        let median = |mut numbers: Vec<u64>| -> Option<u64> {
            numbers.sort_unstable();
            numbers.get(numbers.len() / 2).copied()
        };
        let amount = median(growths.iter().map(|(_, amount)| amount.unsigned_abs()).collect())?;
        let every = median(growths.windows(2).map(|pair| pair[1].0 - pair[0].0).collect());
        Some(GrowthAlone { cycles, every, amount })
    }

    /// The levels after this many more cycles. `None` if a cycle failed or a process was lost.
    fn measure(&mut self, first: &Look, cycles: u64) -> Option<Levels> {
        let found = self.run(cycles).ok()?;
        let passes = (self.judge)(&found).0.passes();
        let look = self.look(None).ok()?;
        (passes && interrupt::requested().is_none() && !first.lost_before(&look)).then(|| look.shared_with(first))
    }
}
