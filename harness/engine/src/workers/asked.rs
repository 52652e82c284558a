//! Which processes were asked for something: whose logs belong to a failure.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The processes that were asked for something, by the folder of their machine, on which one rule runs at a time.
#[derive(Debug, Default)]
pub struct Asked(Mutex<HashMap<PathBuf, BTreeSet<u32>>>);

impl Asked {
    pub(super) fn note(&self, machine: &Path, process: u32) {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match asked.get_mut(machine) {
            Some(processes) => drop(processes.insert(process)),
            None => drop(asked.insert(machine.to_owned(), BTreeSet::from([process]))),
        }
    }

    /// Those of a machine since this was asked before.
    pub fn take(&self, machine: &Path) -> BTreeSet<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(machine).unwrap_or_default()
    }
}
