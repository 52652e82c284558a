//! A comparison as one page that needs nothing else: no script, no network.

use std::fmt::Write;

use crate::report::{document, escaped};

use super::difference::Difference;
use super::page::page;

/// The comparison as HTML. What journals say is text in it, never markup.
pub fn html(found: &Difference) -> String {
    let page = page(found);
    let mut text = String::from("<main>\n<h1>Two runs compared</h1>\n<dl>\n");
    for (label, side) in ["old", "new", "found"].iter().zip([&page.sides[0], &page.sides[1], &page.verdict]) {
        let _ = writeln!(text, "<dt>{label}</dt><dd>{}</dd>", escaped(side));
    }
    text.push_str("</dl>\n");
    for section in &page.sections {
        let class = if section.bad { " class=\"bad\"" } else { "" };
        // What is long is closed until somebody asks.
        let open = if section.bad || section.entries.len() <= 20 { " open=\"\"" } else { "" };
        let title = escaped(section.title);
        let _ = writeln!(text, "<details{open}><summary><h2{class}>{title} ({})</h2></summary>", section.entries.len());
        for entry in &section.entries {
            let _ = writeln!(text, "<article><h3>{}</h3><dl>", escaped(&entry.name));
            for (label, line) in &entry.lines {
                let _ = writeln!(text, "<dt>{label}</dt><dd>{}</dd>", escaped(line));
            }
            text.push_str("</dl></article>\n");
        }
        text.push_str("</details>\n");
    }
    let _ = writeln!(text, "<p>{}</p>\n</main>", escaped(&page.note));
    document("Two runs compared", &text, "")
}
