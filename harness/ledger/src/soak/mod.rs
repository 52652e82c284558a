//! The coverage of rules by bursts.

mod covered;

pub use covered::covered;
