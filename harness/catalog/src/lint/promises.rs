//! Checks judged promises and refusals. Each of these sentences must name a defect that breaks it, and a rule that
//! rests on the sentence must claim that defect. Proving the rule then proves the sentence.

use std::collections::BTreeSet;

use crate::coverage::{ClauseState, Coverage};
use crate::proof::ProofTable;
use crate::{Clause, Level, Readings, Rules};

/// Messages for judged promises and refusals that no defect proves. The list is empty if no sentence in the catalog
/// names a defect: a site's own catalog may have no simulated device to break.
pub fn unproven_promises(rules: &Rules, table: &ProofTable) -> Vec<String> {
    if rules.book.clauses.iter().all(|clause| clause.broken_by.is_empty()) {
        return Vec::new();
    }
    let coverage = Coverage::of(rules, Readings::default());
    let mut found = Vec::new();
    for covered in &coverage.clauses {
        let clause = covered.clause;
        let judged = covered.state == ClauseState::Judged && covered.promises();
        let claimed: BTreeSet<&str> = covered
            .rules
            .iter()
            .filter_map(|id| rules.rule(id))
            .filter(|rule| rule.level == Level::Must && rule.hazard.is_none())
            .flat_map(|rule| table.claims(&rule.id))
            .collect();
        found.extend(mistake(clause, judged, &claimed).map(|mistake| format!("{}: {mistake}", clause.place)));
    }
    found
}

fn mistake(clause: &Clause, judged: bool, claimed: &BTreeSet<&str>) -> Option<String> {
    let id = &clause.id;
    if !judged {
        let named = !clause.broken_by.is_empty() || clause.no_device.is_some();
        return named.then(|| {
            format!(
                "{id} is not a judged promise or refusal; remove `broken_by` and `no_device`, or let a rule judge it"
            )
        });
    }
    if let Some(defect) = clause.broken_by.iter().find(|defect| !claimed.contains(defect.as_str())) {
        return Some(format!(
            "{id} is broken by {defect}, but the proof of no rule that rests on or notices it has that; prove such a \
             rule with --unclaimed --raise"
        ));
    }
    (clause.broken_by.is_empty() && clause.no_device.is_none()).then(|| {
        format!(
            "{id} is judged, but no defect proves it; name one that a rule resting on it kills under `broken_by`, or \
             say under `no_device` why no device can break it"
        )
    })
}
