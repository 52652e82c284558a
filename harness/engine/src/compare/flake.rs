//! Rules that fail sometimes: whether their rates differ more than chance explains.

use crate::record::{Conclusion, RuleResult, Verdict};

use super::difference::{Change, RuleChange};
use super::statistics::{Test, Tests, fisher};
use super::symptom;

/// A rule that fails sometimes in one run at least.
pub(super) struct Flake {
    change: RuleChange,
    test: Test,
    /// What it is if the rates differ.
    news: Change,
}

impl Flake {
    /// Of two results with an answer, one of them flaky at least, the other one flaky or passing.
    pub(super) fn of(old: &RuleResult, new: &RuleResult, tests: &mut Tests) -> Flake {
        let both = old.verdict == Verdict::Flaky && new.verdict == Verdict::Flaky;
        let rate = if both { repeats } else { first_cases };
        let ((a, n), (b, m)) = (rate(old), rate(new));
        let p = fisher(a, n, b, m);
        let worse = u128::from(b) * u128::from(n) > u128::from(a) * u128::from(m);
        let outcome = |result| Some(symptom::outcome(result));
        Flake {
            change: RuleChange {
                rule: new.id.clone(),
                title: new.title.clone(),
                level: new.level.name().to_owned(),
                change: Change::Flake,
                old: outcome(old),
                new: outcome(new),
                p: Some(p),
                significant: None,
            },
            test: tests.add(p),
            news: if worse { Change::Regression } else { Change::Fix },
        }
    }

    /// With what all tests together say.
    pub(super) fn judged(self, significant: &[(f64, bool)]) -> RuleChange {
        let significant = significant[self.test].1;
        let change = if significant { self.news } else { Change::Flake };
        RuleChange { change, significant: Some(significant), ..self.change }
    }
}

/// How often the failing case failed when it ran again: it is the same in each run.
fn repeats(result: &RuleResult) -> (u64, u64) {
    let again = result.runs_again();
    (u64::from(again.failed), u64::from(again.runs))
}

/// How many of the first cases failed: the search ends with the first that does. Where all cases are the same, those that
/// ran again count too.
fn first_cases(result: &RuleResult) -> (u64, u64) {
    let Some(failure) = &result.failure else { return (0, result.cases) };
    let alike = result.coverage.as_ref().is_some_and(|coverage| coverage.distinct == 1);
    let again = failure.confirmation.as_ref().filter(|known| alike && known.conclusion == Conclusion::Flaky);
    let again = again.map_or((0, 0), |known| (u64::from(known.alone.failed), u64::from(known.alone.runs)));
    (1 + again.0, failure.case.max(1) + again.1)
}
