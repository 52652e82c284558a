//! The causes of failures: a symptom is compared with the other findings, and its cause is listed before it.

use engine::doctor::{Certainty, Examination, Finding, Severity};

use super::codes;
use super::dcmi::Dcmi;
use super::evidence::{DEVICE_SIDE, FAQ, HALF_DEAD};
use super::kernel::Messages;
use super::usage::Opener;

/// Findings that explain why the driver's interface cannot be initialized.
const OF_INNER: &[&str] = &[
    "driver.reboot-needed",
    "nodes.not-in-group",
    "nodes.sandbox",
    "nodes.none-in-container",
    "nodes.incomplete",
    "driver.missing",
    "driver.module-not-loaded",
    "driver.before-firmware",
    "nodes.none",
    "nodes.not-granted",
    "versions.differ",
];
const OCCUPIED: &str = "hicann/driver src/sdk_driver/pbl/uda/uda_access.c; public reports of two sites";

/// Explains the error code of a tool or a library.
pub(super) fn explain(code: i32, by: &str, seen: &Occupants, found: &mut Examination) {
    match code {
        codes::OCCUPIED | codes::UPGRADING | codes::NOT_READY => occupied(code, by, seen, found),
        _ => inner(code, by, found),
    }
}

fn inner(code: i32, by: &str, found: &mut Examination) {
    let causes: Vec<String> = OF_INNER.iter().filter(|id| found.has(id)).map(|id| (*id).to_owned()).collect();
    let title = format!("{by} fails with {code}: {}", codes::meaning(code));
    let next = match causes.is_empty() {
        true => {
            "no known cause was found (a missing reboot, missing rights, a sandbox, missing nodes, a missing driver); \
                 run it as root on the host, and read the kernel's messages"
                .to_owned()
        }
        false => format!("follow the advice of the finding {}, then retry", causes.join(" or ")),
    };
    let finding = Finding::new("driver.no-answer", Severity::Blocker, title, next).seen_all(causes);
    found.find(finding.rests_on(Certainty::Field, FAQ));
}

/// Observations about processes that may occupy a device.
pub(super) struct Occupants<'a> {
    pub openers: &'a [Opener],
    pub resetting: Option<&'a str>,
    pub messages: &'a Messages,
    pub dcmi: &'a Dcmi,
}

/// The device is occupied; the advice depends on the occupant.
fn occupied(code: i32, by: &str, seen: &Occupants<'_>, found: &mut Examination) {
    /// The state of a device that has started.
    const STARTED: u32 = 16;
    let title = |cause: &str| format!("{by} fails with {code}: {cause}");
    let starting: Vec<String> = seen
        .dcmi
        .starts
        .iter()
        .filter(|(_, _, state)| *state != STARTED)
        .map(|(card, chip, state)| {
            format!("card {card}, chip {chip}: in state {state} of its start; {STARTED} is started")
        })
        .collect();
    let elsewhere: Vec<String> = seen
        .openers
        .iter()
        .filter(|opener| opener.elsewhere)
        .map(|opener| format!("process {} ({}) holds {}", opener.process, opener.command, opener.node))
        .collect();
    let conflicts = seen.messages.conflict.iter().take(3).cloned();
    let finding = if let Some(resetting) = seen.resetting {
        Finding::new(
            "devices.resetting",
            Severity::Blocker,
            title("a reset is in progress"),
            "wait a few minutes until it has ended, then retry",
        )
        .seen(resetting.to_owned())
    } else if code == codes::UPGRADING {
        Finding::new(
            "devices.upgrading",
            Severity::Blocker,
            title("an upgrade is in progress"),
            "wait until it has ended; a reboot may be needed afterward",
        )
    } else if code == codes::NOT_READY || !starting.is_empty() {
        Finding::new(
            "devices.not-ready",
            Severity::Blocker,
            title("the devices have not started yet"),
            "wait a minute and retry; if it persists, contact the administrator",
        )
        .seen_all(starting)
    } else {
        let cause = if elsewhere.is_empty() {
            "another mount namespace owns the device, and its process is not visible from here"
        } else {
            "a process in another mount namespace owns the device"
        };
        let next = "stop the container, sandbox or service that uses it (PrivateTmp and `unshare -m` count too), on \
                    the host if it is not visible here; the device is free when the last process of that namespace has \
                    ended. The suite runs all its processes in one namespace";
        Finding::new("devices.other-namespace", Severity::Blocker, title(cause), next)
            .seen_all(elsewhere)
            .seen_all(conflicts)
    };
    found.find(finding.rests_on(Certainty::Code, OCCUPIED));
}

/// Explains the runtime's codes and messages in the output of a probe.
pub(super) fn of_runtime(text: &str, seen: &Occupants<'_>, found: &mut Examination) {
    let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    if has(&["EL0005", "507899", "drvRetCode=87"]) {
        occupied(codes::OCCUPIED, "opening a device (507899)", seen, found);
    } else if has(&["507033", "E39007", "tdt error=31"]) {
        device_side(seen, found);
    } else if has(&["no progress", "timed out and was killed", "timed out, was killed"]) {
        let title = "setting up a device does not return, although the machine looks healthy: a device whose side of \
                     the channel is dead answers everyone except its first opener";
        let next = "remove the machine from the pool, and have the device reset or the machine rebooted";
        let finding = Finding::new("runtime.hangs", Severity::Blocker, title, next);
        found.find(finding.rests_on(Certainty::Field, HALF_DEAD));
    } else if has(&["107001"]) {
        let title = "the runtime does not know the device (107001): its number is not among the visible ones, or the \
                     driver is not loaded";
        let next = "unset ASCEND_RT_VISIBLE_DEVICES or give fewer devices with --devices; check that the driver's \
                    modules are loaded";
        let finding = Finding::new("runtime.no-such-device", Severity::Blocker, title, next);
        found.find(finding.rests_on(Certainty::Document, "hicann/runtime docs, FAQ on aclrtSetDevice"));
    } else if has(&["207000", "EE1015", "undefined symbol"]) {
        let title = "the toolkit needs a newer driver (207000, EE1015 or a missing symbol)";
        let next = "install a driver and firmware as new as the toolkit, or an older toolkit";
        let finding = Finding::new("runtime.driver-too-old", Severity::Blocker, title, next);
        found.find(
            finding
                .rests_on(Certainty::Document, "hicann/runtime docs, FAQ on mismatches; a public report of one site"),
        );
    }
}

/// The host side answers but the device side does not start: a bad node, too many openers, or a device that the control
/// group does not grant.
fn device_side(seen: &Occupants<'_>, found: &mut Examination) {
    /// The number of simultaneous openers from which a device counts as crowded. A device has 64 contexts.
    const CROWD: usize = 16;
    let (id, title, next) = if found.has("nodes.not-granted") {
        (
            "runtime.device-not-granted",
            "the device side did not start (507033): the control group of this job does not grant the device",
            "use only the devices that the scheduler granted, and query the runtime for their number",
        )
    } else if seen.openers.len() >= CROWD {
        (
            "runtime.device-crowded",
            "the device side did not start in time (507033): many processes open devices at the same time",
            "wait until the other processes have started, or start fewer at a time",
        )
    } else {
        (
            "runtime.device-side",
            "the device side did not start (507033): the device or its channel is broken, although it looks healthy",
            "remove the machine from the pool: every start on such a node hangs; a reset or a reboot may recover it",
        )
    };
    let finding = Finding::new(id, Severity::Blocker, title, next)
        .seen(format!("other processes that hold a device: {}", seen.openers.len()));
    found.find(finding.rests_on(Certainty::Field, DEVICE_SIDE));
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const LOG: &str = include_str!("../../../../fixtures/machines/plog-environment.log");
    const MESSAGES: &str = include_str!("../../../../fixtures/machines/recent-err-msg.txt");

    fn found(text: &str) -> Vec<String> {
        let (messages, dcmi) = (Messages::default(), Dcmi::default());
        let seen = Occupants { openers: &[], resetting: None, messages: &messages, dcmi: &dcmi };
        let mut found = Examination::new("1", "acl", "/");
        of_runtime(text, &seen, &mut found);
        found.findings.into_iter().map(|finding| finding.id).collect()
    }

    fn lines(text: &str, from: usize, count: usize) -> String {
        text.lines().skip(from).take(count).collect::<Vec<_>>().join("\n")
    }

    #[rstest]
    #[case::a_log_of_a_busy_device(lines(LOG, 0, 3), "devices.other-namespace")]
    #[case::a_log_of_a_dead_device_side(lines(LOG, 3, 3), "runtime.device-side")]
    #[case::a_message_of_a_busy_device(lines(MESSAGES, 1, 5), "devices.other-namespace")]
    #[case::a_message_of_a_dead_device_side(MESSAGES.split("--- device side").nth(1).unwrap().to_owned(), "runtime.device-side")]
    #[case::an_old_driver("EE1015: [PID: 1] the driver is older".to_owned(), "runtime.driver-too-old")]
    fn output_of_the_runtime_is_traced_to_its_cause(#[case] text: String, #[case] cause: &str) {
        assert_eq!(found(&text), [cause]);
    }

    #[test]
    fn harmless_output_has_no_cause() {
        assert_eq!(found("all is well"), [""; 0]);
    }
}
