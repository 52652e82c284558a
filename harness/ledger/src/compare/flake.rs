//! Rules that fail sometimes, and a test for a difference between their failure rates.

use record::{Conclusion, RuleResult, Verdict};

use super::difference::{Change, Drift, RuleChange};
use super::drift::Candidate;
use super::statistics::{Test, Tests, fisher};
use super::symptom;

/// A rule that fails only sometimes in at least one run.
pub(super) struct Flake {
    change: RuleChange,
    test: Test,
    /// The kind of change to report if the failure rates differ significantly.
    if_significant: Change,
}

impl Flake {
    /// Compares two results by their failure rates. The results must satisfy [`are_rates`].
    pub(super) fn of(old: &RuleResult, new: &RuleResult, tests: &mut Tests) -> Flake {
        let ((a, n), (b, m)) = rates(old, new);
        let p = fisher(a, n, b, m);
        let worse = u128::from(b) * u128::from(n) > u128::from(a) * u128::from(m);
        // A rule that always fails in one run and sometimes in the other is broken in both runs.
        let always = |result: &RuleResult| !result.verdict.passes() && result.verdict != Verdict::Flaky;
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
            if_significant: match worse {
                _ if always(old) || always(new) => Change::OtherSymptom,
                true => Change::Regression,
                false => Change::Fix,
            },
        }
    }

    /// The change, after correction for the number of tests.
    pub(super) fn judged(self, significant: &[(f64, bool)]) -> RuleChange {
        let significant = significant[self.test].1;
        let change = if significant { self.if_significant } else { Change::Flake };
        RuleChange { change, significant: Some(significant), ..self.change }
    }
}

/// True if two results can be compared by failure rates: one result is flaky, and the other result is flaky, holds, or
/// always fails in the same way.
pub(super) fn are_rates(old: &RuleResult, new: &RuleResult) -> bool {
    let flaky = |result: &RuleResult| result.verdict == Verdict::Flaky;
    let holds = old.verdict.passes() || new.verdict.passes();
    (flaky(old) || flaky(new)) && (holds || (flaky(old) && flaky(new)) || symptom::same_in_a_run(old, new))
}

/// The drift of a rule with level `info`, unless chance explains the difference between the failure rates.
pub(super) fn drift(drift: Drift, old: &RuleResult, new: &RuleResult, tests: &mut Tests) -> Candidate {
    let ((a, n), (b, m)) = rates(old, new);
    let share = |failed: u64, runs: u64| if runs == 0 { 0.0 } else { failed as f64 / runs as f64 };
    let strength = (share(a, n) - share(b, m)).abs();
    Candidate::tested(Drift { strength, ..drift }, tests.add(fisher(a, n, b, m)))
}

/// For each of the two runs, the number of failures and the number of attempts.
fn rates(old: &RuleResult, new: &RuleResult) -> ((u64, u64), (u64, u64)) {
    let rate = if old.verdict.passes() || new.verdict.passes() { first_cases } else { repeats };
    (rate(old), rate(new))
}

/// The number of failed reruns of the failing case, and the total number of its reruns.
fn repeats(result: &RuleResult) -> (u64, u64) {
    let again = result.runs_again();
    (u64::from(again.failed), u64::from(again.runs))
}

/// The number of failed cases, and the number of cases up to the first failure, which ends the search. If all cases are
/// equal, both numbers include reruns.
fn first_cases(result: &RuleResult) -> (u64, u64) {
    let Some(failure) = &result.failure else { return (0, result.cases) };
    let alike = result.coverage.as_ref().is_some_and(|coverage| coverage.distinct == 1);
    let again = failure.confirmation.as_ref().filter(|known| alike && known.conclusion == Conclusion::Flaky);
    let again = again.map_or((0, 0), |known| (u64::from(known.alone.failed), u64::from(known.alone.runs)));
    (1 + again.0, failure.case.max(1) + again.1)
}
