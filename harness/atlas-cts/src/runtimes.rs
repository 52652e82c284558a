//! The runtimes that this build can test: one line for each vendor crate.

use engine::runtime::Runtime;

/// All runtimes, in the order in which a default is chosen.
pub static RUNTIMES: &[&Runtime] = &[&acl::RUNTIME, &cuda::RUNTIME];
