//! The doctor for AscendCL, which examines the vendor's files, tools, libraries, device nodes and codes.
//!
//! ```text
//! install, nodes, kernel, environment (files) ┐
//! smi (tool), dcmi (library)                  ┼→ facts → health, usage, compat, visible, product → causes → findings
//! usage (processes)                           ┘
//! ```

#[macro_use]
mod words;

mod causes;
mod chips;
mod codes;
mod compat;
mod dcmi;
mod environment;
mod evidence;
mod health;
mod install;
mod kernel;
mod nodes;
mod product;
mod smi;
mod state;
mod usage;
mod versions;
mod visible;

use std::path::Path;

use engine::doctor::{Advice, Certainty, Device, Doctor, Examination, Finding, HostMachine, Patient, Severity};
use engine::questions::{Native, question};

use chips::{label, logical, said_of, versions_of_tool};
use dcmi::Dcmi;
use health::Health;
use smi::{About, Smi};

/// The registry entry.
pub(super) const DOCTOR: Doctor = Doctor {
    examine,
    answer,
    explain,
    identify: state::identify,
    health: state::health,
    advise,
    // These rules initialize the runtime, set a device, allocate, copy in both directions, wait for a stream, and
    // release everything.
    probe: &["acl.copy.sync-roundtrip", "acl.copy.async-roundtrip"],
};

fn examine(machine: &HostMachine, patient: &Patient<'_>, found: &mut Examination) {
    environment::look(machine, found);
    let install = install::look(machine, found);
    let nodes = nodes::look(machine, &install, found);
    let messages = kernel::look(machine, found);
    let openers = usage::openers(machine, found);
    let smi = smi::look(machine, &[About::Boards, About::Health], found);
    let dcmi = dcmi::look(machine, found);
    versions_of(machine, patient, &smi, found);
    compat::judge(&install, &smi.boards, machine.booted(), nodes.container, found);
    let count = if smi.table.chips.is_empty() { nodes.devices.len() } else { smi.table.chips.len() };
    let visible = visible::look(machine, count, nodes.container, found);
    devices(&smi, &dcmi, visible.as_deref(), found);
    if smi.table.incomplete {
        let (title, next) = (message!("driver-incomplete"), message!("driver-incomplete-next"));
        let finding = Finding::new("driver.incomplete", Severity::Warning, title, next);
        found.find(finding.rests_on(Certainty::Code, "hicann/driver npucli npu_info_print.c (Driver_Install_Status)"));
    }
    let names: Vec<String> = smi.table.chips.iter().filter_map(|chip| chip.name.clone()).collect();
    let mut names = names.into_iter().chain(smi.mapped.iter().filter_map(|row| row.name.clone())).collect::<Vec<_>>();
    names.retain(|name| !name.eq_ignore_ascii_case("mcu"));
    names.sort();
    names.dedup();
    let boards = smi.boards.iter().filter_map(|board| board.pci.clone());
    let hardware: Vec<String> = nodes.hardware.iter().cloned().chain(boards).collect();
    product::look(patient.rules, &names, &hardware, found);
    let resetting = usage::resetting(machine);
    let seen =
        causes::Occupants { openers: &openers, resetting: resetting.as_deref(), messages: &messages, dcmi: &dcmi };
    if let Some(code) = smi.failed {
        causes::explain(code, "npu-smi", &seen, found);
    } else if let Some(code) = dcmi.started.filter(|code| *code != 0) {
        causes::explain(code, message!("the-management-library"), &seen, found);
    }
}

/// Records the versions of the running driver, the boards and the runtime.
fn versions_of(machine: &HostMachine, patient: &Patient<'_>, smi: &Smi, found: &mut Examination) {
    versions_of_tool(smi, found);
    let Some(library) = &patient.library else { return };
    let place = library.display().to_string();
    let (answer, lines) = question(machine, "acl", &["versions", &place]);
    let said = lines.last().cloned().unwrap_or_else(|| answer.said());
    found.looked(message!("look-versions"), place, said);
    for line in &lines {
        if let Some((of, version)) = line.strip_prefix("version ").and_then(|rest| rest.split_once(' ')) {
            found.version(of, version, format!("aclsysGetVersionStr(\"{of}\")"));
        }
    }
}

/// Records the devices with their health and users.
fn devices(smi: &Smi, dcmi: &Dcmi, visible: Option<&[u32]>, found: &mut Examination) {
    for (at, chip) in smi.table.chips.iter().enumerate() {
        let mut device = Device { label: label(chip), name: chip.name.clone(), ..Device::default() };
        let left_out =
            visible.zip(logical(smi, at, chip)).is_some_and(|(visible, logical)| !visible.contains(&logical));
        health::judge(&mut device, &said_of(chip, smi.healths.get(at), dcmi), left_out, found);
        if !left_out {
            usage::judge(&mut device, chip, found);
            errors(&device, smi.errors.get(at).copied().flatten(), found);
        }
        found.devices.push(device);
    }
    if let Some(bad) = dcmi.driver_health.and_then(Health::of_number).filter(|health| *health > Health::Good) {
        let title = message!("health-driver", state = bad.name());
        let finding = Finding::new("health.driver", Severity::Blocker, title, message!("health-driver-next"));
        found.find(finding.rests_on(Certainty::Document, "hicann/driver docs: dcmi_get_driver_health"));
    }
}

/// Reports memory errors that matter.
fn errors(device: &Device, errors: Option<smi::Ecc>, found: &mut Examination) {
    let Some(errors) = errors.filter(|errors| errors.double_bit > 0 || errors.waiting_pages > 0) else { return };
    let label = device.label.as_str();
    let title = match errors.double_bit {
        0 => message!("health-memory-pages", device = label, pages = errors.waiting_pages),
        many => message!("health-memory-errors", device = label, errors = many),
    };
    let seen = message!("health-memory-errors-seen", isolated = errors.isolated_pages, waiting = errors.waiting_pages);
    let next = message!("health-memory-errors-next");
    let finding = Finding::new("health.memory-errors", Severity::Warning, title, next).seen(seen);
    found.find(finding.rests_on(Certainty::Document, "hicann/driver docs Ascend_950_npu-smi, ECC pages; npucli"));
}

fn advise(about: Advice) -> &'static str {
    match about {
        Advice::Installation => message!("advice-installation"),
        Advice::Dependency => message!("advice-dependency"),
    }
}

/// Answers a query, in a separate process.
fn answer(words: &[String], say: &mut dyn FnMut(&str)) {
    match words {
        [question, path] if question == "dcmi" => dcmi::answer(Path::new(path), say),
        [question, path] if question == "versions" => match Native::open(Path::new(path)) {
            // This function reads files and opens no device (hicann/runtime src/acl/aclrt_impl/acl.cpp).
            Ok(library) => {
                for of in ["runtime", "driver", "firmware"] {
                    match library.text_of("aclsysGetVersionStr", of) {
                        Some(Ok(version)) => say(&format!("version {of} {version}")),
                        Some(Err(code)) => say(&message!("no-version-of", component = of, code = code)),
                        None => return say(message!("no-version-function")),
                    }
                }
            }
            Err(error) => say(&format!("refused {error}")),
        },
        _ => {}
    }
}

fn explain(machine: &HostMachine, text: &str, found: &mut Examination) {
    let messages = kernel::Messages::default();
    let openers = usage::openers(machine, found);
    let (resetting, dcmi) = (usage::resetting(machine), Dcmi::default());
    let seen =
        causes::Occupants { openers: &openers, resetting: resetting.as_deref(), messages: &messages, dcmi: &dcmi };
    causes::of_runtime(text, &seen, found);
}
