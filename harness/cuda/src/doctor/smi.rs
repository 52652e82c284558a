//! The vendor's tool `nvidia-smi`, run with a time limit, because the tool hangs if the driver hangs. Each query prints
//! one line for each device, with values separated by commas (nvidia-smi manual page, `--help-query-gpu`).

use engine::doctor::{Certainty, ChildAnswer, End, Examination, Finding, HostMachine, Severity, Tool};

use super::evidence::SMI;

/// The tool's answers.
#[derive(Debug, Default)]
pub(super) struct Smi {
    /// True if the tool exists.
    pub there: bool,
    /// The reason for which the tool lists no device.
    pub failed: Option<Failure>,
    pub gpus: Vec<Gpu>,
    pub users: Vec<User>,
    /// The number of parts of divided devices (MIG).
    pub parts: usize,
}

/// The reasons for which the tool lists no device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    Hangs,
    /// The tool's library does not fit the kernel module.
    Mismatch,
    /// The tool does not reach the driver.
    NoDriver,
    /// The driver lists no device.
    NoDevice,
    /// A device no longer answers.
    Lost,
    /// A container or a control group blocks the devices.
    Blocked,
    Other,
}

/// A device as the tool lists it. An absent value is unknown or not supported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Gpu {
    pub index: String,
    pub name: String,
    pub uuid: String,
    pub address: String,
    pub driver: Option<String>,
    /// Device memory, and the part in use, in MiB.
    pub memory: Option<u64>,
    pub used: Option<u64>,
    pub compute_mode: Option<String>,
    pub persistence: Option<String>,
    pub mig: Option<String>,
    pub ecc: Option<String>,
    /// A text that the tool prints for a value of a device that does not answer.
    pub fault: Option<String>,
    /// Uncorrectable memory errors since the driver was loaded.
    pub errors: Option<u64>,
    /// True if memory waits for a reset to be replaced.
    pub pending: bool,
    /// True if memory could not be replaced.
    pub exhausted: bool,
}

/// A process that uses a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct User {
    pub uuid: String,
    pub process: String,
    pub name: String,
    /// Memory in use, in MiB.
    pub memory: Option<u64>,
}

const TOOL: &str = "nvidia-smi";
const FOLDERS: &[&str] = &["/usr/bin", "/usr/local/bin", "/usr/lib/wsl/lib", "/opt/bin"];
const FIELDS: &str = "index,name,uuid,pci.bus_id,driver_version,memory.total,memory.used,compute_mode,\
                      persistence_mode,mig.mode.current,ecc.mode.current";
const ERRORS: &str = "uuid,ecc.errors.uncorrected.volatile.total,retired_pages.pending";
const ROWS: &str = "gpu_uuid,remapped_rows.pending,remapped_rows.failure";
const USERS: &str = "gpu_uuid,pid,process_name,used_memory";

/// Queries the tool. If a query hangs, no further query is made.
pub(super) fn look(machine: &HostMachine, found: &mut Examination) -> Smi {
    let Some(tool) = machine.tool(TOOL, FOLDERS) else {
        found.looked(message!("look-tool"), TOOL, message!("tool-not-found"));
        return Smi::default();
    };
    let mut tool =
        Tool::new(machine, tool, message!("look-tool"), |_, answer, found| report(Failure::Hangs, answer, found));
    let mut smi = Smi { there: true, ..Smi::default() };
    let answer = tool.ask(&[&format!("--query-gpu={FIELDS}"), FORMAT], found);
    smi.gpus = if matches!(answer.end, End::Status(0)) { gpus(&answer.output) } else { Vec::new() };
    if smi.gpus.is_empty() {
        let failure = failure(&answer);
        report(failure, &answer, found);
        smi.failed = Some(failure);
        return smi;
    }
    if let Some(text) = tool.text(&[&format!("--query-gpu={ERRORS}"), FORMAT], found) {
        errors(&text, &mut smi.gpus);
    }
    if let Some(text) = tool.text(&[&format!("--query-remapped-rows={ROWS}"), FORMAT], found) {
        rows(&text, &mut smi.gpus);
    }
    if let Some(text) = tool.text(&[&format!("--query-compute-apps={USERS}"), FORMAT], found) {
        smi.users = users(&text);
    }
    if smi.gpus.iter().any(|gpu| gpu.mig.as_deref() == Some("Enabled"))
        && let Some(text) = tool.text(&["-L"], found)
    {
        smi.parts = text.lines().filter(|line| line.trim_start().starts_with("MIG ")).count();
    }
    if tool.hangs() {
        smi.failed = Some(Failure::Hangs);
    }
    smi
}

const FORMAT: &str = "--format=csv,noheader,nounits";

/// The values of a line.
fn values(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}

/// A value, unless the tool prints that the value is unknown or not supported.
fn known(value: &str) -> Option<&str> {
    let unknown = ["", "N/A", "[N/A]", "Not Supported", "[Not Supported]", "[Insufficient Permissions]"];
    (!unknown.contains(&value)).then_some(value)
}

/// The text that the tool prints instead of a value if the device does not answer.
fn fault(value: &str) -> Option<&str> {
    let bad = ["lost", "reset", "unknown error"];
    let lower = value.to_lowercase();
    let inside = value.starts_with('[') || value == "ERR!";
    (value == "ERR!" || inside && bad.iter().any(|word| lower.contains(word))).then_some(value)
}

/// The devices in the output of the first query.
pub(super) fn gpus(text: &str) -> Vec<Gpu> {
    let gpu = |line: &str| {
        let values = values(line);
        let [index, name, uuid, address, driver, memory, used, mode, persistence, mig, ecc] = values.as_slice() else {
            return None;
        };
        index.parse::<u32>().ok()?;
        let text = |value: &str| known(value).filter(|value| fault(value).is_none()).map(str::to_owned);
        Some(Gpu {
            index: (*index).to_owned(),
            name: (*name).to_owned(),
            uuid: (*uuid).to_owned(),
            address: (*address).to_owned(),
            driver: text(driver),
            memory: memory.parse().ok(),
            used: used.parse().ok(),
            compute_mode: text(mode),
            persistence: text(persistence),
            mig: text(mig),
            ecc: text(ecc),
            fault: values.iter().find_map(|value| fault(value)).map(str::to_owned),
            ..Gpu::default()
        })
    };
    text.lines().filter_map(gpu).collect()
}

fn of<'a>(gpus: &'a mut [Gpu], uuid: &str) -> Option<&'a mut Gpu> {
    gpus.iter_mut().find(|gpu| gpu.uuid == uuid)
}

fn is_yes(value: &str) -> bool {
    value == "Yes" || value.parse::<u64>().is_ok_and(|number| number > 0)
}

fn errors(text: &str, gpus: &mut [Gpu]) {
    for line in text.lines() {
        if let [uuid, errors, pending] = values(line).as_slice()
            && let Some(gpu) = of(gpus, uuid)
        {
            gpu.errors = errors.parse().ok();
            gpu.pending |= is_yes(pending);
            gpu.fault = gpu.fault.take().or_else(|| fault(errors).map(str::to_owned));
        }
    }
}

fn rows(text: &str, gpus: &mut [Gpu]) {
    for line in text.lines() {
        if let [uuid, pending, failure] = values(line).as_slice()
            && let Some(gpu) = of(gpus, uuid)
        {
            gpu.pending |= is_yes(pending);
            gpu.exhausted |= is_yes(failure);
        }
    }
}

fn users(text: &str) -> Vec<User> {
    let user = |line: &str| {
        // A name may contain commas.
        let (uuid, rest) = line.split_once(',')?;
        let (process, rest) = rest.split_once(',')?;
        let (name, memory) = rest.rsplit_once(',')?;
        process.trim().parse::<u32>().ok()?;
        let [uuid, process, name] = [uuid, process, name].map(|text| text.trim().to_owned());
        Some(User { uuid, process, name, memory: memory.trim().parse().ok() })
    };
    text.lines().filter_map(user).collect()
}

/// The reason for a failure, by the text, or by the exit status, which is the code of the tool's library.
fn failure(answer: &ChildAnswer) -> Failure {
    let text = answer.text();
    let has = |part: &str| text.contains(part);
    match answer.end {
        End::TimedOut | End::LeftBehind => Failure::Hangs,
        _ if has("Driver/library version mismatch") => Failure::Mismatch,
        _ if has("communicate with the NVIDIA driver") => Failure::NoDriver,
        _ if has("No devices were found") => Failure::NoDevice,
        _ if has("GPU is lost") || has("Unable to determine the device handle") => Failure::Lost,
        _ if has("Failed to initialize NVML: Unknown Error") => Failure::Blocked,
        End::Status(6) => Failure::NoDevice,
        End::Status(9) => Failure::NoDriver,
        End::Status(15 | 16) => Failure::Lost,
        End::Status(17) => Failure::Blocked,
        End::Status(18) => Failure::Mismatch,
        _ => Failure::Other,
    }
}

fn report(failure: Failure, answer: &ChildAnswer, found: &mut Examination) {
    let (id, severity, title, next) = match failure {
        Failure::Hangs => ("tool.hangs", Severity::Blocker, message!("tool-hangs"), message!("tool-hangs-next")),
        Failure::Mismatch => {
            ("tool.mismatch", Severity::Blocker, message!("driver-mismatch"), message!("driver-mismatch-next"))
        }
        Failure::NoDriver => {
            ("tool.no-driver", Severity::Blocker, message!("tool-no-driver"), message!("tool-no-driver-next"))
        }
        Failure::NoDevice => {
            ("tool.no-device", Severity::Blocker, message!("tool-no-device"), message!("tool-no-device-next"))
        }
        Failure::Lost => ("device.lost", Severity::Blocker, message!("device-lost"), message!("device-lost-next")),
        Failure::Blocked => {
            ("nodes.blocked", Severity::Blocker, message!("nodes-blocked"), message!("nodes-not-granted-next"))
        }
        Failure::Other => ("tool.fails", Severity::Unclear, message!("tool-fails"), message!("tool-fails-next")),
    };
    let text = answer.text();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(4).map(str::to_owned);
    let finding = Finding::new(id, severity, title, next).seen(answer.said()).seen_all(lines);
    found.find(finding.rests_on(Certainty::Document, SMI));
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const GPUS: &str = include_str!("../../../../fixtures/machines/nvidia-smi-gpus.csv");
    const FAILURES: &str = include_str!("../../../../fixtures/machines/nvidia-smi-errors.txt");

    #[test]
    fn each_line_is_a_device() {
        let found = gpus(GPUS);
        let names: Vec<&str> = found.iter().map(|gpu| gpu.name.as_str()).collect();
        assert_eq!(names, ["NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB", "NVIDIA GeForce RTX 3060", "NVIDIA A30"]);
        assert_eq!((found[0].memory, found[0].used), (Some(40_960), Some(7)));
        assert_eq!(found[2].mig, None, "the tool prints [N/A]");
        assert_eq!(found[3].fault.as_deref(), Some("[GPU is lost]"));
    }

    #[test]
    fn errors_belong_to_a_device() {
        let mut found = gpus(GPUS);
        let uuid = found[1].uuid.clone();
        errors(&format!("{uuid}, 3, [N/A]\nGPU-of-another, 1, Yes\n"), &mut found);
        rows(&format!("{uuid}, 1, 0\n{}, 0, 1\n", found[0].uuid), &mut found);
        assert_eq!((found[1].errors, found[1].pending, found[1].exhausted), (Some(3), true, false));
        assert!(found[0].exhausted && !found[0].pending);
    }

    #[test]
    fn the_name_of_a_process_may_contain_commas() {
        let found = users("GPU-1, 4711, python3 -c a, b, 512\nGPU-1, [N/A], x, 1\n");
        let memory = Some(512);
        assert_eq!(
            found,
            [User { uuid: "GPU-1".into(), process: "4711".into(), name: "python3 -c a, b".into(), memory }]
        );
    }

    fn failed(status: i32, title: &str) -> Failure {
        let lines = FAILURES.lines().skip_while(|line| *line != format!("# {title}")).skip(1);
        let text: Vec<&str> = lines.take_while(|line| !line.starts_with("# ")).collect();
        assert!(!text.is_empty(), "{title} has no text");
        failure(&ChildAnswer { end: End::Status(status), output: text.join("\n"), errors: String::new() })
    }

    #[rstest]
    #[case::no_driver(9, "no driver", Failure::NoDriver)]
    #[case::another_version(18, "mismatch", Failure::Mismatch)]
    #[case::no_device(6, "no device", Failure::NoDevice)]
    #[case::a_lost_device(15, "lost", Failure::Lost)]
    #[case::a_control_group(255, "blocked", Failure::Blocked)]
    fn a_failure_is_known_by_its_text(#[case] status: i32, #[case] title: &str, #[case] is: Failure) {
        assert_eq!(failed(status, title), is);
    }

    #[test]
    fn a_failure_without_a_text_is_known_by_its_status() {
        let answer = |status| ChildAnswer { end: End::Status(status), output: String::new(), errors: String::new() };
        assert_eq!(
            (failure(&answer(9)), failure(&answer(18)), failure(&answer(1))),
            (Failure::NoDriver, Failure::Mismatch, Failure::Other)
        );
    }
}
