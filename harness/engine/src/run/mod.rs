//! The supervisor: which library, which workers, which rule when, and what becomes of accidents.

mod again;
mod child;
mod choice;
mod confirm;
mod exported;
mod folder;
mod group;
mod identity;
mod left_behind;
mod machines;
mod options;
mod owners;
mod pool;
mod pooled;
mod probe;
mod quarantine;
mod remarks;
mod replay;
mod resume;
mod rule;
mod session;
mod shorten;
pub mod simulator;
mod trial;

pub use child::{Deadlines, WorkerEnd};
pub use choice::{Backend, LibraryChoice, choose_library};
pub use folder::RunFolder;
pub use options::{Options, Profile};
pub use resume::Earlier;
pub use session::{ExitStatus, Planned, Session, SessionError, conclude, load_rules, plan, project_root};
pub use trial::{Attempt, Trial};
