//! `atlas-cts doctor`: each cause that keeps a machine from running the suite is recognized by its signs. The machines
//! are folders with sample files and tools that print samples (fixtures/machines).

#[path = "doctor/causes.rs"]
mod causes;
#[path = "doctor/gpu.rs"]
mod gpu;
#[path = "doctor/machine.rs"]
pub mod machine;
#[path = "doctor/probe.rs"]
mod probe;
use crate::support;

use rstest::rstest;
use serde_json::json;

use machine::{Machine, idle, part, sample};

/// A runtime library without faults.
const RUNTIME: &str = "fixtures/faults/faults.c";

#[test]
fn a_machine_in_order_is_ready_and_the_number_of_rules_is_reported() {
    let found = Machine::healthy().library(RUNTIME, &[]).examine();
    assert_eq!((found.status, &found.json["verdict"]), (0, &json!("ready")), "{:#}", found.json);
    assert_eq!(found.json["product"], "a2");
    assert!(found.json["rules_to_expect"].as_u64().unwrap() > 300, "{:#}", found.json["rules_to_expect"]);
    let devices = found.json["devices"].as_array().unwrap();
    assert_eq!(devices.len(), 2);
    assert_eq!(devices[0]["health"], "good");
    assert_eq!((&devices[1]["memory_used"], &devices[1]["memory_total"]), (&json!(3390), &json!(65536)));
}

#[test]
fn everything_missing_on_an_empty_machine_is_reported_with_advice() {
    let machine = Machine::empty();
    let found = machine.examine();
    assert_eq!(found.status, 3);
    found.says("library.missing", "blocker", &["libascendcl.so", "set_env.sh"]);
    found.says("driver.missing", "blocker", &["install the driver, then the firmware"]);
    let page = machine.page();
    page.says(
        3,
        &["This machine cannot run the suite: none of the runtime's libraries", "BLOCKER  driver.missing", "looked at"],
    );
    assert!(page.text.starts_with("This machine cannot run the suite"), "{}", page.text);
}

#[test]
fn a_library_with_a_missing_dependency_names_it() {
    let machine = Machine::healthy();
    let empty = machine.bench.write("empty.c", "int nothing;\n");
    let absent = machine.bench.path("libhal_absent.so");
    let built = std::process::Command::new("gcc").args(["-shared", "-fPIC", "-o"]).arg(&absent).arg(empty).status();
    assert!(built.unwrap().success());
    let folder = format!("-L{}", machine.bench.path("").display());
    let machine = machine.library(RUNTIME, &["-Wl,--no-as-needed", &folder, "-lhal_absent"]);
    std::fs::remove_file(absent).unwrap();
    machine.examine().says("library.dependency-missing", "blocker", &["libhal_absent.so", "LD_LIBRARY_PATH"]);
}

#[test]
fn a_library_that_cannot_be_loaded_differs_from_one_that_crashes() {
    let symbol = Machine::healthy().library(RUNTIME, &["FAULT_NEEDS_A_SYMBOL"]).examine();
    symbol.says("library.not-loadable", "blocker", &["a_symbol_that_nobody_defines"]);
    let crash = Machine::healthy().library(RUNTIME, &["FAULT_LOADING"]).examine();
    crash.says("library.crashes", "blocker", &["signal 6"]);
    let text = Machine::healthy();
    let path = text.bench.write("libtext.so", "no library at all, but long enough");
    text.with(&["--library", path.to_str().unwrap()]).examine().says("library.unusable", "blocker", &["no ELF header"]);
}

#[test]
fn the_simulated_device_does_not_count_as_a_device() {
    let machine = Machine::healthy();
    machine.bench.run(["simulator", "--print-path", "."]).says(0, &[]);
    let path = machine.bench.path("libatlas_cts_simulator.so");
    let machine = machine.with(&["--library", path.to_str().unwrap()]);
    machine.examine().says("library.simulated", "blocker", &["simulated device"]);
}

#[test]
fn a_tool_that_hangs_is_killed_and_the_examination_continues() {
    let machine = Machine::healthy().with(&["--limit", "1"]);
    machine.tool("npu-smi", "sleep 3600");
    let found = machine.examine();
    found.says("tool.hangs", "blocker", &["kernel's messages"]);
    let looked = found.json["looked_at"].as_array().unwrap();
    assert!(looked.iter().any(|look| look["what"] == "space for reports"), "the later steps ran too");
}

#[test]
fn a_tool_that_hangs_on_one_query_gets_no_further_query() {
    let machine = Machine::healthy().with(&["--limit", "1"]);
    let table = machine.bench.write("table.txt", idle());
    machine.tool("npu-smi", &format!("[ \"$*\" = info ] && exec cat '{}'\nsleep 3600", table.display()));
    let found = machine.examine();
    found.says("tool.hangs", "blocker", &["npu-smi info -m"]);
    let looked = found.json["looked_at"].as_array().unwrap();
    assert_eq!(looked.iter().filter(|look| look["what"] == "the vendor's tool").count(), 2, "{looked:#?}");
}

#[test]
fn the_worst_of_all_sources_counts_and_a_green_row_of_zeros_is_a_failed_query() {
    let machine = Machine::healthy();
    machine.smi(&[("info", &sample("npu-smi-info-a2-25x-unhealthy.txt"))]);
    let found = machine.examine();
    let health: Vec<&str> =
        found.json["devices"].as_array().unwrap().iter().map(|device| device["health"].as_str().unwrap()).collect();
    assert_eq!(health, ["warning", "alarm", "critical", "not found or not started", "unknown: a query failed"]);
    found.says("health.warning", "warning", &["device 0:0", "100 ms"]);
    found.says("health.bad", "blocker", &["device 1:0", "ASCEND_RT_VISIBLE_DEVICES"]);
    found.says("health.query-failed", "unclear", &["device 4:0", "row of zeros with the word OK"]);
    found.says("driver.incomplete", "warning", &["is incomplete"]);
}

#[test]
fn a_health_query_that_is_worse_than_the_table_counts() {
    let machine = Machine::healthy();
    let (good, bad) = (part("npu-smi-health.txt", "# case 1"), part("npu-smi-health.txt", "# case 2"));
    machine.smi(&[
        ("info", &idle()),
        ("info -t health -i 0 -c 0", &good),
        ("info -t health -i 1 -c 0", &bad),
        ("info -t ecc -i 1 -c 0", &part("npu-smi-ecc.txt", "# case 2")),
    ]);
    let found = machine.examine();
    found.says(
        "health.bad",
        "blocker",
        &["device 1:0", "the tool's table: good", "80E18401", "8C1FA006", "isolated row count"],
    );
    found.says("health.memory-errors", "warning", &["device 1:0 since its start: 1", "isolated pages: 4"]);
}

#[rstest]
#[case::cards_and_chips(&["HEALTH=3"])]
#[case::one_number(&["HEALTH=3", "BY_NUMBER"])]
fn a_number_of_the_management_library_that_is_worse_than_the_words_counts(#[case] flags: &[&str]) {
    let machine = Machine::healthy();
    machine.dcmi(flags);
    let found = machine.examine();
    let says = ["device 1:0", "critical", "the tool's table: good", "the management library: critical", "80E18402"];
    found.says("health.bad", "blocker", &says);
}

#[test]
fn a_management_library_that_hangs_is_named_with_its_query() {
    let machine = Machine::healthy().with(&["--limit", "1"]);
    machine.dcmi(&["HANGS"]);
    machine.examine().says("dcmi.hangs", "blocker", &["dcmi_get_device_health 0 0"]);
}

#[test]
fn users_of_devices_are_named_and_memory_without_a_process_is_noticed() {
    let machine = Machine::healthy();
    machine.smi(&[("info", &sample("npu-smi-info-a2-25x.txt"))]);
    let found = machine.examine();
    found.says("devices.in-use", "warning", &["device 1:0", "process 48213 (accel-worker, 9402 MiB)"]);
    found.lacks("devices.memory-in-use");
    machine.smi(&[("info", &idle().replace("3390 / 65536", "12874/ 65536"))]);
    machine.examine().says("devices.memory-in-use", "warning", &["device 1:0 has 12874 MiB"]);
}

#[rstest]
#[case::a2_of_26("npu-smi-info-a2-26x.txt", &["0:0", "1:0"], Some("0xd802"), "a2")]
#[case::a2_by_its_name("npu-smi-info-a2-25x.txt", &["0:0", "1:0"], None, "a2")]
#[case::a3("npu-smi-info-a3-25x.txt", &["0:0", "0:1", "1:0", "1:1"], Some("0xd803"), "a3")]
#[case::inference_cards("npu-smi-info-310p.txt", &["4:0", "5:0"], None, "infer")]
#[case::the_950("npu-smi-info-950.txt", &["0", "1"], None, "ascend950")]
fn every_layout_of_the_table_is_read(
    #[case] table: &str,
    #[case] labels: &[&str],
    #[case] bus: Option<&str>,
    #[case] product: &str,
) {
    let machine = Machine::healthy();
    machine.smi(&[("info", &sample(table))]);
    match bus {
        Some(id) => machine.file("sys/bus/pci/devices/0000:c1:00.0/device", id),
        None => machine.remove("sys/bus"),
    };
    let found = machine.examine();
    let devices = found.json["devices"].as_array().unwrap();
    let seen: Vec<&str> = devices.iter().map(|device| device["label"].as_str().unwrap()).collect();
    assert_eq!((seen.as_slice(), &found.json["product"]), (labels, &json!(product)));
    assert!(devices.iter().all(|device| device["memory_total"].as_u64().unwrap() > 20_000), "{devices:#?}");
}

#[rstest]
#[case::outside_of_the_drivers_range("driver-version-24.info", "7.3.0.1.231")]
#[case::outside_of_the_firmwares_range("driver-version.info", "7.9.0.0.1")]
fn an_incompatible_driver_and_firmware_are_a_blocker(#[case] driver: &str, #[case] firmware: &str) {
    let machine = Machine::healthy();
    machine.tool("npu-smi", "exit 193");
    machine.file("usr/local/Ascend/driver/version.info", sample(driver));
    let file = sample("firmware-version.info").replace("7.7.0.9.220", firmware);
    machine.file("usr/local/Ascend/firmware/version.info", file);
    machine.examine().says("versions.driver-and-firmware", "blocker", &[firmware, "from the same release", "507899"]);
}

#[test]
fn a_pair_that_the_driver_itself_rejects_is_a_blocker() {
    let machine = Machine::healthy();
    let board = sample("npu-smi-board.txt")
        .replace("Compatibility                  : OK", "Compatibility                  : NOK");
    machine.smi(&[("info", &idle()), ("info -t board -i 0", &board)]);
    machine.examine().says("versions.driver-and-firmware", "blocker", &["itself reports", "firmware 7.7.0.9.220"]);
}

#[test]
fn a_toolkit_whose_branch_the_driver_does_not_list_is_a_warning() {
    let machine = Machine::healthy().variable("ASCEND_HOME_PATH", "/opt/toolkit");
    machine.file("opt/toolkit/aarch64-linux/ascend_toolkit_install.info", sample("toolkit-install-9.1.info"));
    let found = machine.examine();
    found.says("versions.driver-and-toolkit", "warning", &["V100R001C11"]);
    found.says("versions.not-published", "note", &["toolkit 9.1.0 and driver 25.2.1"]);
    machine.file("opt/toolkit/aarch64-linux/ascend_toolkit_install.info", sample("toolkit-install-8.2.info"));
    machine.examine().lacks("versions.driver-and-toolkit");
}

#[test]
fn a_container_without_the_record_gets_advice_on_mounts() {
    let machine = Machine::healthy();
    machine.remove("etc/ascend_install.info").remove("usr/local/Ascend").file(".dockerenv", "");
    machine.examine().says("install.no-record", "warning", &["mount /etc/ascend_install.info"]);
}

#[test]
fn the_short_record_that_images_invent_leads_to_the_drivers_files() {
    let machine = Machine::healthy();
    machine.file("etc/ascend_install.info", sample("ascend_install-container.info")).file(".dockerenv", "");
    let found = machine.examine();
    found.lacks("install.no-record");
    assert_eq!(found.json["versions"][0]["version"], "25.2.1", "{:#}", found.json["versions"]);
}

#[test]
fn a_toolkit_without_a_record_is_known_by_its_other_files() {
    let machine = Machine::healthy().variable("ASCEND_HOME_PATH", "/opt/toolkit");
    machine.file("opt/toolkit/version.cfg", sample("toolkit-version.cfg"));
    machine.file("opt/toolkit/share/info/runtime/version.info", sample("component-version.info"));
    let found = machine.examine();
    let versions = found.json["versions"].as_array().unwrap();
    let of = |what: &str| versions.iter().find(|version| version["of"] == what).unwrap()["version"].clone();
    assert_eq!((of("toolkit"), of("runtime")), (json!("8.2.RC1"), json!("8.5.0")));
}

#[test]
fn an_environment_that_was_not_sourced_is_named_with_its_script() {
    let machine = Machine::healthy();
    machine.file("usr/local/Ascend/cann/set_env.sh", "");
    let says = ["source /usr/local/Ascend/cann/set_env.sh"];
    machine.examine().says("environment.not-sourced", "warning", &says);
}

#[test]
fn a_lost_heartbeat_in_the_kernels_messages_is_a_warning() {
    let machine = Machine::healthy();
    machine.file("var/log/syslog", sample("dmesg-driver.txt"));
    machine.examine().says("kernel.heartbeat-lost", "warning", &["device=1", "--probe"]);
}

#[test]
fn the_kernel_of_this_machine_is_not_queried_for_a_copy() {
    let machine = Machine::healthy();
    let path = machine.bench.write("dmesg.txt", sample("dmesg-driver.txt"));
    machine.tool("dmesg", &format!("cat '{}'", path.display()));
    machine.examine().lacks("kernel.heartbeat-lost");
}

#[test]
fn pages_that_wait_for_a_reset_are_not_counted_errors() {
    let machine = Machine::healthy();
    let ecc = part("npu-smi-ecc.txt", "# case 3");
    let ecc = ecc.replace("Double Bit Error Count               : 2", "Double Bit Error Count               : 0");
    machine.smi(&[("info", &idle()), ("info -t ecc -i 0 -c 0", &ecc)]);
    let says = ["memory pages on device 0:0 that wait for its next reset: 2"];
    machine.examine().says("health.memory-errors", "warning", &says);
}

#[test]
fn the_runtimes_logs_below_a_work_path_are_found() {
    let machine = Machine::healthy().variable("ASCEND_WORK_PATH", "/srv/ascend");
    machine.file("srv/ascend/log/debug/plog/plog-1_20260304050607101.log", "");
    let found = machine.examine();
    let looked = found.json["looked_at"].as_array().unwrap();
    let logs = looked.iter().find(|look| look["what"] == "runtime's logs").unwrap();
    assert_eq!(logs["place"], "/srv/ascend/log", "{logs:#}");
}

#[test]
fn no_space_for_reports_is_a_blocker() {
    // On every Linux this file system has no free blocks.
    let found = Machine::healthy().with(&["--report-dir", "/proc/reports"]).examine();
    let ids = found.ids();
    assert!(ids.iter().any(|id| id == "reports.no-space" || id == "reports.not-writable"), "{ids:?}");
}

#[test]
fn output_of_a_tool_cannot_move_the_cursor() {
    let machine = Machine::healthy();
    machine.tool("npu-smi", "printf '\\033[2Jgone \\r\\n'; exit 1");
    let page = machine.page();
    assert!(!page.text.contains('\u{1b}'), "{}", page.text);
    page.says(3, &["tool.fails", "\u{241b}[2Jgone"]);
}

#[test]
fn a_wrong_product_is_a_blocker() {
    let found = Machine::healthy().with(&["--product", "a3"]).examine();
    found.says("product.contradicts", "blocker", &["family a2", "--product a2"]);
    Machine::healthy().with(&["--product", "a4"]).page().says(2, &["did you mean"]);
}

#[test]
fn a_root_that_is_not_a_folder_is_a_mistake() {
    support::Bench::new()
        .run(["doctor", "--root", "/nowhere/at/all"])
        .says(2, &["--root /nowhere/at/all is not a folder"]);
}

#[test]
fn the_schema_has_the_keys_of_the_data() {
    let schema = support::Bench::new().schema("doctor");
    let found = Machine::healthy().examine();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut described = keys(&schema["properties"]);
    let mut written = keys(&found.json);
    described.sort();
    written.sort();
    assert_eq!(described, written);
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}
