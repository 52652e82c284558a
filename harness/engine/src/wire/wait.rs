//! Waits for a message, first by polling for a short time and then asleep.
//!
//! Waking a sleeping process on an idle core takes 20 µs or more, several times the cost of a step. Both sides
//! therefore poll for a short time before they sleep, and yield the processor while polling.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, Timespec, poll};

/// The time to poll before sleeping.
const AWAKE: Duration = Duration::from_micros(40);

/// Waits until one of the streams is readable, for at most `at_most` after polling. Returns the number of readable
/// streams.
pub fn ready(watched: &mut [PollFd<'_>], at_most: Duration) -> usize {
    let begun = Instant::now();
    loop {
        let count = poll(watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap_or(0);
        if count > 0 {
            return count;
        }
        if begun.elapsed() >= AWAKE {
            break;
        }
        rustix::thread::sched_yield();
    }
    let timeout = Timespec { tv_sec: at_most.as_secs() as i64, tv_nsec: i64::from(at_most.subsec_nanos()) };
    poll(watched, Some(&timeout)).unwrap_or(0)
}
