//! `atlas-cts doctor --runtime cuda`: each cause that keeps a machine with GPUs from running the suite is recognized by
//! its signs.

use std::fs;

use rstest::rstest;
use serde_json::json;

use super::machine::{Machine, STRANGER, sample};

const DRIVER: &str = "fixtures/machines/cuda-driver.c";
const TOOLKIT: &str = "fixtures/machines/cuda-toolkit.c";
const NOT_GRANTED: &str = "Operation not permitted (os error 1)";
const DENIED: &str = "Permission denied (os error 13)";
const NODES: &str = "\
/dev/nvidia0\tdevice\t0666\t0\t0\tOPENED
/dev/nvidia1\tdevice\t0666\t0\t0\tOPENED
/dev/nvidiactl\tdevice\t0666\t0\t0\tok
/dev/nvidia-uvm\tdevice\t0666\t0\t0\tok
";

/// The first two devices of the sample, which are alike.
fn gpus() -> String {
    sample("nvidia-smi-gpus.csv").lines().take(2).map(|line| format!("{line}\n")).collect()
}

/// Builds a library from a C file into a folder of the machine.
fn library(machine: &Machine, place: &str, source: &str, flags: &[&str]) {
    let built = machine.bench.library_named("built.so", source, flags);
    machine.file(place, fs::read(built).unwrap());
}

/// Adds the vendor's tool, which prints these devices, and nothing for other queries than its list of parts.
fn smi(machine: &Machine, gpus: &str, parts: &str) {
    let (gpus, parts) = (machine.bench.write("gpus.csv", gpus), machine.bench.write("parts.txt", parts));
    let script = format!(
        "case \"$*\" in\n*--query-gpu=index*) cat '{}' ;;\n-L) cat '{}' ;;\nesac",
        gpus.display(),
        parts.display()
    );
    machine.tool("nvidia-smi", &script);
}

/// An empty machine.
fn empty() -> Machine {
    let machine = Machine::empty().with(&["--runtime", "cuda"]).variable("LD_LIBRARY_PATH", "");
    ["CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"]
        .into_iter()
        .fold(machine, |machine, name| machine.variable(name, ""))
}

/// A server with two data center devices, a driver for CUDA 12.2, and no toolkit.
fn healthy() -> Machine {
    let machine = empty();
    machine
        .file("nodes.tsv", NODES.replace("OPENED", "ok"))
        .file("proc/modules", "nvidia_uvm 1 0 - Live 0\nnvidia 1 1 nvidia_uvm, Live 0\n")
        .file("proc/driver/nvidia/version", sample("nvidia-version.txt"))
        .file("sys/bus/pci/devices/0000:07:00.0/vendor", "0x10de\n")
        .file("sys/bus/pci/devices/0000:07:00.0/class", "0x030200\n");
    library(&machine, "usr/lib64/libcuda.so.1", DRIVER, &[]);
    smi(&machine, &gpus(), "");
    machine
}

/// The same with a driver that counts its devices.
fn counting() -> Machine {
    let machine = healthy();
    library(&machine, "usr/lib64/libcuda.so.1", DRIVER, &["DEVICES=2"]);
    machine
}

#[test]
fn a_machine_in_order_is_ready() {
    let machine = counting();
    let found = machine.examine();
    assert_eq!((found.status, &found.json["verdict"]), (0, &json!("ready")), "{:#}", found.json);
    assert_eq!(found.json["product"], "datacenter");
    let devices = found.json["devices"].as_array().unwrap();
    assert_eq!((devices.len(), &devices[1]["memory_total"]), (2, &json!(40_960)));
    found.says("toolkit.missing", "note", &["libcudart.so.12", "nvidia-cuda-runtime"]);
    let versions = found.json["versions"].to_string();
    assert!(versions.contains("535.129.03") && versions.contains("12.2"), "{versions}");
}

#[test]
fn a_machine_without_a_driver_gets_advice_of_its_runtime() {
    let machine = empty();
    machine.file("proc/modules", "ext4 1 0 - Live 0\n");
    let found = machine.examine();
    assert_eq!(found.status, 3);
    found.says("library.missing", "blocker", &["libcuda.so.1", "install the NVIDIA driver"]);
    assert!(!found.finding("library.missing").to_string().contains("set_env.sh"));
    found.says("driver.module-not-loaded", "blocker", &["right machine"]);
    let chinese = empty().with(&["--lang", "zh"]).page();
    assert!(chinese.text.contains("安装NVIDIA驱动"), "{}", chinese.text);
}

#[rstest]
#[case::that_reports_its_version(&[], "12.9")]
#[case::that_reports_nothing(&["OLD"], "unknown")]
fn a_toolkit_without_a_driver_is_named(#[case] flags: &[&str], #[case] version: &str) {
    let machine = empty();
    library(&machine, "usr/local/cuda/lib64/libcudart.so.12", TOOLKIT, flags);
    let found = machine.examine();
    found.says("versions.no-driver", "blocker", &[version, "35", "cudaDriverGetVersion: 0"]);
    found.says("library.missing", "blocker", &[]);
}

#[rstest]
#[case::the_code_of_a_stub(&["STUB", "CODE=34"], "usr/lib64/libcuda.so.1")]
#[case::the_folder_of_stubs(&["CODE=34"], "usr/local/cuda/lib64/stubs/libcuda.so.1")]
fn the_toolkits_stub_is_not_a_driver(#[case] flags: &[&str], #[case] place: &str) {
    let machine = healthy();
    machine.remove("usr/lib64/libcuda.so.1");
    library(&machine, place, DRIVER, flags);
    let path = machine.root().join(place);
    let found = machine.with(&["--library", path.to_str().unwrap()]).examine();
    found.says("driver.stub", "blocker", &["34", "LD_LIBRARY_PATH"]);
    assert_eq!(found.status, 3);
}

#[test]
fn the_toolkits_library_is_not_taken_for_the_drivers() {
    let machine = healthy();
    library(&machine, "opt/libcudart.so.12", TOOLKIT, &[]);
    let path = machine.root().join("opt/libcudart.so.12");
    let found = machine.with(&["--library", path.to_str().unwrap()]).examine();
    found.says("library.unusable", "blocker", &["is the library `toolkit` of cuda", "libcuda.so.1"]);
}

#[test]
fn a_library_of_another_version_than_the_module_is_reported() {
    let machine = healthy();
    machine.remove("usr/lib64/libcuda.so.1");
    library(&machine, "usr/lib64/libcuda.so.535.154.05", DRIVER, &["CODE=803"]);
    machine.link("usr/lib64/libcuda.so.1", "libcuda.so.535.154.05");
    machine.examine().says("driver.mismatch", "blocker", &["library 535.154.05, kernel module 535.129.03", "reboot"]);
}

#[test]
fn forward_compatibility_is_not_a_mismatch() {
    let machine = healthy();
    library(&machine, "usr/local/cuda/compat/libcuda.so.570.86.10", DRIVER, &["VERSION=12080"]);
    let path = machine.root().join("usr/local/cuda/compat/libcuda.so.570.86.10");
    let found = machine.with(&["--library", path.to_str().unwrap()]).examine();
    found.says("driver.forward-compatibility", "note", &["804"]).lacks("driver.mismatch");
}

#[rstest]
#[case::an_older_toolkit("VERSION=11080", None)]
#[case::a_newer_minor("VERSION=12090", Some(("versions.minor-compatibility", "note", "36")))]
#[case::a_newer_major("VERSION=13000", Some(("versions.driver-too-old", "blocker", "branch 580")))]
fn the_versions_of_toolkit_and_driver_are_compared(#[case] version: &str, #[case] says: Option<(&str, &str, &str)>) {
    let machine = healthy();
    library(&machine, "usr/local/cuda/lib64/libcudart.so.12", TOOLKIT, &[version, "DRIVER=12020"]);
    let found = machine.examine();
    found.lacks("toolkit.missing");
    if let Some((id, severity, text)) = says {
        found.says(id, severity, &[text, "12.2"]);
    } else {
        found.lacks("versions.minor-compatibility").lacks("versions.driver-too-old");
    }
}

#[test]
fn a_wheel_with_the_toolkits_library_is_found() {
    let machine = healthy();
    let folder = "venv/lib/python3.12/site-packages/nvidia/cuda_runtime/lib";
    library(&machine, &format!("{folder}/libcudart.so.12"), TOOLKIT, &[]);
    machine.variable("VIRTUAL_ENV", "/venv").examine().says("toolkit.missing", "note", &[folder]);
}

#[test]
fn a_library_that_counts_devices_outweighs_missing_nodes() {
    let machine = counting();
    machine.file(".dockerenv", "").file("nodes.tsv", "");
    let found = machine.examine();
    found.says("nodes.none-in-container", "warning", &["the library counts devices"]);
    assert_eq!(found.status, 0, "{:#}", found.json);
}

#[test]
fn a_driver_that_does_not_start_is_found_without_a_probe() {
    let machine = healthy();
    machine.examine().says("runtime.no-device", "blocker", &["no known cause"]);
    library(&machine, "usr/lib64/libcuda.so.1", DRIVER, &["CRASHES"]);
    machine.examine().says("versions.no-answer", "blocker", &["cuInit"]);
}

#[rstest]
#[case::lazy("CUDA_MODULE_LOADING", "LAZY", "environment.lazy-loading", "note")]
#[case::one_queue("CUDA_DEVICE_MAX_CONNECTIONS", "1", "environment.few-queues", "warning")]
fn variables_that_change_how_streams_wait_are_reported(
    #[case] name: &str,
    #[case] value: &str,
    #[case] id: &str,
    #[case] severity: &str,
) {
    healthy().variable(name, value).examine().says(id, severity, &[&format!("{name}={value}")]);
}

#[test]
fn a_container_without_library_nodes_or_devices_says_which() {
    let machine = healthy();
    machine.file(".dockerenv", "").remove("usr/lib64/libcuda.so.1");
    machine.examine().says("container.no-library", "blocker", &["NVIDIA_DRIVER_CAPABILITIES=compute,utility"]);
    machine.file("nodes.tsv", "");
    machine.examine().says("nodes.none-in-container", "blocker", &["--gpus all"]).lacks("container.no-library");
    let found = machine.variable("NVIDIA_VISIBLE_DEVICES", "void").examine();
    found.says("visible.container-none", "blocker", &["void"]);
}

#[rstest]
#[case::a_control_group(NOT_GRANTED, "nodes.not-granted", "systemd reloads")]
#[case::a_mode(DENIED, "nodes.denied", "NVreg_DeviceFileMode")]
fn nodes_that_cannot_be_opened_are_explained(#[case] error: &str, #[case] id: &str, #[case] says: &str) {
    let machine = healthy();
    machine.file("nodes.tsv", NODES.replace("OPENED", error)).file("proc/self/status", STRANGER);
    machine.examine().says(id, "blocker", &[says, "/dev/nvidia0"]);
}

#[test]
fn missing_nodes_modules_and_another_driver_are_told_apart() {
    let machine = healthy();
    machine.file("nodes.tsv", NODES.replace("OPENED", "ok").replace("/dev/nvidia-uvm", "/dev/nvidia-other"));
    machine.examine().says("nodes.incomplete", "warning", &["/dev/nvidia-uvm", "nvidia-modprobe"]);
    machine.file("nodes.tsv", "");
    machine.examine().says("nodes.none", "blocker", &["nvidia-modprobe", "0000:07:00.0"]);
    machine.file("proc/modules", "nouveau 1 0 - Live 0\n");
    machine.examine().says("driver.nouveau", "blocker", &["blacklist nouveau"]);
    machine.file("proc/modules", "ext4 1 0 - Live 0\n");
    machine.examine().says("driver.module-not-loaded", "blocker", &["modprobe nvidia", "0000:07:00.0"]);
}

#[test]
fn the_subsystem_for_linux_has_its_driver_in_windows() {
    let machine = empty();
    machine.file("proc/sys/kernel/osrelease", "5.15.153.1-microsoft-standard-WSL2\n");
    let found = machine.examine();
    found.says("wsl.no-library", "blocker", &["/usr/lib/wsl/lib"]).says("wsl.no-device", "blocker", &["wsl --update"]);
    machine.file("dev/dxg", "");
    library(&machine, "usr/lib/wsl/lib/libcuda.so.1", DRIVER, &[]);
    machine.examine().lacks("wsl.no-library").lacks("wsl.no-device").lacks("nodes.none");
}

#[rstest]
#[case::no_driver("no driver", 9, "tool.no-driver", "modprobe nvidia")]
#[case::another_version("mismatch", 18, "tool.mismatch", "reboot")]
#[case::no_device("no device", 6, "tool.no-device", "NVIDIA_VISIBLE_DEVICES")]
#[case::a_lost_device("lost", 15, "device.lost", "Xid 79")]
#[case::a_control_group("blocked", 255, "nodes.blocked", "--device")]
fn failures_of_the_tool_are_explained(#[case] title: &str, #[case] status: i32, #[case] id: &str, #[case] says: &str) {
    let machine = healthy();
    let text = super::machine::part("nvidia-smi-errors.txt", &format!("# {title}"));
    let path = machine.bench.write("failure.txt", text);
    machine.tool("nvidia-smi", &format!("cat '{}'\nexit {status}", path.display()));
    machine.examine().says(id, "blocker", &[says]);
}

#[test]
fn a_tool_that_hangs_is_killed() {
    let machine = healthy().with(&["--limit", "1"]);
    machine.tool("nvidia-smi", "sleep 3600");
    machine.examine().says("tool.hangs", "blocker", &["Xid 79, 119"]);
}

#[rstest]
#[case::prohibited("Default", "Prohibited", "mode.prohibited", "blocker", "-c DEFAULT")]
#[case::exclusive("Default", "Exclusive_Process", "mode.exclusive", "blocker", "46")]
#[case::without_persistence(
    "Default, Enabled",
    "Default, Disabled",
    "mode.persistence-off",
    "note",
    "nvidia-persistenced"
)]
#[case::divided_without_parts(
    "Disabled, Enabled",
    "Enabled, Enabled",
    "mig.no-instance",
    "blocker",
    "nvidia-smi mig -cgi"
)]
#[case::in_use("40960, 7", "40960, 20000", "devices.memory-in-use", "warning", "20000 MiB")]
#[case::lost(
    "Default, Enabled, Disabled, Enabled",
    "[GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]",
    "device.lost",
    "blocker",
    "Xid 79"
)]
fn settings_of_a_device_are_judged(
    #[case] from: &str,
    #[case] to: &str,
    #[case] id: &str,
    #[case] severity: &str,
    #[case] says: &str,
) {
    let machine = healthy();
    smi(&machine, &gpus().replace(from, to), "");
    machine.examine().says(id, severity, &[says]);
}

#[test]
fn parts_of_a_divided_device_are_counted() {
    let machine = healthy();
    smi(&machine, &gpus().replace("Disabled, Enabled", "Enabled, Enabled"), &sample("nvidia-smi-list-mig.txt"));
    let found = machine.examine();
    found.says("mig.instances", "note", &["into 2 parts", "CUDA_VISIBLE_DEVICES"]).lacks("mig.no-instance");
}

#[rstest]
#[case::a_number_out_of_range("0,7", "visible.cut-off", "warning", "`7`")]
#[case::minus_one("-1", "visible.none", "blocker", "`-1`")]
#[case::empty("", "visible.none", "blocker", "lists no device")]
fn the_mask_is_read_as_the_runtime_reads_it(
    #[case] mask: &str,
    #[case] id: &str,
    #[case] severity: &str,
    #[case] says: &str,
) {
    healthy().variable("CUDA_VISIBLE_DEVICES", mask).examine().says(id, severity, &[says]);
}

#[test]
fn variables_that_change_what_is_measured_are_named() {
    let found = healthy().variable("CUDA_LAUNCH_BLOCKING", "1").examine();
    found.says("environment.blocking", "warning", &["CUDA_LAUNCH_BLOCKING=1"]);
    let machine = healthy();
    machine.file("tmp/nvidia-mps/control", "");
    machine.examine().says("environment.service", "warning", &["nvidia-cuda-mps-control"]);
}

#[test]
fn error_lines_of_the_kernel_are_reported_with_their_meanings() {
    let machine = counting();
    machine.file("var/log/kern.log", sample("nvidia-dmesg.txt"));
    let found = machine.examine();
    found.says("kernel.device-errors", "warning", &["Xid 79: the device no longer answers", "Xid 119"]);
    found.says("kernel.memory-errors", "warning", &["Xid 48", "Xid 63", "Xid 94"]);
    found.says("kernel.program-errors", "note", &["Xid 31: a page fault"]);
    assert_eq!(found.status, 0, "lines of the past block nothing: {:#}", found.json);
}

#[rstest]
#[case::no_device(&["CODE=100"], "runtime.no-device", "no known cause")]
#[case::another_version(&["CODE=803"], "runtime.driver-mismatch", "reboot")]
#[case::a_service(&["CODE=802"], "runtime.not-ready", "nvidia-fabricmanager")]
#[case::a_hang(&["HANGS"], "runtime.hangs", "Xid 79")]
fn a_code_of_the_driver_is_explained_by_a_probe(#[case] flags: &[&str], #[case] id: &str, #[case] says: &str) {
    let machine = healthy();
    let locks = machine.bench.path("locks").display().to_string();
    let path = machine.bench.library_named("libcuda.so.1", DRIVER, flags);
    let path = path.display().to_string();
    let probe = ["--probe", "--tune", "deadline=2", "--library", &path];
    let found = machine.with(&probe).variable("ATLAS_CTS_LOCKS", &locks).examine();
    found.says(id, "blocker", &[says]).says("probe.failed", "blocker", &["error: "]);
    assert_eq!(found.status, 3);
}
