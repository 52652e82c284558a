//! The devices: their health, settings that keep the suite from running on them, and other processes that use them.

use std::collections::BTreeSet;

use engine::doctor::{Certainty, Device, Examination, Finding, Severity};

use super::evidence::SMI;
use super::smi::{Gpu, Smi, User};

/// The most memory that an idle device uses, in MiB, as far as captures in public threads show. A display uses more.
const IDLE: u64 = 1024;
const MEMORY: &str = "NVIDIA GPU memory error management (row remapping, page retirement)";
const MIG: &str = "NVIDIA MIG user guide";

/// Records the devices and judges them. `visible` has their positions; `None` if they are unknown.
pub(super) fn look(smi: &Smi, visible: Option<&[usize]>, found: &mut Examination) {
    for (at, gpu) in smi.gpus.iter().enumerate() {
        let users: Vec<&User> = smi.users.iter().filter(|user| user.uuid == gpu.uuid).collect();
        let device = Device {
            label: gpu.index.clone(),
            name: Some(gpu.name.clone()),
            health: Some(health(gpu).to_owned()),
            health_sources: sources(gpu),
            memory_used: gpu.used,
            memory_total: gpu.memory,
            processes: users.iter().map(|user| shown(user)).collect(),
        };
        let left_out = visible.is_some_and(|visible| !visible.contains(&at));
        judge_health(gpu, left_out, found);
        if !left_out {
            judge_mode(gpu, found);
            judge_users(gpu, &device, found);
        }
        found.devices.push(device);
    }
    parts(smi, found);
    persistence(smi, found);
}

fn health(gpu: &Gpu) -> &'static str {
    match gpu {
        Gpu { fault: Some(_), .. } => "does not answer",
        Gpu { exhausted: true, .. } => "memory errors that cannot be repaired",
        Gpu { pending: true, .. } => "needs a reset",
        Gpu { errors: Some(1..), .. } => "memory errors",
        _ => "no known fault",
    }
}

fn sources(gpu: &Gpu) -> Vec<String> {
    let fault = gpu.fault.as_ref().map(|fault| format!("nvidia-smi prints {fault}"));
    let errors = gpu.errors.map(|errors| format!("uncorrectable memory errors since the driver was loaded: {errors}"));
    let pending = gpu.pending.then(|| "memory waits for a reset to be replaced".to_owned());
    let exhausted = gpu.exhausted.then(|| "memory could not be replaced".to_owned());
    fault.into_iter().chain(errors).chain(pending).chain(exhausted).collect()
}

fn shown(user: &User) -> String {
    let (process, name) = (user.process.as_str(), user.name.as_str());
    match user.memory {
        None => message!("device-user", process = process, name = name),
        Some(memory) => message!("device-user-with-memory", process = process, name = name, mebibytes = memory),
    }
}

fn judge_health(gpu: &Gpu, left_out: bool, found: &mut Examination) {
    let device = gpu.index.as_str();
    let (id, severity, title, next, source) = if gpu.fault.is_some() {
        let title = message!("health-no-answer", device = device);
        ("device.lost", Severity::Blocker, title, message!("device-lost-next"), SMI)
    } else if gpu.exhausted {
        let title = message!("health-exhausted", device = device);
        ("health.bad", Severity::Blocker, title, message!("health-exhausted-next"), MEMORY)
    } else if gpu.pending {
        let title = message!("health-pending", device = device);
        ("health.pending", Severity::Warning, title, message!("health-pending-next"), MEMORY)
    } else if let Some(errors @ 1..) = gpu.errors {
        let title = message!("health-memory-errors", device = device, errors = errors);
        ("health.memory-errors", Severity::Warning, title, message!("health-pending-next"), MEMORY)
    } else {
        return;
    };
    let severity = if left_out { Severity::Note } else { severity };
    let finding = Finding::new(id, severity, title, next).seen_all(sources(gpu));
    found.find(finding.rests_on(Certainty::Document, source));
}

/// Reports compute modes in which the suite's processes cannot share the device.
fn judge_mode(gpu: &Gpu, found: &mut Examination) {
    let device = gpu.index.as_str();
    let (id, title) = match gpu.compute_mode.as_deref() {
        Some("Prohibited") => ("mode.prohibited", message!("mode-prohibited", device = device)),
        Some(mode) if mode.starts_with("Exclusive") => {
            ("mode.exclusive", message!("mode-exclusive", device = device, mode = mode))
        }
        _ => return,
    };
    let next = message!("mode-next", device = device);
    found.find(Finding::new(id, Severity::Blocker, title, next).rests_on(Certainty::Document, SMI));
}

fn judge_users(gpu: &Gpu, device: &Device, found: &mut Examination) {
    let label = gpu.index.as_str();
    if !device.processes.is_empty() {
        let (title, next) = (message!("devices-in-use", device = label), message!("devices-in-use-next"));
        let finding = Finding::new("devices.in-use", Severity::Warning, title, next).seen_all(device.processes.clone());
        return found.find(finding.rests_on(Certainty::Document, SMI));
    }
    if let Some(used) = gpu.used.filter(|used| *used > IDLE) {
        let title = message!("devices-memory-in-use", device = label, used = used, idle = IDLE);
        let finding =
            Finding::new("devices.memory-in-use", Severity::Warning, title, message!("devices-memory-in-use-next"));
        found.find(finding.rests_on(Certainty::Field, "captures in public threads"));
    }
}

/// Reports devices that are divided (MIG): a process uses one part, and without parts nothing can be used.
fn parts(smi: &Smi, found: &mut Examination) {
    let divided: Vec<&str> =
        smi.gpus.iter().filter(|gpu| gpu.mig.as_deref() == Some("Enabled")).map(|gpu| gpu.index.as_str()).collect();
    if divided.is_empty() {
        return;
    }
    let devices = divided.join(", ");
    let finding = match smi.parts {
        0 => {
            let title = message!("mig-no-instance", devices = devices);
            Finding::new("mig.no-instance", Severity::Blocker, title, message!("mig-no-instance-next"))
        }
        parts => {
            let title = message!("mig-instances", devices = devices, parts = parts);
            Finding::new("mig.instances", Severity::Note, title, message!("mig-instances-next"))
        }
    };
    found.find(finding.rests_on(Certainty::Document, MIG));
}

/// Reports drivers that forget their state when no process uses a device.
fn persistence(smi: &Smi, found: &mut Examination) {
    let off: BTreeSet<&str> = smi
        .gpus
        .iter()
        .filter(|gpu| gpu.persistence.as_deref() == Some("Disabled"))
        .map(|gpu| gpu.index.as_str())
        .collect();
    if off.is_empty() {
        return;
    }
    let title = message!("persistence-off", devices = off.into_iter().collect::<Vec<_>>().join(", "));
    let finding = Finding::new("mode.persistence-off", Severity::Note, title, message!("persistence-off-next"));
    found.find(finding.rests_on(Certainty::Document, "NVIDIA driver persistence documentation"));
}
