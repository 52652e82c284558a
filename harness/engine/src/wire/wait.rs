//! Waiting for a message: briefly by polling, then asleep.
//!
//! Waking a sleeping process on an idle core takes 20 µs or more, several times the cost of a step. So both sides poll
//! briefly before they sleep, and yield the processor meanwhile.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, Timespec, poll};

/// The time to poll before sleeping.
const AWAKE: Duration = Duration::from_micros(40);

/// Waits until one of the streams is readable, at most for `at_most` after polling; returns the number of readable
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
