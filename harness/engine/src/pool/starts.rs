//! The number of started processes, by reason.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use record::{StartReason, Starts};

/// The process starts in a run so far.
#[derive(Debug, Default)]
pub struct StartCount(Mutex<BTreeMap<StartReason, Starts>>);

impl StartCount {
    /// Counts a started process. If the runtime starts in the process, also counts a runtime start.
    pub fn note(&self, reason: StartReason, runtime: bool) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let starts = counts.entry(reason).or_default();
        starts.processes += 1;
        starts.runtimes += u64::from(runtime);
    }

    /// The starts, by reason.
    pub fn all(&self) -> BTreeMap<StartReason, Starts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of started processes.
    pub fn processes(&self) -> u64 {
        self.all().values().map(|starts| starts.processes).sum()
    }
}
