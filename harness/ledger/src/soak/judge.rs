//! The judgment of a soak: the course of each quantity for each rule, and the alarms.

use record::{Quantity, RecordedSoak, SoakBatch, SoakBreak, SoakRate};

use super::slope::{Slope, slope};

/// The quantile of the normal distribution for a confidence of 99.9 %, and of 99 %.
const WHOLE: f64 = 3.29;
const HALF: f64 = 2.58;
/// The confidence of an interval as text.
pub(super) const CONFIDENCE: &str = "99.9 %";
/// The fewest points of a judged course.
const FEWEST: usize = 16;
/// The largest number of points. The slopes of all pairs are computed, so longer courses are thinned.
const MOST: usize = 240;
/// The batches at the beginning of new processes that do not count: a part of all, and at least and at most this many.
const WARM_UP_PART: usize = 5;
const WARM_UP: (usize, usize) = (4, 100);
/// The growth from which a latency raises an alarm, as a multiple of the first latency.
const SLOWER: f64 = 1.0;

/// The smallest growth that raises an alarm.
pub(super) fn least(quantity: Quantity) -> f64 {
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

/// The course of a quantity while a rule's cycles were repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    pub quantity: Quantity,
    /// The number of cycles, and the growth since the first point in bytes, numbers or nanoseconds.
    pub points: Vec<(f64, f64)>,
    /// The growth per cycle; `None` if there are too few points.
    pub slope: Option<Slope>,
    /// The growth over all points, according to the slope.
    pub growth: f64,
    pub alarm: bool,
}

/// The judgment of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleCourse {
    /// The rule's position in the header.
    pub rule: usize,
    /// The number of counted cycles and batches.
    pub cycles: u64,
    pub batches: usize,
    pub courses: Vec<Course>,
    /// The batches that broke off.
    pub breaks: Vec<SoakBreak>,
    /// The reason why the rule took part no longer, with `true` if the device refused what a cycle needs.
    pub skipped: Option<(String, bool)>,
    pub rates: Vec<SoakRate>,
}

impl RuleCourse {
    /// The quantities that grow.
    pub fn alarms(&self) -> impl Iterator<Item = &Course> {
        self.courses.iter().filter(|course| course.alarm)
    }

    /// The failures after cycles that passed.
    pub fn failures(&self) -> impl Iterator<Item = &SoakBreak> {
        self.breaks.iter().filter(|broken| broken.fails && self.cycles > 0)
    }

    /// True if something is wrong: a quantity grows, or a cycle fails after others passed.
    pub fn alarmed(&self) -> bool {
        self.alarms().next().is_some() || self.failures().next().is_some()
    }

    /// The cycle alone, for a quantity.
    pub fn rate(&self, quantity: Quantity) -> Option<&SoakRate> {
        self.rates.iter().rev().find(|rate| rate.quantity == quantity)
    }
}

/// The judgment of a soak.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub rules: Vec<RuleCourse>,
}

impl Judged {
    /// The number of rules with an alarm.
    pub fn alarms(&self) -> usize {
        self.rules.iter().filter(|rule| rule.alarmed()).count()
    }

    /// True if no rule was measured, or if an accident kept a rule from it.
    pub fn unknown(&self) -> bool {
        let measured = |rule: &RuleCourse| rule.courses.iter().any(|course| course.slope.is_some());
        let accident = |rule: &RuleCourse| rule.skipped.as_ref().is_some_and(|(_, blocked)| !blocked);
        !self.rules.iter().any(measured) || self.rules.iter().any(accident)
    }
}

/// Judges a soak, which may still be running.
pub fn judge(soak: &RecordedSoak) -> Judged {
    let rule = |rule: usize| {
        let batches: Vec<&SoakBatch> = soak.batches.iter().filter(|batch| batch.rule == rule).collect();
        let counted = warm(&batches);
        let skipped = soak.skips.iter().find(|skip| skip.rule == rule);
        RuleCourse {
            rule,
            cycles: batches.iter().map(|batch| batch.cycles).fold(0, u64::saturating_add),
            batches: batches.len(),
            courses: Quantity::ALL.iter().filter_map(|quantity| course(*quantity, &counted)).collect(),
            breaks: soak.breaks.iter().filter(|broken| broken.rule == rule).cloned().collect(),
            skipped: skipped.map(|skip| (skip.reason.clone(), skip.blocked)),
            rates: soak.rates.iter().filter(|rate| rate.rule == rule).cloned().collect(),
        }
    };
    Judged { rules: (0..soak.header.rules.len()).map(rule).collect() }
}

/// The batches after the warm-up of each set of processes, grouped by processes.
fn warm<'a>(batches: &[&'a SoakBatch]) -> Vec<Vec<&'a SoakBatch>> {
    let segments = batches.chunk_by(|a, b| a.segment == b.segment);
    let after = |segment: &[&'a SoakBatch]| {
        let left_out = (segment.len() / WARM_UP_PART).clamp(WARM_UP.0, WARM_UP.1);
        segment.iter().skip(left_out).copied().collect::<Vec<_>>()
    };
    segments.map(after).filter(|segment| segment.len() > 1).collect()
}

/// The course of a quantity over the batches that count; `None` if the quantity is unknown.
fn course(quantity: Quantity, segments: &[Vec<&SoakBatch>]) -> Option<Course> {
    let level = |batch: &SoakBatch| match quantity {
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
    let whole = if points.len() >= FEWEST { slope(&points, WHOLE) } else { None };
    let span = points.last().zip(points.first()).map_or(0.0, |(last, first)| last.0 - first.0);
    let growth = whole.map_or(0.0, |slope| slope.estimate * span);
    let rises = |part: &[(f64, f64)]| slope(part, HALF).is_some_and(|slope| slope.low > 0.0);
    // A quantity that only jumped once, for example when a cache was filled, does not rise in both halves.
    let (early, late) = points.split_at(points.len() / 2);
    let steady = whole.is_some_and(|slope| slope.low > 0.0) && rises(early) && rises(late);
    let enough = match quantity {
        Quantity::Latency => first_latency.is_some_and(|first| growth >= first as f64 * SLOWER),
        // Other rules use the same device: the rule's own batches must have taken the memory.
        Quantity::DeviceMemory => growth >= least(quantity) && own >= growth / 2.0,
        _ => growth >= least(quantity),
    };
    Some(Course { quantity, slope: whole, growth, alarm: steady && enough, points })
}

/// At most [`MOST`] of the points.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(MOST).max(1);
    points.chunks(step).filter_map(|part| part.last().copied()).collect()
}
