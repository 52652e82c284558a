//! What runs found, told and compared, from journals alone: [`report`] for people and programs, [`compare`] for two runs,
//! [`history`] for many, [`expectations`] for failures that are known, [`conformance`] for what a run shows of a device;
//! [`Ledger`] gives a run reports and known failures.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod books;
pub mod compare;
pub mod confidence;
pub mod conformance;
pub mod expectations;
pub mod history;
pub mod report;

pub use books::Ledger;
