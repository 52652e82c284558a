//! A comparison as one self-contained page without scripts.

use std::fmt::Write;

use messages::message;

use crate::report::{document, escaped};

use super::difference::Difference;
use super::page::page;

/// The comparison as HTML. Text from journals is escaped, so a journal cannot add markup.
pub fn html(found: &Difference) -> String {
    let page = page(found);
    let mut text = format!("<main>\n<h1>{}</h1>\n<dl>\n", message!("diff-title"));
    let labels = [message!("label-old"), message!("label-new"), message!("label-found")];
    for (label, side) in labels.iter().zip([&page.sides[0], &page.sides[1], &page.verdict]) {
        let _ = writeln!(text, "<dt>{label}</dt><dd>{}</dd>", escaped(side));
    }
    text.push_str("</dl>\n");
    for section in &page.sections {
        let class = if section.bad { " class=\"bad\"" } else { "" };
        // A long section starts collapsed.
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
    document(message!("diff-title"), &text, "")
}
