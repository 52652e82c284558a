//! Checks that this user can start enough threads for a run, before any rule is judged.

use std::fs;
use std::sync::RwLock;
use std::thread::Builder;

use rustix::process::{Resource, getrlimit};

use super::TargetError;

/// The number of threads that a run may need at the same time. A runtime starts one thread per stream, and other
/// threads for internal use. With too few threads, a runtime refuses streams or waits forever, and a rule would blame
/// the runtime.
const NEEDED: usize = 512;
/// An idle thread's stack size, in bytes.
const STACK: usize = 16 << 10;

/// Fails if the limit on processes (`ulimit -u`) leaves too few threads, given the threads that the user is already
/// running.
pub(super) fn expect_threads() -> Result<(), TargetError> {
    let Some(limit) = getrlimit(Resource::Nproc).current else { return Ok(()) };
    // The machine runs at least as many threads as this user.
    if running().is_some_and(|running| limit.saturating_sub(running) >= NEEDED as u64) {
        return Ok(());
    }
    // Tries to start the threads, because only the kernel knows which threads count toward the limit: the superuser's
    // threads do not, but threads in other containers do.
    let free = startable();
    if free < NEEDED { Err(TargetError::Threads { free, needed: NEEDED, limit }) } else { Ok(()) }
}

/// The number of threads on the entire machine: the 80 in text such as `0.20 0.18 0.12 1/80 11206`.
fn running() -> Option<u64> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    load.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

/// The number of threads that can be started at the same time, up to the number needed.
fn startable() -> usize {
    let gate = RwLock::new(());
    let closed = gate.write();
    std::thread::scope(|scope| {
        let waiting = || drop(gate.read());
        let started = (0..NEEDED).take_while(|_| Builder::new().stack_size(STACK).spawn_scoped(scope, waiting).is_ok());
        let started = started.count();
        drop(closed);
        started
    })
}
