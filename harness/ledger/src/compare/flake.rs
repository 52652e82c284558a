//! Rules that fail sometimes: whether their rates differ more than chance explains.

use record::{Conclusion, RuleResult, Verdict};

use super::difference::{Change, Drift, RuleChange};
use super::drift::Candidate;
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
    /// Of two results whose rates say what changed, see [`are_rates`].
    pub(super) fn of(old: &RuleResult, new: &RuleResult, tests: &mut Tests) -> Flake {
        let ((a, n), (b, m)) = rates(old, new);
        let p = fisher(a, n, b, m);
        let worse = u128::from(b) * u128::from(n) > u128::from(a) * u128::from(m);
        // It is broken in both where one of them fails each time.
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
            news: match worse {
                _ if always(old) || always(new) => Change::OtherSymptom,
                true => Change::Regression,
                false => Change::Fix,
            },
        }
    }

    /// With what all tests together say.
    pub(super) fn judged(self, significant: &[(f64, bool)]) -> RuleChange {
        let significant = significant[self.test].1;
        let change = if significant { self.news } else { Change::Flake };
        RuleChange { change, significant: Some(significant), ..self.change }
    }
}

/// Whether what two results say is how often the rule fails: one of them is flaky, the other one is too, or holds, or fails
/// each time in the same way.
pub(super) fn are_rates(old: &RuleResult, new: &RuleResult) -> bool {
    let flaky = |result: &RuleResult| result.verdict == Verdict::Flaky;
    let holds = old.verdict.passes() || new.verdict.passes();
    (flaky(old) || flaky(new)) && (holds || (flaky(old) && flaky(new)) || symptom::same_in_a_run(old, new))
}

/// The drift of a rule that is not judged, if its rates differ more than chance explains.
pub(super) fn drift(drift: Drift, old: &RuleResult, new: &RuleResult, tests: &mut Tests) -> Candidate {
    let ((a, n), (b, m)) = rates(old, new);
    let share = |failed: u64, runs: u64| if runs == 0 { 0.0 } else { failed as f64 / runs as f64 };
    let strength = (share(a, n) - share(b, m)).abs();
    Candidate::tested(Drift { strength, ..drift }, tests.add(fisher(a, n, b, m)))
}

/// How often a rule failed in either run, of so many.
fn rates(old: &RuleResult, new: &RuleResult) -> ((u64, u64), (u64, u64)) {
    let rate = if old.verdict.passes() || new.verdict.passes() { first_cases } else { repeats };
    (rate(old), rate(new))
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
