//! Device nodes and their permissions, the hardware, the driver's modules, and the machines whose driver is elsewhere:
//! containers and the Windows Subsystem for Linux (WSL). No node is opened.

use engine::doctor::{Certainty, Examination, Finding, HostMachine, Node, NodeKind, Severity};

use super::evidence::{CONTAINERS, MODULE};

/// The observations about nodes, hardware and modules.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// The numbers of the device nodes, in ascending order.
    pub devices: Vec<u32>,
    /// True if the process is in a known kind of container.
    pub container: bool,
    /// True if the machine is a Windows Subsystem for Linux.
    pub wsl: bool,
    /// The addresses of the vendor's display and compute devices on the PCI bus.
    pub hardware: Vec<String>,
    /// True if the driver's module is loaded; `None` if unknown.
    pub loaded: Option<bool>,
    /// The version of the loaded module.
    pub module: Option<String>,
}

/// Further nodes that a process needs.
const COMPANIONS: &[&str] = &["/dev/nvidiactl", "/dev/nvidia-uvm"];
/// The folder with the channels over which fabric handles reach other machines.
const CHANNELS: &str = "/dev/nvidia-caps-imex-channels";
/// The node of a device in WSL.
const WSL_NODE: &str = "/dev/dxg";
/// The vendor's id on the PCI bus.
const VENDOR: &str = "0x10de";
/// The beginnings of the PCI classes of display and 3D controllers.
const CLASSES: &[&str] = &["0x0300", "0x0302"];
const VERSION: &str = "/proc/driver/nvidia/version";

/// Examines nodes, hardware and modules.
pub(super) fn look(machine: &HostMachine, found: &mut Examination) -> Nodes {
    let nodes = machine.nodes("nvidia");
    let mut devices: Vec<u32> = nodes.iter().filter_map(number).collect();
    devices.sort_unstable();
    let paths: Vec<&str> = nodes.iter().map(|node| node.path.as_str()).collect();
    let said = if paths.is_empty() { message!("no-nodes").to_owned() } else { paths.join(", ") };
    found.looked(message!("look-nodes"), "/dev/nvidia*", said);
    let kernel = machine.read("/proc/sys/kernel/osrelease").unwrap_or_default();
    let wsl = machine.exists(WSL_NODE) || kernel.to_lowercase().contains("microsoft");
    let container = machine.container().is_some();
    let hardware = hardware(machine, found);
    let (loaded, nouveau) = loaded(machine, found);
    let seen = Nodes { devices, container, wsl, hardware, loaded, module: module(machine, found) };
    if wsl {
        in_wsl(machine, found);
    } else if seen.devices.is_empty() {
        absent(&seen, nouveau, found);
    } else {
        companions(&seen, &nodes, found);
        rights(machine, &nodes, found);
    }
    channels(machine, found);
    seen
}

/// The number of a device's node.
fn number(node: &Node) -> Option<u32> {
    node.path.strip_prefix("/dev/nvidia")?.parse().ok()
}

fn hardware(machine: &HostMachine, found: &mut Examination) -> Vec<String> {
    const BUS: &str = "/sys/bus/pci/devices";
    let text =
        |slot: &str, file: &str| machine.read(format!("{BUS}/{slot}/{file}")).unwrap_or_default().trim().to_lowercase();
    let slots = machine.names(BUS);
    let is_display = |slot: &&String| CLASSES.iter().any(|class| text(slot, "class").starts_with(class));
    let ours = slots.iter().filter(|slot| text(slot, "vendor") == VENDOR).filter(is_display);
    let hardware: Vec<String> = ours.cloned().collect();
    let said = match hardware.first() {
        Some(first) => message!("accelerators", count = hardware.len(), first = first.as_str()),
        None => message!("no-accelerator", count = slots.len()),
    };
    found.looked(message!("look-hardware"), BUS, said);
    hardware
}

/// Returns two results: whether the driver's module is loaded (`None` if unknown), and whether the module of the other
/// driver for the same devices is loaded.
fn loaded(machine: &HostMachine, found: &mut Examination) -> (Option<bool>, bool) {
    let Ok(modules) = machine.read("/proc/modules") else { return (None, false) };
    let names: Vec<&str> = modules.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let ours: Vec<&str> =
        names.iter().copied().filter(|name| name.starts_with("nvidia") || *name == "nouveau").collect();
    let said = if ours.is_empty() { message!("no-modules").to_owned() } else { ours.join(", ") };
    found.looked(message!("look-modules"), "/proc/modules", said);
    (Some(names.contains(&"nvidia")), names.contains(&"nouveau"))
}

fn module(machine: &HostMachine, found: &mut Examination) -> Option<String> {
    let text = machine.read(VERSION);
    let said =
        text.as_ref().map_or_else(ToString::to_string, |text| text.lines().next().unwrap_or_default().to_owned());
    found.looked(message!("look-module-version"), VERSION, said);
    let version = super::versions::of_module(text.as_ref().ok()?)?.to_owned();
    found.version("driver", version.clone(), VERSION);
    Some(version)
}

/// Examines a Windows Subsystem for Linux, whose driver belongs to Windows.
fn in_wsl(machine: &HostMachine, found: &mut Examination) {
    let there = machine.exists(WSL_NODE);
    found.looked(message!("look-wsl"), WSL_NODE, if there { message!("found") } else { message!("not-found") });
    if !there {
        let (title, next) = (message!("wsl-no-device"), message!("wsl-no-device-next"));
        let finding = Finding::new("wsl.no-device", Severity::Blocker, title, next);
        found.find(finding.rests_on(Certainty::Document, "CUDA on WSL user guide"));
    }
}

/// Reports missing device nodes, with the cause.
fn absent(seen: &Nodes, nouveau: bool, found: &mut Examination) {
    let blocker = |id: &str, title: &str, next: &str| Finding::new(id, Severity::Blocker, title, next);
    let finding = if seen.container {
        let (title, next) = (message!("nodes-none-in-container"), message!("nodes-none-in-container-next"));
        blocker("nodes.none-in-container", title, next).rests_on(Certainty::Document, CONTAINERS)
    } else if nouveau && seen.loaded != Some(true) {
        let (title, next) = (message!("driver-nouveau"), message!("driver-nouveau-next"));
        blocker("driver.nouveau", title, next)
            .rests_on(Certainty::Document, "NVIDIA driver installation guide (nouveau); lines of the module NVRM")
    } else if seen.loaded == Some(false) {
        let next = match seen.hardware.is_empty() {
            true => message!("driver-module-not-loaded-next-no-hardware"),
            false => message!("driver-module-not-loaded-next"),
        };
        blocker("driver.module-not-loaded", message!("driver-module-not-loaded"), next)
            .rests_on(Certainty::Document, "NVIDIA driver installation guide")
    } else {
        let (title, next) = (message!("nodes-none"), message!("nodes-none-next"));
        blocker("nodes.none", title, next).rests_on(Certainty::Document, MODULE)
    };
    found.find(finding.seen_all(seen.hardware.iter().map(|slot| message!("slot", slot = slot.as_str()))));
}

/// Reports nodes that a process needs in addition to a device's node. On a host, the driver creates them at first use.
fn companions(seen: &Nodes, nodes: &[Node], found: &mut Examination) {
    let there = |path: &&str| nodes.iter().any(|node| node.path == **path);
    let missing: Vec<&str> = COMPANIONS.iter().copied().filter(|path| !there(path)).collect();
    if missing.is_empty() {
        return;
    }
    let title = message!("nodes-incomplete", nodes = missing.join(", "));
    let (severity, next) = match seen.container {
        true => (Severity::Blocker, message!("nodes-incomplete-next-in-container")),
        false => (Severity::Warning, message!("nodes-incomplete-next")),
    };
    found.find(Finding::new("nodes.incomplete", severity, title, next).rests_on(Certainty::Document, MODULE));
}

/// Reports nodes that this process is not allowed to open, and the cause.
fn rights(machine: &HostMachine, nodes: &[Node], found: &mut Examination) {
    let needed = |node: &&Node| number(node).is_some() || COMPANIONS.contains(&node.path.as_str());
    let nodes: Vec<&Node> = nodes.iter().filter(needed).collect();
    for node in nodes.iter().filter(|node| !machine.is_copy() && node.kind != NodeKind::Device) {
        let (title, next) = (message!("nodes-no-device", node = node.path.as_str()), message!("nodes-no-device-next"));
        let finding = Finding::new("nodes.no-device", Severity::Blocker, title, next);
        found.find(finding.rests_on(Certainty::Inferred, CONTAINERS));
    }
    let denied: Vec<&Node> = nodes.iter().copied().filter(|node| node.denied.is_some()).collect();
    let usable = nodes.iter().any(|node| node.denied.is_none() && number(node).is_some());
    let companion = denied.iter().any(|node| number(node).is_none());
    let severity = if usable && !companion { Severity::Warning } else { Severity::Blocker };
    let (not_granted, refused): (Vec<&Node>, Vec<&Node>) = denied
        .into_iter()
        .partition(|node| node.denied.as_deref().is_some_and(|error| error.contains("not permitted")));
    let list = |nodes: &[&Node]| nodes.iter().map(|node| describe(machine, node)).collect::<Vec<_>>();
    if !not_granted.is_empty() {
        let (title, next) = (message!("nodes-not-granted"), message!("nodes-not-granted-next"));
        let finding = Finding::new("nodes.not-granted", severity, title, next).seen_all(list(&not_granted));
        found.find(finding.rests_on(Certainty::Field, CONTAINERS));
    }
    if let Some(first) = refused.first() {
        let group = machine.group_name(first.group).unwrap_or_else(|| first.group.to_string());
        let (title, next) = (message!("nodes-denied"), message!("nodes-denied-next", group = group));
        let finding = Finding::new("nodes.denied", severity, title, next).seen_all(list(&refused));
        found.find(finding.rests_on(Certainty::Document, "NVIDIA driver README (NVreg_DeviceFileMode, …GID)"));
    }
}

fn describe(machine: &HostMachine, node: &Node) -> String {
    let group = machine.group_name(node.group).unwrap_or_else(|| node.group.to_string());
    let (path, mode) = (node.path.as_str(), format!("{:04o}", node.mode));
    let error = node.denied.as_deref().unwrap_or_default();
    message!("node-denied", node = path, mode = mode, user = node.user, group = group, error = error)
}

/// Records the channels for fabric handles, which work within one machine without channels.
fn channels(machine: &HostMachine, found: &mut Examination) {
    let channels = machine.names(CHANNELS);
    let said = match channels.is_empty() {
        true => message!("no-channels").to_owned(),
        false => channels.join(", "),
    };
    found.looked(message!("look-channels"), CHANNELS, said);
}
