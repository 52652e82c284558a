//! The connection between a case's processes, and the record of which process has the turn.

use std::os::fd::{BorrowedFd, OwnedFd};

use crate::wire::Turn;
use crate::wire::handing::Handed;
use steps::VariableId;

use super::fault::WorkerFault;

/// The connection to the other processes.
pub(super) trait Link {
    fn send(&self, turn: &Turn) -> Result<(), WorkerFault>;
    fn receive(&self) -> Result<Turn, WorkerFault>;
    /// Hands a descriptor over to the process that has the turn.
    fn give(&self, handed: Handed<BorrowedFd<'_>>) -> Result<(), WorkerFault>;
    /// Waits for the descriptor that another process hands over.
    fn take(&self) -> Result<Handed<OwnedFd>, WorkerFault>;
}

/// The record of which process has the turn.
pub(super) struct Turns<'a> {
    pub me: usize,
    pub holder: usize,
    /// True if the holder has passed the turn on already, to the process of the next statement.
    pub passed: bool,
    pub gone: Vec<bool>,
    /// The variables bound since this process took the turn.
    pub changed: Vec<VariableId>,
    pub link: &'a dyn Link,
}

impl<'a> Turns<'a> {
    pub(super) fn new(me: usize, processes: usize, link: &'a dyn Link) -> Turns<'a> {
        Turns { me, holder: 0, passed: false, gone: vec![false; processes], changed: Vec::new(), link }
    }
}
