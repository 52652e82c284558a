//! What runs found, told and compared, from journals alone: [`report`] for people and programs, [`compare`] for two runs,
//! [`history`] for many, [`expectations`] for failures that are known, [`conformance`] for what a run shows of a device.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

pub mod compare;
pub mod conformance;
pub mod expectations;
pub mod history;
pub mod report;
