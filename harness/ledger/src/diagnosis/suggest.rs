//! Rules and cases that would tell the candidates apart.

use std::collections::BTreeMap;

use dictionary::Signature;
use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::Outcome;
use super::model::Model;

/// The number of rules that a diagnosis proposes.
const SHOWN: usize = 3;
/// A rule is proposed only if it is expected to give at least this much information, in bits.
const WORTH: f64 = 0.02;
/// A rule that held gets this many times its cases.
const MORE: u32 = 5;

/// A rule that would tell candidates apart.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Suggestion {
    /// The rule's id.
    pub rule: String,
    /// The number of cases to run, in addition to those of the run.
    pub cases: u32,
    /// True if the run had no result for the rule.
    pub new: bool,
    /// The expected information about the candidates, in bits.
    pub bits: f64,
    /// The time on a simulated device, in nanoseconds.
    pub nanoseconds: u64,
}

/// The rules with the greatest expected information per time, given candidates with their likelihoods.
pub(super) fn suggest(model: &Model<'_>, candidates: &[(usize, f64)]) -> Vec<Suggestion> {
    let sum: f64 = candidates.iter().map(|(_, likelihood)| likelihood).sum();
    let rows: Vec<_> = model.current.rows().map(|(row, _)| row).collect();
    let mut found: Vec<Suggestion> = Vec::new();
    for (rule, known) in model.current.rules() {
        let (cases, new) = match model.evidence.outcomes.get(&rule) {
            None => (known.cases.max(1), true),
            Some((Outcome::Held, cases)) => ((*cases).max(1).saturating_mul(MORE), false),
            Some(_) => continue,
        };
        // For each candidate, the outcomes with their probabilities: held, or failed in one of the known ways.
        let outcomes = candidates.iter().map(|(defect, likelihood)| {
            let row = rows[*defect];
            let cell = model.current.cells(row).find(|cell| cell.rule as usize == rule);
            let fails = cell.map_or(0.0, |cell| super::model::probability(cell, cases));
            let signature = cell.map(|cell| model.current.dictionary.signature(cell));
            (likelihood / sum, fails, signature)
        });
        let bits = information(&outcomes.collect::<Vec<_>>());
        if bits >= WORTH {
            let nanoseconds = known.nanoseconds.saturating_mul(u64::from(cases));
            found.push(Suggestion { rule: known.id.clone(), cases, new, bits, nanoseconds });
        }
    }
    let rate = |of: &Suggestion| of.bits / (of.nanoseconds.max(1) as f64);
    found.sort_by(|a, b| rate(b).total_cmp(&rate(a)).then(a.rule.cmp(&b.rule)));
    found.truncate(SHOWN);
    found
}

/// The mutual information between the candidates and a rule's outcome, in bits.
fn information(outcomes: &[(f64, f64, Option<Signature>)]) -> f64 {
    let entropy = |shares: &[f64]| -> f64 {
        shares.iter().filter(|share| **share > 0.0).map(|share| -share * share.log2()).sum()
    };
    let mut failed: BTreeMap<&Signature, f64> = BTreeMap::new();
    let (mut held, mut within) = (0.0, 0.0);
    for (weight, fails, signature) in outcomes {
        held += weight * (1.0 - fails);
        if let Some(signature) = signature {
            *failed.entry(signature).or_default() += weight * fails;
        }
        within += weight * entropy(&[1.0 - fails, *fails]);
    }
    let all: Vec<f64> = failed.into_values().chain([held]).collect();
    (entropy(&all) - within).max(0.0)
}
