//! The supervisor's side of workers: starts, watches, queries and quarantines processes, and runs cases in them.

mod activity;
mod child;
mod debugged;
mod debugger;
mod end;
mod executor;
mod factory;
mod group;
pub mod interrupt;
mod library;
mod machines;
mod mapped;
mod python;
mod quarantine;
mod remarks;
mod seat;
mod simulated;
mod single;
mod slots;
mod stacks;
mod starts;
mod tracer;
pub(crate) mod visible;

pub(crate) use activity::Activity;
pub(crate) use child::{Deadlines, WorkerProcess};
pub(crate) use debugger::{Debugger, DebuggerError};
pub(crate) use end::WorkerEnd;
pub(crate) use executor::{Assignment, Executor, Home};
pub(crate) use factory::{Factory, SetUp, StartError};
pub(crate) use library::LibraryFiles;
pub(crate) use machines::MachineFolder;
pub(crate) use mapped::{EMBEDDED, libraries as mapped_libraries};
pub(crate) use python::PythonSetUp;
pub(crate) use seat::Seat;
pub(crate) use simulated::{SimulatedMachine, event_file, reach_file};
pub(crate) use slots::{Pool, Slot};
