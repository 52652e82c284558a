//! The seats for a rule's processes, which identify shared workers.

use steps::program::{Readiness, Sharing};

use catalog::Rule;

/// Identifies a worker on a machine by sharing, readiness state and device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seat {
    pub sharing: Sharing,
    pub state: Readiness,
    pub device: u32,
    /// The position among otherwise identical processes of a rule.
    pub ordinal: usize,
}

impl Seat {
    /// The seat of the pool's n-th worker on a device.
    pub fn pooled(device: u32, ordinal: usize) -> Seat {
        Seat { sharing: Sharing::Pooled, state: Readiness::Device, device, ordinal }
    }
}

/// The seats for a rule's processes; `None` for a process that is started for each case.
pub(super) fn seats(rule: &Rule) -> Vec<Option<Seat>> {
    let mut seats: Vec<Option<Seat>> = Vec::new();
    for process in &rule.program.processes {
        let first = Seat { sharing: process.sharing, state: process.state, device: process.device, ordinal: 0 };
        let like = |other: &&Seat| Seat { ordinal: 0, ..**other } == first;
        let ordinal = seats.iter().flatten().filter(like).count();
        seats.push((process.sharing != Sharing::Isolated).then_some(Seat { ordinal, ..first }));
    }
    seats
}
