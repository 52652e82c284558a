//! The activity on a machine: the processes that the current rule uses, and the current case. If the rule fails, the
//! logs of these processes belong to the failure.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The activity on a machine, which runs one rule at a time.
#[derive(Debug, Default)]
pub struct Activity(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    processes: BTreeSet<u32>,
    /// Remarks about processes with a debugger.
    traced: BTreeSet<String>,
    /// The number of the last case that was seen running, from 1; 0 if no case was seen.
    case: u64,
}

impl Activity {
    pub(super) fn note(&self, process: u32) {
        self.known().processes.insert(process);
    }

    /// Records a remark about a process with a debugger. Returns true if the remark is new.
    pub(super) fn note_traced(&self, remark: String) -> bool {
        self.known().traced.insert(remark)
    }

    /// Takes the remarks about processes with a debugger since the previous call.
    pub fn take_traced(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.known().traced)
    }

    /// Records the current case; 0 for none.
    pub(crate) fn note_case(&self, number: u64) {
        if number > 0 {
            self.known().case = number;
        }
    }

    /// The number of the last case that was seen running since the processes were taken.
    pub fn case(&self) -> Option<u64> {
        Some(self.known().case).filter(|case| *case > 0)
    }

    /// Takes the processes used since the previous call.
    pub fn take(&self) -> BTreeSet<u32> {
        let mut known = self.known();
        known.case = 0;
        std::mem::take(&mut known.processes)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
