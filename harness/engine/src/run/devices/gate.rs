//! The known operation: whether a process on a device can do it.

use std::time::{Duration, Instant};

use crate::case::{FailedCall, Trouble};
use crate::pool::WorkerProcess;
use crate::wire::message::{Answers, Reply, Request};
use catalog::FREE_MEMORY;

/// Bytes by which memory may have shrunk after the operation: half of what it allocates, much more than a driver keeps.
const MOST_KEPT: u64 = 16 << 20;
/// So often memory may shrink because somebody else took some meanwhile.
const ROUNDS: u32 = 3;
/// Runtimes may count what was freed a little later: so long it is waited for, and so often asked.
const SETTLES: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);

/// Has a process do the known operation. Gives what keeps it from being made: a function that the library does not have
/// says nothing about the device.
///
/// # Errors
/// What did not go as it must.
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
    Err(format!("of the memory that was allocated and freed, {kept} bytes did not come back, {ROUNDS} times in a row"))
}

/// Bytes of the device's memory that nobody uses, asked again for a while where they are fewer than these; `None`: the
/// runtime does not say.
///
/// # Errors
/// It does not answer.
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

/// Like [`settled`], for a process that may not answer.
pub(in crate::run) fn free_memory(worker: &mut WorkerProcess, deadline: Duration, wanted: Option<u64>) -> Option<u64> {
    settled(worker, deadline, wanted).ok().flatten()
}

/// What the runtime says about itself and the device.
pub(super) fn ask(worker: &mut WorkerProcess, deadline: Duration) -> Result<Answers, String> {
    match worker.ask(&Request::Query, deadline) {
        Ok(Reply::Answers(answers)) => Ok(answers),
        Ok(other) => Err(format!("the process answered {other:?}")),
        Err(end) => Err(end.to_string()),
    }
}

/// A number that the runtime answered; `None`: it did not.
pub(super) fn number<T: std::str::FromStr>(answers: &Answers, name: &str) -> Option<T> {
    answers.iter().find(|(asked, _)| asked == name)?.1.as_ref().ok()?.parse().ok()
}

/// Bytes of the device's memory that nobody uses; `None`: the runtime does not say.
fn free_of(answers: &Answers) -> Option<u64> {
    number(answers, FREE_MEMORY)
}
