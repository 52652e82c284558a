//! Everything made from journals: groups of failures with one cause ([`causes`]), reports for people and programs
//! ([`report`]), the comparison of two runs ([`compare`]), the history of many runs ([`history`]), known failures
//! ([`expectations`]) and conformance records ([`conformance`]). [`Ledger`] provides reports and known failures to a run.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod books;
pub mod causes;
pub mod compare;
pub mod confidence;
pub mod conformance;
pub mod expectations;
pub mod history;
pub mod report;

pub use books::{Ledger, Quoting};
