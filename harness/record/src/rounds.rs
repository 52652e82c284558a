//! The rounds of a rule that a run repeats.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::device::severity;
use crate::end::keyed;
use crate::verdict::Verdict;

/// The rounds of a repeated rule, each with another seed. The rule's result is that of the worst round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rounds {
    /// The number of planned rounds. Fewer ran if the device was lost.
    pub planned: u64,
    /// The number of rounds by verdict.
    #[schemars(schema_with = "keyed::<Verdict, u64>")]
    pub verdicts: BTreeMap<Verdict, u64>,
    /// The number of the round, from 1, that the result describes.
    pub worst: u64,
}

impl Rounds {
    /// The number of rounds that ran.
    pub fn ran(&self) -> u64 {
        self.verdicts.values().sum()
    }

    /// The number of rounds in which the rule did not hold.
    pub fn failed(&self) -> u64 {
        self.verdicts.iter().filter(|(verdict, _)| !verdict.passes()).map(|(_, number)| number).sum()
    }

    /// Counts a round. Returns true if it is the worst so far. Unlike a device, a round with a lost device counts: the
    /// rounds after it do not run.
    pub fn count(&mut self, verdict: Verdict) -> bool {
        let weight =
            |verdict| if verdict == Verdict::DeviceLost { severity(Verdict::Blocked) } else { severity(verdict) };
        let first = self.verdicts.is_empty();
        let worst = first || self.verdicts.keys().all(|known| weight(verdict) < weight(*known));
        *self.verdicts.entry(verdict).or_default() += 1;
        if worst {
            self.worst = self.ran();
        }
        worst
    }

    /// The rounds in words, for example `3 of 10 rounds do not hold`.
    pub fn clause(&self) -> String {
        let (ran, failed) = (self.ran(), self.failed());
        let planned = if ran < self.planned { format!(" ({} planned)", self.planned) } else { String::new() };
        let verb = if failed == 1 { "does not hold" } else { "do not hold" };
        format!("{failed} of {}{planned} {verb}", catalog::count(ran, "round"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_worst_rounds_is_described() {
        let mut rounds = Rounds { planned: 5, verdicts: BTreeMap::new(), worst: 0 };
        let verdicts = [Verdict::Pass, Verdict::DeviceLost, Verdict::Flaky, Verdict::Fail, Verdict::Pass];
        let worst = verdicts.map(|verdict| rounds.count(verdict));
        assert_eq!((worst, rounds.worst), ([true, true, true, false, false], 3));
    }

    #[test]
    fn the_rounds_that_do_not_hold_are_counted() {
        let rounds = |planned, verdicts: &[(Verdict, u64)]| Rounds {
            planned,
            verdicts: verdicts.iter().copied().collect(),
            worst: 1,
        };
        let clause = |planned, verdicts: &[(Verdict, u64)]| rounds(planned, verdicts).clause();
        assert_eq!(
            clause(10, &[(Verdict::Pass, 7), (Verdict::Fail, 2), (Verdict::Crash, 1)]),
            "3 of 10 rounds do not hold"
        );
        assert_eq!(clause(5, &[(Verdict::Pass, 4), (Verdict::Fail, 1)]), "1 of 5 rounds does not hold");
        assert_eq!(clause(9, &[(Verdict::DeviceLost, 1)]), "1 of 1 round (9 planned) does not hold");
        assert_eq!(clause(2, &[(Verdict::Exceeds, 2)]), "0 of 2 rounds do not hold");
    }
}
