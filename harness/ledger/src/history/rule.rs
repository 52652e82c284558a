//! A rule's results over many runs.

use super::past::PastResult;
use record::{Meaning, Verdict};

/// A rule's results in the runs of a timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleHistory {
    pub rule: String,
    /// The rule's verdict in each run; `None` if the run has no result for the rule.
    pub verdicts: Vec<Option<Verdict>>,
    /// The number of times that the verdict differs from the verdict in the previous run of the rule.
    pub changes: usize,
    /// The number of runs in which the rule ran.
    pub ran: usize,
    /// The number of runs in which the rule was broken, was a finding, or had no answer.
    pub broken: usize,
    /// The number of runs in which the rule was flaky.
    pub flaky: usize,
    /// The number of failed reruns of failing cases, and the total number of their reruns, over all runs.
    pub again: Option<(u64, u64)>,
    /// The median of the rule's times, in nanoseconds.
    pub median: u64,
    /// The rule's time in its most recent run, in nanoseconds.
    pub last: u64,
}

impl RuleHistory {
    pub(super) fn of(rule: &str, results: &[Option<&PastResult>]) -> RuleHistory {
        let ran: Vec<&PastResult> =
            results.iter().copied().flatten().filter(|result| result.verdict != Verdict::Skipped).collect();
        let number = |fits: &dyn Fn(&PastResult) -> bool| ran.iter().filter(|result| fits(result)).count();
        let again = ran.iter().filter_map(|result| result.again);
        let again = again.fold((0, 0), |sum, (failed, runs)| (sum.0 + u64::from(failed), sum.1 + u64::from(runs)));
        let mut times: Vec<u64> = ran.iter().map(|result| result.nanoseconds).collect();
        times.sort_unstable();
        RuleHistory {
            rule: rule.to_owned(),
            verdicts: results.iter().map(|result| result.map(|result| result.verdict)).collect(),
            changes: ran.windows(2).filter(|pair| pair[0].verdict != pair[1].verdict).count(),
            ran: ran.len(),
            broken: number(&|result| !matches!(result.meaning, Meaning::Good | Meaning::Skipped)),
            flaky: number(&|result| result.verdict == Verdict::Flaky),
            again: (again.1 > 0).then_some(again),
            median: times.get(times.len() / 2).copied().unwrap_or(0),
            last: ran.last().map_or(0, |result| result.nanoseconds),
        }
    }

    /// True if the rule's verdict changed or was not always good.
    pub fn is_restless(&self) -> bool {
        self.changes > 0 || self.broken > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(verdict: Verdict, meaning: Meaning, nanoseconds: u64, again: Option<(u32, u32)>) -> PastResult {
        PastResult { verdict, meaning, nanoseconds, again }
    }

    #[test]
    fn a_rule_that_did_not_run_in_between_has_not_changed() {
        let pass = result(Verdict::Pass, Meaning::Good, 10, None);
        let skipped = result(Verdict::Skipped, Meaning::Skipped, 0, None);
        let fail = result(Verdict::Fail, Meaning::Broken, 30, Some((2, 2)));
        let flaky = result(Verdict::Flaky, Meaning::Broken, 20, Some((3, 10)));
        let steady = RuleHistory::of("a", &[Some(&pass), Some(&skipped), None, Some(&pass)]);
        assert_eq!((steady.changes, steady.ran, steady.broken, steady.is_restless()), (0, 2, 0, false));
        let history = RuleHistory::of("a", &[Some(&pass), Some(&fail), Some(&skipped), Some(&fail), Some(&flaky)]);
        assert_eq!((history.changes, history.ran, history.broken, history.flaky), (2, 4, 3, 1));
        assert_eq!((history.again, history.median, history.last), (Some((7, 14)), 30, 20));
    }
}
