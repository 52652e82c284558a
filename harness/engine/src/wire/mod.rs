//! Code that the supervisor and the worker share: messages, the flight recorder, waiting, and recorded calls as
//! text.

pub mod crash;
pub mod flight;
pub mod handing;
pub mod lines;
pub mod meeting;
pub mod message;
pub mod trace;
pub mod wait;

pub use message::Turn;

/// The environment variable that makes a process a worker. Its value is the runtime's name.
pub const WORKER: &str = "ATLAS_CTS_WORKER";
/// The environment variable with the path of the flight recorder's memory.
pub const FLIGHT: &str = "ATLAS_CTS_FLIGHT";
/// The environment variable with the number of the worker's end of the socket through which descriptors pass.
pub const HANDING: &str = "ATLAS_CTS_HANDING";
/// The environment variable with the file from which a worker under a debugger reads its requests.
pub const REQUESTS: &str = "ATLAS_CTS_REQUESTS";
/// The environment variable with the file to which a worker under a debugger writes its replies.
pub const REPLIES: &str = "ATLAS_CTS_REPLIES";
/// The environment variable that names the folder for cases' files. The supervisor removes the files, because a
/// worker may be killed.
pub const FILES: &str = "ATLAS_CTS_FILES";
/// The exit status of a worker that fails because of the suite, not the library.
pub const OWN_TROUBLE: i32 = 70;
/// The prefix of the reason, which is the last line that such a worker prints.
pub const OWN_TROUBLE_MARK: &str = "worker: ";
/// The exit status of a worker whose pipes the library closed.
pub const DEAF: i32 = 71;

/// The thread that ends a worker whose supervisor is gone.
pub const PARENT_WATCH: &str = "cts-parent";
/// The thread that watches a worker's memory limit.
pub const MEMORY_WATCH: &str = "cts-memory";
/// The names of a worker's threads that never call the library.
pub const OWN_THREADS: [&str; 2] = [PARENT_WATCH, MEMORY_WATCH];

/// Advice for an operating-system error that was caused by a limit; otherwise empty.
pub fn advice(error: &std::io::Error) -> &'static str {
    use rustix::io::Errno;
    match Errno::from_io_error(error) {
        Some(Errno::AGAIN) => "; raise the limit on processes (ulimit -u, or the container's)",
        Some(Errno::MFILE) => "; raise the limit on open files (ulimit -n)",
        Some(Errno::NFILE) => "; the system has too many open files: close some, or raise fs.file-max",
        Some(Errno::NOMEM) => "; memory is short: free some, or raise the limit (ulimit -v, or the container's)",
        Some(Errno::NOSPC) => "; the file system is full: free some space",
        _ => "",
    }
}
