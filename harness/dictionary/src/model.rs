//! A fault dictionary as data.

use std::collections::{BTreeMap, BTreeSet};

use record::{Difference, RuleResult, Symptom, Verdict};
use serde::{Deserialize, Serialize};

/// The fault dictionary of a product.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dictionary {
    /// The version of the format.
    pub format: u32,
    /// The runtime's name.
    pub runtime: String,
    /// The product's id.
    pub product: String,
    /// The seed with which the rules ran.
    pub seed: u64,
    /// The SHA-256 of the catalog's files, in lower-case hex.
    pub catalog: String,
    /// The digest of the simulated device's table of defects.
    pub defects: String,
    /// The judged rules, sorted by id. Cells and sets name them by position.
    pub rules: Vec<KnownRule>,
    /// The texts of checks, codes and shapes, sorted. Cells name them by position.
    pub texts: Vec<String>,
    /// Sets of rules that reach a defect: the positions of the rules, each as the distance from the one before.
    pub sets: Vec<Vec<u32>>,
    /// The defects that at least one rule reaches, sorted by name.
    pub rows: Vec<Row>,
    /// The defects that were not tried, by name, if the dictionary was made for a part of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untried: Vec<String>,
}

/// A rule, as it was when the dictionary was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownRule {
    pub id: String,
    /// The digest of the rule's text.
    pub text: String,
    /// The number of cases in the default profile.
    pub cases: u32,
    /// The time for a case on the faithful simulated device, in nanoseconds.
    pub nanoseconds: u64,
}

/// A defect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The defect's name.
    pub defect: String,
    /// The set of rules that reach the defect, by its position.
    pub set: u32,
    /// The rules that do not pass, sorted by rule.
    pub cells: Vec<Cell>,
}

/// The result of a rule that does not pass on a defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Numbers", into = "Numbers")]
pub struct Cell {
    /// The rule, by its position.
    pub rule: u32,
    pub verdict: Verdict,
    /// The number of cases that ran. If the rule stopped at its first failure, this is the number of that case.
    pub cases: u32,
    /// The number of cases that failed.
    pub failed: u32,
    /// The number of the first case that failed.
    pub first: u32,
    /// The check that failed first, the code that a call returned, and the shape of the difference, by the positions of
    /// their texts.
    pub check: Option<u32>,
    pub code: Option<u32>,
    pub shape: Option<u32>,
}

/// A cell in a file: a list of numbers is a third of the length of an object.
type Numbers = (u32, Verdict, u32, u32, u32, Option<u32>, Option<u32>, Option<u32>);

impl From<Numbers> for Cell {
    fn from((rule, verdict, cases, failed, first, check, code, shape): Numbers) -> Cell {
        Cell { rule, verdict, cases, failed, first, check, code, shape }
    }
}

impl From<Cell> for Numbers {
    fn from(cell: Cell) -> Numbers {
        let Cell { rule, verdict, cases, failed, first, check, code, shape } = cell;
        (rule, verdict, cases, failed, first, check, code, shape)
    }
}

impl Cell {
    /// The estimated share of cases that fail. A rule that stopped at its first failure shows a share of one in the
    /// number of cases up to there.
    pub fn rate(&self) -> f64 {
        f64::from(self.failed) / f64::from(self.cases.max(1))
    }
}

/// The visible part of a failure: what a dictionary and a run can both know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    pub verdict: Verdict,
    /// The failed statement, with each run of spaces reduced to one space.
    pub check: Option<String>,
    /// The code that the call returned, by name if it has one.
    pub code: Option<String>,
    /// The shape of the difference between the expected bytes and the bytes that were seen.
    pub shape: Option<String>,
}

impl Signature {
    /// The shape and the content of a difference: `tail never-written`.
    pub fn shape_of(difference: &Difference) -> String {
        format!("{} {}", difference.shape.name(), difference.content.name())
    }

    /// The signature of a rule's result in a run.
    pub fn of(result: &RuleResult) -> Signature {
        let Symptom { verdict, check, code, .. } = Symptom::of_single_run(result);
        let difference = result.failure.as_ref().and_then(|failure| failure.difference.as_ref());
        let (code, shape) = (code.map(|code| code.to_string()), difference.map(Signature::shape_of));
        Signature { verdict, check, code, shape }
    }
}

impl Dictionary {
    /// The version of the format that this crate writes and reads.
    pub const FORMAT: u32 = 1;

    /// The signature of a cell.
    pub fn signature(&self, cell: &Cell) -> Signature {
        let text = |at: Option<u32>| at.and_then(|at| self.texts.get(at as usize)).cloned();
        Signature { verdict: cell.verdict, check: text(cell.check), code: text(cell.code), shape: text(cell.shape) }
    }

    /// The positions of the rules that reach a defect.
    pub fn reached(&self, row: &Row) -> impl Iterator<Item = usize> + '_ {
        let distances = self.sets.get(row.set as usize).map_or(&[][..], Vec::as_slice);
        distances.iter().scan(0usize, |at, distance| {
            *at += *distance as usize;
            Some(*at)
        })
    }

    /// Keeps the costs of rules whose text is the same in an earlier dictionary, because times differ from one
    /// measurement to the next.
    pub fn keep_costs(&mut self, earlier: &Dictionary) {
        let known = earlier.positions();
        for rule in &mut self.rules {
            if let Some(at) = known.get(&(rule.id.as_str(), rule.text.as_str())) {
                (rule.cases, rule.nanoseconds) = (earlier.rules[*at].cases, earlier.rules[*at].nanoseconds);
            }
        }
    }

    /// The positions of the rules, by id and digest of the text.
    pub fn positions(&self) -> BTreeMap<(&str, &str), usize> {
        self.rules.iter().enumerate().map(|(at, rule)| ((rule.id.as_str(), rule.text.as_str()), at)).collect()
    }

    /// Adds the rows of an earlier dictionary for defects that this one does not have. Rules whose text has changed drop
    /// out of these rows.
    pub fn keep_rows(&mut self, earlier: &Dictionary) {
        let here = self.positions();
        let moved: Vec<Option<usize>> =
            earlier.rules.iter().map(|rule| here.get(&(rule.id.as_str(), rule.text.as_str())).copied()).collect();
        self.untried.retain(|defect| earlier.untried.contains(defect));
        let known: BTreeSet<String> = self.rows.iter().map(|row| row.defect.clone()).collect();
        let texts: BTreeSet<&String> = self.texts.iter().chain(&earlier.texts).collect();
        let texts: Vec<String> = texts.into_iter().cloned().collect();
        let renumber = |cell: &mut Cell, from: &[String]| {
            for at in [&mut cell.check, &mut cell.code, &mut cell.shape].into_iter().flatten() {
                let text = from.get(*at as usize).and_then(|text| texts.binary_search(text).ok());
                *at = text.expect("the texts of both dictionaries are in the union") as u32;
            }
        };
        for cell in self.rows.iter_mut().flat_map(|row| &mut row.cells) {
            renumber(cell, &self.texts);
        }
        for row in earlier.rows.iter().filter(|row| !known.contains(&row.defect)) {
            let mut set: Vec<usize> = earlier.reached(row).filter_map(|rule| moved.get(rule).copied()?).collect();
            set.sort_unstable();
            let mut cells: Vec<Cell> = row
                .cells
                .iter()
                .filter_map(|cell| Some(Cell { rule: moved.get(cell.rule as usize).copied()?? as u32, ..*cell }))
                .collect();
            cells.iter_mut().for_each(|cell| renumber(cell, &earlier.texts));
            cells.sort_by_key(|cell| cell.rule);
            let set = self.add_set(&set);
            self.rows.push(Row { defect: row.defect.clone(), set, cells });
        }
        self.rows.sort_by(|a, b| a.defect.cmp(&b.defect));
        self.texts = texts;
    }

    /// Adds a set of rules, given by their sorted positions, and returns its position. Equal sets are stored once.
    pub fn add_set(&mut self, positions: &[usize]) -> u32 {
        let mut before = 0;
        let distance = |at: &usize| (*at - std::mem::replace(&mut before, *at)) as u32;
        let distances: Vec<u32> = positions.iter().map(distance).collect();
        let at = self.sets.iter().position(|set| *set == distances).unwrap_or_else(|| {
            self.sets.push(distances);
            self.sets.len() - 1
        });
        at as u32
    }
}
