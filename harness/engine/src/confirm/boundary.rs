//! Finds the boundary of a failure on one axis: the values with which the case fails and the nearest value with which
//! it passes.
//!
//! Three forms of failing values are recognized: a range, a range without the multiples of a power of two, and only
//! the multiples of a power of two. Values between the tried ones are assumed to follow the form; probes test this.
//! A form is claimed up to an end of the axis only if that end was tried.

use std::collections::BTreeMap;

use record::{FailingValues, Remainder};
use steps::bounds::Bounds;

/// The largest number of values to list if they follow no recognized form.
const LISTED: usize = 8;
/// The largest power of two that is tried as a divisor, as an exponent.
const DIVISORS: u32 = 16;
/// The largest number of neighboring values that are passed over because they give no case.
const GAP: usize = 64;

/// The result of trying one value: `Some(true)` if the case fails; `None` if the value cannot be tried.
pub(super) type Try<'a> = dyn FnMut(i128) -> Option<bool> + 'a;

/// The boundary on an axis with integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub fails: FailingValues,
    /// The nearest passing value.
    pub passes: Option<i128>,
    /// True if a value could not be tried before the boundary was exact.
    pub cut: bool,
    /// The lowest value that gives a case, if the axis has lower ones.
    pub lowest: Option<i128>,
    /// The highest value that gives a case, if the axis has higher ones.
    pub highest: Option<i128>,
}

/// The failing values on one side of the value with which the case failed at first.
enum Limit {
    /// All up to the axis's end.
    End,
    /// All up to a value, which is the last one or has a passing neighbor.
    At(i128),
    /// All tried ones up to a value. Values after it could not be tried.
    Unknown(i128),
}

/// Finds the boundary around a failing value. `accepts` tells which values give a case; `run` is called at most once
/// for each value.
pub(super) fn boundary(bounds: Bounds, failing: i128, accepts: &dyn Fn(i128) -> bool, run: &mut Try<'_>) -> Found {
    let axis = bounds;
    let bounds = accepted(bounds, failing, accepts);
    let narrowed = (bounds.low > axis.low, bounds.high() < axis.high());
    let mut search =
        Search { bounds, failing, accepts, tried: BTreeMap::from([(failing, true)]), run, cut: false, narrowed };
    let fails = search.find();
    let (lowest, highest) = (narrowed.0.then_some(bounds.low), narrowed.1.then(|| bounds.high()));
    Found { fails, passes: search.nearest_pass(), cut: search.cut, lowest, highest }
}

/// The part of the axis around a failing value that gives cases, assuming that its gaps are small. Other axes may
/// depend on this one: an offset must stay below its size.
fn accepted(bounds: Bounds, failing: i128, accepts: &dyn Fn(i128) -> bool) -> Bounds {
    let at = bounds.position(failing);
    // The first position that gives a case, from one position toward another.
    let first = |from: u64, to: u64| {
        let position = |step: u64| if from < to { from + step } else { from - step };
        let steps = from.abs_diff(to).min(GAP as u64);
        (0..=steps).map(position).find(|position| accepts(bounds.at(*position)))
    };
    let last = |end: u64| {
        if let Some(end) = first(end, at) {
            return end;
        }
        let (mut inside, mut outside) = (at, end);
        while inside.abs_diff(outside) > 1 {
            let middle = inside.min(outside) + inside.abs_diff(outside) / 2;
            match first(middle, outside) {
                Some(found) => inside = found,
                None => outside = middle,
            }
        }
        inside
    };
    let (low, high) = (last(0), last(bounds.count - 1));
    Bounds { low: bounds.at(low), step: bounds.step, count: high - low + 1 }
}

struct Search<'a, 'b> {
    bounds: Bounds,
    accepts: &'a dyn Fn(i128) -> bool,
    /// The value with which the case failed at first.
    failing: i128,
    tried: BTreeMap<i128, bool>,
    run: &'a mut Try<'b>,
    cut: bool,
    /// True for the low and for the high end if the axis has values beyond it that give no case.
    narrowed: (bool, bool),
}

impl Search<'_, '_> {
    fn find(&mut self) -> FailingValues {
        let probes = self.probes();
        let law = self.law();
        let from = self.claimed(law, false);
        let to = self.claimed(law, true);
        let within = |value: i128| from.is_none_or(|from| value >= from) && to.is_none_or(|to| value <= to);
        for probe in probes {
            self.fails(probe);
        }
        let consistent = self.tried.iter().all(|(value, fails)| *fails == (within(*value) && obeys(law, *value)));
        match (consistent, from, to, law) {
            (false, ..) => self.listed(),
            (true, None, None, None) if self.cut => self.listed(),
            (true, None, None, None) => FailingValues::Any,
            (true, from, to, modulus) => FailingValues::Range { from, to, modulus },
        }
    }

    /// Tries a value. A value that cannot be tried counts as neither failing nor passing.
    fn fails(&mut self, value: i128) -> Option<bool> {
        if let Some(known) = self.tried.get(&value) {
            return Some(*known);
        }
        if !(self.accepts)(value) {
            return None;
        }
        let fails = (self.run)(value);
        match fails {
            Some(fails) => drop(self.tried.insert(value, fails)),
            None => self.cut = true,
        }
        fails
    }

    /// The value in the axis's domain that is nearest to `value` from below.
    fn snapped(&self, value: i128) -> i128 {
        self.bounds.at(self.bounds.position(value))
    }

    /// The values that test if the found form holds: the ends, the neighbors, and a few values between them.
    fn probes(&self) -> Vec<i128> {
        let (low, high, at) = (self.bounds.low, self.bounds.high(), self.failing);
        let step = self.bounds.step;
        let between = |from: i128, to: i128, part: i128| from + (to - from) / 4 * part + 1;
        let mut probes = vec![low, high, (at - step).max(low), (at + step).min(high)];
        probes.extend((1..4).flat_map(|part| [between(low, at, part), between(at, high, part)]));
        probes.into_iter().map(|value| self.snapped(value)).collect()
    }

    /// The remainder that failing values have in common, found on values at and above the failing value.
    fn law(&mut self) -> Option<Remainder> {
        let at = self.failing;
        // The next multiples of powers of two above the failing value; below it, the case may pass for another reason.
        let next = |by: i128| (at.div_euclid(by) + 1) * by;
        let usable = (1..=DIVISORS).map(|power| 1i128 << power);
        let usable: Vec<i128> =
            usable.filter(|by| next(*by) <= self.bounds.high() && self.snapped(next(*by)) == next(*by)).collect();
        let largest = *usable.last()?;
        let multiple_fails = self.fails(next(largest))?;
        let odd_fails = self.fails(self.snapped(next(largest) + 1).max(at + self.bounds.step))?;
        if multiple_fails == odd_fails {
            return None;
        }
        // The smallest divisor with whose multiples the case behaves as with the multiples of the largest.
        let (mut low, mut high) = (0, usable.len() - 1);
        while low < high {
            let middle = (low + high) / 2;
            let by = usable[middle];
            // An odd multiple is not a multiple of the next divisor.
            let multiple = if next(by) % (2 * by) == 0 { next(by) + by } else { next(by) };
            match self.fails(self.snapped(multiple))? == multiple_fails {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        let law = Remainder { by: u64::try_from(usable[low]).ok()?, zero: multiple_fails };
        obeys(Some(law), at).then_some(law)
    }

    /// The lowest or highest failing value; `None` if the case also fails at that end of the axis.
    fn claimed(&mut self, law: Option<Remainder>, upwards: bool) -> Option<i128> {
        match self.limit(law, upwards) {
            Limit::End => None,
            Limit::At(value) => Some(value),
            Limit::Unknown(value) => {
                self.cut = true;
                Some(value)
            }
        }
    }

    fn limit(&mut self, law: Option<Remainder>, upwards: bool) -> Limit {
        let narrowed = if upwards { self.narrowed.1 } else { self.narrowed.0 };
        let whole = |fails: i128| if narrowed { Limit::At(fails) } else { Limit::End };
        let end = if upwards { self.bounds.high() } else { self.bounds.low };
        let direction = if upwards { 1 } else { -1 };
        let mut fails = self.failing;
        let Some(last) = self.between(law, end, fails) else { return Limit::Unknown(fails) };
        if last == fails {
            return whole(fails);
        }
        let Some(next) = self.toward(law, fails, direction) else { return Limit::Unknown(fails) };
        match self.fails(next) {
            None => return Limit::Unknown(fails),
            Some(false) => return Limit::At(fails),
            Some(true) => fails = next,
        }
        match self.fails(last) {
            None => return Limit::Unknown(fails),
            Some(true) => return whole(last),
            Some(false) => {}
        }
        let mut passes = last;
        loop {
            let middle = fails + (passes - fails) / 2;
            let Some(mut middle) = self.between(law, middle, fails) else { return Limit::Unknown(fails) };
            if middle == fails || middle == passes {
                // No value of the form is between them, unless rounding hid one next to the failing value.
                let Some(next) = self.toward(law, fails, direction) else { return Limit::Unknown(fails) };
                if next == passes {
                    return Limit::At(fails);
                }
                middle = next;
            }
            match self.fails(middle) {
                None => return Limit::Unknown(fails),
                Some(true) => fails = middle,
                Some(false) => passes = middle,
            }
        }
    }

    /// The next value of the law that gives a case, in a direction; `None` if there is none on the axis, or only after
    /// many values that give no case.
    fn toward(&self, law: Option<Remainder>, value: i128, direction: i128) -> Option<i128> {
        let step = self.bounds.step * direction;
        let inside = |value: &i128| (self.bounds.low..=self.bounds.high()).contains(value);
        // To reach the next multiple takes as many steps as the divisor has.
        let most = law.map_or(1, |law| law.by as usize + 1).max(GAP);
        std::iter::successors(Some(value + step), |value| Some(value + step))
            .take(most)
            .take_while(inside)
            .find(|value| obeys(law, *value) && (self.accepts)(*value))
    }

    /// The value of the law that gives a case at or next to `value`, on the side of a failing value.
    fn between(&self, law: Option<Remainder>, value: i128, failing: i128) -> Option<i128> {
        let value = self.snapped(value);
        if obeys(law, value) && (self.accepts)(value) {
            return Some(value);
        }
        let direction = if value < failing { 1 } else { -1 };
        let near = self.toward(law, value, direction)?;
        // The failing value itself obeys the law.
        Some(if (near < failing) == (value < failing) { near } else { failing })
    }

    fn nearest_pass(&self) -> Option<i128> {
        let passing = self.tried.iter().filter(|(_, fails)| !**fails).map(|(value, _)| *value);
        passing.min_by_key(|value| (value.abs_diff(self.failing), *value))
    }

    fn listed(&self) -> FailingValues {
        let failing = self.tried.iter().filter(|(_, fails)| **fails).map(|(value, _)| value.to_string());
        FailingValues::Irregular(failing.take(LISTED).collect())
    }
}

/// True if a value has the remainder of the failing values.
fn obeys(law: Option<Remainder>, value: i128) -> bool {
    law.is_none_or(|law| (value.rem_euclid(i128::from(law.by)) == 0) == law.zero)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    const MIB: i128 = 1 << 20;

    fn bounds(low: i128, high: i128) -> Bounds {
        Bounds { low, step: 1, count: (high - low + 1) as u64 }
    }

    /// The boundary of a failure, and the number of values that were tried for it.
    fn found(high: i128, failing: i128, fails: impl Fn(i128) -> bool) -> (Found, u32) {
        let mut tried = 0;
        let found = boundary(bounds(1, high), failing, &|_| true, &mut |value| {
            tried += 1;
            Some(fails(value))
        });
        (found, tried)
    }

    #[rstest]
    #[case::above(65537, |value| value > 65536, "≥ 65537", Some(65536))]
    #[case::not_the_smallest(90000, |value| value > 65536, "≥ 65537", Some(65536))]
    #[case::below(100, |value| value <= 4096, "≤ 4096", Some(4097))]
    #[case::between(5000, |value| (4097..=65535).contains(&value), "4097..=65535", Some(4096))]
    #[case::any(77, |_| true, "any", None)]
    #[case::rounded(65537, |value| value > 65536 && value % 32 != 0, "≥ 65537 that are not multiples of 32", Some(65536))]
    #[case::everywhere(33, |value| value % 32 != 0, "any that are not multiples of 32", Some(32))]
    #[case::multiples(8192, |value| value >= 8192 && value % 4096 == 0, "≥ 8192 that are multiples of 4096", Some(8191))]
    #[case::one(512, |value| value == 512, "512", Some(511))]
    fn the_form_is_recognized(
        #[case] failing: i128,
        #[case] fails: fn(i128) -> bool,
        #[case] form: &str,
        #[case] passes: Option<i128>,
    ) {
        let (found, tried) = found(2 * MIB, failing, fails);
        assert_eq!((found.fails.to_string().as_str(), found.passes, found.cut), (form, passes, false));
        assert_eq!((found.lowest, found.highest), (None, None), "each value gives a case");
        assert!(tried <= 60, "{tried} values");
    }

    #[test]
    fn values_that_give_no_case_are_never_tried() {
        let found = boundary(bounds(1, 1000), 500, &|value| (100..=700).contains(&value), &mut |value| {
            assert!((100..=700).contains(&value));
            Some(value >= 300)
        });
        let fails = FailingValues::Range { from: Some(300), to: Some(700), modulus: None };
        let expected = Found { fails, passes: Some(299), cut: false, lowest: Some(100), highest: Some(700) };
        assert_eq!(found, expected);
    }

    /// An offset of 65,536 in a block excludes all smaller blocks, and the case fails with each larger one.
    #[test]
    fn an_end_that_cannot_be_tried_is_named() {
        let found = boundary(bounds(1, 2 * MIB), 65537, &|size| 65536 < size, &mut |_| Some(true));
        let fails = FailingValues::Range { from: Some(65537), to: None, modulus: None };
        assert_eq!(found, Found { fails, passes: None, cut: false, lowest: Some(65537), highest: None });
    }

    #[test]
    fn a_failure_without_a_form_is_listed() {
        let (found, _) = found(1000, 500, |value| value % 7 == 3);
        assert!(matches!(found.fails, FailingValues::Irregular(_)), "{found:?}");
    }

    #[test]
    fn a_budget_that_ends_is_reported() {
        let mut left = 5;
        let found = boundary(bounds(1, 2 * MIB), 2 * MIB, &|_| true, &mut |value| {
            left -= 1;
            (left >= 0).then_some(value > 65536)
        });
        assert!(found.cut, "{found:?}");
    }

    /// The values that the other axes exclude: those outside a range, and those between multiples.
    #[derive(Debug, Clone)]
    struct Exclusion {
        range: std::ops::RangeInclusive<i128>,
        multiples_of: i128,
    }

    impl Exclusion {
        fn accepts(&self, value: i128) -> bool {
            self.range.contains(&value) && value % self.multiples_of == 0
        }
    }

    fn exclusion() -> impl Strategy<Value = Exclusion> {
        let end = || prop_oneof![Just(0i128), Just(i128::MAX), 0i128..3000];
        let multiples = prop_oneof![4 => Just(1i128), 1 => 2i128..40];
        (end(), end(), multiples)
            .prop_map(|(one, other, multiples_of)| Exclusion { range: one.min(other)..=one.max(other), multiples_of })
    }

    /// A property of the library under test.
    #[derive(Debug, Clone)]
    enum Failure {
        From(i128),
        Between(i128, i128),
        Multiples { by: i128, zero: bool, from: i128 },
        Always,
        Scattered(Vec<bool>),
    }

    impl Failure {
        fn fails(&self, value: i128) -> bool {
            match self {
                Failure::From(least) => value >= *least,
                Failure::Between(low, high) => (*low..=*high).contains(&value),
                Failure::Multiples { by, zero, from } => value >= *from && (value % by == 0) == *zero,
                Failure::Always => true,
                Failure::Scattered(answers) => answers[value as usize % answers.len()],
            }
        }
    }

    fn failure() -> impl Strategy<Value = Failure> {
        let multiples =
            (prop_oneof![(1u32..8).prop_map(|power| 1i128 << power), 2i128..50], any::<bool>(), 0i128..3000);
        prop_oneof![
            (0i128..3000).prop_map(Failure::From),
            (0i128..3000, 0i128..3000).prop_map(|(one, other)| Failure::Between(one.min(other), one.max(other))),
            multiples.prop_map(|(by, zero, from)| Failure::Multiples { by, zero, from }),
            Just(Failure::Always),
            proptest::collection::vec(any::<bool>(), 1..50).prop_map(Failure::Scattered),
        ]
    }

    fn axis() -> impl Strategy<Value = Bounds> {
        let step = prop_oneof![3 => Just(1i128), 1 => 2i128..70];
        (0i128..200, step, 1u64..3000).prop_map(|(low, step, count)| Bounds { low: low / step * step, step, count })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 1 << 16, ..ProptestConfig::default() })]

        #[test]
        fn a_threshold_is_exact(limit in 2i128..2 * MIB, above in any::<prop::sample::Index>()) {
            let failing = limit + above.index((2 * MIB - limit) as usize + 1) as i128;
            let (found, tried) = found(2 * MIB, failing, |value| value >= limit);
            let fails = FailingValues::Range { from: Some(limit), to: None, modulus: None };
            let expected = Found { fails, passes: Some(limit - 1), cut: false, lowest: None, highest: None };
            prop_assert_eq!(found, expected);
            prop_assert!(tried <= 60, "{} values", tried);
        }

        #[test]
        fn a_threshold_among_remainders_is_exact(power in 1u32..10, limit in 2i128..MIB) {
            let by = 1i128 << power;
            let fails = |value: i128| value > limit && value % by != 0;
            let failing = (limit + 1..).find(|value| fails(*value)).unwrap();
            let (found, tried) = found(2 * MIB, failing, fails);
            let expected = FailingValues::Range {
                from: Some(failing),
                to: None,
                modulus: Some(Remainder { by: by as u64, zero: false }),
            };
            prop_assert_eq!(found.fails, expected);
            prop_assert!(tried <= 60, "{} values", tried);
        }

        #[test]
        fn any_answers_end(answers in proptest::collection::vec(any::<bool>(), 1..50), high in 1i128..5000, at in any::<prop::sample::Index>()) {
            let failing = 1 + at.index(high as usize) as i128;
            let (found, tried) = found(high, failing, |value| value == failing || answers[value as usize % answers.len()]);
            prop_assert!(!found.cut && tried <= 120, "{} values", tried);
        }

        /// Whatever the values of other axes exclude, and whatever fails: each claim is true of the tried values, and a
        /// claim reaches an end of the axis only if that end was tried.
        #[test]
        fn each_claim_is_true_of_the_values_that_were_tried(
            (bounds, exclusion, failure, at) in (axis(), exclusion(), failure(), any::<prop::sample::Index>()),
            budget in prop_oneof![3 => Just(u32::MAX), 1 => 0u32..40]
        ) {
            let domain: Vec<i128> = (0..bounds.count).map(|position| bounds.at(position)).collect();
            let accepts = |value: i128| exclusion.accepts(value);
            let candidates: Vec<i128> =
                domain.iter().copied().filter(|value| accepts(*value) && failure.fails(*value)).collect();
            prop_assume!(!candidates.is_empty());
            let failing = *at.get(&candidates);
            let mut tried = BTreeMap::from([(failing, true)]);
            let mut left = budget;
            let found = boundary(bounds, failing, &accepts, &mut |value| {
                assert!(domain.contains(&value) && accepts(value), "{value} gives no case");
                left = left.checked_sub(1)?;
                assert!(tried.insert(value, failure.fails(value)).is_none(), "{value} was tried twice");
                Some(failure.fails(value))
            });
            let (first, last) = (domain[0], domain[domain.len() - 1]);
            match &found.fails {
                FailingValues::Any => {
                    prop_assert!(tried.values().all(|fails| *fails), "{:?}", tried);
                    prop_assert!(tried.contains_key(&first) && tried.contains_key(&last), "{:?}", tried);
                }
                FailingValues::Range { from, to, modulus } => {
                    let within = |value: i128| {
                        from.is_none_or(|from| from <= value) && to.is_none_or(|to| value <= to) && obeys(*modulus, value)
                    };
                    for (value, fails) in &tried {
                        prop_assert_eq!(*fails, within(*value), "{} in {:?}", value, found);
                    }
                    // The values of the form beyond the tried ones, on a side without a limit.
                    let form = |value: &&i128| obeys(*modulus, **value) && accepts(**value);
                    let failing = || tried.iter().filter(|(_, fails)| **fails).map(|(value, _)| value);
                    if from.is_none() {
                        prop_assert_eq!(failing().min(), domain.iter().find(form));
                    }
                    if to.is_none() {
                        prop_assert_eq!(failing().max(), domain.iter().rfind(form));
                    }
                    for limit in [*from, *to].into_iter().flatten() {
                        prop_assert_eq!(tried.get(&limit), Some(&true), "a limit is a tried value");
                    }
                }
                FailingValues::Irregular(values) => {
                    let failing = |text: &String| tried.get(&text.parse().unwrap()) == Some(&true);
                    prop_assert!(values.iter().all(failing), "{:?} of {:?}", values, tried);
                }
                FailingValues::Only(_) => prop_assert!(false, "only alternatives are listed so"),
            }
            if let Some(passes) = found.passes {
                prop_assert_eq!(tried.get(&passes), Some(&false));
            }
            let beyond = |value: &i128| {
                found.lowest.is_some_and(|lowest| *value < lowest) || found.highest.is_some_and(|highest| *value > highest)
            };
            prop_assert!(!domain.iter().any(|value| beyond(value) && accepts(*value)), "{:?}", found);
            prop_assert_eq!(found.lowest.is_none(), accepts(first));
            prop_assert_eq!(found.highest.is_none(), accepts(last));
        }
    }
}
