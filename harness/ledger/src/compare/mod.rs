//! Comparison of two runs: rules that broke, rules that were fixed, and behavior that changed although no rule broke
//! (drift).
//!
//! - [`compare`] compares two journals rule by rule; the result is a [`Difference`].
//! - [`text`], [`markdown`] and [`html`] format a [`Difference`].
//! - [`Condition`] is a value for `--fail-on`.
//!
//! `Difference::remarks` lists everything that could not be compared, with the reason.

mod coverage;
mod difference;
mod drift;
mod fail_on;
mod fields;
mod flake;
mod html;
mod markdown;
mod outcome;
mod page;
mod pairs;
mod rules;
mod statistics;
mod symptom;
mod text;
mod timing;

pub use difference::{
    Change, ChangeCause, CoverageChange, CoverageKind, Difference, Drift, DriftKind, Family, FieldChange, RuleChange,
    RuleOutcome, Share, Side, SlowRule, Symptom, Timing,
};
pub use fail_on::{Condition, ConditionError};
pub use html::html;
pub use markdown::markdown;
pub use statistics::{fisher, holm};
pub use text::text;

use std::collections::BTreeSet;

use record::Recorded;

use crate::causes::causes;

use pairs::Pairs;

/// The family-wise error rate of a comparison: the chance of any false finding if nothing changed.
pub const LEVEL: f64 = 0.01;

/// Options for a comparison.
#[derive(Debug, Clone, Default)]
pub struct CompareOptions {
    /// The allowed slowdown per case in percent; `None` if times are only reported.
    pub budget: Option<f64>,
}

/// Compares two runs. `paths` gives the runs' names in the result.
pub fn compare(paths: [&str; 2], old: &Recorded, new: &Recorded, options: &CompareOptions) -> Difference {
    let pairs = Pairs::of(old, new);
    let mut remarks = fields::remarks(old, new);
    let mut tests = statistics::Tests::default();
    let rules::Compared { mut changes, flakes, mut verdicts, rates } = rules::compare(&pairs, &mut tests);
    let drift::Candidates { found, remarks: not_compared } = drift::compare(&pairs, &mut tests);
    remarks.extend(not_compared);
    remarks.extend(pairs.on_other_devices());
    let significant = tests.significant(LEVEL);
    changes.extend(flakes.into_iter().map(|flake| flake.judged(&significant)));
    changes.sort_by(|a, b| (a.change, &a.rule).cmp(&(b.change, &b.rule)));
    let mut drift: Vec<Drift> = found.into_iter().filter_map(|candidate| candidate.judged(&significant)).collect();
    verdicts.extend(rates.into_iter().filter_map(|candidate| candidate.judged(&significant)));
    drift.extend(verdicts);
    drift.sort_by(|a, b| b.strength.total_cmp(&a.strength).then_with(|| (&a.rule, &a.what).cmp(&(&b.rule, &b.what))));
    let timing = timing::compare(&pairs, options.budget);
    let family = Family {
        level: LEVEL,
        tests: tests.len() as u64,
        method:
            "Fisher's exact test, two-sided, for each answer; Bonferroni over the answers of a question, Holm over all \
                 questions and rates"
                .to_owned(),
    };
    let coverage = coverage::compare(&pairs);
    let broke: BTreeSet<&str> = changes
        .iter()
        .filter(|change| matches!(change.change, Change::Regression | Change::NewFailure))
        .map(|change| change.rule.as_str())
        .collect();
    let causes = causes(new.results.iter().filter(|result| broke.contains(result.id.as_str())));
    let causes = causes.iter().map(ChangeCause::of).collect();
    Difference {
        format: Difference::FORMAT,
        old: fields::side(paths[0], old),
        new: fields::side(paths[1], new),
        remarks,
        unchanged: pairs.both.len() as u64 - named_rules(&changes, &drift, &coverage, &pairs),
        changes,
        causes,
        drift,
        coverage,
        fields: fields::compare(&old.header, &new.header),
        timing,
        family,
    }
}

/// The number of rules that have a result in both runs and appear in a list.
fn named_rules(changes: &[RuleChange], drift: &[Drift], coverage: &[CoverageChange], pairs: &Pairs<'_>) -> u64 {
    let named = changes.iter().map(|change| &change.rule).chain(drift.iter().map(|drift| &drift.rule));
    let named = named.chain(coverage.iter().map(|change| &change.rule));
    let named: BTreeSet<&str> = named.map(String::as_str).collect();
    pairs.both.keys().filter(|rule| named.contains(*rule)).count() as u64
}
