//! A run's parts. The rule's id, the number of parts and, if given, the times from an earlier run determine the part
//! to which a rule belongs. Adding or removing a rule moves no other rule to a different part.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use catalog::digest;
use record::{MOST_SHARDS, RuleResult};

/// The minimum time counted for a rule, in nanoseconds. Even a skipped rule takes the time to write a journal line.
const LEAST: u64 = 1_000_000;

/// A part of a run: `3/8` is the third of eight parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// The part's number, from 1.
    pub number: u32,
    /// The number of parts.
    pub of: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) && of <= MOST_SHARDS => Ok(Shard { number, of }),
            _ => Err(format!("a shard is K/N with K from 1 to N and N at most {MOST_SHARDS}, for example 3/8")),
        }
    }
}

/// A part of a run, and the earlier run whose times balance the parts: `3/8@RUN`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BalancedShard {
    pub shard: Shard,
    pub times: Option<PathBuf>,
}

impl FromStr for BalancedShard {
    type Err = String;

    fn from_str(text: &str) -> Result<BalancedShard, String> {
        let (shard, times) = text.split_once('@').map_or((text, None), |(shard, run)| (shard, Some(run.into())));
        Ok(BalancedShard { shard: shard.parse()?, times })
    }
}

/// The assignment of rules to parts.
#[derive(Debug, Clone)]
pub struct Distribution {
    of: u32,
    /// The rules with known times, and their parts.
    timed: BTreeMap<String, u32>,
}

impl Distribution {
    /// Forms parts with about the same number of rules.
    pub fn by_id(of: u32) -> Distribution {
        Distribution { of, timed: BTreeMap::new() }
    }

    /// Forms parts that take about the same time, based on times from an earlier run. Rules without a known time
    /// are distributed by id.
    pub fn by_times(of: u32, earlier: &[RuleResult]) -> Distribution {
        let mut rules: Vec<(u64, &str)> =
            earlier.iter().map(|result| (result.nanoseconds.max(LEAST), result.id.as_str())).collect();
        // Rules are assigned longest first. Each rule goes to the part with the least time so far.
        rules.sort_by_key(|(time, id)| (Reverse(*time), *id));
        let mut loads: std::collections::BinaryHeap<Reverse<(u64, u32)>> =
            (1..=of).map(|part| Reverse((0, part))).collect();
        let mut timed = BTreeMap::new();
        for (time, id) in rules {
            if let Some(Reverse((load, part))) = loads.pop() {
                timed.insert(id.to_owned(), part);
                loads.push(Reverse((load.saturating_add(time), part)));
            }
        }
        Distribution { of, timed }
    }

    /// A rule's part, from 1.
    pub fn part_of(&self, id: &str) -> u32 {
        self.timed.get(id).copied().unwrap_or_else(|| {
            let digest = Sha256::digest(id.as_bytes());
            let (first, _) = digest.split_at(8);
            let number = first.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
            (number % u64::from(self.of)) as u32 + 1
        })
    }

    /// A digest that identifies a distribution by times; `None` for a distribution by ids alone.
    pub fn digest(&self) -> Option<String> {
        let mut lines = String::new();
        for (id, part) in &self.timed {
            let _ = writeln!(lines, "{part} {id}");
        }
        (!lines.is_empty()).then(|| digest::of_bytes(lines.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::btree_map;
    use proptest::prelude::*;

    use super::*;
    use crate::run::empty_result::blank;
    use catalog::Level;

    fn earlier(times: &BTreeMap<String, u64>) -> Vec<RuleResult> {
        let result = |(id, time): (&String, &u64)| RuleResult {
            nanoseconds: *time,
            ..blank(id, "chapter", "A title", Level::Must)
        };
        times.iter().map(result).collect()
    }

    fn times() -> impl Strategy<Value = BTreeMap<String, u64>> {
        btree_map("[a-z]{1,4}\\.[a-z]{1,8}", 0..20_000_000_000_u64, 0..60)
    }

    proptest! {
        #[test]
        fn every_rule_is_in_one_part_and_others_do_not_move_it(
            times in times(), of in 1_u32..40, more in "[a-z]{1,4}\\.[a-z]{9}", time in 0_u64..1_000_000_000
        ) {
            let parts = Distribution::by_times(of, &earlier(&times));
            for id in times.keys().chain([&more]) {
                prop_assert!((1..=of).contains(&parts.part_of(id)));
            }
            // An added rule has no known time yet, so its part is the same as without times.
            prop_assert_eq!(parts.part_of(&more), Distribution::by_id(of).part_of(&more));
            let mut again = times.clone();
            again.insert(more, time);
            prop_assert!(times.is_empty() || parts.digest().is_some());
            prop_assert_ne!(parts.digest(), Distribution::by_times(of, &earlier(&again)).digest());
        }

        #[test]
        fn no_part_takes_longer_than_the_mean_and_the_longest_rule_together(times in times(), of in 1_u32..40) {
            let parts = Distribution::by_times(of, &earlier(&times));
            let mut loads = vec![0_u64; of as usize];
            times.iter().for_each(|(id, time)| loads[parts.part_of(id) as usize - 1] += (*time).max(LEAST));
            let (all, longest): (u64, u64) = (loads.iter().sum(), times.values().copied().max().unwrap_or(0).max(LEAST));
            prop_assert!(loads.iter().all(|load| *load <= all / u64::from(of) + longest));
        }
    }

    #[rstest::rstest]
    #[case("1/1", Some((1, 1)))]
    #[case("8/8", Some((8, 8)))]
    #[case("0/8", None)]
    #[case("9/8", None)]
    #[case("1/0", None)]
    #[case("3", None)]
    #[case("-1/8", None)]
    #[case("1/100001", None)]
    #[case("one/two", None)]
    fn a_part_is_one_of_so_many(#[case] text: &str, #[case] expected: Option<(u32, u32)>) {
        let shard = text.parse::<Shard>().ok().map(|shard| (shard.number, shard.of));
        assert_eq!(shard, expected);
    }

    #[test]
    fn where_a_rule_is_by_its_id_never_changes() {
        let parts: Vec<u32> = ["toy.copy.exact-count", "toy.copy.zero-bytes", "toy.x"]
            .map(|id| Distribution::by_id(8).part_of(id))
            .into();
        assert_eq!(parts, [1, 5, 5]);
    }
}
