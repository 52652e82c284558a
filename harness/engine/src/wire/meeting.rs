//! The barrier at which lanes start: threads of one process, or of several processes that map the same memory.

use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The number of looks at the barrier before a lane lets other threads run, and before it sleeps.
const LOOKS: u32 = 200;
const LOOKS_AND_YIELDS: u32 = 250;
/// The longest time for which a lane that was woken waits for the others to wake.
const WAKING: Duration = Duration::from_millis(2);

/// A barrier in memory that outlives its users. Zeros are its first state.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Meeting {
    /// The number of lanes that wait.
    arrived: AtomicU32,
    /// The number of lanes that have left since the barrier opened.
    left: AtomicU32,
    /// The number of times that the barrier has opened.
    round: AtomicU32,
    /// The time at which the barrier opened last, in nanoseconds of the monotonic clock.
    opened: AtomicU64,
}

impl Meeting {
    /// Forgets lanes that arrived and never met, because their processes were lost.
    pub fn clear(&self) {
        self.arrived.store(0, Ordering::Release);
    }

    /// Waits until `lanes` lanes have arrived. Returns the time of the start, the same in all lanes. `arriving` is more
    /// than 1 if a thread arrives for lanes that cannot run.
    pub fn meet(&self, lanes: u32, arriving: u32) -> u64 {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(arriving, Ordering::AcqRel) + arriving >= lanes {
            self.arrived.store(0, Ordering::Relaxed);
            self.left.store(0, Ordering::Relaxed);
            self.opened.store(now(), Ordering::Relaxed);
            self.round.fetch_add(1, Ordering::Release);
            self.wake();
        } else {
            let mut looks = 0;
            while self.round.load(Ordering::Acquire) == round {
                looks += 1;
                match looks {
                    0..LOOKS => std::hint::spin_loop(),
                    LOOKS..LOOKS_AND_YIELDS => std::thread::yield_now(),
                    _ => self.sleep(round),
                }
            }
        }
        // A lane that slept wakes later than the one that opened the barrier, which waits for it here.
        self.left.fetch_add(arriving, Ordering::AcqRel);
        let opened = self.opened.load(Ordering::Relaxed);
        let mut looks = 0u32;
        while self.left.load(Ordering::Acquire) < lanes && Duration::from_nanos(now().saturating_sub(opened)) < WAKING {
            looks += 1;
            if looks.is_multiple_of(LOOKS) { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
        opened
    }

    fn sleep(&self, round: u32) {
        let most = libc::timespec { tv_sec: 1, tv_nsec: 0 };
        // SAFETY: the word lives as long as `self`. The call returns at once if the word has changed; after a second,
        // or a signal, the caller looks again.
        unsafe {
            libc::syscall(libc::SYS_futex, self.round.as_ptr(), libc::FUTEX_WAIT, round, &most, ptr::null::<u32>(), 0);
        }
    }

    fn wake(&self) {
        // SAFETY: the word lives as long as `self`.
        unsafe {
            libc::syscall(libc::SYS_futex, self.round.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
        }
    }
}

/// The time in nanoseconds of the monotonic clock, which all processes of a machine share.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the time; this clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn lanes_start_only_when_all_have_arrived() {
        let meeting = Meeting::default();
        let arrived = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=50 {
                        arrived.fetch_add(1, Ordering::AcqRel);
                        meeting.meet(3, 1);
                        assert!(arrived.load(Ordering::Acquire) >= 3 * round);
                        meeting.meet(3, 1);
                    }
                });
            }
        });
    }

    #[test]
    fn a_thread_arrives_for_lanes_that_cannot_run() {
        let meeting = Meeting::default();
        std::thread::scope(|scope| {
            scope.spawn(|| meeting.meet(3, 2));
            meeting.meet(3, 1);
        });
    }
}
