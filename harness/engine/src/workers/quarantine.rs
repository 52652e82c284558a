//! Devices that no worker could be set up on several times in a row: nothing more is started there.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::case::Trouble;
use steps::program::State;

/// Starts that may fail in a row. A start that hangs costs its whole deadline: 200 rules must not wait for it.
pub(super) const MOST_FAILURES: u32 = 3;

/// What failed in a row, by device and by how far it was to be set up: a device that cannot be selected does not keep
/// a rule from looking at a library that is only loaded.
#[derive(Debug, Default)]
pub struct Quarantine {
    failures: Mutex<BTreeMap<(u32, State), (u32, Trouble)>>,
}

impl Quarantine {
    /// Why nothing is started on this device any more; `None`: it may be tried.
    pub fn reason(&self, device: u32, state: State) -> Option<Trouble> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let (times, last) = failures.get(&(device, state))?;
        (*times >= MOST_FAILURES).then(|| {
            let message = format!(
                "device {device} is in quarantine, nothing was tried: {times} starts in a row failed there, the last \
                 because {}; see to the device, then run the rules without an answer again",
                last.message
            );
            Trouble { message, call: last.call.clone() }
        })
    }

    /// Notes a start that failed.
    pub fn failed(&self, device: u32, state: State, reason: Trouble) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let times = failures.get(&(device, state)).map_or(0, |(times, _)| *times);
        failures.insert((device, state), (times + 1, reason));
    }

    /// Notes a start that succeeded.
    pub fn succeeded(&self, device: u32, state: State) {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).remove(&(device, state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_in_a_row_are_enough() {
        let quarantine = Quarantine::default();
        for _ in 1..MOST_FAILURES {
            quarantine.failed(0, State::Device, "of a first reason".to_owned().into());
        }
        assert_eq!(quarantine.reason(0, State::Device), None);
        quarantine.failed(0, State::Device, "it is dead".to_owned().into());
        let reason = quarantine.reason(0, State::Device).unwrap().message;
        assert!(reason.contains("3 starts in a row failed there, the last because it is dead"), "{reason}");
    }

    #[test]
    fn a_start_that_succeeds_ends_the_row() {
        let quarantine = Quarantine::default();
        for _ in 0..MOST_FAILURES * 2 {
            quarantine.failed(0, State::Device, String::new().into());
            assert_eq!(quarantine.reason(0, State::Device), None);
            quarantine.succeeded(0, State::Device);
        }
    }

    #[test]
    fn other_devices_and_libraries_that_are_only_loaded_go_on() {
        let quarantine = Quarantine::default();
        (0..MOST_FAILURES).for_each(|_| quarantine.failed(1, State::Device, String::new().into()));
        assert!(quarantine.reason(1, State::Device).is_some());
        assert_eq!(quarantine.reason(0, State::Device), None);
        assert_eq!(quarantine.reason(1, State::Loaded), None);
    }
}
