//! Other users of the devices: processes that the tool lists, memory use above the level of an idle device, and
//! processes in other mount namespaces that have nodes open.

use engine::doctor::{Certainty, Device, Examination, Finding, HostMachine, Severity};

use super::smi::Chip;

/// The largest device memory to which a row applies, and the most memory that an idle device uses, both in MiB.
/// Observed use: 2.9 of 32 GB, 3.1 to 3.4 of 64 GB, 4.4 of 86 to 131 GB, 1.8 of 21.5 GB. The table adds a tenth.
const IDLE: &[(u64, u64)] = &[(24 << 10, 2100), (40 << 10, 3300), (72 << 10, 3900), (u64::MAX, 5100)];
const CAPTURES: &str = "captures in public threads; hicann/driver DCMI manual, dcmi_get_device_hbm_info";

/// Writes a chip's users and memory to the chip's row, and judges the users and the memory.
pub(super) fn judge(device: &mut Device, chip: &Chip, found: &mut Examination) {
    device.processes = chip
        .users
        .iter()
        .map(|user| {
            let name = if user.name.is_empty() { message!("of-another-namespace") } else { user.name.as_str() };
            let process = user.process.as_str();
            match user.memory {
                None => message!("device-user", process = process, name = name),
                Some(memory) => {
                    message!("device-user-with-memory", process = process, name = name, mebibytes = memory)
                }
            }
        })
        .collect();
    (device.memory_used, device.memory_total) = chip.memory.unzip();
    let label = device.label.as_str();
    if !device.processes.is_empty() {
        let (title, next) = (message!("devices-in-use", device = label), message!("devices-in-use-next"));
        let finding = Finding::new("devices.in-use", Severity::Warning, title, next).seen_all(device.processes.clone());
        return found
            .find(finding.rests_on(Certainty::Code, "hicann/driver npucli npu_info_print.c (at most 8 are listed)"));
    }
    let Some((used, total)) = chip.memory else { return };
    let idle = IDLE.iter().find(|(most, _)| total <= *most).map_or(u64::MAX, |(_, idle)| *idle);
    if used > idle {
        let title = message!("devices-memory-in-use", device = label, used = used, idle = idle);
        let finding =
            Finding::new("devices.memory-in-use", Severity::Warning, title, message!("devices-memory-in-use-next"));
        found.find(finding.rests_on(Certainty::Field, CAPTURES));
    }
}

/// A process with an open device node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opener {
    pub process: String,
    pub command: String,
    pub node: String,
    /// True if the process is in a different mount namespace than this process.
    pub elsewhere: bool,
}

/// The processes that have a node open and are visible to this user.
pub(super) fn openers(machine: &HostMachine, found: &mut Examination) -> Vec<Opener> {
    let own = machine.link("/proc/self/ns/mnt");
    let processes = machine.names("/proc").into_iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let mut openers = Vec::new();
    for process in processes {
        let nodes = machine.names(format!("/proc/{process}/fd")).into_iter();
        let links = nodes.filter_map(|number| machine.link(format!("/proc/{process}/fd/{number}")));
        let Some(node) = links.into_iter().find(|link| is_device(link)) else { continue };
        let namespace = machine.link(format!("/proc/{process}/ns/mnt"));
        let command = machine.read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let elsewhere = own.is_some() && namespace.is_some() && namespace != own;
        openers.push(Opener { process, command: command.replace('\0', " ").trim().to_owned(), node, elsewhere });
    }
    let processes: Vec<&str> = openers.iter().map(|opener| opener.process.as_str()).collect();
    let said = match processes.len() {
        0 => message!("no-openers").to_owned(),
        count => message!("openers", count = count, processes = processes.join(", ")),
    };
    found.looked(message!("look-openers"), "/proc/*/fd", said);
    openers
}

fn is_device(link: &str) -> bool {
    link.strip_prefix("/dev/davinci").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A process that is resetting a device.
pub(super) fn resetting(machine: &HostMachine) -> Option<String> {
    let processes = machine.names("/proc").into_iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    processes.into_iter().find_map(|process| {
        let command = machine.read(format!("/proc/{process}/cmdline")).unwrap_or_default().replace('\0', " ");
        let resets = command.contains("npu-smi") && command.contains("reset");
        resets.then(|| message!("process-resetting", process = process, command = command.trim()))
    })
}
