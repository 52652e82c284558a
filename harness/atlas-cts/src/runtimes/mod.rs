//! The runtimes that this build can test: one entry and one folder for each. What is a vendor's own, its tools and the
//! formats of its files, lives in that folder.

mod acl;

use engine::runtime::Runtime;

/// Every runtime, in the order in which one is chosen when nothing names it.
pub static RUNTIMES: &[&Runtime] = &[&acl::RUNTIME];
