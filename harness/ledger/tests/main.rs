//! The books that runs make: reports, comparisons, histories, from journals that no run made.

mod compare;
mod history;
mod reports;
#[path = "reports/sample.rs"]
mod sample;
