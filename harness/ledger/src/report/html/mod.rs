//! `report.html`: the run as one page, made only from the journal and the kept logs.
//!
//! - [`page`] is the whole page: [`overview`], [`failures`], all rules, and the tested library and devices
//!   ([`tested`]).
//! - [`document`] is the frame, which comparisons and histories also use.

mod document;
mod failures;
mod labels;
mod overview;
mod rules;
mod size;
mod tested;

use std::path::Path;

use messages::message;
use record::Recorded;

use super::target::mark;
use super::text::one_line;

pub(crate) use document::{document, escaped};

const FILTER: &str = include_str!("filter.js");

/// The report's name in a run's folder.
pub const PAGE_FILE: &str = "report.html";

/// The page for a run whose logs are in `folder`.
pub(super) fn page(folder: &Path, run: &Recorded) -> String {
    let (runtime, product) = (run.header.runtime.as_str(), run.header.product.as_str());
    let title = message!("page-title", runtime = runtime, product = product) + &mark(&run.header);
    let (header, overview) = (overview::header(run), overview::section(run) + &rules::filters(run));
    let rest = overview::by_chapter(run) + &rules::sections(run) + &tested::sections(run);
    let attention =
        failures::sections(folder, run, size::MOST.saturating_sub(header.len() + overview.len() + rest.len()));
    let body = format!(
        "<a class=\"skip\" href=\"#main\">{}</a>\n<header>\n<h1>{}</h1>\n{header}</header>\n\
         <main id=\"main\">\n{overview}{attention}{rest}</main>\n",
        message!("skip-to-results"),
        escaped(&one_line(&title)),
    );
    document(&one_line(&title), &body, FILTER)
}
