//! The identity and health of the devices before the run. The machine's tools report both without opening a device.

use std::path::Path;
use std::time::Duration;

use crate::doctor::{HostMachine, MachineHealth};
use crate::pool::interrupt;
use crate::run::options::Options;
use crate::run::target::Target;
use record::Fingerprint;

use super::watch::Watch;

/// The time limit for a single query to a tool or library. The next constant is the limit for all queries in one
/// check. On a healthy machine, each tool answers within a second.
const EACH: Duration = Duration::from_secs(10);
const WHOLE: Duration = Duration::from_secs(60);

/// The output of the machine's tools.
pub(super) struct Before {
    pub fingerprint: Fingerprint,
    health: MachineHealth,
    look: fn(&HostMachine) -> MachineHealth,
}

impl Before {
    /// Queries the tools. Returns `None` if the runtime has no tools.
    pub(super) fn look(target: &Target, options: &Options) -> Option<Before> {
        let doctor = target.runtime.doctor.as_ref()?;
        let mut fingerprint = (doctor.identify)(&machine());
        let mut health = (doctor.health)(&machine());
        let devices = target.conditions.devices;
        health.unknown.retain(|why| !fingerprint.unknown.contains(why));
        fingerprint.unknown.append(&mut health.unknown);
        health.devices.retain(|device| device.device.is_some());
        // If the tool lists the same number of devices, its numbers refer to the same devices.
        let fits = |listed: usize| {
            listed == devices as usize || options.conditions.devices.is_some_and(|wanted| listed > wanted as usize)
        };
        if !health.devices.is_empty() && !fits(health.devices.len()) {
            fingerprint.unknown.push(format!(
                "the machine's tool lists {} devices for this process, but the runtime reports {devices}, so they \
                 cannot be matched",
                health.devices.len()
            ));
            (fingerprint.devices, health.devices) = (Vec::new(), Vec::new());
        }
        fingerprint.devices.retain(|device| device.device < devices);
        health.devices.retain(|device| device.device.is_some_and(|device| device < devices));
        Some(Before { fingerprint, health, look: doctor.health })
    }

    /// Remarks about problems that existed before the run. Such a problem does not put a device in quarantine.
    pub(super) fn said(&self) -> Vec<String> {
        let faults = self.health.devices.iter().flat_map(|device| {
            let serious = device.faults.iter().filter(|fault| !fault.harmless);
            serious.map(|fault| {
                format!("before the run, on device {}, {}; using the device anyway", device.label, fault.words)
            })
        });
        faults.collect()
    }

    /// Starts the watch over units that consist of the devices with these numbers. Returns `None` if the devices'
    /// health is unknown.
    pub(super) fn watch(self, units: &[Vec<u32>]) -> Option<Watch> {
        let label = |number: &u32| {
            let device = self.health.devices.iter().find(|device| device.device == Some(*number));
            device.map(|device| device.label.clone())
        };
        let units: Vec<Vec<String>> = units.iter().map(|numbers| numbers.iter().filter_map(label).collect()).collect();
        let look = self.look;
        (!self.health.devices.is_empty()).then(|| Watch::new(move || look(&machine()), self.health, units))
    }
}

fn machine() -> HostMachine {
    HostMachine::new(Path::new("/"), EACH).within(WHOLE).abandoned_where(|| interrupt::requested().is_some())
}
