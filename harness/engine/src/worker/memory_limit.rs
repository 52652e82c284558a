//! The limit of a worker's memory: a library that allocates without end fails in its process, and not the machine.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::wire::flight::Flight;

/// How often the process is looked at. A gibibyte takes a runtime half a second.
const TICK: Duration = Duration::from_millis(10);
/// The limit is reached when less than this part of it is left: what fails to be allocated is not counted.
const LITTLE: u64 = 16;
/// What the system tells of a process's memory, in pages.
const PAGES: &str = "/proc/self/statm";

/// From now on this process gets so many bytes of data beside what it has, and notes in the flight recorder when there is
/// little left.
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
    std::thread::Builder::new().spawn(watch).map(drop)
}

/// Bytes of data of this process. Allocates nothing: where it is needed there may be nothing to allocate.
fn data(statm: &File) -> Option<u64> {
    let mut text = [0; 256];
    let length = statm.read_at(&mut text, 0).ok()?;
    let pages: u64 = std::str::from_utf8(text.get(..length)?).ok()?.split_whitespace().nth(5)?.parse().ok()?;
    Some(pages.saturating_mul(rustix::param::page_size() as u64))
}
