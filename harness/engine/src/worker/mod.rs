//! The worker: a process that has loaded the library under test and executes programs with it.

mod copies;
mod evaluate;
mod execution;
pub mod flight;
mod flow;
mod library;
mod memory;
pub mod protocol;
mod report;
pub mod search;
mod serve;
mod statements;
mod surroundings;
mod threads;
pub mod trace;
mod turns;
pub mod wait;

pub use memory::{is_poisoned, write_pattern, write_poison};
pub use report::{CaseFailure, CaseReport, FailedCall, Trouble};
pub use serve::{DEAF, FLIGHT, WORKER, file_digest, run_if_asked};
pub use turns::Turn;
