//! The supervisor's side of workers: processes that are started, watched, asked, given up, and the cases that they run.

mod child;
mod executor;
mod factory;
mod group;
mod leftovers;
mod library;
mod pool;
mod quarantine;
mod remarks;
mod simulated;
mod single;

pub use child::{Deadlines, WorkerEnd, WorkerProcess};
pub use executor::{Assignment, Executor, Home};
pub use factory::{Factory, SetUp, StartError};
pub use group::GroupEnd;
pub use library::LibraryFiles;
pub use pool::{Pool, Slot};
pub use simulated::{SimulatedMachine, event_file, reach_file};
