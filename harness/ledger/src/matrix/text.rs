//! A matrix for a terminal.

use std::fmt::Write;

use messages::message;

use super::{Matrix, MatrixRule, Suspect};
use crate::history::mark;
use crate::report::{clean, one_line, wrap};

/// The width of the text, in columns.
const WIDTH: usize = 100;
/// The width of a cell.
const CELL: usize = 9;
/// The largest width of a rule's id.
const ID: usize = 60;

/// The matrix as text: the chapters, and the rules that are not good in every column. Text from journals cannot move
/// the cursor.
pub fn text(matrix: &Matrix) -> String {
    let mut text = format!("{}\n\n", sentence(matrix));
    for suspect in &matrix.suspects {
        for line in wrap(&of_suspect(suspect), WIDTH) {
            let _ = writeln!(text, "{line}");
        }
    }
    if !matrix.suspects.is_empty() {
        text.push('\n');
    }
    for (index, column) in matrix.columns.iter().enumerate() {
        let runs = if column.runs.len() > 1 {
            format!(" ({})", message!("count-runs", count = column.runs.len()))
        } else {
            String::new()
        };
        let _ = writeln!(text, "  [{}] {}{runs}", index + 1, one_line(&column.name));
    }
    let width = matrix.rules().map(|rule| one_line(&rule.id).chars().count() + 2).max().unwrap_or(0).min(ID);
    let _ = write!(text, "\n{:<width$}", message!("column-chapter"));
    for number in 1..=matrix.columns.len() {
        let _ = write!(text, "{:>CELL$}", format!("[{number}]"));
    }
    text.push('\n');
    for chapter in &matrix.chapters {
        let _ = write!(text, "{:<width$}", one_line(&chapter.name));
        for column in 0..matrix.columns.len() {
            let (held, ran) = chapter.held(column);
            let cell = if ran == 0 { "-".to_owned() } else { format!("{held}/{ran}") };
            let _ = write!(text, "{cell:>CELL$}");
        }
        text.push('\n');
        for rule in chapter.rules.iter().filter(|rule| rule.is_restless()) {
            let _ = write!(text, "{:<width$}", format!("  {}", one_line(&rule.id)));
            for cell in &rule.cells {
                let _ = write!(text, "{:>CELL$}", mark(cell.map(|cell| cell.verdict)));
            }
            text.push('\n');
        }
    }
    let _ = writeln!(text, "\n{}", wrap(message!("legend"), WIDTH).join("\n"));
    clean(&text).into_owned()
}

/// The matrix in one sentence.
pub(super) fn sentence(matrix: &Matrix) -> String {
    // Rules that are skipped everywhere say nothing.
    let applying = || matrix.rules().filter(|rule| rule.applies());
    let good = applying().filter(|rule| !rule.is_restless()).count();
    let rules = applying().count();
    message!(
        "matrix-sentence",
        columns = matrix.columns.len(),
        good = good,
        rest = rules - good,
        suspects = matrix.suspects.len()
    )
}

/// The reason why a rule is suspect.
pub(super) fn of_suspect(suspect: &Suspect) -> String {
    let (rule, products) = (one_line(&suspect.rule), suspect.products.join(", "));
    let seeded = if suspect.seeded { message!("matrix-seeded") } else { "" };
    format!("{} {seeded}", message!("matrix-suspect", rule = rule, products = one_line(&products)))
        .trim_end()
        .to_owned()
}

/// The rules that are not good in every column, of all chapters.
pub(super) fn restless(matrix: &Matrix) -> Vec<&MatrixRule> {
    matrix.rules().filter(|rule| rule.is_restless()).collect()
}
