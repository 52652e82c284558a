//! The chance of a run to notice a defect. A rule on callers at the same time notices a defect in some of its cases
//! only, so that a green case excludes the defect with a probability.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::current::Current;

/// The confidence with which a run's green rules exclude a defect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exclusion {
    pub defect: String,
    /// The defect's sentence.
    pub sentence: &'static str,
    /// The probability that one of the green cases would have failed, from 0 to 1.
    pub confidence: f64,
    /// The rule that contributes most; `None` if no green rule notices the defect.
    pub rule: Option<String>,
    /// The number of that rule's green cases.
    pub cases: u64,
    /// The share of that rule's cases that notice the defect, from 0 to 1.
    pub chance: f64,
}

/// For each defect that a rule of the dictionary notices, the confidence with which a run excludes it, the least
/// certain first. `green` has the number of cases of each rule that passed. Cases count as independent of each other.
pub fn exclusions(current: &Current, green: &BTreeMap<String, u64>) -> Vec<Exclusion> {
    let mut found: Vec<Exclusion> = Vec::new();
    for (row, sentence) in current.rows() {
        let mut noticed = current.cells(row).filter(|cell| cell.verdict.kills()).peekable();
        if noticed.peek().is_none() {
            continue;
        }
        let mut missed = 1.0;
        let (mut rule, mut cases, mut chance, mut least) = (None, 0, 0.0, 1.0);
        for cell in noticed {
            let id = &current.dictionary.rules[cell.rule as usize].id;
            let Some(&ran) = green.get(id).filter(|ran| **ran > 0) else { continue };
            let misses = (1.0 - cell.rate()).powf(ran as f64);
            missed *= misses;
            if rule.is_none() || misses < least {
                (rule, cases, chance, least) = (Some(id.clone()), ran, cell.rate(), misses);
            }
        }
        let defect = row.defect.clone();
        found.push(Exclusion { defect, sentence, confidence: 1.0 - missed, rule, cases, chance });
    }
    found.sort_by(|a, b| a.confidence.total_cmp(&b.confidence).then_with(|| a.defect.cmp(&b.defect)));
    found
}

/// The number of cases after which a green rule excludes each defect that it notices with this confidence, for the
/// defect that it notices least often. `None` if the dictionary does not know the rule.
pub fn cases_to_exclude(current: &Current, rule: &str, confidence: f64) -> Option<u64> {
    let (position, _) = current.rules().find(|(_, known)| known.id == rule)?;
    let cells = current.rows().flat_map(|(row, _)| current.cells(row));
    let rates = cells.filter(|cell| cell.rule as usize == position && cell.verdict.kills()).map(|cell| cell.rate());
    let cases = |rate: f64| match rate {
        rate if rate >= 1.0 => 1,
        rate => ((1.0 - confidence).ln() / (1.0 - rate).ln()).ceil() as u64,
    };
    rates.filter(|rate| *rate > 0.0).map(cases).max()
}
