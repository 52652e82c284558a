//! What supervisor and worker share: messages, the flight recorder, waiting, recorded calls as text.

pub mod flight;
pub mod lines;
pub mod message;
pub mod trace;
pub mod wait;

pub use message::Turn;

/// The environment variable that makes a process a worker: the runtime's name.
pub const WORKER: &str = "ATLAS_CTS_WORKER";
/// Path of the flight recorder's memory.
pub const FLIGHT: &str = "ATLAS_CTS_FLIGHT";
/// The variable that names the folder for files of cases. It is the supervisor's to remove: a worker may be killed.
pub const FILES: &str = "ATLAS_CTS_FILES";
/// Exit status of a worker whose pipes were closed under it.
pub const DEAF: i32 = 71;
