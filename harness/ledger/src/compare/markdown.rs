//! A comparison as Markdown: for merge requests and step summaries.

use std::fmt::Write;

use crate::report::markdown_line as escaped;

use super::difference::Difference;
use super::page::page;

/// The entries of a section that are shown; a comment has an end.
const MOST_ENTRIES: usize = 50;

/// The comparison as Markdown. What journals say is escaped: it can open neither a tag nor a link.
pub fn markdown(found: &Difference) -> String {
    let page = page(found);
    let mut text = String::new();
    let _ = writeln!(text, "# Two runs compared\n");
    let _ = writeln!(text, "- old: {}\n- new: {}\n", escaped(&page.sides[0]), escaped(&page.sides[1]));
    let _ = writeln!(text, "**{}**", escaped(&page.verdict));
    for section in &page.sections {
        let _ = writeln!(text, "\n## {} ({})\n", section.title, section.entries.len());
        for entry in section.entries.iter().take(MOST_ENTRIES) {
            let _ = writeln!(text, "- **{}**", escaped(&entry.name));
            for (label, line) in &entry.lines {
                let _ = writeln!(text, "  - {label}: {}", escaped(line));
            }
        }
        if section.entries.len() > MOST_ENTRIES {
            let _ = writeln!(text, "- … {} more: `--format json` has all", section.entries.len() - MOST_ENTRIES);
        }
    }
    let _ = writeln!(text, "\n{}", escaped(&page.note));
    text
}
