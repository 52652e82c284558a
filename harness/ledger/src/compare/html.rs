//! A comparison as one self-contained page without scripts.

use maud::{Markup, html};
use messages::message;

use crate::report::{anchor, bar, document, prose};

use super::difference::Difference;
use super::outcome::{Numbers, Tone};
use super::page::{Page, PageEntry, Section, page};

/// The largest number of entries in a section that starts open.
const OPEN: usize = 20;

/// The comparison as HTML. Text from journals is escaped, so a journal cannot add markup.
pub fn html(found: &Difference) -> String {
    let page = page(found);
    let body = html! {
        main {
            h1 { (message!("diff-title")) }
            p.result.(tone(page.tone)) { (page.outcome) }
            (numbers(&page.numbers))
            (sides(&page))
            nav aria-label=(message!("contents")) {
                ul {
                    @for section in &page.sections {
                        li { a href={ "#" (anchor("", section.title)) } { (section.title) " (" (section.entries.len()) ")" } }
                    }
                }
            }
            @for section in &page.sections { (of_section(section)) "\n" }
            p.faint { (page.note) }
        }
        "\n"
    };
    document(message!("diff-title"), &body.0, "")
}

fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Open => "open",
        Tone::Bad => "bad",
    }
}

/// The numbers as tiles with one bar.
fn numbers(numbers: &Numbers) -> Markup {
    let tiles = [
        (numbers.worse, "bad", "fill-bad", message!("tile-worse")),
        (numbers.symptoms, "open", "fill-open", message!("tile-other-symptom")),
        (numbers.fixes, "good", "fill-good", message!("tile-better")),
        (numbers.findings + numbers.drift, "note", "fill-note", message!("tile-drift")),
        (numbers.unchanged as usize + numbers.flakes, "faint", "fill-faint", message!("tile-same")),
    ];
    html! {
        ul.tiles {
            @for (number, class, _, word) in tiles { li.(class) { strong { (number) } (word) } }
        }
        (bar(&tiles.map(|(number, _, fill, _)| (number, fill))))
    }
}

fn sides(page: &Page) -> Markup {
    let labels = [message!("label-old"), message!("label-new"), message!("label-found")];
    html! {
        dl {
            @for (label, side) in labels.iter().zip([&page.sides[0], &page.sides[1], &page.verdict]) {
                dt { (label) }
                dd { (side) }
            }
        }
    }
}

fn of_section(section: &Section) -> Markup {
    // A long section starts collapsed.
    let open = (section.entries.len() <= OPEN || section.bad).then_some("");
    html! {
        details id=(anchor("", section.title)) open=[open] {
            summary { h2.bad[section.bad] { (section.title) " (" (section.entries.len()) ")" } }
            @for entry in section.entries.iter().filter(|entry| !entry.brief) { (article(entry)) }
            @let followers: Vec<&PageEntry> = section.entries.iter().filter(|entry| entry.brief).collect();
            @if !followers.is_empty() {
                details.more {
                    summary { (message!("other-rules-of-causes", count = followers.len())) }
                    @for entry in followers { (article(entry)) }
                }
            }
        }
    }
}

fn article(entry: &PageEntry) -> Markup {
    html! {
        article {
            h3 { (entry.name) }
            dl {
                @for (label, line) in &entry.lines {
                    dt { (label) }
                    dd { (prose(line)) }
                }
            }
        }
    }
}
