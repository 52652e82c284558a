//! Reports, comparisons, histories and matrices of made-up journals.

#![allow(clippy::disallowed_methods, reason = "tests write and run what they like")]

mod compare;
mod history;
mod metrics;
mod reports;
#[path = "reports/sample.rs"]
mod sample;
