//! The queries that a run makes before its first rule and between rules, about the devices and their current faults.
//! Like the doctor's queries, these queries run in child processes with a time limit and open no device.

use std::collections::BTreeSet;

use engine::doctor::{DeviceHealth, Examination, Fault, HostMachine, MachineHealth};
use record::{DeviceIdentity, Fingerprint, Installed};

use super::chips::{label, logical, said_of, versions_of_tool};
use super::dcmi::{self, Dcmi};
use super::health::Health;
use super::smi::{self, About, Smi};
use super::{codes, install, visible};

/// Identifies the devices to which the runtime gives numbers in this process, and the installed components.
pub(super) fn identify(machine: &HostMachine) -> Fingerprint {
    let mut found = nothing_found(machine);
    install::look(machine, &mut found);
    let smi = smi::look(machine, &[About::Identity], &mut found);
    versions_of_tool(&smi, &mut found);
    let mut installed: Vec<Installed> = Vec::new();
    for engine::doctor::Version { of, version, source } in &found.versions {
        let version = Installed { of: of.clone(), version: version.clone(), source: source.clone() };
        if !installed.contains(&version) {
            installed.push(version);
        }
    }
    let numbers = numbers(machine, &smi);
    let chips = smi.table.chips.iter().zip(&numbers).enumerate();
    let mut devices: Vec<DeviceIdentity> = chips
        .filter_map(|(at, (chip, number))| {
            let identity = smi.identities.get(at).cloned().unwrap_or_default();
            Some(DeviceIdentity {
                device: (*number)?,
                label: label(chip),
                model: identity.model.or_else(|| chip.name.clone()),
                address: identity.address,
                ids: identity.ids,
                settings: smi.settings.get(&chip.card).cloned().unwrap_or_default(),
            })
        })
        .collect();
    devices.sort_by_key(|device| device.device);
    Fingerprint { devices, installed, unknown: unknown(&smi, &found) }
}

/// Examines the health of all devices.
pub(super) fn health(machine: &HostMachine) -> MachineHealth {
    let mut found = nothing_found(machine);
    let smi = smi::look(machine, &[About::Health], &mut found);
    if smi.table.chips.is_empty() {
        return MachineHealth { devices: Vec::new(), unknown: unknown(&smi, &found) };
    }
    let dcmi = if smi.hangs { Dcmi::default() } else { dcmi::look(machine, &mut found) };
    let numbers = numbers(machine, &smi);
    let chips = smi.table.chips.iter().zip(numbers).enumerate();
    let devices = chips.map(|(at, (chip, device))| {
        let errors = smi.errors.get(at).copied().flatten();
        DeviceHealth {
            label: label(chip),
            device,
            faults: faults(&smi, at, chip, &dcmi),
            memory_errors: errors.map(|errors| errors.double_bit),
            waiting_pages: errors.map(|errors| errors.waiting_pages),
        }
    });
    MachineHealth { devices: devices.collect(), unknown: unknown(&smi, &found) }
}

fn nothing_found(machine: &HostMachine) -> Examination {
    Examination::new("", "", &machine.root().display().to_string())
}

/// The number that this process's runtime gives each chip in the table.
fn numbers(machine: &HostMachine, smi: &Smi) -> Vec<Option<u32>> {
    let chips = &smi.table.chips;
    let seen = visible::seen(machine, chips.len());
    let number = |logical: u32| seen.iter().position(|seen| *seen == logical).and_then(|at| u32::try_from(at).ok());
    chips.iter().enumerate().map(|(at, chip)| logical(smi, at, chip).and_then(number)).collect()
}

/// The reasons why the health of some devices may be unknown.
fn unknown(smi: &Smi, found: &Examination) -> Vec<String> {
    let failed = smi.failed.map(|code| format!("npu-smi fails with {code}: {}", codes::meaning(code)));
    let absent = (!smi.there).then(|| "npu-smi was not found on this machine".to_owned());
    absent.into_iter().chain(failed).chain(found.findings.iter().map(|finding| finding.title.clone())).collect()
}

/// A chip's active faults: codes, a bad state that no code explains, missing answers, and a bad state of the driver.
fn faults(smi: &Smi, at: usize, chip: &smi::Chip, dcmi: &Dcmi) -> Vec<Fault> {
    let said = said_of(chip, smi.healths.get(at), dcmi);
    let words = |said: &super::health::Said| {
        let word = said.health.map_or("no answer", Health::name);
        format!("{}: {word}{}", said.source, said.details.iter().map(|it| format!(", {it}")).collect::<String>())
    };
    let words = said.iter().map(words).collect::<Vec<_>>().join("; ");
    let fault = |name: &str, what: &str, harmless| Fault {
        name: name.to_owned(),
        words: format!("{what} ({words})"),
        harmless,
    };
    let of_tool = smi.healths.get(at).and_then(Option::as_ref).into_iter().flat_map(|health| health.codes.clone());
    let codes: BTreeSet<String> = of_tool.chain(faults_of_dcmi(chip, dcmi)).collect();
    let mut faults: Vec<Fault> =
        codes.iter().map(|code| fault(code, &format!("the fault {code} is active"), codes::harmless(code))).collect();
    let worst = said.iter().filter_map(|said| said.health).max().unwrap_or(Health::Good);
    // A harmless fault explains a warning, but nothing worse.
    let explained = match worst {
        Health::Good => true,
        Health::Warning => !faults.is_empty(),
        _ => faults.iter().any(|fault| !fault.harmless),
    };
    if !explained {
        faults.push(fault(worst.name(), &format!("its state is {}", worst.name()), false));
    }
    // If the tool hangs, the missing answer says nothing about this chip.
    if chip.failed && !smi.hangs && smi.healths.get(at).is_some_and(Option::is_none) && worst == Health::Good {
        faults.push(fault("silent", "it no longer answers the tool", false));
    }
    if let Some(state) = dcmi.driver_health.and_then(Health::of_number).filter(|state| *state > Health::Good) {
        faults.push(fault("driver", &format!("the driver reports that its own state is {}", state.name()), false));
    }
    faults
}

fn faults_of_dcmi(chip: &smi::Chip, dcmi: &Dcmi) -> Vec<String> {
    let of = |card: i32, number: i32| {
        chip.card == card.to_string() && chip.chip.as_ref().is_none_or(|chip| *chip == number.to_string())
    };
    let of_chip = dcmi.faults.iter().filter(|(card, number, _)| of(*card, *number));
    of_chip.flat_map(|(_, _, codes)| codes.iter().map(|code| format!("{code:08X}"))).collect()
}
