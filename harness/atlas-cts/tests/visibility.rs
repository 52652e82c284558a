//! A mask hides devices from a process, and the visible devices are numbered from 0. The library is loaded from a file,
//! like that of a real device: the runtime reports the number of devices under the mask.

use crate::support;

use rstest::rstest;
use support::{Answer, Bench, Report, answer};

/// Rules on two devices whose numbers under these masks differ from those of the machine.
const RULES: [&str; 3] = ["acl.vmm.access-peer", "acl.vmm.reserved-va-copy", "acl.vmm.device-of-memory"];

/// Runs the rules on a machine with four devices, of which a mask shows some, with a seeded defect if one is given.
fn run_under(mask: &str, defect: &str) -> (Answer, Report) {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("library")).unwrap();
    bench.run(["simulator", "--print-path", "library"]).says(0, &["library/libatlas_cts_simulator.so"]);
    let library = ["--library", "library/libatlas_cts_simulator.so"];
    let mut command = bench.command(["run", "--product", "a2", "--report-dir", "report"].iter().chain(&library));
    command.args(RULES).env("ATLAS_CTS_SIM_PRODUCT", "a2").env("ATLAS_CTS_SIM_DEVICES", "4");
    command.env("ATLAS_CTS_SIM_DEFECTS", defect).env("ASCEND_RT_VISIBLE_DEVICES", mask);
    (answer(&mut command), bench.report("report"))
}

#[rstest]
#[case::neither_is_the_first("1,2")]
#[case::one_lies_between("0,2")]
#[case::cut_at_the_first_missing_device("1,3,8")]
fn rules_on_two_devices_pass_with_the_numbers_under_a_mask(#[case] mask: &str) {
    let (answer, report) = run_under(mask, "");
    answer.says(0, &["2 × simulated Ascend910B1", "3 pass"]);
    assert_eq!(report.header.devices, 2);
}

#[test]
fn access_granted_by_machine_numbers_is_noticed_under_a_mask() {
    let (answer, report) = run_under("1,2", "vm.access-device-in-unmasked-numbers");
    answer.says(1, &["not conformant"]);
    for id in &RULES[..2] {
        assert_eq!(report.result(id).verdict.name(), "fail", "{id}");
    }
}

#[test]
fn without_a_mask_both_numbers_are_the_same_and_nothing_is_noticed() {
    let (answer, report) = run_under("", "vm.access-device-in-unmasked-numbers");
    answer.says(0, &["3 pass"]);
    assert_eq!(report.header.devices, 4);
}

#[test]
fn a_mask_that_is_read_too_late_shows_in_the_number_of_devices() {
    let (_, report) = run_under("1,2", "device.visible-mask-ignored");
    assert_eq!(report.header.devices, 4);
}

#[test]
fn if_a_mask_leaves_one_device_rules_on_two_tell_why_they_did_not_run() {
    let (answer, report) = run_under("2", "");
    answer.says(0, &["needs 2 devices, there is 1"]);
    assert!(report.verdicts().iter().all(|(_, verdict)| *verdict == "skipped"), "{:?}", report.verdicts());
}
