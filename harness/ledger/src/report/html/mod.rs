//! `report.html`: the run as one page, made only from the journal and the kept logs.
//!
//! - [`page`] is the whole page: [`overview`], [`failures`], the [`tree`] of all rules, [`times`], and the tested
//!   library and devices ([`tested`]). [`since`] compares with the run before.
//! - [`document`] is the frame, which comparisons, histories and matrices also use; [`bar`] draws numbers, and
//!   [`lanes`](mod@lanes) calls that overlap.

mod bar;
mod document;
mod failures;
mod filter;
mod labels;
mod lanes;
mod overview;
mod since;
mod size;
mod tested;
mod times;
mod tree;

use std::path::Path;

use maud::{PreEscaped, html};
use messages::message;
use record::Recorded;

use super::target::mark;
use super::text::one_line;
use since::Since;

pub(crate) use bar::bar;
pub(crate) use document::{document, prose};
pub(crate) use labels::{anchor, class};

const SCRIPT: &str = include_str!("filter.js");

/// The page for a run whose logs are in `folder`. With the run before, the page also says what is new.
pub(super) fn page(folder: &Path, run: &Recorded, previous: Option<&Recorded>) -> String {
    let (runtime, product) = (run.header.runtime.as_str(), run.header.product.as_str());
    let title = message!("page-title", runtime = runtime, product = product) + &mark(&run.header);
    let title = one_line(&title);
    let since = Since::of(run, previous);
    let header = html! {
        a.skip href="#main" { (message!("skip-to-results")) }
        "\n"
        header {
            "\n"
            h1 { (title) }
            "\n"
            (overview::header(run))
            (overview::contents(run))
        }
        "\n"
    };
    let overview = html! {
        (overview::section(run, &since))
        (filter::filter(run))
        p.screen-only { label { input type="checkbox" id="whole"; " " (message!("print-whole")) } }
        "\n"
    };
    let rest = html! {
        (tree::section(run, &since))
        (overview::subjects(run))
        (times::section(run))
        (PreEscaped(tested::sections(run)))
    };
    let taken = header.0.len() + overview.0.len() + rest.0.len();
    let attention = failures::sections(folder, run, &since, size::MOST.saturating_sub(taken));
    let body = html! {
        (header)
        main id="main" data-copy-word=(message!("copy")) data-copied-word=(message!("copied")) {
            (overview)
            (PreEscaped(attention))
            (rest)
        }
        "\n"
    };
    document(&title, &body.0, SCRIPT)
}
