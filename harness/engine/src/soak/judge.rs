//! The judgment of a repetition. A quantity grows if the confidence interval of its robust slope excludes 0, over all
//! batches after the warm-up and over both halves of them, and if the growth is at least a minimum.

use record::{Growth, PerCycle, Quantity};

use super::batches::Batch;
use super::slope::{Slope, slope};

/// The quantile of the normal distribution for a confidence of 99.9 %, and of 99 %.
const WHOLE: f64 = 3.29;
const HALF: f64 = 2.58;
/// The fewest points of a judged course.
const FEWEST: usize = 16;
/// The largest number of points. The slopes of all pairs are computed, so longer courses are thinned.
const MOST: usize = 240;
/// The batches at the beginning of new processes that do not count: a part of all, and at least and at most this many.
const WARM_UP_PART: usize = 5;
const WARM_UP: (usize, usize) = (4, 100);
/// The growth from which a latency counts, as a multiple of the first latency.
const SLOWER: f64 = 1.0;
/// The part of the device's free memory whose loss counts however few cycles it took.
const LOST: i64 = 2;

/// The smallest growth that counts.
fn least(quantity: Quantity) -> f64 {
    match quantity {
        Quantity::DeviceMemory => 8192.0,
        Quantity::Heap => 4096.0,
        Quantity::ResidentMemory => 2.0 * 1024.0 * 1024.0,
        Quantity::Descriptors | Quantity::Threads => 4.0,
        Quantity::Mappings => 8.0,
        // Compared with the first latency.
        Quantity::Latency => 0.0,
    }
}

/// The quantities that grew; `None` if there are too few batches for a judgment.
pub(super) fn growth(batches: &[Batch]) -> Option<Vec<Growth>> {
    let segments = warm(batches);
    let points: usize = segments.iter().map(|segment| segment.len()).sum();
    if points < FEWEST {
        return None;
    }
    let steady = Quantity::ALL.iter().filter_map(|quantity| course(*quantity, &segments));
    let mut grew: Vec<Growth> = steady.collect();
    if !grew.iter().any(|growth| growth.quantity == Quantity::DeviceMemory) {
        grew.extend(lost(batches));
    }
    Some(grew)
}

/// The batches after the warm-up of each set of processes, grouped by processes.
fn warm(batches: &[Batch]) -> Vec<&[Batch]> {
    let segments = batches.chunk_by(|a, b| a.segment == b.segment);
    let after = |segment: &'_ [Batch]| (segment.len() / WARM_UP_PART).clamp(WARM_UP.0, WARM_UP.1).min(segment.len());
    segments.map(|segment| &segment[after(segment)..]).filter(|segment| segment.len() > 1).collect()
}

/// The device memory that the batches took, if it is most of what was free before. A device that loses it in the first
/// cycles has none left to lose afterward.
fn lost(batches: &[Batch]) -> Option<Growth> {
    let used = |levels| Quantity::DeviceMemory.of(levels);
    let taken: Option<i64> = batches.iter().map(|batch| Some(used(&batch.after)? - used(&batch.before)?)).sum();
    let (taken, free) = (taken?, -used(&batches.first()?.before)?);
    (taken > 0 && taken >= free / LOST).then(|| Growth {
        quantity: Quantity::DeviceMemory,
        amount: taken as f64,
        cycles: batches.iter().map(|batch| batch.cycles).sum(),
        per_cycle: None,
        alone: None,
    })
}

/// The growth of a quantity over the batches that count; `None` if it did not grow or is unknown.
fn course(quantity: Quantity, segments: &[&[Batch]]) -> Option<Growth> {
    let level = |batch: &Batch| match quantity {
        Quantity::Latency => batch.quickest.and_then(|quickest| i64::try_from(quickest).ok()),
        quantity => quantity.of(&batch.after),
    };
    let (mut points, mut cycles, mut grown, mut own) = (Vec::new(), 0u64, 0.0, 0.0);
    for segment in segments {
        let first = level(segment.first()?)? as f64;
        let mut last = 0.0;
        for (number, batch) in segment.iter().enumerate() {
            // The cycles of the first batch were before its level.
            cycles = cycles.saturating_add(if number == 0 { u64::from(!points.is_empty()) } else { batch.cycles });
            last = level(batch)? as f64 - first;
            points.push((cycles as f64, grown + last));
            let change =
                quantity.of(&batch.after).zip(quantity.of(&batch.before)).map(|(after, before)| after - before);
            own += change.filter(|_| number > 0).unwrap_or(0) as f64;
        }
        grown += last;
    }
    let first_latency = segments.first().and_then(|segment| level(segment.first()?));
    let points = thinned(points);
    let Slope { estimate, low, high } = slope(&points, WHOLE).filter(|slope| slope.low > 0.0)?;
    let span = points.last()?.0 - points.first()?.0;
    let amount = estimate * span;
    let rises = |part: &[(f64, f64)]| slope(part, HALF).is_some_and(|slope| slope.low > 0.0);
    // A quantity that only jumped once, for example when a cache was filled, does not rise in both halves.
    let (early, late) = points.split_at(points.len() / 2);
    let enough = match quantity {
        Quantity::Latency => first_latency.is_some_and(|first| amount >= first as f64 * SLOWER),
        // Other rules use the same device: the rule's own batches must have taken the memory.
        Quantity::DeviceMemory => amount >= least(quantity) && own >= amount / 2.0,
        _ => amount >= least(quantity),
    };
    (rises(early) && rises(late) && enough).then_some(Growth {
        quantity,
        amount,
        cycles: span as u64,
        per_cycle: Some(PerCycle { estimate, low, high }),
        alone: None,
    })
}

/// At most [`MOST`] of the points.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(MOST).max(1);
    points.chunks(step).filter_map(|part| part.last().copied()).collect()
}

#[cfg(test)]
mod tests {
    use record::Levels;

    use super::*;

    /// Batches of 100 cycles, whose levels depend on the number of cycles before.
    fn batches(count: u64, level: impl Fn(u64) -> Levels) -> Vec<Batch> {
        let batch = |number: u64| Batch {
            segment: 0,
            cycles: 100,
            before: level(number * 100),
            after: level(number * 100 + 100),
            quickest: None,
        };
        (0..count).map(batch).collect()
    }

    fn grew(batches: &[Batch]) -> Vec<Quantity> {
        growth(batches).expect("enough batches").iter().map(|growth| growth.quantity).collect()
    }

    #[test]
    fn a_leak_of_one_in_fifty_and_one_in_a_thousand_cycles_grows() {
        for every in [1, 50, 1000] {
            let leaks = |cycles: u64| Levels {
                free: Some((1 << 30) - 4096 * (cycles / every)),
                descriptors: Some(10 + cycles / every),
                ..Levels::default()
            };
            assert_eq!(grew(&batches(100, leaks)), [Quantity::DeviceMemory, Quantity::Descriptors], "1 in {every}");
        }
    }

    #[test]
    fn a_level_that_jumps_once_or_returns_does_not_grow() {
        let jump = |cycles: u64| Levels { heap: Some(if cycles > 5000 { 1 << 20 } else { 0 }), ..Levels::default() };
        assert_eq!(grew(&batches(100, jump)), []);
        let saw = |cycles: u64| Levels { mappings: Some(50 + cycles / 100 % 7), ..Levels::default() };
        assert_eq!(grew(&batches(100, saw)), []);
        let falls = |cycles: u64| Levels { threads: Some(500 - cycles / 100), ..Levels::default() };
        assert_eq!(grew(&batches(100, falls)), []);
    }

    #[test]
    fn memory_that_others_take_is_not_attributed_to_the_rule() {
        let leaks = |cycles: u64| Levels { free: Some((1 << 30) - 4096 * cycles), ..Levels::default() };
        let mut taken = batches(100, leaks);
        assert_eq!(grew(&taken), [Quantity::DeviceMemory]);
        taken.iter_mut().for_each(|batch| batch.before = batch.after);
        assert_eq!(grew(&taken), []);
    }

    #[test]
    fn memory_that_was_lost_in_the_warm_up_counts() {
        let lost = |cycles: u64| Levels { free: Some((1 << 30) - (1 << 21) * cycles.min(500)), ..Levels::default() };
        let found = growth(&batches(40, lost)).expect("enough batches");
        assert!(
            matches!(&found[..], [growth] if growth.line().contains("device memory grew by 1000.0 MiB")),
            "{found:?}"
        );
        let cache = |cycles: u64| Levels { free: Some((1 << 30) - (1 << 18) * cycles.min(500)), ..Levels::default() };
        assert_eq!(grew(&batches(40, cache)), []);
    }

    #[test]
    fn growth_continues_over_new_processes_and_a_cache_that_fills_does_not_count() {
        let leaks = |cycles: u64| Levels { descriptors: Some(10 + cycles / 50), ..Levels::default() };
        let mut two = batches(30, leaks);
        two.extend(batches(30, leaks).into_iter().map(|batch| Batch { segment: 1, ..batch }));
        let found = growth(&two).expect("enough batches");
        let slope = found[0].per_cycle.expect("the descriptors grow");
        assert!((slope.estimate - 0.02).abs() < 0.001, "{slope:?}");
        let warms = |cycles: u64| Levels { heap: Some(cycles.min(300) * 1000), ..Levels::default() };
        assert_eq!(grew(&batches(40, warms)), []);
        assert!(growth(&batches(10, warms)).is_none());
    }

    #[test]
    fn a_latency_that_doubles_steadily_grows() {
        for (slower, expected) in [(0, vec![]), (1, vec![]), (30, vec![Quantity::Latency])] {
            let mut timed = batches(100, |_| Levels::default());
            (0..).zip(&mut timed).for_each(|(number, batch)| batch.quickest = Some(1000 + number * slower));
            assert_eq!(grew(&timed), expected, "{slower} ns for each batch");
        }
    }
}
