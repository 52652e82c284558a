//! The state of a lane: its place in time, its pauses, and the variables that it changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use steps::VariableId;

use crate::wire::flight::Flight;
use crate::wire::meeting::now;

/// The ticks that a block of lanes takes.
pub(super) const TICKS: u64 = 1 << 32;

/// A lane that a thread performs.
#[derive(Debug)]
pub(super) struct Lane {
    /// The position of the actor plus 1: the lane's number in the flight recorder.
    pub number: u32,
    /// The case's tick at the start of the block.
    pub base: u64,
    /// The time of the start, in nanoseconds of the monotonic clock.
    pub started: u64,
    /// Makes the pauses of different lanes and rounds different.
    pub seed: u64,
    /// The length of pauses: below 2 to this power, in microseconds; none for 0.
    pub jitter: u32,
    /// The number of pauses so far.
    pub pauses: u64,
    /// The variables that the lane changed and that other processes read.
    pub changed: Vec<VariableId>,
    /// Set when the lane makes its call: for a call that begins.
    pub made: Option<Arc<AtomicBool>>,
    /// Releases of resources that were acquired before the block: the function and the arguments.
    pub released: Vec<(&'static str, Vec<u64>)>,
}

impl Lane {
    /// The tick of a statement that begins now. Ticks order the calls of all lanes, also across processes.
    pub(super) fn tick(&self) -> u64 {
        // A unit of 16 nanoseconds, so that a block of a minute fits.
        self.base + (now().saturating_sub(self.started) >> 4).clamp(1, TICKS - 1)
    }

    /// Announces that a call is about to be made.
    pub(super) fn announce(&self) {
        if let Some(made) = &self.made {
            made.store(true, Ordering::Release);
        }
    }

    /// Pauses before a statement. A sleep would take too long, so the thread spins.
    pub(super) fn pause(&mut self) {
        self.pauses += 1;
        if self.jitter == 0 {
            return;
        }
        let most = 1000u64 << self.jitter.min(20);
        let end = now() + mixed(self.seed ^ u64::from(self.number), self.pauses) % most;
        let mut looks = 0u32;
        while now() < end {
            looks += 1;
            // On a busy machine, other lanes must get the processor.
            if looks.is_multiple_of(64) { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
    }
}

/// A number that depends on a seed and an index and looks random.
fn mixed(seed: u64, index: u64) -> u64 {
    let x = seed.wrapping_add(index.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let y = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    y ^ (y >> 27)
}

/// The place where the lanes of a case meet.
pub(super) fn open_meeting(path: &str) -> std::io::Result<Flight> {
    Flight::map(std::fs::File::options().read(true).write(true).open(path)?)
}
