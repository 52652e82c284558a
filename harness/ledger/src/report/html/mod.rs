//! `report.html`: the run as one page for a person, made from the journal and the kept logs, and from nothing else.
//!
//! - [`page`] is the whole page: [`overview`], then what asks for attention ([`failures`]), then all rules, then what was
//!   tested ([`tested`]).
//! - [`document`] is the frame that the pages of other rooms use too.

mod document;
mod failures;
mod labels;
mod overview;
mod room;
mod rules;
mod tested;

use std::path::Path;

use record::Recorded;

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
