//! The probability of a run's outcomes on a device with seeded defects.
//!
//! Rules count as independent, given the defects. A defect makes a rule fail with the rate that the dictionary counted.
//! A failure then looks like the one in the dictionary, or differs from it with a small probability for each
//! difference.

use std::collections::BTreeMap;

use dictionary::{Cell, Current, Signature};
use record::Verdict;

use super::evidence::{Evidence, Outcome};

/// The probability that a rule fails for a reason that is not in the dictionary.
const FLOOR: f64 = 0.002;
/// The range of the probability of a failure if the rule reaches the defect and held when the dictionary was made. The
/// dictionary tries few cases, so it misses more failures of a defect that many rules notice.
const MISSED: (f64, f64) = (0.02, 0.25);
/// The range of the probability of a failure if the rule failed when the dictionary was made.
const SURE: (f64, f64) = (0.05, 0.98);
/// The log-likelihood ratio of a blocked rule that ended without a pass in the dictionary, and of one that held
/// although it was blocked there. Blocked rules share one cause, so a single one says little.
const BLOCKED: (f64, f64) = (0.5, -1.0);

/// The probability that a failure has a given verdict and check if nothing is known about them.
const ANY: f64 = 0.5 * 0.25;

/// The similarity of a failure to other rules' failures with the same shape and code.
const ALIKE: f64 = 0.6;

/// For one defect: the rules that can differ from a faithful device, by position.
type Effects<'a> = BTreeMap<usize, Option<&'a Cell>>;

/// A defect's part in the probability that a rule fails, and in how the failure looks.
#[derive(Debug, Clone, Copy)]
struct Part {
    fails: f64,
    looks: f64,
}

/// The dictionary, prepared for one run.
pub struct Model<'a> {
    pub current: &'a Current,
    pub evidence: &'a Evidence,
    /// The effects of each defect, in the order of [`Current::rows`], limited to rules with an outcome.
    effects: Vec<Effects<'a>>,
    signatures: Vec<BTreeMap<usize, Signature>>,
    /// For each defect: the probability of a failure that the dictionary missed.
    missed: Vec<f64>,
}

impl<'a> Model<'a> {
    /// Prepares the dictionary for the outcomes of one run.
    pub fn new(current: &'a Current, evidence: &'a Evidence) -> Model<'a> {
        let dictionary = &current.dictionary;
        let mut effects = Vec::new();
        let mut signatures = Vec::new();
        let mut missed = Vec::new();
        for (row, _) in current.rows() {
            let known = |rule: &usize| current.holds(*rule) && evidence.outcomes.contains_key(rule);
            let mut mine: Effects<'a> = dictionary.reached(row).filter(known).map(|rule| (rule, None)).collect();
            let cells: Vec<&Cell> = current.cells(row).filter(|cell| known(&(cell.rule as usize))).collect();
            mine.extend(cells.iter().map(|cell| (cell.rule as usize, Some(*cell))));
            signatures.push(cells.iter().map(|cell| (cell.rule as usize, dictionary.signature(cell))).collect());
            let failing = cells.iter().filter(|cell| !is_blocked(cell)).count();
            missed.push((0.5 * failing as f64 / mine.len().max(1) as f64).clamp(MISSED.0, MISSED.1));
            effects.push(mine);
        }
        Model { current, evidence, effects, signatures, missed }
    }

    /// The number of defects.
    pub fn len(&self) -> usize {
        self.effects.len()
    }

    /// True if the dictionary has no defects.
    pub fn is_empty(&self) -> bool {
        self.effects.is_empty()
    }

    /// True if a rule with an outcome does not pass on the defect.
    pub(super) fn is_noticed(&self, defect: usize) -> bool {
        !self.signatures[defect].is_empty()
    }

    /// The cell of a rule on a defect, if the rule did not pass there.
    pub(super) fn cell(&self, defect: usize, rule: usize) -> Option<&'a Cell> {
        self.effects[defect].get(&rule).copied().flatten()
    }

    /// The logarithm of the likelihood ratio between a device with these defects and a faithful one.
    pub fn score(&self, defects: &[usize]) -> f64 {
        let mut rules: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for defect in defects {
            self.effects[*defect].keys().for_each(|rule| rules.entry(*rule).or_default().push(*defect));
        }
        rules.iter().map(|(rule, defects)| self.score_of_rule(*rule, defects)).sum()
    }

    fn score_of_rule(&self, rule: usize, defects: &[usize]) -> f64 {
        let Some((outcome, _)) = self.evidence.outcomes.get(&rule) else { return 0.0 };
        if *outcome == Outcome::Blocked {
            let lost = defects.iter().any(|defect| self.cell(*defect, rule).is_some());
            return if lost { BLOCKED.0 } else { 0.0 };
        }
        let only_blocked = defects.iter().filter_map(|defect| self.cell(*defect, rule)).any(is_blocked);
        if *outcome == Outcome::Held && only_blocked {
            return BLOCKED.1;
        }
        let parts: Vec<Part> = defects.iter().map(|defect| self.part(rule, *defect)).collect();
        let holds = parts.iter().map(|part| 1.0 - part.fails).product::<f64>() * (1.0 - FLOOR);
        match outcome {
            Outcome::Held => (holds / (1.0 - FLOOR)).ln(),
            Outcome::Failed(signature) => {
                let spread = spread(signature);
                let weight = FLOOR + parts.iter().map(|part| part.fails).sum::<f64>();
                let looks = parts.iter().map(|part| part.fails * part.looks).sum::<f64>() + FLOOR * spread;
                ((1.0 - holds) * looks / weight / (FLOOR * spread)).ln()
            }
            Outcome::Blocked => 0.0,
        }
    }

    fn part(&self, rule: usize, defect: usize) -> Part {
        let Some((outcome, cases)) = self.evidence.outcomes.get(&rule) else { return Part { fails: 0.0, looks: 0.0 } };
        let usual = self.current.dictionary.rules[rule].cases;
        // A rule stops at its first failure, so the number of cases that it would have run is the usual one.
        let cases = if matches!(outcome, Outcome::Failed(_)) { usual.max(*cases) } else { *cases };
        let fails = self.fails(defect, rule, cases);
        let looks = match (outcome, self.signatures[defect].get(&rule)) {
            (Outcome::Failed(seen), Some(known)) => likeness(known, seen),
            (Outcome::Failed(seen), None) => self.habit(defect, seen),
            _ => 0.0,
        };
        Part { fails, looks }
    }

    /// The probability that a rule fails within a number of cases on a device with this defect.
    pub(super) fn fails(&self, defect: usize, rule: usize, cases: u32) -> f64 {
        match self.effects[defect].get(&rule) {
            None => FLOOR,
            Some(None) => self.missed[defect],
            Some(Some(cell)) => probability(cell, cases),
        }
    }

    /// The number of rules that fail on the defect with the same shape and code.
    fn alike(&self, defect: usize, seen: &Signature) -> usize {
        let alike = |known: &&Signature| known.shape == seen.shape && known.code == seen.code;
        self.signatures[defect].values().filter(alike).count()
    }

    /// The probability of how a failure looks if the dictionary has no failure of this rule on the defect: like the
    /// failures of other rules, as often as those look alike.
    fn habit(&self, defect: usize, seen: &Signature) -> f64 {
        let share = self.alike(defect, seen) as f64 / self.signatures[defect].len().max(1) as f64;
        0.7 * share * ANY + 0.3 * spread(seen)
    }

    /// The similarity of a run's failure and the dictionary's, from 0 to 1; `None` if the rule did not fail in the
    /// dictionary, and no other rule that reaches the defect failed in this way.
    pub(super) fn explains(&self, defect: usize, rule: usize, seen: &Signature) -> Option<f64> {
        let Some(known) = self.signatures[defect].get(&rule) else {
            let reaches = self.effects[defect].contains_key(&rule) && (seen.shape.is_some() || seen.code.is_some());
            return (reaches && self.alike(defect, seen) > 0).then_some(ALIKE);
        };
        let shape = |text: &Option<String>| text.as_deref().and_then(|text| text.split(' ').next()).map(str::to_owned);
        let mut points = 0.4;
        points += if known.check == seen.check { 0.4 } else { 0.0 };
        points += if known.code == seen.code && shape(&known.shape) == shape(&seen.shape) { 0.2 } else { 0.0 };
        Some(points)
    }
}

/// The probability that a rule fails within a number of cases, given its failure when the dictionary was made.
pub(super) fn probability(cell: &Cell, cases: u32) -> f64 {
    if is_blocked(cell) {
        return 0.5;
    }
    let rate = (f64::from(cell.failed) / f64::from(cell.cases.max(1))).min(1.0);
    let misses = (1.0 - rate).powi(i32::try_from(cases.max(1)).unwrap_or(i32::MAX));
    (1.0 - misses).clamp(SURE.0, SURE.1)
}

fn is_blocked(cell: &Cell) -> bool {
    !matches!(cell.verdict, Verdict::Fail | Verdict::WrongCode | Verdict::Crash | Verdict::Timeout | Verdict::Flaky)
}

/// The probability of how a failure looks if nothing is known about its cause.
fn spread(seen: &Signature) -> f64 {
    let code = if seen.code.is_some() { 0.1 } else { 1.0 };
    let shape = if seen.shape.is_some() { 0.1 } else { 1.0 };
    ANY * code * shape
}

/// The probability of how a failure looks if the dictionary's failure of the same rule looks like this.
fn likeness(known: &Signature, seen: &Signature) -> f64 {
    let verdict = if known.verdict == seen.verdict { 0.9 } else { 0.05 };
    let check = if known.check == seen.check { 0.75 } else { 0.08 };
    let code = match (&known.code, &seen.code) {
        (Some(known), Some(seen)) => {
            if known == seen {
                0.9
            } else {
                0.02
            }
        }
        (None, None) => 1.0,
        _ => 0.1,
    };
    let shape = match (&known.shape, &seen.shape) {
        (Some(known), Some(seen)) if known == seen => 0.7,
        (Some(known), Some(seen)) if known.split(' ').next() == seen.split(' ').next() => 0.15,
        (Some(_), Some(_)) => 0.03,
        (None, None) => 1.0,
        _ => 0.1,
    };
    verdict * check * code * shape
}
