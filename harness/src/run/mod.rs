//! The supervisor: which library, which workers, which rule when, and what becomes of accidents.

mod again;
mod child;
mod choice;
mod confirm;
mod exported;
mod folder;
mod group;
mod machines;
mod options;
mod pool;
mod pooled;
mod probe;
mod replay;
mod rule;
mod session;
mod shorten;
pub mod simulator;

pub use child::{Deadlines, WorkerEnd};
pub use choice::{Backend, LibraryChoice, choose_library};
pub use folder::RunFolder;
pub use options::{Options, Profile};
pub use session::{ExitStatus, Planned, Session, SessionError, load_rules, plan, project_root};
