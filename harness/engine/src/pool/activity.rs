//! Which processes of a machine were asked for something, and which case of it runs: whose logs belong to a failure, how
//! far a rule is.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was asked for on a machine, on which one rule runs at a time.
#[derive(Debug, Default)]
pub struct Activity(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    processes: BTreeSet<u32>,
    /// The case that ran when somebody looked last, from 1; 0: none was seen.
    case: u64,
}

impl Activity {
    pub(super) fn note(&self, process: u32) {
        self.known().processes.insert(process);
    }

    /// Notes which case runs; 0: none.
    pub(crate) fn note_case(&self, number: u64) {
        if number > 0 {
            self.known().case = number;
        }
    }

    /// The case that was seen to run since the processes were taken.
    pub fn case(&self) -> Option<u64> {
        Some(self.known().case).filter(|case| *case > 0)
    }

    /// The processes since this was asked before.
    pub fn take(&self) -> BTreeSet<u32> {
        std::mem::take(&mut *self.known()).processes
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
