//! A comparison as one page that needs nothing else: no script, no network.

use std::fmt::Write;

use crate::report::clean;

use super::difference::Difference;
use super::page::page;

/// Readable on a phone, in print, and in the dark.
const STYLE: &str = "\
:root{color-scheme:light dark;--edge:#8885;--bad:#b3261e}\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:auto;padding:1rem}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin:0}.bad h2{color:var(--bad)}\
details{border:1px solid var(--edge);border-radius:.4rem;margin:.6rem 0;padding:.5rem .8rem}\
summary{cursor:pointer}summary h2{display:inline}\
article{border-top:1px solid var(--edge);margin-top:.6rem;padding-top:.6rem}\
h3{font:600 1rem ui-monospace,monospace;margin:0;overflow-wrap:anywhere}\
dl{display:grid;grid-template-columns:6rem 1fr;margin:.2rem 0;gap:.1rem .6rem}dt{opacity:.75}dd{margin:0;overflow-wrap:anywhere}\
@media(max-width:40rem){dl{grid-template-columns:1fr}dd{margin-bottom:.3rem}}\
@media print{details{break-inside:avoid-page}}\
@media(prefers-color-scheme:dark){:root{--bad:#ff8a80}}";

/// The comparison as HTML. What journals say is text in it, never markup.
pub fn html(found: &Difference) -> String {
    let page = page(found);
    let mut text = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\">\n<title>Two runs compared</title>\n<style>",
    );
    let _ = writeln!(text, "{STYLE}</style>\n</head>\n<body>\n<h1>Two runs compared</h1>\n<dl>");
    for (label, side) in ["old", "new", "found"].iter().zip([&page.sides[0], &page.sides[1], &page.verdict]) {
        let _ = writeln!(text, "<dt>{label}</dt><dd>{}</dd>", escaped(side));
    }
    text.push_str("</dl>\n");
    for section in &page.sections {
        let class = if section.bad { " class=\"bad\"" } else { "" };
        // What is long is closed until somebody asks.
        let open = if section.bad || section.entries.len() <= 20 { " open" } else { "" };
        let title = escaped(section.title);
        let _ = writeln!(text, "<details{class}{open}><summary><h2>{title} ({})</h2></summary>", section.entries.len());
        for entry in &section.entries {
            let _ = writeln!(text, "<article><h3>{}</h3><dl>", escaped(&entry.name));
            for (label, line) in &entry.lines {
                let _ = writeln!(text, "<dt>{label}</dt><dd>{}</dd>", escaped(line));
            }
            text.push_str("</dl></article>\n");
        }
        text.push_str("</details>\n");
    }
    let _ = writeln!(text, "<p>{}</p>\n</body>\n</html>", escaped(&page.note));
    text
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in clean(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}
