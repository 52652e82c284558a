//! The supervisor: which library, which workers, which rule when, and what becomes of accidents.

mod child;
mod choice;
mod exported;
mod folder;
mod group;
mod machines;
mod options;
mod owners;
mod pool;
mod pooled;
mod probe;
mod rule;
mod session;
pub mod simulator;

pub use child::{Deadlines, WorkerEnd};
pub use choice::{Backend, LibraryChoice, choose_library};
pub use folder::RunFolder;
pub use options::{Options, Profile};
pub use session::{ExitStatus, Planned, Session, SessionError, load_rules, plan, project_root};
