//! The device gate: the known operation that a process must perform on each device.

use std::time::{Duration, Instant};

use crate::case::{FailedCall, Trouble};
use crate::pool::WorkerProcess;
use crate::wire::message::{Answers, Reply, Request};
use catalog::FREE_MEMORY;

/// The maximum number of bytes by which free memory may shrink during the operation: half of what the operation
/// allocates, and much more than a driver keeps.
const MOST_KEPT: u64 = 16 << 20;
/// The number of attempts. One attempt is not enough, because another program may take memory during an attempt.
const ROUNDS: u32 = 3;
/// The maximum time to wait for a runtime that updates its memory counters late. The next constant is the interval
/// between queries.
const SETTLES: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);

/// Makes a process perform the known operation. If the library lacks a function that the operation needs, returns the
/// reason, because a missing function proves nothing about the device.
///
/// # Errors
/// Fails if the operation fails.
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
            Ok(other) => return Err(format!("unexpected answer from the process: {other:?}")),
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

/// The free device memory in bytes. If less than `wanted` is free, polls for a while. `None` if the runtime does not
/// report the free memory.
///
/// # Errors
/// Fails if the process does not answer.
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

/// Same as [`settled`], but returns `None` if the process does not answer.
pub(in crate::run) fn free_memory(worker: &mut WorkerProcess, deadline: Duration, wanted: Option<u64>) -> Option<u64> {
    settled(worker, deadline, wanted).ok().flatten()
}

/// The runtime's description of itself and the device.
pub(super) fn ask(worker: &mut WorkerProcess, deadline: Duration) -> Result<Answers, String> {
    match worker.ask(&Request::Query, deadline) {
        Ok(Reply::Answers(answers)) => Ok(answers),
        Ok(other) => Err(format!("unexpected answer from the process: {other:?}")),
        Err(end) => Err(end.to_string()),
    }
}

/// A number in the runtime's answers; `None` if the number is missing.
pub(super) fn number<T: std::str::FromStr>(answers: &Answers, name: &str) -> Option<T> {
    answers.iter().find(|(asked, _)| asked == name)?.1.as_ref().ok()?.parse().ok()
}

/// The free device memory in bytes; `None` if the runtime does not report the free memory.
fn free_of(answers: &Answers) -> Option<u64> {
    number(answers, FREE_MEMORY)
}
