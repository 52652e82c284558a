//! The device gate: the known operation that a process must perform on a device.

use std::time::{Duration, Instant};

use crate::case::{FailedCall, Trouble};
use crate::pool::WorkerProcess;
use crate::wire::message::{Answers, Reply, Request};
use catalog::FREE_MEMORY;

/// The most bytes that memory may shrink over the operation: half of what it allocates, and much more than a driver
/// keeps.
const MOST_KEPT: u64 = 16 << 20;
/// The number of tries in which another program may take memory.
const ROUNDS: u32 = 3;
/// Runtimes may update their memory counters late: the longest wait, and the interval between queries.
const SETTLES: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);

/// Makes a process perform the known operation. Returns the reason if it cannot be performed: a function that the
/// library lacks says nothing about the device.
///
/// # Errors
/// The failure of the operation.
pub(super) fn operate(worker: &mut WorkerProcess, deadline: Duration) -> Result<Option<String>, String> {
    let mut kept = 0;
    for _ in 0..ROUNDS {
        let before = free_of(&ask(worker, deadline)?);
        match worker.ask(&Request::Gate, deadline) {
            Ok(Reply::Gate(None)) => {}
            Ok(Reply::Gate(Some(Trouble { call: Some(FailedCall { code: None, .. }), message }))) => {
                return Ok(Some(message));
            }
            Ok(Reply::Gate(Some(trouble))) => return Err(trouble.message),
            Ok(other) => return Err(format!("the process answered {other:?}")),
            Err(end) => return Err(end.to_string()),
        }
        let after = settled(worker, deadline, before.map(|before| before.saturating_sub(MOST_KEPT - 1)))?;
        kept = before.zip(after).map_or(0, |(before, after)| before.saturating_sub(after));
        if kept < MOST_KEPT {
            return Ok(None);
        }
    }
    Err(format!("{kept} bytes of freed device memory were not returned, {ROUNDS} times in a row"))
}

/// Bytes of free device memory; polls for a while if they are fewer than wanted. `None` if the runtime does not report
/// them.
///
/// # Errors
/// The process does not answer.
pub(super) fn settled(
    worker: &mut WorkerProcess,
    deadline: Duration,
    wanted: Option<u64>,
) -> Result<Option<u64>, String> {
    let until = Instant::now() + SETTLES;
    loop {
        let free = free_of(&ask(worker, deadline)?);
        if free.zip(wanted).is_none_or(|(free, wanted)| free >= wanted) || Instant::now() >= until {
            return Ok(free);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Same as [`settled`], for a process that may not answer.
pub(in crate::run) fn free_memory(worker: &mut WorkerProcess, deadline: Duration, wanted: Option<u64>) -> Option<u64> {
    settled(worker, deadline, wanted).ok().flatten()
}

/// The runtime's description of itself and the device.
pub(super) fn ask(worker: &mut WorkerProcess, deadline: Duration) -> Result<Answers, String> {
    match worker.ask(&Request::Query, deadline) {
        Ok(Reply::Answers(answers)) => Ok(answers),
        Ok(other) => Err(format!("the process answered {other:?}")),
        Err(end) => Err(end.to_string()),
    }
}

/// A number from the runtime's answers; `None` if there is none.
pub(super) fn number<T: std::str::FromStr>(answers: &Answers, name: &str) -> Option<T> {
    answers.iter().find(|(asked, _)| asked == name)?.1.as_ref().ok()?.parse().ok()
}

/// Bytes of free device memory; `None` if the runtime does not report them.
fn free_of(answers: &Answers) -> Option<u64> {
    number(answers, FREE_MEMORY)
}
