//! Many runs side by side: rules as rows, and runs, products or drivers as columns, as tables of browser compatibility
//! are.
//!
//! - [`matrix`] arranges journals; the result is a [`Matrix`].
//! - [`text`], [`markdown`] and [`html`] format a [`Matrix`].
//! - [`SupportMatrix`] has functions as rows and products as columns, without a run.

mod html;
mod markdown;
mod support;
mod text;

pub use html::html;
pub use markdown::markdown;
pub use support::SupportMatrix;
pub use text::text;

use std::collections::{BTreeMap, BTreeSet};

use record::{Meaning, Recorded, RuleResult, RunHeader, Verdict};

/// The meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Each run is a column.
    Run,
    /// Each product is a column, simulated devices apart.
    Product,
    /// Each driver or, where the driver is unknown, each library is a column.
    Driver,
}

/// Many runs side by side.
#[derive(Debug)]
pub struct Matrix {
    pub columns: Vec<Column>,
    /// The chapters in the order of their names.
    pub chapters: Vec<MatrixChapter>,
    /// The rules that are broken wherever they have an answer, on more than one product. The rule itself is suspect.
    pub suspects: Vec<Suspect>,
}

/// A column: one run, or several runs of the same product or driver.
#[derive(Debug)]
pub struct Column {
    pub name: String,
    /// The names of the runs, as given.
    pub runs: Vec<String>,
    /// The defects that were seeded in one of the runs.
    pub defects: BTreeSet<String>,
}

/// A chapter and its rules.
#[derive(Debug)]
pub struct MatrixChapter {
    pub name: String,
    /// The rules in the order of their ids.
    pub rules: Vec<MatrixRule>,
}

/// A rule and its results.
#[derive(Debug)]
pub struct MatrixRule {
    pub id: String,
    pub title: String,
    /// The result in each column; `None` if no run of the column has a result.
    pub cells: Vec<Option<Cell>>,
}

/// The result of a rule in a column: the worst of the column's runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub verdict: Verdict,
    pub meaning: Meaning,
}

/// A rule that is broken wherever it has an answer.
#[derive(Debug)]
pub struct Suspect {
    pub rule: String,
    /// The products on which the rule is broken.
    pub products: Vec<String>,
    /// True if a device with seeded defects is among them, whose failures say nothing about the rule.
    pub seeded: bool,
}

impl MatrixChapter {
    /// The number of rules that hold in a column, and the number of rules that have an answer or lack one there. Skipped
    /// rules do not count.
    pub fn held(&self, column: usize) -> (usize, usize) {
        let ran = self.rules.iter().filter_map(|rule| rule.cells[column]);
        let ran: Vec<Meaning> = ran.map(|cell| cell.meaning).filter(|meaning| *meaning != Meaning::Skipped).collect();
        (ran.iter().filter(|meaning| **meaning == Meaning::Good).count(), ran.len())
    }

    /// The worst meaning in a column; `None` if no rule of the chapter has a result there.
    pub fn worst(&self, column: usize) -> Option<Meaning> {
        let cells = self.rules.iter().filter_map(|rule| rule.cells[column]);
        cells.map(|cell| cell.meaning).min_by_key(|meaning| weight(*meaning))
    }
}

impl MatrixRule {
    /// True if the rule is broken, a finding or without an answer in some column.
    pub fn is_restless(&self) -> bool {
        self.cells.iter().flatten().any(|cell| !matches!(cell.meaning, Meaning::Good | Meaning::Skipped))
    }

    /// True if the rule applies in some column.
    pub fn applies(&self) -> bool {
        self.cells.iter().flatten().any(|cell| cell.meaning != Meaning::Skipped)
    }
}

impl Matrix {
    /// The rules of all chapters.
    pub fn rules(&self) -> impl Iterator<Item = &MatrixRule> {
        self.chapters.iter().flat_map(|chapter| &chapter.rules)
    }
}

/// The order of meanings, worst first.
fn weight(meaning: Meaning) -> u8 {
    match meaning {
        Meaning::Broken => 0,
        Meaning::Unknown => 1,
        Meaning::Finding => 2,
        Meaning::Good => 3,
        Meaning::Skipped => 4,
    }
}

/// A rule's title and its known cells, each with its column.
type Row<'a> = (&'a str, Vec<(usize, Cell)>);

/// Arranges runs, each with its name, as columns.
pub fn matrix(runs: &[(String, Recorded)], by: By) -> Matrix {
    let mut columns: Vec<Column> = Vec::new();
    let mut chapters: BTreeMap<&str, BTreeMap<&str, Row<'_>>> = BTreeMap::new();
    for (name, run) in runs {
        let title = match by {
            By::Run => name.clone(),
            By::Product => product(&run.header),
            By::Driver => driver(&run.header),
        };
        let known = columns.iter().position(|column| by != By::Run && column.name == title);
        let column = known.unwrap_or_else(|| {
            columns.push(Column { name: title, runs: Vec::new(), defects: BTreeSet::new() });
            columns.len() - 1
        });
        columns[column].runs.push(name.clone());
        columns[column].defects.extend(run.header.defects.iter().cloned());
        for result in &run.results {
            let rules = chapters.entry(&result.chapter).or_default();
            let cells = &mut rules.entry(&result.id).or_insert((&result.title, Vec::new())).1;
            let cell = Cell { verdict: result.verdict, meaning: result.meaning() };
            match cells.iter_mut().find(|(known, _)| *known == column) {
                Some((_, known)) if weight(cell.meaning) < weight(known.meaning) => *known = cell,
                Some(_) => {}
                None => cells.push((column, cell)),
            }
        }
    }
    let spread = |known: Vec<(usize, Cell)>| {
        let mut cells = vec![None; columns.len()];
        known.into_iter().for_each(|(column, cell)| cells[column] = Some(cell));
        cells
    };
    let rule = |(id, (title, cells)): (&str, Row<'_>)| MatrixRule {
        id: id.to_owned(),
        title: title.to_owned(),
        cells: spread(cells),
    };
    let chapters = chapters
        .into_iter()
        .map(|(name, rules)| MatrixChapter { name: name.to_owned(), rules: rules.into_iter().map(rule).collect() });
    Matrix { chapters: chapters.collect(), suspects: suspects(runs), columns }
}

/// The product and the runtime, marked if the device was simulated.
fn product(header: &RunHeader) -> String {
    let simulated = if header.library.simulated { " (simulated)" } else { "" };
    format!("{} on {}{simulated}", header.runtime, header.product)
}

/// The driver's version or, if it is unknown, the library's version or digest.
fn driver(header: &RunHeader) -> String {
    let installed = header.fingerprint.iter().flat_map(|fingerprint| &fingerprint.installed);
    let driver = installed.into_iter().find(|known| known.of == "driver");
    let driver = driver.map(|known| format!("driver {}", known.version));
    let library = || match &header.library.version {
        Some(version) => format!("library {version}"),
        None => format!("library {}", header.library.sha256.chars().take(12).collect::<String>()),
    };
    driver.unwrap_or_else(library)
}

/// The rules that are broken in each run in which they have an answer, on at least two products.
fn suspects(runs: &[(String, Recorded)]) -> Vec<Suspect> {
    let mut answers: BTreeMap<&str, Vec<(&RuleResult, &RunHeader)>> = BTreeMap::new();
    for (_, run) in runs {
        let answered = run.results.iter();
        let answered = answered.filter(|result| !matches!(result.meaning(), Meaning::Skipped | Meaning::Unknown));
        answered.for_each(|result| answers.entry(&result.id).or_default().push((result, &run.header)));
    }
    let suspect = |(rule, answers): (&str, Vec<(&RuleResult, &RunHeader)>)| {
        let products: BTreeSet<String> = answers.iter().map(|(_, header)| product(header)).collect();
        let broken = answers.iter().all(|(result, _)| result.meaning() == Meaning::Broken);
        (broken && products.len() > 1).then(|| Suspect {
            rule: rule.to_owned(),
            products: products.into_iter().collect(),
            seeded: answers.iter().any(|(_, header)| !header.defects.is_empty()),
        })
    };
    answers.into_iter().filter_map(suspect).collect()
}
