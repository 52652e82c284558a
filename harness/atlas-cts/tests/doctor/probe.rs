//! `--probe`: a device is used as in a run of the suite, and its errors are explained.

use rstest::rstest;

use crate::doctor::machine::Machine;

const RUNTIME: &str = "fixtures/machines/runtime.c";

fn probed(machine: Machine, flags: &[&str]) -> crate::doctor::machine::Found {
    let locks = machine.bench.path("locks").display().to_string();
    let machine = machine.library(RUNTIME, flags).variable("ATLAS_CTS_LOCKS", &locks);
    machine.with(&["--probe", "--tune", "deadline=2"]).examine()
}

#[test]
fn without_the_option_no_device_is_opened() {
    let found = Machine::healthy().library(RUNTIME, &["CODE=507033"]).examine();
    assert_eq!((found.status, found.json["probed"].as_bool()), (0, Some(false)), "{:#}", found.json);
}

#[rstest]
#[case::a_busy_device(&["CODE=507899"], "devices.other-namespace", "507899")]
#[case::a_broken_device(&["CODE=507033"], "runtime.device-side", "remove the machine from the pool")]
#[case::a_number_out_of_sight(&["CODE=107001"], "runtime.no-such-device", "ASCEND_RT_VISIBLE_DEVICES")]
#[case::an_old_driver(&["CODE=207000"], "runtime.driver-too-old", "as new as the toolkit")]
fn a_code_of_the_runtime_is_explained(#[case] flags: &[&str], #[case] cause: &str, #[case] says: &str) {
    let found = probed(Machine::healthy(), flags);
    found.says(cause, "blocker", &[says]).says("probe.failed", "blocker", &["aclInit"]);
    assert_eq!(found.status, 3);
}

#[test]
fn many_openers_explain_a_device_that_does_not_start_in_time() {
    let machine = Machine::healthy();
    for process in 100..120 {
        machine.link(&format!("proc/{process}/fd/3"), "/dev/davinci0");
    }
    probed(machine, &["CODE=507033"]).says("runtime.device-crowded", "blocker", &["hold a device: 20"]);
}

#[test]
fn a_missing_grant_explains_a_device_that_does_not_start() {
    let machine = Machine::healthy();
    machine.nodes("Operation not permitted (os error 1)");
    probed(machine, &["CODE=507033"]).says("runtime.device-not-granted", "blocker", &["control group"]);
}

#[test]
fn a_half_dead_device_that_never_answers_its_first_opener_is_found() {
    let found = probed(Machine::healthy(), &["HANGS"]);
    found.says("runtime.hangs", "blocker", &["looks healthy", "from the pool"]);
    found.says("probe.failed", "blocker", &["no progress"]);
}

#[test]
fn a_device_that_works_passes_the_probe_however_slow_its_first_start_is() {
    let machine = Machine::healthy().with(&["--limit", "1"]);
    machine.bench.run(["simulator", "--print-path", "."]).says(0, &[]);
    let path = machine.bench.path("libatlas_cts_simulator.so");
    let slow =
        machine.with(&["--library", path.to_str().unwrap(), "--probe"]).variable("ATLAS_CTS_SIM_STARTUP_MS", "3000");
    let found = slow.examine();
    assert_eq!(found.json["probed"], true, "{:#}", found.json);
    found.lacks("probe.failed");
}
