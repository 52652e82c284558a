//! The runtimes that this build can test: one line for each crate of a vendor.

use engine::runtime::Runtime;

/// Every runtime, in the order in which one is chosen when nothing names it.
pub static RUNTIMES: &[&Runtime] = &[&acl::RUNTIME];
