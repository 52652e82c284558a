//! The times of cases. Times fail a comparison only if a budget is set.

use super::difference::{SlowRule, Timing};
use super::pairs::Pairs;
use super::statistics::{median, median_interval};
use record::{RuleResult, Verdict};

/// The least distance between an outlier and the median, in robust standard deviations.
const FAR: f64 = 5.0;
/// The ratio of the standard deviation to the median absolute deviation, for a normal distribution.
const DEVIATION: f64 = 1.4826;
/// The smallest plausible standard deviation of a logarithm. Two runs never agree more closely.
const LEAST_DEVIATION: f64 = 0.05;
/// The largest number of outliers in the result.
const MOST_OUTLIERS: usize = 20;

/// Compares the times of rules that passed in both runs. `budget` is in percent.
pub(super) fn compare(pairs: &Pairs<'_>, budget: Option<f64>) -> Option<Timing> {
    let mut rules: Vec<(f64, SlowRule)> = Vec::new();
    for (old, new) in pairs.both.values() {
        let (Some(before), Some(now)) = (of_case(old), of_case(new)) else { continue };
        let ratio = now as f64 / before as f64;
        rules.push((ratio.ln(), SlowRule { rule: new.id.clone(), ratio, old: before, new: now }));
    }
    rules.sort_by(|a, b| a.0.total_cmp(&b.0));
    let logarithms: Vec<f64> = rules.iter().map(|(logarithm, _)| *logarithm).collect();
    let middle = median(&logarithms)?;
    let interval = median_interval(&logarithms).map(|interval| interval.map(f64::exp));
    let mut distances: Vec<f64> = logarithms.iter().map(|logarithm| (logarithm - middle).abs()).collect();
    distances.sort_by(f64::total_cmp);
    let spread = median(&distances)?;
    let limit = FAR * (spread * DEVIATION).max(LEAST_DEVIATION);
    let compared = rules.len() as u64;
    let far = rules.into_iter().rev().filter(|(logarithm, _)| (logarithm - middle).abs() > limit);
    let outliers: Vec<SlowRule> = far.map(|(_, rule)| rule).collect();
    let mut exceeded = Vec::new();
    if let Some(budget) = budget {
        let most = 1.0 + budget / 100.0;
        if let Some([low, high]) = interval.filter(|[low, _]| *low > most) {
            exceeded.push(format!("cases take {low:.2} to {high:.2} times as long; the budget allows {most:.2} times"));
        }
        let slow = outliers.iter().filter(|rule| rule.ratio > most);
        exceeded.extend(slow.map(|rule| {
            format!(
                "each case of {} takes {:.2} times as long; the budget allows {most:.2} times",
                rule.rule, rule.ratio
            )
        }));
    }
    let outliers = outliers.into_iter().take(MOST_OUTLIERS).collect();
    let (median, spread) = (middle.exp(), spread.exp());
    Some(Timing { rules: compared, median, interval, spread, outliers, budget, exceeded })
}

/// The time per case of a rule that passed, in nanoseconds.
fn of_case(result: &RuleResult) -> Option<u64> {
    let passed = result.verdict == Verdict::Pass && result.cases > 0;
    passed.then(|| (result.nanoseconds / result.cases).max(1))
}
