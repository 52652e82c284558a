//! The engine on a third runtime, with features that the other two lack: integer handles, releases with a size, two
//! libraries of which one is optional, two types of codes with different successes, an alias, no run mode, integer
//! versions, descriptors, and a struct whose layout depends on the edition. It runs and is proven on its own simulated device.

#[rustfmt::skip]
mod bindings;
mod capabilities;
pub mod catalog;
mod descriptors;
pub mod device;
mod editions;
mod programs;
mod proof;
mod registry;
pub mod runs;
