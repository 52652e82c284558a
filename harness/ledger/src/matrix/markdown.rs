//! A matrix as Markdown.

use std::fmt::Write;

use messages::message;

use super::Matrix;
use super::text::{of_suspect, restless, sentence};
use crate::report::markdown_line as escaped;

/// The largest number of rules in a table, because comments have a size limit.
const MOST: usize = 100;

/// The matrix as Markdown. Text from journals is escaped.
pub fn markdown(matrix: &Matrix) -> String {
    let mut text = format!("# {}\n\n**{}**\n", message!("matrix-title"), escaped(&sentence(matrix)));
    for suspect in &matrix.suspects {
        let _ = writeln!(text, "\n- {}", escaped(&of_suspect(suspect)));
    }
    let head = |text: &mut String, first: &str| {
        let names: Vec<String> = matrix.columns.iter().map(|column| escaped(&column.name)).collect();
        let _ = writeln!(text, "\n| {first} | {} |", names.join(" | "));
        let _ = writeln!(text, "| --- |{}", " :---: |".repeat(names.len()));
    };
    head(&mut text, message!("column-chapter"));
    for chapter in &matrix.chapters {
        let cell = |column: usize| match chapter.held(column) {
            (_, 0) => "-".to_owned(),
            (held, ran) => message!("of", some = held, all = ran),
        };
        let cells: Vec<String> = (0..matrix.columns.len()).map(cell).collect();
        let _ = writeln!(text, "| {} | {} |", escaped(&chapter.name), cells.join(" | "));
    }
    let rules = restless(matrix);
    if !rules.is_empty() {
        head(&mut text, message!("column-rule"));
        for rule in rules.iter().take(MOST) {
            let cells = rule.cells.iter().map(|cell| cell.map_or("-", |cell| cell.verdict.name()));
            let _ = writeln!(text, "| {} | {} |", escaped(&rule.id), cells.collect::<Vec<_>>().join(" | "));
        }
    }
    if rules.len() > MOST {
        let _ = writeln!(text, "\n… {}", message!("and-more-in-html", count = rules.len() - MOST));
    }
    text
}
