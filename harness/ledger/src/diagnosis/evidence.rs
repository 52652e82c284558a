//! The outcomes of a run for the rules in a fault dictionary.

use std::collections::BTreeMap;

use dictionary::{Current, Signature};
use record::{Meaning, RuleResult, Verdict};

/// The outcome of a rule, as far as a diagnosis uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every case held.
    Held,
    /// The rule failed.
    Failed(Signature),
    /// The set-up failed in a function that another rule owns.
    Blocked,
}

/// The outcomes of a run's rules, by their position in the dictionary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Each outcome with the number of cases that ran.
    pub outcomes: BTreeMap<usize, (Outcome, u32)>,
    /// Rules that failed and that the dictionary does not know with their present text.
    pub unknown: Vec<String>,
    /// True if a rule of level `must` is broken.
    pub broken: bool,
}

impl Evidence {
    /// The evidence in a run's results.
    pub fn of(current: &Current, results: &[RuleResult]) -> Evidence {
        let positions: BTreeMap<&str, usize> = current.rules().map(|(at, rule)| (rule.id.as_str(), at)).collect();
        let mut found = Evidence::default();
        for result in results {
            let meaning = result.meaning();
            found.broken |= meaning == Meaning::Broken;
            let outcome = match (meaning, result.verdict) {
                (Meaning::Good, _) | (_, Verdict::Cut) => Outcome::Held,
                (Meaning::Broken | Meaning::Finding, _) => Outcome::Failed(Signature::of(result)),
                (_, Verdict::Blocked) => Outcome::Blocked,
                _ => continue,
            };
            let cases = u32::try_from(result.cases).unwrap_or(u32::MAX);
            match positions.get(result.id.as_str()) {
                Some(rule) => drop(found.outcomes.insert(*rule, (outcome, cases))),
                None if matches!(outcome, Outcome::Failed(_)) => found.unknown.push(result.id.clone()),
                None => {}
            }
        }
        found
    }

    /// Adds the outcomes of another run on the same target. A rule that failed once has failed.
    pub fn add(&mut self, other: Evidence) {
        self.broken |= other.broken;
        for (rule, (outcome, cases)) in other.outcomes {
            match self.outcomes.get_mut(&rule) {
                Some((Outcome::Failed(_), _)) => {}
                Some((Outcome::Held, held)) if outcome == Outcome::Held => *held = held.saturating_add(cases),
                _ => drop(self.outcomes.insert(rule, (outcome, cases))),
            }
        }
        let new = other.unknown.into_iter().filter(|id| !self.unknown.contains(id)).collect::<Vec<_>>();
        self.unknown.extend(new);
    }

    /// The rules that failed, with their signatures.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &Signature)> {
        self.outcomes.iter().filter_map(|(rule, (outcome, _))| match outcome {
            Outcome::Failed(signature) => Some((*rule, signature)),
            _ => None,
        })
    }
}
