//! Waiting for a message: a moment awake, then asleep.
//!
//! Waking a process that sleeps on an idle core costs 20 µs and more, several times what a step of a rule costs. So
//! both sides listen for a moment before they sleep, and let others run meanwhile.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, Timespec, poll};

/// How long to listen before sleeping.
const AWAKE: Duration = Duration::from_micros(40);

/// Waits until one of the streams can be read, at most for `at_most` after listening; says how many can.
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
