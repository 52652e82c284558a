//! Branches of rules on which nothing is judged.

use crate::{Level, Rule, Rules};

/// Reports `must` rules that judge nothing on any branch.
pub fn rules_without_checks(rules: &Rules) -> Vec<String> {
    let empty = |rule: &&Rule| rule.level == Level::Must && rule.hazard.is_none() && !rule.program.judges();
    let told = |rule: &Rule| format!("{}: {} judges nothing on any branch; add a check", rule.place(0), rule.id);
    rules.rules.iter().filter(empty).map(told).collect()
}

/// Lists the branches of judged rules on which nothing is judged, because the documents leave the answer free.
pub fn free_branches(rules: &Rules) -> Vec<String> {
    let judged = rules.rules.iter().filter(|rule| rule.level == Level::Must && rule.hazard.is_none());
    judged
        .flat_map(|rule| {
            rule.program.free_branches().into_values().map(|branch| {
                let condition = rule.program.condition_of(&branch);
                format!("{}: {} judges nothing if {condition}", rule.place(branch.span.start), rule.id)
            })
        })
        .collect()
}
