//! Reports, comparisons and histories of made-up journals.

mod compare;
mod diagnosis;
mod history;
mod metrics;
mod reports;
#[path = "reports/sample.rs"]
mod sample;
