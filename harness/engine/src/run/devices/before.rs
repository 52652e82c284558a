//! Which devices these are, and how they are, before anything runs on them: from the machine's tools, which open none.

use std::path::Path;
use std::time::Duration;

use crate::doctor::{HostMachine, MachineHealth};
use crate::run::options::Options;
use crate::run::target::Target;
use crate::workers::interrupt;
use record::Fingerprint;

use super::watch::Watch;

/// What each question to a tool or a library may take, and all questions of a look together. Tools of a healthy machine
/// answer within a second each.
const EACH: Duration = Duration::from_secs(10);
const WHOLE: Duration = Duration::from_secs(60);

/// What the machine's tools show.
pub(super) struct Before {
    pub fingerprint: Fingerprint,
    health: MachineHealth,
    look: fn(&HostMachine) -> MachineHealth,
}

impl Before {
    /// Asks the tools; `None`: the runtime has none.
    pub(super) fn look(target: &Target, options: &Options) -> Option<Before> {
        let doctor = target.runtime.doctor.as_ref()?;
        let mut fingerprint = (doctor.identify)(&machine());
        let mut health = (doctor.health)(&machine());
        let devices = target.conditions.devices;
        health.unknown.retain(|why| !fingerprint.unknown.contains(why));
        fingerprint.unknown.append(&mut health.unknown);
        health.devices.retain(|device| device.device.is_some());
        // Its own number of devices says that the tool means the same devices by its numbers.
        let fits = |listed: usize| {
            listed == devices as usize || options.conditions.devices.is_some_and(|wanted| listed > wanted as usize)
        };
        if !health.devices.is_empty() && !fits(health.devices.len()) {
            fingerprint.unknown.push(format!(
                "the machine's tool lists {} devices for this process, and the runtime counts {devices}: which is which is \
                 not known",
                health.devices.len()
            ));
            (fingerprint.devices, health.devices) = (Vec::new(), Vec::new());
        }
        fingerprint.devices.retain(|device| device.device < devices);
        health.devices.retain(|device| device.device.is_some_and(|device| device < devices));
        Some(Before { fingerprint, health, look: doctor.health })
    }

    /// What is wrong already: it puts no device out.
    pub(super) fn said(&self) -> Vec<String> {
        let faults = self.health.devices.iter().flat_map(|device| {
            let serious = device.faults.iter().filter(|fault| !fault.harmless);
            serious.map(|fault| {
                format!("before the run, on device {}, {}: it is used all the same", device.label, fault.words)
            })
        });
        faults.collect()
    }

    /// Watches units, each of which stands for the devices of these numbers; `None`: nothing is known of their health.
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
