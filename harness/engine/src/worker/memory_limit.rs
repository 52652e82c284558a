//! A worker's memory limit. If a library allocates without end, only the library's process fails, not the entire
//! machine.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::wire::MEMORY_WATCH;
use crate::wire::flight::Flight;

/// The interval between checks. A runtime needs half a second to fill a gibibyte.
const TICK: Duration = Duration::from_millis(10);
/// The limit counts as reached once less than one part in `LITTLE` is left, because failed allocations are not counted.
const LITTLE: u64 = 16;
/// The system file with a process's memory use, in pages.
const PAGES: &str = "/proc/self/statm";

/// Limits the additional data that this process may use to `bytes` bytes, and records in the flight recorder when
/// little is left.
pub(super) fn limit_memory(bytes: u64, flight: Flight) -> std::io::Result<()> {
    let statm = File::open(PAGES)?;
    let limit = data(&statm).unwrap_or_default().saturating_add(bytes);
    let Rlimit { maximum, .. } = getrlimit(Resource::Data);
    let limit = maximum.map_or(limit, |maximum| maximum.min(limit));
    setrlimit(Resource::Data, Rlimit { current: Some(limit), maximum })?;
    let watch = move || {
        loop {
            if data(&statm).is_some_and(|held| held >= limit.saturating_sub(bytes / LITTLE)) {
                flight.note_memory_limit(bytes);
            }
            std::thread::sleep(TICK);
        }
    };
    std::thread::Builder::new().name(MEMORY_WATCH.to_owned()).spawn(watch).map(drop)
}

/// The number of data bytes that this process uses. Does not allocate, because there may be no memory left.
fn data(statm: &File) -> Option<u64> {
    let mut text = [0; 256];
    let length = statm.read_at(&mut text, 0).ok()?;
    let pages: u64 = std::str::from_utf8(text.get(..length)?).ok()?.split_whitespace().nth(5)?.parse().ok()?;
    Some(pages.saturating_mul(rustix::param::page_size() as u64))
}
