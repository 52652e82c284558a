//! A product's fault dictionary, from the cells of the kill matrix and the cost of each rule.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use catalog::Rule;
use dictionary::{Cell, Dictionary, KnownRule, Row, digest_of_defects, digest_of_rule};
use record::one_space;
use simulator_contract::reach;

use crate::run::{RunError, Target};

use super::experiment::{Bench, Experiment};
use super::lab::{Trial, lock};
use super::{ProofOptions, matrix};

/// The number of times that a rule is timed. The shortest time counts, because other processes can only delay.
const TIMED: usize = 2;

/// For each rule: the number of cases, and the nanoseconds for each.
pub(super) type Costs = BTreeMap<String, (u32, u64)>;

impl Trial<'_> {
    /// Measures the costs of rules on a faithful device, except for rules whose costs are known.
    pub(super) fn costs(&self, rules: &[&Rule]) -> Result<Costs, RunError> {
        let known = self.proof.earlier.as_ref().map(Dictionary::positions).unwrap_or_default();
        let new = |rule: &&Rule| !known.contains_key(&(rule.id.as_str(), digest_of_rule(rule).as_str()));
        let rules: Vec<&Rule> = rules.iter().copied().filter(new).collect();
        let costs = Mutex::new(Costs::new());
        let begin = || Bench::new(self.target, &self.options, Vec::new());
        self.each(&rules, begin, |bench: &mut Bench, rule| {
            // Workers start before the time is taken, because rules share them.
            bench.attempt(rule, self.seed, &Experiment { cases: Some(1), ..Experiment::default() });
            let times = (0..TIMED).map(|_| {
                let begun = Instant::now();
                let attempt = bench.attempt(rule, self.seed, &Experiment::default());
                (begun.elapsed().as_nanos() as u64, attempt.cases.max(1))
            });
            if let Some((time, cases)) = times.min() {
                let cases = u32::try_from(cases).unwrap_or(u32::MAX);
                lock(&costs).insert(rule.id.clone(), (cases, time / u64::from(cases)));
            }
            Ok(())
        })?;
        Ok(costs.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Makes the dictionary. The costs of unchanged rules, and the rows of defects that were not tried, are those of the
/// dictionary that the new one replaces.
pub(super) fn dictionary(
    target: &Target,
    seed: u64,
    proof: &ProofOptions,
    rules: &[&Rule],
    cells: &[matrix::Cell],
    reached: &BTreeMap<String, Vec<u8>>,
    costs: &Costs,
) -> Dictionary {
    let mut rules = rules.to_vec();
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    let positions: BTreeMap<&str, usize> = rules.iter().enumerate().map(|(at, rule)| (rule.id.as_str(), at)).collect();
    let known = |rule: &&Rule| {
        let (cases, nanoseconds) = costs.get(&rule.id).copied().unwrap_or_default();
        KnownRule { id: rule.id.clone(), text: digest_of_rule(rule), cases, nanoseconds }
    };
    let failing: Vec<&matrix::Cell> = cells.iter().filter(|cell| !cell.verdict.passes()).collect();
    let texts = |cell: &matrix::Cell| [Some(check(cell)), cell.code.clone(), cell.shape.clone()];
    let texts: BTreeSet<String> = failing.iter().flat_map(|cell| texts(cell)).flatten().collect();
    let texts: Vec<String> = texts.into_iter().collect();
    let text = |text: &str| texts.binary_search_by(|known| known.as_str().cmp(text)).ok().map(|at| at as u32);
    let mut found = Dictionary {
        format: Dictionary::FORMAT,
        runtime: target.rules.runtime.clone(),
        product: target.conditions.product.clone(),
        seed,
        catalog: target.rules.digest.clone(),
        defects: digest_of_defects(target.runtime.defects()),
        rules: rules.iter().map(known).collect(),
        ..Dictionary::default()
    };
    let mut defects: Vec<_> = target.runtime.defects().iter().collect();
    defects.sort_by_key(|defect| defect.name);
    let mut by_defect: BTreeMap<&str, Vec<&matrix::Cell>> = BTreeMap::new();
    cells.iter().for_each(|cell| by_defect.entry(cell.defect).or_default().push(cell));
    for defect in defects.into_iter().filter(|defect| proof.has_row(defect.name)) {
        let mine = by_defect.get(defect.name).map_or(&[][..], Vec::as_slice);
        let ran: BTreeSet<&str> = mine.iter().map(|cell| cell.rule.as_str()).collect();
        let reaching = rules.iter().enumerate().filter(|(_, rule)| {
            let reaches = reached.get(&rule.id).is_some_and(|bits| reach::contains(bits, defect.index));
            reaches || ran.contains(rule.id.as_str())
        });
        let set: Vec<usize> = reaching.map(|(at, _)| at).collect();
        if set.is_empty() {
            continue;
        }
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let mut cells: Vec<Cell> = mine
            .iter()
            .filter(|cell| !cell.verdict.passes())
            .filter_map(|cell| {
                Some(Cell {
                    rule: *positions.get(cell.rule.as_str())? as u32,
                    verdict: cell.verdict,
                    cases: number(cell.cases),
                    failed: number(cell.failed),
                    first: number(cell.first),
                    check: text(&check(cell)),
                    code: cell.code.as_deref().and_then(text),
                    shape: cell.shape.as_deref().and_then(text),
                })
            })
            .collect();
        cells.sort_by_key(|cell| cell.rule);
        let set = found.add_set(&set);
        found.rows.push(Row { defect: defect.name.to_owned(), set, cells });
    }
    let untried = target.runtime.defects().iter().filter(|defect| !proof.has_row(defect.name));
    found.untried = untried.map(|defect| defect.name.to_owned()).collect();
    found.texts = texts;
    if let Some(earlier) = &proof.earlier {
        found.keep_costs(earlier);
        if !found.untried.is_empty() {
            found.keep_rows(earlier);
        }
    }
    found
}

/// The failed check as a journal names it.
fn check(cell: &matrix::Cell) -> String {
    if cell.statement.is_empty() { "the end of the case".to_owned() } else { one_space(&cell.statement) }
}
