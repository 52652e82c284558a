//! The runtimes that this build can test: one line for each vendor crate.

use engine::runtime::Runtime;

/// Every runtime, in the order in which one is chosen by default.
pub static RUNTIMES: &[&Runtime] = &[&acl::RUNTIME];
