//! Reports, comparisons and histories of made-up journals.

mod compare;
mod history;
mod reports;
#[path = "reports/sample.rs"]
mod sample;
