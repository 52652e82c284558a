//! Whether the defects that the rules claim tell the rules apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::runtime::is_subtle;
use simulator_contract::Defect;

use crate::catalog::{Rule, Rules, short};

/// Two rules that rest on one defect: their only one, their only subtle one, or all that they claim. And defects that are
/// named after a rule: a mechanism in a driver has a name of its own.
pub fn claims(rules: &Rules, defects: &[Defect]) -> Vec<String> {
    let claimed = |rule: &Rule| -> BTreeSet<String> { rule.kills.iter().map(|kill| kill.defect.clone()).collect() };
    let mut found = Vec::new();
    let mut shared = |what: &str, claims: &dyn Fn(&Rule) -> Option<BTreeSet<String>>| {
        let mut owners: BTreeMap<BTreeSet<String>, &Rule> = BTreeMap::new();
        for rule in &rules.rules {
            let Some(claims) = claims(rule) else { continue };
            let names = claims.iter().cloned().collect::<Vec<_>>().join(", ");
            if let Some(first) = owners.get(&claims) {
                let place = format!("{}:{}", short(&rules.chapters[rule.chapter].path), rule.line);
                found.push(format!(
                    "{place}: {} and {} share {what}, {names}; claim a defect that only one of them notices",
                    first.id, rule.id
                ));
            } else {
                owners.insert(claims, rule);
            }
        }
    };
    shared("their only defect", &|rule| Some(claimed(rule)).filter(|claims| claims.len() == 1));
    shared("all their defects", &|rule| Some(claimed(rule)).filter(|claims| claims.len() > 1));
    shared("their only subtle defect", &|rule| {
        let all = claimed(rule);
        let claims: BTreeSet<String> = all.iter().filter(|name| is_subtle(defects, name)).cloned().collect();
        // One defect that is all they claim was reported above.
        Some(claims).filter(|claims| claims.len() == 1 && all.len() > 1)
    });
    for defect in defects {
        let id = format!("{}.{}", rules.runtime, defect.name);
        if rules.rule(&id).is_some() {
            found.push(format!("the defect {} is named after the rule {id}; name what went wrong", defect.name));
        }
    }
    found
}
