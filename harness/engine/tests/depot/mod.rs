//! The engine on a third runtime, which has what the other two lack: handles that are integers, releases with a size,
//! two libraries of which one is optional, two types of codes with different successes, an alias, no run mode, versions
//! that are integers, and a struct whose layout depends on the edition. It runs, and it is proven, on a simulated
//! device of its own.

#[rustfmt::skip]
mod bindings;
mod catalog;
pub mod device;
mod programs;
mod proof;
mod registry;
mod runs;
