//! Two runs, one question: what broke, what got fixed, what became different though nothing broke.
//!
//! - [`compare`] holds two journals against each other, rule by rule; [`Difference`] is what it finds, as data.
//! - [`text`], [`markdown`] and [`html`] show it.
//! - [`Condition`] is what `--fail-on` names.
//!
//! What cannot be compared is not left out in silence: `remarks` says what, and why.

mod coverage;
mod difference;
mod drift;
mod fail_on;
mod fields;
mod flake;
mod html;
mod markdown;
mod page;
mod rules;
mod statistics;
mod symptom;
mod text;
mod timing;

pub use difference::{
    Change, CoverageChange, CoverageKind, Difference, Drift, DriftKind, Family, FieldChange, Outcome, RuleChange,
    Share, Side, SlowRule, Symptom, Timing,
};
pub use fail_on::{Condition, ConditionError};
pub use html::html;
pub use markdown::markdown;
pub use statistics::{fisher, holm};
pub use text::text;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use record::{Recorded, RuleResult};

/// The family-wise error of all tests of a comparison: the chance that two runs of one device show any.
pub const LEVEL: f64 = 0.01;

/// How two runs are compared.
#[derive(Debug, Clone, Default)]
pub struct CompareOptions {
    /// How much slower a case may become, in percent; `None`: times are information.
    pub budget: Option<f64>,
}

/// Compares two runs. `paths` are what they are called.
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
    Difference {
        format: Difference::FORMAT,
        old: fields::side(paths[0], old),
        new: fields::side(paths[1], new),
        remarks,
        unchanged: pairs.both.len() as u64 - named_rules(&changes, &drift, &coverage, &pairs),
        changes,
        drift,
        coverage,
        fields: fields::compare(&old.header, &new.header),
        timing,
        family,
    }
}

/// The rules of both runs that stand in a list.
fn named_rules(changes: &[RuleChange], drift: &[Drift], coverage: &[CoverageChange], pairs: &Pairs<'_>) -> u64 {
    let named = changes.iter().map(|change| &change.rule).chain(drift.iter().map(|drift| &drift.rule));
    let named = named.chain(coverage.iter().map(|change| &change.rule));
    let named: BTreeSet<&str> = named.map(String::as_str).collect();
    pairs.both.keys().filter(|rule| named.contains(*rule)).count() as u64
}

/// The results of two runs by rule.
struct Pairs<'a> {
    old: &'a Recorded,
    new: &'a Recorded,
    /// On the devices that both have an answer of.
    both: BTreeMap<&'a str, (Cow<'a, RuleResult>, Cow<'a, RuleResult>)>,
    /// Rules that ran on other devices in each: another question.
    elsewhere: BTreeMap<&'a str, (&'a RuleResult, &'a RuleResult)>,
    only_old: BTreeMap<&'a str, &'a RuleResult>,
    only_new: BTreeMap<&'a str, &'a RuleResult>,
}

impl<'a> Pairs<'a> {
    fn of(old: &'a Recorded, new: &'a Recorded) -> Pairs<'a> {
        let by_rule = |run: &'a Recorded| -> BTreeMap<&'a str, &'a RuleResult> {
            run.results.iter().map(|result| (result.id.as_str(), result)).collect()
        };
        let (mut only_old, mut only_new) = (by_rule(old), by_rule(new));
        let (mut both, mut elsewhere) = (BTreeMap::new(), BTreeMap::new());
        for (rule, old) in &only_old {
            let Some(new) = only_new.get(rule) else { continue };
            match alike(old, new) {
                Some(pair) => drop(both.insert(*rule, pair)),
                None => drop(elsewhere.insert(*rule, (*old, *new))),
            }
        }
        let paired = |rule: &str| both.contains_key(rule) || elsewhere.contains_key(rule);
        only_old.retain(|rule, _| !paired(rule));
        only_new.retain(|rule, _| !paired(rule));
        Pairs { old, new, both, elsewhere, only_old, only_new }
    }

    /// What is to be said where rules ran on other devices.
    fn on_other_devices(&self) -> Option<String> {
        (!self.elsewhere.is_empty()).then(|| {
            format!(
                "{} rules ran on other devices than before: what they showed is another question, and in the list of \
                 rules on another device; the same seed asks the same device, --on-every-device each",
                self.elsewhere.len()
            )
        })
    }
}

/// Two results of a rule on the devices that both have an answer of; as they are where nobody wrote down which. `None`:
/// there is no such device.
fn alike<'a>(old: &'a RuleResult, new: &'a RuleResult) -> Option<(Cow<'a, RuleResult>, Cow<'a, RuleResult>)> {
    let (before, after) = (old.answered_on(), new.answered_on());
    if before.is_empty() || after.is_empty() || before == after {
        return Some((Cow::Borrowed(old), Cow::Borrowed(new)));
    }
    let common: BTreeSet<String> = before.intersection(&after).cloned().collect();
    (!common.is_empty()).then(|| (Cow::Owned(old.only_on(&common)), Cow::Owned(new.only_on(&common))))
}
