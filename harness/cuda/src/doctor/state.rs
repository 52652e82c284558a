//! The queries that a run makes before its first rule and between rules, about the devices and their current faults.
//! These queries run in child processes with a time limit and open no device.

use std::collections::{BTreeMap, BTreeSet};

use engine::doctor::{DeviceHealth, Examination, Fault, HostMachine, MachineHealth, Version};
use record::{DeviceIdentity, Fingerprint, Installed};

use super::smi::{self, Gpu, Smi};
use super::{nodes, visible};

/// Identifies the devices to which the runtime gives numbers in this process, and the installed driver.
pub(super) fn identify(machine: &HostMachine) -> Fingerprint {
    let mut found = nothing_found(machine);
    nodes::look(machine, &mut found);
    found.findings.clear();
    let smi = smi::look(machine, &mut found);
    for version in smi.gpus.iter().filter_map(|gpu| gpu.driver.clone()).collect::<BTreeSet<_>>() {
        found.version("driver", version, "nvidia-smi");
    }
    let installed = found.versions.iter().map(|Version { of, version, source }| Installed {
        of: of.clone(),
        version: version.clone(),
        source: source.clone(),
    });
    let devices = numbers(machine, &smi).into_iter().zip(&smi.gpus).filter_map(|(number, gpu)| {
        let settings = [("ecc", &gpu.ecc), ("mig", &gpu.mig), ("compute-mode", &gpu.compute_mode)];
        let settings = settings.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
        Some(DeviceIdentity {
            device: number?,
            label: gpu.address.clone(),
            model: Some(gpu.name.clone()),
            address: Some(gpu.address.clone()),
            ids: BTreeMap::from([("uuid".to_owned(), gpu.uuid.clone())]),
            settings: settings.collect(),
        })
    });
    let mut devices: Vec<DeviceIdentity> = devices.collect();
    devices.sort_by_key(|device| device.device);
    Fingerprint { devices, installed: installed.collect(), unknown: unknown(&smi, &found) }
}

/// Examines the health of all devices.
pub(super) fn health(machine: &HostMachine) -> MachineHealth {
    let mut found = nothing_found(machine);
    let smi = smi::look(machine, &mut found);
    let devices = numbers(machine, &smi).into_iter().zip(&smi.gpus).map(|(device, gpu)| DeviceHealth {
        label: gpu.address.clone(),
        device,
        faults: faults(gpu),
        memory_errors: gpu.errors,
        waiting_pages: Some(u64::from(gpu.pending)),
    });
    MachineHealth { devices: devices.collect(), unknown: unknown(&smi, &found) }
}

fn nothing_found(machine: &HostMachine) -> Examination {
    Examination::new("", "", &machine.root().display().to_string())
}

/// The number that this process's runtime gives each listed device. A process sees one part of a divided device, whose
/// number does not follow from the list.
fn numbers(machine: &HostMachine, smi: &Smi) -> Vec<Option<u32>> {
    let of = |value: fn(&Gpu) -> &String| smi.gpus.iter().map(value).cloned().collect::<Vec<_>>();
    let divided = smi.gpus.iter().any(|gpu| gpu.mig.as_deref() == Some("Enabled"));
    let order = visible::numbered(machine, &of(|gpu| &gpu.uuid), &of(|gpu| &gpu.name)).filter(|_| !divided);
    let number = |at: usize| order.as_ref()?.iter().position(|known| *known == at);
    (0..smi.gpus.len()).map(|at| number(at).and_then(|number| u32::try_from(number).ok())).collect()
}

/// The reasons why the health of some devices may be unknown.
fn unknown(smi: &Smi, found: &Examination) -> Vec<String> {
    let absent = (!smi.there).then(|| "nvidia-smi was not found on this machine".to_owned());
    let failed = smi.failed.map(|_| "nvidia-smi fails".to_owned());
    absent.into_iter().chain(failed).chain(found.findings.iter().map(|finding| finding.title.clone())).collect()
}

fn faults(gpu: &Gpu) -> Vec<Fault> {
    let fault = |name: &str, words: String| Fault { name: name.to_owned(), words, harmless: false };
    let lost = gpu.fault.as_ref().map(|text| fault("silent", format!("nvidia-smi prints {text}")));
    let exhausted = gpu.exhausted.then(|| fault("exhausted", "bad memory could not be replaced".to_owned()));
    lost.into_iter().chain(exhausted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_does_not_answer_has_a_fault() {
        let text = include_str!("../../../../fixtures/machines/nvidia-smi-gpus.csv");
        let found: Vec<usize> = smi::gpus(text).iter().map(|gpu| faults(gpu).len()).collect();
        assert_eq!(found, [0, 0, 0, 1]);
    }
}
