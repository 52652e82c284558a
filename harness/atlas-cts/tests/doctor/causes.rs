//! Symptoms and their causes: the table of causes in docs/run/doctor.md, row by row.

use rstest::rstest;

use crate::doctor::machine::{Found, MEMBER, Machine, STRANGER, sample};

const DENIED: &str = "Permission denied (os error 13)";
const NOT_GRANTED: &str = "Operation not permitted (os error 1)";
/// 2026-03-01 04:12:10 and the end of the sample's installations.
const INSTALLED: u64 = 1_772_338_330;
const LAST_LINE: u64 = 1_772_420_270;

/// A server whose tool fails because the driver's interface cannot be initialized.
fn broken() -> Machine {
    let machine = Machine::healthy();
    machine.smi_fails("DrvMngGetConsoleLogLevel failed. (ret=4)\ndcmi module initialize failed. ret is -8005\n", 187);
    machine
}

/// Checks that the cause was found, and that the symptom names it.
#[track_caller]
fn explained(found: &Found, cause: &str, severity: &str, says: &[&str]) {
    found.says(cause, severity, says);
    found.says("driver.no-answer", "blocker", &["-8005", cause]);
    assert_eq!(found.status, 3);
}

#[test]
fn minus_8005_because_of_a_missing_reboot_after_an_upgrade() {
    let machine = broken();
    machine.install_log(&sample("driver-install.log"), LAST_LINE);
    let says = ["has not been rebooted since", "Reboot needed", "reboot the machine"];
    explained(&machine.examine(), "driver.reboot-needed", "blocker", &says);
}

#[test]
fn a_reboot_after_the_upgrade_settles_it_whatever_the_zone_of_the_log() {
    let machine = broken();
    machine.install_log(&sample("driver-install.log"), LAST_LINE);
    machine.file("proc/stat", format!("btime {}\n", INSTALLED + 7200));
    machine.examine().lacks("driver.reboot-needed");
    // The log's clock is eight hours ahead of UTC, and the machine was started an hour after the last installation.
    machine.install_log(&sample("driver-install.log"), LAST_LINE - 8 * 3600);
    machine.file("proc/stat", format!("btime {}\n", INSTALLED - 7 * 3600));
    machine.examine().lacks("driver.reboot-needed");
    // The offset of its clock is unknown, and the start is within the range of zones.
    machine.install_log(&sample("driver-install.log"), LAST_LINE + 30 * 86400);
    machine.examine().says("driver.reboot-needed", "warning", &["may not have been rebooted since"]);
}

#[test]
fn minus_8005_because_the_user_is_not_in_the_group() {
    let machine = broken();
    machine.file("proc/self/status", STRANGER);
    let says = ["HwHiAiUser", "usermod -aG HwHiAiUser", "/dev/davinci0 has mode 0660"];
    explained(&machine.examine(), "nodes.not-in-group", "blocker", &says);
}

#[test]
fn minus_8005_because_a_sandbox_forbids_what_the_mode_allows() {
    let machine = broken();
    machine.nodes(DENIED).file("proc/self/status", MEMBER);
    explained(&machine.examine(), "nodes.sandbox", "blocker", &["sandbox", DENIED]);
}

#[test]
fn minus_8005_because_the_container_has_no_nodes() {
    let machine = broken();
    machine.file("nodes.tsv", "").file(".dockerenv", "");
    explained(
        &machine.examine(),
        "nodes.none-in-container",
        "blocker",
        &["ASCEND_VISIBLE_DEVICES", "/dev/davinci_manager"],
    );
}

#[test]
fn minus_8005_because_the_container_lacks_the_manager() {
    let machine = broken();
    machine.file("nodes.tsv", "/dev/davinci0\tdevice\t0660\t0\t1000\tok\n").file(".dockerenv", "");
    explained(&machine.examine(), "nodes.incomplete", "blocker", &["/dev/davinci_manager", "/dev/hisi_hdc"]);
}

#[test]
fn minus_8005_because_the_driver_is_missing() {
    let machine = broken();
    machine.file("nodes.tsv", "").remove("usr/local/Ascend").remove("etc/ascend_install.info");
    explained(&machine.examine(), "driver.missing", "blocker", &["install the driver, then the firmware"]);
    machine.remove("sys/bus");
    explained(&machine.examine(), "driver.missing", "blocker", &["its PCI bus has no accelerator from the vendor"]);
}

#[test]
fn minus_8005_because_no_module_is_loaded() {
    let machine = broken();
    machine.file("nodes.tsv", "").file("proc/modules", "ext4 1 0 - Live 0\n");
    explained(&machine.examine(), "driver.module-not-loaded", "blocker", &["the kernel was updated"]);
}

#[test]
fn minus_8005_because_the_driver_was_upgraded_before_the_firmware() {
    let machine = broken();
    machine.install_log(&sample("driver-install.log"), LAST_LINE);
    machine.file("proc/stat", format!("btime {}\n", INSTALLED + 7200));
    let found = machine.examine();
    found.lacks("driver.reboot-needed");
    explained(&found, "driver.before-firmware", "warning", &["before the firmware", "04:24:40"]);
}

#[test]
fn minus_8005_without_a_known_cause() {
    let machine = broken();
    machine.examine().says("driver.no-answer", "blocker", &["no known cause was found"]);
}

#[test]
fn the_exit_status_tells_the_code_if_nothing_was_printed() {
    let machine = Machine::healthy();
    machine.smi_fails("", 187);
    machine.examine().says("driver.no-answer", "blocker", &["-8005"]);
}

/// A server whose tool fails because the devices are in use elsewhere.
fn occupied() -> Machine {
    let machine = Machine::healthy();
    machine.smi_fails("dcmi model initialized failed, because the device is used. ret is -8020\n", 172);
    machine.link("proc/self/ns/mnt", "mnt:[4026531840]");
    machine
}

#[test]
fn minus_8020_because_another_mount_namespace_owns_the_device() {
    let machine = occupied();
    machine
        .link("proc/6102/ns/mnt", "mnt:[4026532999]")
        .link("proc/6102/fd/5", "/dev/davinci0")
        .file("proc/6102/cmdline", "accel-worker\0--serve\0");
    let says = ["-8020", "process 6102 (accel-worker --serve) holds /dev/davinci0", "unshare -m"];
    machine.examine().says("devices.other-namespace", "blocker", &says);
}

#[test]
fn minus_8020_with_an_invisible_owner_shows_the_kernels_messages() {
    let machine = occupied();
    machine.file("var/log/messages", sample("dmesg-driver.txt"));
    let says = ["is not visible from here", "Conflict open udevid", "on the host"];
    machine.examine().says("devices.other-namespace", "blocker", &says);
}

#[test]
fn minus_8020_because_a_reset_is_in_progress() {
    let machine = occupied();
    machine.file("proc/777/cmdline", "npu-smi\0set\0-t\0reset\0-i\x001\0");
    machine.examine().says("devices.resetting", "blocker", &["process 777", "wait a few minutes"]);
}

#[test]
fn minus_8020_because_the_devices_have_not_started() {
    let machine = occupied();
    machine.dcmi(&["BOOT=2"]);
    machine.examine().says("devices.not-ready", "blocker", &["card 1, chip 0: start-up state 2"]);
}

#[rstest]
#[case::not_ready("-8012", 180, "devices.not-ready")]
#[case::upgrading("-8017", 175, "devices.upgrading")]
fn other_codes_of_a_busy_device_are_distinguished(#[case] code: &str, #[case] status: i32, #[case] id: &str) {
    let machine = Machine::healthy();
    machine.smi_fails(&format!("dcmi module initialize failed. ret is {code}\n"), status);
    machine.examine().says(id, "blocker", &[code]);
}

#[test]
fn the_management_library_helps_without_the_tool() {
    let machine = Machine::healthy();
    std::fs::remove_file(machine.bench.path("tools/npu-smi")).unwrap();
    machine.dcmi(&["START=-8020"]);
    machine.examine().says("devices.other-namespace", "blocker", &["the driver's management library fails with -8020"]);
}

#[rstest]
#[case::descending("1,0", "visible.not-ascending", "blocker", "in ascending order")]
#[case::duplicate("0,0", "visible.duplicate", "blocker", "list each device once")]
#[case::out_of_range("7", "visible.none", "blocker", "numbered from 0")]
#[case::a_good_beginning("0,9", "visible.cut-off", "warning", "at `9`")]
#[case::no_number("all", "visible.none", "blocker", "unset the mask")]
fn a_count_of_zero_because_of_the_mask(
    #[case] mask: &str,
    #[case] id: &str,
    #[case] severity: &str,
    #[case] says: &str,
) {
    let machine = Machine::healthy().variable("ASCEND_RT_VISIBLE_DEVICES", mask);
    machine.examine().says(id, severity, &[mask, says]);
}

#[test]
fn a_count_of_zero_because_a_hosts_number_is_in_a_containers_mask() {
    let machine = Machine::healthy().variable("ASCEND_RT_VISIBLE_DEVICES", "5").variable("ASCEND_VISIBLE_DEVICES", "5");
    machine.file(".dockerenv", "");
    machine.examine().says("visible.host-ids", "blocker", &["the number is the host's", "ASCEND_VISIBLE_DEVICES=5"]);
}

#[test]
fn a_bad_device_outside_the_mask_is_a_note() {
    let table = crate::doctor::machine::idle().replacen("OK   ", "Alarm", 1);
    let machine = Machine::healthy().table(&table).variable("ASCEND_RT_VISIBLE_DEVICES", "1");
    machine.examine().says("health.bad", "note", &["device 0:0"]);
    let machine = Machine::healthy().table(&table);
    machine.examine().says("health.bad", "blocker", &["device 0:0"]);
}

#[test]
fn devices_that_the_control_group_does_not_grant_are_named() {
    let machine = Machine::healthy();
    machine.nodes(NOT_GRANTED);
    machine.examine().says("nodes.not-granted", "blocker", &["scheduler", NOT_GRANTED]);
    // One of two devices is granted, as by a scheduler after a request for one.
    let nodes = std::fs::read_to_string(machine.root().join("nodes.tsv")).unwrap();
    machine.file("nodes.tsv", nodes.replacen(NOT_GRANTED, "ok", 1));
    machine.examine().says("nodes.not-granted", "warning", &["/dev/davinci1"]);
}

#[test]
fn a_driver_that_is_older_than_its_files_is_noticed() {
    let machine = Machine::healthy();
    let file = sample("driver-version.info").replace("25.2.1", "25.2.3");
    machine.file("usr/local/Ascend/driver/version.info", file);
    machine.examine().says("versions.differ", "warning", &["25.2.1", "25.2.3", "reboot"]);
}
