//! `report.html`: the run as one page for a person, made from the journal and the kept logs, and from nothing else.
//!
//! - [`page`] is the whole page: [`overview`], then what asks for attention ([`failures`]), then all rules, then what was
//!   tested ([`tested`]).
//! - [`document`] is the frame that the pages of other rooms use too.

mod document;
mod failures;
mod overview;
mod room;
mod rules;
mod tested;

use std::path::Path;

use record::{Meaning, Recorded, RuleResult};

use super::summary::mark;
use super::text::one_line;

pub(crate) use document::{document, escaped};

const FILTER: &str = include_str!("filter.js");

/// The report's name in a run's folder.
pub const PAGE_FILE: &str = "report.html";

/// The page of a run whose logs lie below `folder`.
pub(super) fn page(folder: &Path, run: &Recorded) -> String {
    let title = format!("Atlas CTS: {} on {}{}", run.header.runtime, run.header.product, mark(&run.header));
    let (header, overview) = (overview::header(run), overview::section(run) + &rules::filters(run));
    let rest = overview::by_chapter(run) + &rules::sections(run) + &tested::sections(run);
    let attention =
        failures::sections(folder, run, room::MOST.saturating_sub(header.len() + overview.len() + rest.len()));
    let body = format!(
        "<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<header>\n<h1>{}</h1>\n{header}</header>\n\
         <main id=\"main\">\n{overview}{attention}{rest}</main>\n",
        escaped(&one_line(&title)),
    );
    document(&one_line(&title), &body, FILTER)
}

/// What has a colour, and the word for it: the colour never stands alone.
fn class(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => "good",
        Meaning::Broken => "bad",
        Meaning::Finding | Meaning::Unknown => "open",
        Meaning::Skipped => "faint",
    }
}

/// The word for a meaning.
fn word(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Good => "hold",
        Meaning::Broken => "broken",
        Meaning::Finding => "finding",
        Meaning::Unknown => "unknown",
        Meaning::Skipped => "skipped",
    }
}

/// Meanings in the order of columns.
const MEANINGS: [Meaning; 5] = [Meaning::Good, Meaning::Broken, Meaning::Finding, Meaning::Unknown, Meaning::Skipped];

/// The attributes by which the filter knows what an element is about.
fn about(result: &RuleResult) -> String {
    format!(
        "data-rule=\"{}\" data-chapter=\"{}\" data-verdict=\"{}\" data-meaning=\"{}\"",
        escaped(&one_line(&result.id)),
        escaped(&one_line(&result.chapter)),
        result.verdict,
        word(result.meaning())
    )
}

/// The name of an element that others link to: letters, digits, dots and hyphens.
fn anchor(kind: &str, name: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("{kind}-{}", name.chars().take(100).map(fits).collect::<String>())
}

/// The verdict as a label.
fn label(result: &RuleResult) -> String {
    format!("<span class=\"verdict {}\">{}</span>", class(result.meaning()), result.verdict)
}
