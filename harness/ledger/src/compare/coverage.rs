//! Rules with an answer in only one run, each with the reason why the other run has no answer.

use record::{Recorded, RuleResult};

use super::difference::{CoverageChange, CoverageKind};
use super::pairs::Pairs;
use super::rules::answered;

/// Rules with an answer in only one run.
pub(super) fn compare(pairs: &Pairs<'_>) -> Vec<CoverageChange> {
    let mut found = Vec::new();
    let one_sided = |result: &RuleResult, kind: CoverageKind, why: String| CoverageChange {
        rule: result.id.clone(),
        kind,
        verdict: result.verdict.name().to_owned(),
        why,
    };
    for (old, new) in pairs.both.values() {
        let why = |result: &RuleResult| format!("{}: {}", result.verdict, result.reason);
        match (answered(old), answered(new)) {
            (true, false) => found.push(one_sided(old, CoverageKind::OnlyOld, why(new))),
            (false, true) => found.push(one_sided(new, CoverageKind::OnlyNew, why(old))),
            _ => {}
        }
    }
    for old in pairs.only_old.values().filter(|result| answered(result)) {
        let (gone, why) = absent(&old.id, pairs.new);
        found.push(one_sided(old, if gone { CoverageKind::Gone } else { CoverageKind::OnlyOld }, why));
    }
    for new in pairs.only_new.values().filter(|result| answered(result)) {
        let (is_new, why) = absent(&new.id, pairs.old);
        found.push(one_sided(new, if is_new { CoverageKind::New } else { CoverageKind::OnlyNew }, why));
    }
    for (old, new) in pairs.elsewhere.values().filter(|(old, new)| answered(old) || answered(new)) {
        let on = |result: &RuleResult| {
            let devices: Vec<String> = result.answered_on().into_iter().collect();
            format!("{} on device {}", result.verdict, devices.join(", "))
        };
        found.push(one_sided(new, CoverageKind::OtherDevice, format!("{} before, {} now", on(old), on(new))));
    }
    found.sort_by(|a, b| (a.kind, &a.rule).cmp(&(b.kind, &b.rule)));
    found
}

/// Returns the reason why a run has no result for a rule. The flag is true if the run's catalog lacks the rule.
fn absent(rule: &str, run: &Recorded) -> (bool, String) {
    if run.in_flight.contains_key(rule) {
        (false, "the run ended while the rule was running".to_owned())
    } else if run.header.own_rules().any(|own| own == rule) {
        (false, "the run ended before the rule started".to_owned())
    } else if run.header.is_narrowed() {
        (false, "the rule was not selected".to_owned())
    } else {
        (true, "the run's catalog lacks the rule".to_owned())
    }
}
