//! The defects that a run's green rules exclude, and how surely.

use std::collections::BTreeMap;
use std::fmt::Write;

use catalog::count;
use dictionary::{Current, Exclusion};
use record::RuleResult;

/// A defect counts as excluded from this confidence on.
const SURE: f64 = 0.99;
/// The number of defects in the text.
const SHOWN: usize = 20;

/// For each defect of the dictionary, the confidence with which the rules that passed exclude it, the least certain
/// first.
pub fn excluded(current: &Current, results: &[RuleResult]) -> Vec<Exclusion> {
    let green = results.iter().filter(|result| result.verdict.passes());
    let green: BTreeMap<String, u64> = green.map(|result| (result.id.clone(), result.cases)).collect();
    dictionary::exclusions(current, &green)
}

/// The defects for a terminal: how many the run excludes, and the least certain ones that its rules could have noticed.
pub fn exclusion_text(all: &[Exclusion], stale: &[String]) -> String {
    let mut text = String::new();
    let sure = all.iter().filter(|exclusion| exclusion.confidence >= SURE).count();
    let untested = all.iter().filter(|exclusion| exclusion.rule.is_none()).count();
    let _ = writeln!(text, "excludes {sure} of {} with at least 99 % confidence", count(all.len(), "seeded defect"));
    if untested > 0 {
        let _ = writeln!(text, "{} that no green rule of this run notices", count(untested, "defect"));
    }
    for stale in stale {
        let _ = writeln!(text, "stale: {stale}; ci/night.sh makes the fault dictionary again");
    }
    let unsure = all.iter().filter(|exclusion| exclusion.confidence < SURE);
    for (exclusion, rule) in unsure.filter_map(|all| Some((all, all.rule.as_ref()?))).take(SHOWN) {
        let _ = writeln!(
            text,
            "  {:5.1} %  {}: {} ({rule}: {}, each notices it with {:.1} %)",
            exclusion.confidence * 100.0,
            exclusion.defect,
            exclusion.sentence,
            count(exclusion.cases, "case"),
            exclusion.chance * 100.0,
        );
    }
    text
}
