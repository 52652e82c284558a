//! Versions such as `25.0.rc1.1`, `8.2.RC1` and `7.8.T5.0.B210`, and ranges of them.

mod number;
mod range;

pub use number::VersionNumber;
pub(crate) use range::SIGNS;
pub use range::{NotARange, Range};
