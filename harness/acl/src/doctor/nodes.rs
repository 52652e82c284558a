//! Device nodes and their permissions, the hardware, and the driver in the kernel. No node is opened, because the first
//! process that opens a device occupies the device for the process's mount namespace (hicann/driver
//! src/sdk_driver/pbl/uda/uda_access.c).

use engine::doctor::{Certainty, Examination, Finding, HostMachine, Node, NodeKind, Severity};

use super::evidence::{DEVICE_SIDE, FAQ};
use super::install::Install;

/// The observations about nodes, hardware and modules.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// The numbers of the device nodes, in ascending order.
    pub devices: Vec<u32>,
    /// True if the process is in a known kind of container.
    pub container: bool,
    /// The device ids of the vendor's chips on the PCI bus.
    pub hardware: Vec<String>,
}

/// The group that owns the nodes, unless the install record names a different group.
const GROUP: &str = "HwHiAiUser";
/// Further nodes that a process needs: one node from each row. The columns are for servers, the 950, and boards with
/// the 310B. Sources: hicann/driver's udev rules, MindCluster's container runtime.
const COMPANIONS: &[&[&str]] =
    &[&["davinci_manager"], &["devmm_svm", "asdrv_svm", "svm0"], &["hisi_hdc", "uburma", "ts_aisle"]];
/// The vendor's id on the PCI bus.
const VENDOR: &str = "0x19e5";
/// The device ids of the vendor's accelerators.
const CHIPS: &[&str] = &["d100", "d500", "d801", "d802", "d803", "d804", "d805", "d806"];
/// The prefixes of the driver's module names.
const MODULES: &[&str] = &["drv_", "davinci", "ascend_", "asdrv_", "hdcdrv", "devmm"];

const UDEV: &str = "hicann/driver udev and install scripts; mind-cluster component/ascend-docker-runtime";

/// Examines nodes, hardware and modules.
pub(super) fn look(machine: &HostMachine, install: &Install, found: &mut Examination) -> Nodes {
    let nodes = machine.nodes("davinci");
    let number = |node: &Node| node.path.strip_prefix("/dev/davinci")?.parse::<u32>().ok();
    let mut devices: Vec<u32> = nodes.iter().filter_map(number).collect();
    devices.sort_unstable();
    let paths: Vec<&str> = nodes.iter().map(|node| node.path.as_str()).collect();
    let said = if paths.is_empty() { message!("no-nodes").to_owned() } else { paths.join(", ") };
    found.looked(message!("look-nodes"), "/dev/davinci*", said);
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
        Some(first) => message!("accelerators", count = hardware.len(), first = first.as_str()),
        None => message!("no-accelerator", count = slots.len()),
    };
    found.looked(message!("look-hardware"), BUS, said);
    hardware
}

/// True if the driver's modules are loaded; `None` if unknown.
fn loaded(machine: &HostMachine, found: &mut Examination) -> Option<bool> {
    let modules = machine.read("/proc/modules").ok()?;
    let names = modules.lines().filter_map(|line| line.split_whitespace().next());
    let ours: Vec<&str> = names.filter(|name| MODULES.iter().any(|known| name.starts_with(known))).collect();
    let said = if ours.is_empty() { message!("no-modules").to_owned() } else { ours.join(", ") };
    found.looked(message!("look-modules"), "/proc/modules", said);
    Some(!ours.is_empty())
}

/// Reports missing device nodes, with the cause.
fn absent(seen: &Nodes, install: &Install, loaded: Option<bool>, nodes: &[Node], found: &mut Examination) {
    let nodes = nodes.iter().map(|node| message!("node-exists", node = node.path.as_str()));
    let blocker = |id: &str, title: &str, next: &str| Finding::new(id, Severity::Blocker, title, next);
    let finding = if seen.container {
        let (title, next) = (message!("nodes-none-in-container"), message!("nodes-none-in-container-next"));
        blocker("nodes.none-in-container", title, next).rests_on(Certainty::Field, FAQ)
    } else if install.driver.is_none() {
        let next = match seen.hardware.is_empty() {
            true => message!("driver-missing-next-no-hardware"),
            false => message!("driver-missing-next"),
        };
        blocker("driver.missing", message!("driver-missing"), next).rests_on(Certainty::Field, FAQ)
    } else if loaded == Some(false) {
        let (title, next) = (message!("driver-module-not-loaded"), message!("driver-module-not-loaded-next"));
        blocker("driver.module-not-loaded", title, next)
            .rests_on(Certainty::Document, "hicann/driver docs FAQ (after a kernel update the modules are built again)")
    } else {
        let (title, next) = (message!("nodes-none"), message!("nodes-none-next"));
        blocker("nodes.none", title, next).rests_on(Certainty::Inferred, UDEV)
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
    let title = message!("nodes-incomplete", nodes = names.join(", "));
    let next = match seen.container {
        true => message!("nodes-incomplete-next-in-container"),
        false => message!("nodes-incomplete-next"),
    };
    found.find(Finding::new("nodes.incomplete", Severity::Blocker, title, next).rests_on(Certainty::Code, UDEV));
}

/// Reports devices that this process is not allowed to open, and the cause.
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
        let (title, next) = (message!("nodes-no-device", node = node.path.as_str()), message!("nodes-no-device-next"));
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
        let title = message!("nodes-not-in-group", group = group.as_str());
        let next = message!("nodes-not-in-group-next", group = group);
        // A process needs the manager's node as well as a device.
        let severity = if closed.iter().any(|node| number(node).is_none()) { Severity::Blocker } else { severity };
        let finding = Finding::new("nodes.not-in-group", severity, title, next).seen_all(list(&closed));
        found.find(finding.rests_on(Certainty::Field, FAQ));
    }
    let (granted_not, refused): (Vec<&Node>, Vec<&Node>) =
        denied.iter().partition(|node| node.denied.as_deref().is_some_and(|denied| denied.contains("not permitted")));
    if !granted_not.is_empty() {
        let (title, next) = (message!("nodes-not-granted"), message!("nodes-not-granted-next"));
        let finding = Finding::new("nodes.not-granted", severity, title, next).seen_all(list(&granted_not));
        found.find(finding.rests_on(Certainty::Field, DEVICE_SIDE));
    }
    if !refused.is_empty() {
        let (title, next) = (message!("nodes-sandbox"), message!("nodes-sandbox-next"));
        let finding = Finding::new("nodes.sandbox", severity, title, next).seen_all(list(&refused));
        found.find(finding.rests_on(Certainty::Field, FAQ));
    }
}

fn describe(machine: &HostMachine, node: &Node) -> String {
    let group = machine.group_name(node.group).unwrap_or_else(|| node.group.to_string());
    let (path, mode) = (node.path.as_str(), format!("{:04o}", node.mode));
    match node.denied.as_deref() {
        None => message!("node", node = path, mode = mode, user = node.user, group = group),
        Some(error) => {
            message!("node-denied", node = path, mode = mode, user = node.user, group = group, error = error)
        }
    }
}
