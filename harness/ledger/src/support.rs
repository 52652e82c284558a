//! Functions by product: what the documents say, whether a library exports the function, and what rules do with it.

use std::collections::BTreeSet;
use std::fmt::Write;

use catalog::Rules;
use catalog::coverage::{FunctionCoverage, FunctionState, OnProduct, functions};

/// The functions of the documents, next to the functions that a library exports.
#[derive(Debug)]
pub struct SupportMatrix<'a> {
    /// The ids of the products, which are the columns.
    pub products: Vec<&'a str>,
    pub functions: Vec<FunctionCoverage<'a>>,
    /// The exported functions; `None` without a library.
    pub exported: Option<BTreeSet<String>>,
}

/// A cell: its character, and the words in the legend.
struct Shown {
    character: char,
    words: &'static str,
}

/// All kinds of cells, for the legend.
const CELLS: [Shown; 8] = [
    Shown { character: 'J', words: "judged" },
    Shown { character: 'o', words: "observed" },
    Shown { character: 'x', words: "out of scope" },
    Shown { character: '!', words: "open" },
    Shown { character: '-', words: "not supported" },
    Shown { character: 'u', words: "not supported, observed" },
    Shown { character: '?', words: "not documented" },
    Shown { character: 'j', words: "not documented, called by rules" },
];

/// The cell of a function on a product.
fn symbol(on: OnProduct) -> &'static Shown {
    let called = matches!(on.state, FunctionState::Judged | FunctionState::Observed);
    let position = match (on.documented, on.state) {
        (Some(true), FunctionState::Judged) => 0,
        (Some(true), FunctionState::Observed) => 1,
        (Some(true), FunctionState::Outside) => 2,
        (Some(true), FunctionState::Open) => 3,
        (Some(false), _) if called => 5,
        (Some(false), _) => 4,
        (None, _) if called => 7,
        (None, _) => 6,
    };
    &CELLS[position]
}

impl<'a> SupportMatrix<'a> {
    /// Collects the matrix of a catalog.
    pub fn of(rules: &'a Rules, exported: Option<BTreeSet<String>>) -> SupportMatrix<'a> {
        SupportMatrix {
            products: rules.products.iter().map(|product| product.id.as_str()).collect(),
            functions: functions(rules),
            exported,
        }
    }

    /// A sentence with the number of functions in each state.
    fn sentence(&self) -> String {
        let number = |state: FunctionState| self.functions.iter().filter(|one| one.state == state).count();
        let mut text = format!(
            "{} functions: {} judged, {} observed, {} out of scope, {} open",
            self.functions.len(),
            number(FunctionState::Judged),
            number(FunctionState::Observed),
            number(FunctionState::Outside),
            number(FunctionState::Open)
        );
        if let Some(exported) = &self.exported {
            let there = self.functions.iter().filter(|one| exported.contains(one.name)).count();
            let _ = write!(text, "; the library exports {there}");
        }
        text
    }

    /// The remarks on a function: since when it exists, its mark, why it is out of scope, and whether it is exported.
    fn remarks(&self, function: &FunctionCoverage<'_>) -> String {
        let entry = function.entry;
        let exported = self.exported.as_ref().map(|exported| match exported.contains(function.name) {
            true => "exported".to_owned(),
            false => "not exported".to_owned(),
        });
        let since = entry.since.as_ref().map(|since| format!("since {since}"));
        let mark = entry.mark.map(|mark| mark.name().to_owned());
        let outside = entry.outside.clone();
        [exported, since, mark, outside].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The matrix for a terminal: a character for each cell.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n\n", self.sentence());
        for (index, product) in self.products.iter().enumerate() {
            let _ = writeln!(text, "  [{}] {product}", index + 1);
        }
        let legend: Vec<String> = CELLS.iter().map(|cell| format!("{} {}", cell.character, cell.words)).collect();
        let _ = writeln!(text, "\n  {}", legend[..4].join("   "));
        let _ = writeln!(text, "  {}\n", legend[4..].join("   "));
        let width = self.functions.iter().map(|function| function.name.len()).max().unwrap_or(0) + 2;
        let numbers: Vec<String> = (1..=self.products.len()).map(|number| format!("[{number}]")).collect();
        let _ = writeln!(text, "{:<width$}{}", "function", numbers.join(" "));
        for function in &self.functions {
            let cells: Vec<String> =
                function.products.iter().map(|on| format!(" {} ", symbol(*on).character)).collect();
            let line = format!("{:<width$}{}  {}", function.name, cells.join(" "), self.remarks(function));
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}
