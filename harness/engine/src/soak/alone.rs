//! Repeats a cycle alone, with a look after each cycle, to find how often a quantity grows.

use catalog::Rule;
use record::{GrowthAlone, Levels, Quantity, StartReason};

use crate::pool::{Executor, Slot, interrupt};

use super::VerdictOf;
use super::batches::{cycles_of, starts_processes};
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

/// Repeats a rule's cycle alone in new processes until the quantity has grown several times. `None` if the quantity
/// cannot be read after each cycle, if it did not grow, or if a cycle failed.
pub(super) fn alone(
    executor: &Executor,
    slot: &mut Slot,
    rule: &Rule,
    seed: u64,
    quantity: Quantity,
    judge: VerdictOf<'_>,
) -> Option<GrowthAlone> {
    slot.clear(StartReason::FirstUse);
    let starts = starts_processes(rule);
    executor.start_workers(rule, slot).ok()?;
    let first = Look::at(slot, &executor.factory, None).ok()?;
    let mut run = |cycles: u64| -> Option<Levels> {
        let found = executor.search(&cycles_of(executor, rule, seed, cycles), slot, &mut String::new()).ok()?;
        let passes = judge(&found).0.passes();
        let look = Look::at(slot, &executor.factory, None).ok()?;
        (passes && interrupt::requested().is_none() && !first.lost_before(&look)).then(|| look.shared_with(&first))
    };
    let mut highest = quantity.of(&run(if starts { 4 } else { WARM_UP })?)?;
    let (mut cycles, mut growths) = (0, Vec::new());
    while cycles < if starts { MOST_STARTS } else { MOST } && growths.len() < GROWTHS {
        let level = quantity.of(&run(1)?)?;
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
