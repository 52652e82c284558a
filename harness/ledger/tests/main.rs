//! Reports, comparisons, histories and matrices of made-up journals.

mod compare;
mod diagnosis;
mod history;
mod matrix;
mod metrics;
mod reports;
#[path = "reports/sample.rs"]
mod sample;
