//! Many runs over time: changes of verdicts, rates of flaky rules, and durations of runs.
//!
//! - [`history`] reads all runs below a folder. A [`History`] has a [`Timeline`] for each tested product.
//! - [`text`] formats a [`History`]; [`prometheus`] has the newest runs as metrics.

mod past;
mod prometheus;
mod read;
mod rule;
mod text;

pub use past::PastRun;
pub use prometheus::prometheus;
pub use read::{HistoryError, history};
pub use rule::RuleHistory;
pub use text::text;

use std::collections::BTreeMap;

use record::Verdict;

/// The runs below a folder.
#[derive(Debug)]
pub struct History {
    /// A timeline for each tested product: runs of different products are not compared.
    pub timelines: Vec<Timeline>,
    /// Remarks about omitted runs.
    pub remarks: Vec<String>,
}

/// The runs of one product, oldest first.
#[derive(Debug)]
pub struct Timeline {
    /// The runtime and the product, for example `toy on a2` or `toy on a2 (simulated)`.
    pub tested: String,
    /// Runtime, product, and `true` if the device was simulated: the labels of metrics, by name.
    pub labels: [(&'static str, String); 3],
    pub runs: Vec<PastRun>,
}

impl Timeline {
    /// Keeps only the newest runs, and returns the number of dropped runs.
    pub fn keep_last(&mut self, most: usize) -> usize {
        let dropped = self.runs.len().saturating_sub(most);
        self.runs.drain(..dropped);
        dropped
    }

    /// The rules whose verdict changed or was not always good. Rules whose verdict changed most often come first.
    pub fn restless(&self) -> Vec<RuleHistory> {
        let mut rules: Vec<RuleHistory> = self.rules().into_iter().filter(RuleHistory::is_restless).collect();
        rules.sort_by(|a, b| (b.changes, b.broken, &a.rule).cmp(&(a.changes, a.broken, &b.rule)));
        rules
    }

    /// The rules of [`Timeline::restless`]; rules with the same verdict in every run form a group.
    pub fn restless_groups(&self) -> Vec<Vec<RuleHistory>> {
        let mut groups: Vec<Vec<RuleHistory>> = Vec::new();
        for rule in self.restless() {
            match groups.iter_mut().find(|group| group[0].verdicts == rule.verdicts) {
                Some(group) => group.push(rule),
                None => groups.push(vec![rule]),
            }
        }
        groups
    }

    /// All rules that have a result in at least one run.
    pub fn rules(&self) -> Vec<RuleHistory> {
        let mut results: BTreeMap<&str, Vec<Option<&past::PastResult>>> = BTreeMap::new();
        for (position, run) in self.runs.iter().enumerate() {
            for (rule, result) in &run.results {
                results.entry(rule).or_insert_with(|| vec![None; self.runs.len()])[position] = Some(result);
            }
        }
        results.into_iter().map(|(rule, results)| RuleHistory::of(rule, &results)).collect()
    }
}

/// The character for a verdict in a row of runs.
fn mark(verdict: Option<Verdict>) -> char {
    match verdict {
        None => ' ',
        Some(Verdict::Pass) => '.',
        Some(Verdict::Exceeds) => '+',
        Some(Verdict::Observed) => 'o',
        Some(Verdict::Fail) => 'F',
        Some(Verdict::WrongCode) => 'W',
        Some(Verdict::Crash) => 'C',
        Some(Verdict::Timeout) => 'T',
        Some(Verdict::Flaky) => '~',
        Some(Verdict::Blocked) => 'b',
        Some(Verdict::Error) => 'e',
        Some(Verdict::DeviceLost) => 'd',
        Some(Verdict::Cut) => 'c',
        Some(Verdict::Skipped) => 's',
    }
}
