//! A comparison for a terminal.

use std::fmt::Write;

use messages::message;
use record::text::width;

use crate::report::{clean, pad, wrap};

use super::difference::Difference;
use super::page::page;

/// The width of a label, including the space around it.
const LABEL: usize = 13;

/// The comparison as text. Text from journals cannot move the cursor.
pub fn text(found: &Difference) -> String {
    let page = page(found);
    let mut text = String::new();
    for line in wrap(&page.outcome, width()) {
        let _ = writeln!(text, "{line}");
    }
    text.push('\n');
    for (label, side) in [message!("label-old"), message!("label-new")].iter().zip(&page.sides) {
        row(&mut text, label, side);
    }
    row(&mut text, message!("label-found"), &page.verdict);
    for section in &page.sections {
        let _ = writeln!(text, "\n{} ({})", section.title, section.entries.len());
        for entry in &section.entries {
            for line in wrap(&entry.name, width() - 2) {
                let _ = writeln!(text, "  {line}");
            }
            let lines = entry.lines.iter().filter(|_| !entry.brief);
            lines.for_each(|(label, line)| row(&mut text, label, line));
        }
    }
    text.push('\n');
    for line in wrap(&page.note, width()) {
        let _ = writeln!(text, "{line}");
    }
    clean(&text).into_owned()
}

fn row(text: &mut String, label: &str, content: &str) {
    let mut label = label;
    for line in wrap(content, width() - LABEL) {
        let _ = writeln!(text, "    {} {line}", pad(label, 8));
        label = "";
    }
}
