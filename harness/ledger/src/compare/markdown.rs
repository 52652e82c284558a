//! A comparison as Markdown, for merge requests and step summaries.

use std::fmt::Write;

use messages::message;

use crate::report::markdown_line as escaped;

use super::difference::Difference;
use super::page::page;

/// The largest number of entries in a section, because comments have a size limit.
const MOST_ENTRIES: usize = 50;

/// The comparison as Markdown. Text from journals is escaped, so it cannot start a tag or a link.
pub fn markdown(found: &Difference) -> String {
    let page = page(found);
    let mut text = String::new();
    let _ = writeln!(text, "# {}\n\n**{}**\n", message!("diff-title"), escaped(&page.outcome));
    for (label, side) in [message!("label-old"), message!("label-new")].iter().zip(&page.sides) {
        let _ = writeln!(text, "- {label}: {}", escaped(side));
    }
    let _ = writeln!(text, "- {}: {}", message!("label-found"), escaped(&page.verdict));
    for section in &page.sections {
        let _ = writeln!(text, "\n## {} ({})\n", section.title, section.entries.len());
        for entry in section.entries.iter().take(MOST_ENTRIES) {
            let _ = writeln!(text, "- **{}**", escaped(&entry.name));
            for (label, line) in entry.lines.iter().filter(|_| !entry.brief) {
                let _ = writeln!(text, "  - {label}: {}", escaped(line));
            }
        }
        if section.entries.len() > MOST_ENTRIES {
            let _ =
                writeln!(text, "- … {}", message!("and-more-in-json", count = section.entries.len() - MOST_ENTRIES));
        }
    }
    let _ = writeln!(text, "\n{}", escaped(&page.note));
    text
}
