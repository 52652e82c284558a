//! The quarantine for devices on which several starts in a row failed. No more workers are started on such a device.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::case::Trouble;
use steps::program::Readiness;

use super::machines::MachineFolder;

/// The number of failed starts in a row that leads to quarantine. A start that hangs costs its entire deadline, and 200
/// rules must not each wait for such a deadline.
pub(super) const MOST_FAILURES: u32 = 3;

/// The device and readiness state of a worker. A device that cannot be selected does not keep a rule from using a
/// library that is only loaded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The devices visible to processes on this machine; `None` for all.
    visible: Option<String>,
    device: u32,
    state: Readiness,
}

impl Place {
    pub(super) fn of(machine: &MachineFolder, device: u32, state: Readiness) -> Place {
        Place { visible: machine.visible.clone(), device, state }
    }

    /// The device, by its number on the machine that runs the suite.
    fn name(&self) -> String {
        let of = |visible: &String| visible.split(',').nth(self.device as usize).map(str::to_owned);
        self.visible.as_ref().and_then(of).unwrap_or_else(|| self.device.to_string())
    }
}

/// The number of failures in a row, by place.
#[derive(Debug, Default)]
pub struct Quarantine {
    failures: Mutex<BTreeMap<Place, (u32, Trouble)>>,
}

impl Quarantine {
    /// The reason why a place is quarantined; `None` if workers may start there.
    pub(super) fn reason(&self, place: &Place) -> Option<Trouble> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let (times, last) = failures.get(place)?;
        (*times >= MOST_FAILURES).then(|| {
            let message = format!(
                "device {} is in quarantine: {times} starts in a row failed there, the last because {}; fix the \
                 device, then rerun the rules without an answer",
                place.name(),
                last.message
            );
            Trouble { message, call: last.call.clone() }
        })
    }

    /// Records a failed start.
    pub(super) fn failed(&self, place: Place, reason: Trouble) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let times = failures.get(&place).map_or(0, |(times, _)| *times);
        failures.insert(place, (times + 1, reason));
    }

    /// Forgets the failures on machines whose processes see one of these devices, alone or with others.
    pub fn pardon(&self, visible: Option<&str>) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|place, _| match (place.visible.as_deref(), visible) {
            (Some(seen), Some(back)) => !seen.split(',').any(|seen| back.split(',').any(|back| back == seen)),
            (seen, back) => seen != back,
        });
    }

    /// Records a successful start.
    pub(super) fn succeeded(&self, place: &Place) {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).remove(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(device: u32) -> Place {
        Place { visible: None, device, state: Readiness::Device }
    }

    #[test]
    fn three_failures_in_a_row_are_enough() {
        let quarantine = Quarantine::default();
        for _ in 1..MOST_FAILURES {
            quarantine.failed(device(0), "of a first reason".to_owned().into());
        }
        assert_eq!(quarantine.reason(&device(0)), None);
        quarantine.failed(device(0), "it is dead".to_owned().into());
        let reason = quarantine.reason(&device(0)).unwrap().message;
        assert!(reason.contains("3 starts in a row failed there, the last because it is dead"), "{reason}");
    }

    #[test]
    fn a_start_that_succeeds_ends_the_row() {
        let quarantine = Quarantine::default();
        for _ in 0..MOST_FAILURES * 2 {
            quarantine.failed(device(0), String::new().into());
            assert_eq!(quarantine.reason(&device(0)), None);
            quarantine.succeeded(&device(0));
        }
    }

    #[test]
    fn a_device_that_is_back_is_tried_again_wherever_it_is_seen() {
        let quarantine = Quarantine::default();
        let seeing = |visible: &str| Place { visible: Some(visible.to_owned()), ..device(0) };
        for place in ["0,1", "1", "2,11"].map(seeing) {
            (0..MOST_FAILURES).for_each(|_| quarantine.failed(place.clone(), String::new().into()));
        }
        quarantine.pardon(Some("1"));
        let kept = ["0,1", "1", "2,11"].map(|visible| quarantine.reason(&seeing(visible)).is_some());
        assert_eq!(kept, [false, false, true]);
    }

    #[test]
    fn other_devices_and_libraries_that_are_only_loaded_go_on() {
        let quarantine = Quarantine::default();
        (0..MOST_FAILURES).for_each(|_| quarantine.failed(device(1), String::new().into()));
        assert!(quarantine.reason(&device(1)).is_some());
        assert_eq!(quarantine.reason(&device(0)), None);
        assert_eq!(quarantine.reason(&Place { state: Readiness::Loaded, ..device(1) }), None);
    }
}
