//! The worker: a process that loads the library under test and executes programs with it.

mod actors;
mod arena;
mod begun;
mod copies;
mod crash;
mod descriptors;
mod difference;
mod evaluate;
mod execution;
mod fault;
mod flow;
mod gates;
mod handing;
mod heap;
mod histories;
mod hooks;
mod lane;
mod library;
mod link;
mod memory;
mod memory_limit;
mod process_state;
mod python;
mod recorded;
mod selections;
mod serve;
mod statements;
mod threads;
mod together;
mod turns;

pub(crate) use crash::let_signals_end_the_process;
pub use library::{Opened, open};
pub use memory::{is_poisoned, write_pattern, write_poison};
pub use serve::run_if_asked;
