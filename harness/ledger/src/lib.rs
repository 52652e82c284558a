//! Everything made from journals: groups of failures with one cause ([`causes`]), reports for people and programs
//! ([`report`]), the comparison of two runs ([`compare`]), the history of many runs ([`history`]), the functions of
//! the documents by product ([`support`]), the documents next to their rules ([`sentences`]), known failures ([`expectations`]) and
//! runs against must-pass lists ([`mustpass`]), and the answers of a device to open questions ([`answers`]).
//! [`Ledger`] provides reports and known failures to a run.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests write and run what they like"))]

pub mod answers;
mod books;
pub mod causes;
pub mod compare;
pub mod expectations;
pub mod history;
pub mod mustpass;
mod names;
pub mod report;
pub mod sentences;
pub mod support;

pub use books::{Ledger, Quoting};
