//! Device nodes, their permissions, the hardware, and the driver in the kernel. No node is opened: the first opener
//! occupies a device for its mount namespace (hicann/driver src/sdk_driver/pbl/uda/uda_access.c).

use engine::doctor::{Certainty, Examination, Finding, HostMachine, Node, NodeKind, Severity};

use record::text::plural;

use super::evidence::{DEVICE_SIDE, FAQ};
use super::install::Install;

/// The observations.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// The numbers of the device nodes, ascending.
    pub devices: Vec<u32>,
    /// The process is in a container of a known kind.
    pub container: bool,
    /// The device ids of the vendor's chips on the PCI bus.
    pub hardware: Vec<String>,
}

/// The group of the nodes, unless the install record has another one.
const GROUP: &str = "HwHiAiUser";
/// Further nodes that a process needs, one of each row. The columns are for servers, the 950, and boards of the 310B.
/// Sources: udev rules of hicann/driver, MindCluster's container runtime.
const COMPANIONS: &[&[&str]] =
    &[&["davinci_manager"], &["devmm_svm", "asdrv_svm", "svm0"], &["hisi_hdc", "uburma", "ts_aisle"]];
/// The vendor's id on the PCI bus.
const VENDOR: &str = "0x19e5";
/// The device ids of its accelerators.
const CHIPS: &[&str] = &["d100", "d500", "d801", "d802", "d803", "d804", "d805", "d806"];
/// The prefixes of the names of the driver's modules.
const MODULES: &[&str] = &["drv_", "davinci", "ascend_", "asdrv_", "hdcdrv", "devmm"];

const UDEV: &str = "hicann/driver udev and install scripts; mind-cluster component/ascend-docker-runtime";

/// Examines nodes, hardware and modules.
pub(super) fn look(machine: &HostMachine, install: &Install, found: &mut Examination) -> Nodes {
    let nodes = machine.nodes("davinci");
    let number = |node: &Node| node.path.strip_prefix("/dev/davinci")?.parse::<u32>().ok();
    let mut devices: Vec<u32> = nodes.iter().filter_map(number).collect();
    devices.sort_unstable();
    let paths: Vec<&str> = nodes.iter().map(|node| node.path.as_str()).collect();
    let said = if paths.is_empty() { "none".to_owned() } else { paths.join(", ") };
    found.looked("device nodes", "/dev/davinci*", said);
    let seen = Nodes { devices, container: machine.container().is_some(), hardware: hardware(machine, found) };
    let loaded = loaded(machine, found);
    if seen.devices.is_empty() {
        absent(&seen, install, loaded, &nodes, found);
    } else {
        companions(machine, &seen, found);
        rights(machine, install, &nodes, number, found);
    }
    seen
}

fn hardware(machine: &HostMachine, found: &mut Examination) -> Vec<String> {
    const BUS: &str = "/sys/bus/pci/devices";
    let id =
        |slot: &str, file: &str| machine.read(format!("{BUS}/{slot}/{file}")).unwrap_or_default().trim().to_lowercase();
    let slots = machine.names(BUS);
    let ours = slots.iter().filter(|slot| id(slot, "vendor") == VENDOR);
    let ids = ours.map(|slot| id(slot, "device").trim_start_matches("0x").to_owned());
    let hardware: Vec<String> = ids.filter(|id| CHIPS.contains(&id.as_str())).collect();
    let said = match hardware.first() {
        Some(first) => format!("{} of the vendor, the first with id {first}", plural(hardware.len(), "accelerator")),
        None => format!("no accelerator of the vendor among {}", plural(slots.len(), "device")),
    };
    found.looked("hardware", BUS, said);
    hardware
}

/// True if the driver's modules are in the kernel; `None`: unknown.
fn loaded(machine: &HostMachine, found: &mut Examination) -> Option<bool> {
    let modules = machine.read("/proc/modules").ok()?;
    let names = modules.lines().filter_map(|line| line.split_whitespace().next());
    let ours: Vec<&str> = names.filter(|name| MODULES.iter().any(|known| name.starts_with(known))).collect();
    let said = if ours.is_empty() { "none of the driver's".to_owned() } else { ours.join(", ") };
    found.looked("kernel modules", "/proc/modules", said);
    Some(!ours.is_empty())
}

/// Reports that there is no device node, with the cause.
fn absent(seen: &Nodes, install: &Install, loaded: Option<bool>, nodes: &[Node], found: &mut Examination) {
    let nodes = nodes.iter().map(|node| format!("{} exists", node.path));
    let finding = if seen.container {
        let next = "start the container with its devices: the vendor's container runtime and ASCEND_VISIBLE_DEVICES, a \
                    resource request of the cluster, or --device for /dev/davinci0 (and others), /dev/davinci_manager, \
                    /dev/devmm_svm and /dev/hisi_hdc";
        let title = "this container has no device: /dev/davinci0 and its like are missing";
        Finding::new("nodes.none-in-container", Severity::Blocker, title, next).rests_on(Certainty::Field, FAQ)
    } else if install.driver.is_none() {
        let title = "the driver is not installed: it has neither a version file nor a device node";
        let next = match seen.hardware.is_empty() {
            true => {
                "check that this is the right machine: its PCI bus has no accelerator of the vendor; if it should have \
                 one, install the driver, then the firmware, and reboot"
            }
            false => "install the driver, then the firmware, and reboot",
        };
        Finding::new("driver.missing", Severity::Blocker, title, next).rests_on(Certainty::Field, FAQ)
    } else if loaded == Some(false) {
        let title = "the driver is installed, but none of its modules is loaded into the kernel";
        let next = "reboot; if that does not help, the kernel was updated: install its headers and the driver again, \
                    so that the modules are built for it";
        Finding::new("driver.module-not-loaded", Severity::Blocker, title, next)
            .rests_on(Certainty::Document, "hicann/driver docs FAQ (after a kernel update the modules are built again)")
    } else {
        let title = "the driver is loaded, but has no device node";
        let next = "read the kernel's messages of the start: the driver found no working device";
        Finding::new("nodes.none", Severity::Blocker, title, next).rests_on(Certainty::Inferred, UDEV)
    };
    found.find(finding.seen_all(nodes));
}

fn companions(machine: &HostMachine, seen: &Nodes, found: &mut Examination) {
    let there = |name: &&str| machine.nodes(name).iter().any(|node| node.path == format!("/dev/{name}"));
    let missing: Vec<&str> = COMPANIONS.iter().filter(|row| !row.iter().any(there)).map(|row| row[0]).collect();
    if missing.is_empty() {
        return;
    }
    let names: Vec<String> = missing.iter().map(|name| format!("/dev/{name}")).collect();
    let title =
        format!("device nodes exist, but further nodes that every process needs are missing: {}", names.join(", "));
    let next = match seen.container {
        true => "give them to the container as well, with --device or through the vendor's container runtime",
        false => "load the driver's modules: reboot, or install the driver again",
    };
    found.find(Finding::new("nodes.incomplete", Severity::Blocker, title, next).rests_on(Certainty::Code, UDEV));
}

/// Reports devices that this process may not open, with the cause.
fn rights(
    machine: &HostMachine,
    install: &Install,
    nodes: &[Node],
    number: impl Fn(&Node) -> Option<u32>,
    found: &mut Examination,
) {
    for node in
        nodes.iter().filter(|node| node.kind == NodeKind::Folder || !machine.is_copy() && node.kind != NodeKind::Device)
    {
        let title =
            format!("{} is not a device: the host lacks this path, so the container got a folder for it", node.path);
        let next = "start the container on a host with the driver loaded, or omit this path";
        found.find(Finding::new("nodes.no-device", Severity::Blocker, title, next).rests_on(Certainty::Inferred, UDEV));
    }
    let Some(who) = machine.identity() else { return };
    let devices: Vec<&Node> = nodes.iter().filter(|node| node.kind != NodeKind::Folder).collect();
    let (closed, open): (Vec<&Node>, Vec<&Node>) = devices.iter().partition(|node| !node.allows(&who));
    let (denied, free): (Vec<&Node>, Vec<&Node>) = open.iter().partition(|node| node.denied.is_some());
    let usable = free.iter().any(|node| number(node).is_some());
    let severity = if usable { Severity::Warning } else { Severity::Blocker };
    let list = |nodes: &[&Node]| nodes.iter().map(|node| describe(machine, node)).collect::<Vec<_>>();
    if let Some(first) = closed.first() {
        let group =
            machine.group_name(first.group).or_else(|| install.group.clone()).unwrap_or_else(|| GROUP.to_owned());
        let title = format!("this user may not open the devices, and is not in their group {group}");
        let next = format!(
            "add the user to the group (`usermod -aG {group} NAME`) and log in again; start a container with \
             --group-add; or run as a user of this group"
        );
        // The manager is needed as much as a device.
        let severity = if closed.iter().any(|node| number(node).is_none()) { Severity::Blocker } else { severity };
        let finding = Finding::new("nodes.not-in-group", severity, title, next).seen_all(list(&closed));
        found.find(finding.rests_on(Certainty::Field, FAQ));
    }
    let (granted_not, refused): (Vec<&Node>, Vec<&Node>) =
        denied.iter().partition(|node| node.denied.as_deref().is_some_and(|denied| denied.contains("not permitted")));
    if !granted_not.is_empty() {
        let title = "the machine has devices that the control group of this job does not grant";
        let next = "request as many devices from the scheduler as you need, or use only those that it grants: the \
                    runtime numbers its devices itself";
        let finding = Finding::new("nodes.not-granted", severity, title, next).seen_all(list(&granted_not));
        found.find(finding.rests_on(Certainty::Field, DEVICE_SIDE));
    }
    if !refused.is_empty() {
        let title = "a sandbox forbids opening the devices although their permission bits allow it";
        let next = "run outside the sandbox (a restricted shell, a user namespace, a security profile, a mount without \
                    devices), or allow /dev/davinci* in its rules";
        let finding = Finding::new("nodes.sandbox", severity, title, next).seen_all(list(&refused));
        found.find(finding.rests_on(Certainty::Field, FAQ));
    }
}

fn describe(machine: &HostMachine, node: &Node) -> String {
    let group = machine.group_name(node.group).unwrap_or_else(|| node.group.to_string());
    let denied = node.denied.as_ref().map(|denied| format!(": {denied}")).unwrap_or_default();
    format!("{} has mode {:04o}, user {}, group {group}{denied}", node.path, node.mode, node.user)
}
