//! Which processes were asked for something, and which case of it runs: whose logs belong to a failure, how far a rule is.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was asked for, by the folder of the machine, on which one rule runs at a time.
#[derive(Debug, Default)]
pub struct Asked(Mutex<HashMap<PathBuf, Known>>);

#[derive(Debug, Default)]
struct Known {
    processes: BTreeSet<u32>,
    /// The case that ran when somebody looked last, from 1; 0: none was seen.
    case: u64,
}

impl Asked {
    pub(super) fn note(&self, machine: &Path, process: u32) {
        let mut all = self.all();
        match all.get_mut(machine) {
            Some(known) => drop(known.processes.insert(process)),
            None => drop(all.insert(machine.to_owned(), Known { processes: BTreeSet::from([process]), case: 0 })),
        }
    }

    /// Notes which case runs on a machine; 0: none.
    pub(super) fn note_case(&self, machine: &Path, number: u64) {
        if let Some(known) = self.all().get_mut(machine).filter(|_| number > 0) {
            known.case = number;
        }
    }

    /// The case that was seen to run on a machine since its processes were taken.
    pub fn case(&self, machine: &Path) -> Option<u64> {
        self.all().get(machine).map(|known| known.case).filter(|case| *case > 0)
    }

    /// Those of a machine since this was asked before.
    pub fn take(&self, machine: &Path) -> BTreeSet<u32> {
        self.all().remove(machine).unwrap_or_default().processes
    }

    fn all(&self) -> MutexGuard<'_, HashMap<PathBuf, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
