//! Whether this user may start what a run needs, tried before anything is judged.

use std::fs;
use std::sync::RwLock;
use std::thread::Builder;

use rustix::process::{Resource, getrlimit};

use super::TargetError;

/// Threads that a run may need beside each other. A runtime starts one for each stream and more for itself; without
/// them it refuses streams, or waits for ever, and a rule would blame it for that.
const NEEDED: usize = 512;
/// Bytes of the stack of a thread that only waits.
const STACK: usize = 16 << 10;

/// Refuses a limit of processes (`ulimit -u`) that leaves too little beside what the user runs already.
pub(super) fn expect_threads() -> Result<(), TargetError> {
    let Some(limit) = getrlimit(Resource::Nproc).current else { return Ok(()) };
    // All threads of the machine are at least those of this user.
    if running().is_some_and(|running| limit.saturating_sub(running) >= NEEDED as u64) {
        return Ok(());
    }
    // Which of them count, the kernel knows: not those of the superuser, but those in other containers.
    let free = startable();
    if free < NEEDED { Err(TargetError::Threads { free, needed: NEEDED, limit }) } else { Ok(()) }
}

/// Threads of the whole machine: `0.20 0.18 0.12 1/80 11206`.
fn running() -> Option<u64> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    load.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

/// Threads that can be started beside each other, of those that are needed.
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
