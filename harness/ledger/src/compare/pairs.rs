//! The results of two runs, rule by rule.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use record::{Recorded, RuleResult};

/// The results of two runs, by rule.
pub(super) struct Pairs<'a> {
    pub old: &'a Recorded,
    pub new: &'a Recorded,
    /// Results from both runs, restricted to the devices that have an answer in both runs.
    pub both: BTreeMap<&'a str, (Cow<'a, RuleResult>, Cow<'a, RuleResult>)>,
    /// Rules whose results are not comparable because the rules ran on different devices.
    pub elsewhere: BTreeMap<&'a str, (&'a RuleResult, &'a RuleResult)>,
    pub only_old: BTreeMap<&'a str, &'a RuleResult>,
    pub only_new: BTreeMap<&'a str, &'a RuleResult>,
}

impl<'a> Pairs<'a> {
    pub(super) fn of(old: &'a Recorded, new: &'a Recorded) -> Pairs<'a> {
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

    /// A remark about rules that ran on different devices.
    pub(super) fn on_other_devices(&self) -> Option<String> {
        (!self.elsewhere.is_empty()).then(|| {
            format!(
                "rules that ran on different devices in the two runs: {}; their results are not comparable; use the \
                 same seed for the same device, or --tune every-device=yes",
                self.elsewhere.len()
            )
        })
    }
}

/// A rule's two results, restricted to the devices that have an answer in both runs. If a journal does not record
/// devices, the results are unchanged. Returns `None` if the runs have no device in common.
fn alike<'a>(old: &'a RuleResult, new: &'a RuleResult) -> Option<(Cow<'a, RuleResult>, Cow<'a, RuleResult>)> {
    let (before, after) = (old.answered_on(), new.answered_on());
    if before.is_empty() || after.is_empty() || before == after {
        return Some((Cow::Borrowed(old), Cow::Borrowed(new)));
    }
    let common: BTreeSet<String> = before.intersection(&after).cloned().collect();
    (!common.is_empty()).then(|| (Cow::Owned(old.only_on(&common)), Cow::Owned(new.only_on(&common))))
}
