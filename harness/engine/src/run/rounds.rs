//! Repeats a rule for `--repeat`, each round with another seed, and combines the rounds into one outcome.

use std::collections::BTreeMap;

use crate::pool::interrupt;
use record::{Rounds, RuleResult, Verdict};

use super::campaign::Campaign;
use super::outcome::RuleOutcome;

impl Campaign {
    /// The run's seed in a round, from 0. A run with this seed and without `--repeat` draws the same cases as the round.
    pub(super) fn seed_of(&self, round: u64) -> u64 {
        self.header.seed.wrapping_add(round)
    }

    /// Runs a rule in as many rounds as the run has, like [`Campaign::on_one_of`], and returns the worst outcome.
    pub(super) fn in_rounds(&self, index: usize, order: &[usize], briefly: bool) -> RuleOutcome {
        let first = self.on_one_of(index, order, briefly, 0);
        let Some(planned) = self.header.settings.repeat.filter(|planned| *planned > 1) else { return first };
        let mut rounds = Rounds { planned, verdicts: BTreeMap::new(), worst: 0 };
        rounds.count(first.result.verdict);
        let mut nanoseconds = first.result.nanoseconds;
        let mut passed = first.result.verdict.passes();
        // After a hang, later rounds get less time. After a lost device or a blocked rule, they would prove nothing.
        let mut hung = first.result.verdict == Verdict::Timeout;
        let mut more = repeats(first.result.verdict);
        let mut worst = first;
        for round in 1..planned {
            if !more || interrupt::requested().is_some() {
                break;
            }
            let outcome = self.on_one_of(index, order, briefly || hung, round);
            let verdict = outcome.result.verdict;
            nanoseconds += outcome.result.nanoseconds;
            (passed, hung, more) = (passed || verdict.passes(), hung || verdict == Verdict::Timeout, repeats(verdict));
            if rounds.count(verdict) {
                worst = outcome;
            }
        }
        // In a replay, every round runs the same cases, so a round that passes shows that the failure is not certain.
        let found = worst.result.verdict;
        if self.replays() && passed && (found.kills() || matches!(found, Verdict::Crash | Verdict::Timeout)) {
            worst.result.verdict = Verdict::Flaky;
        }
        if !worst.result.verdict.passes() {
            let reason = std::mem::take(&mut worst.result.reason);
            worst.result.reason =
                if reason.is_empty() { rounds.clause() } else { format!("{}: {reason}", rounds.clause()) };
        }
        worst.result = RuleResult { nanoseconds, rounds: Some(rounds), ..worst.result };
        worst
    }
}

/// True if another round can show something after a round with this verdict.
fn repeats(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Skipped | Verdict::Blocked | Verdict::DeviceLost | Verdict::Error)
}
