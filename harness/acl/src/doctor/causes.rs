//! Explains symptoms by their causes. Each symptom is compared with the other findings, and a symptom's cause is listed
//! before the symptom.

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
    let title = message!("driver-no-answer", by = by, code = code, meaning = codes::meaning(code));
    let next = message!("driver-no-answer-next", count = causes.len(), causes = causes.join(", "));
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

/// Reports an occupied device, with advice that depends on the process that occupies the device.
fn occupied(code: i32, by: &str, seen: &Occupants<'_>, found: &mut Examination) {
    /// The state of a device that has started.
    const STARTED: u32 = 16;
    let starting: Vec<String> = seen
        .dcmi
        .starts
        .iter()
        .filter(|(_, _, state)| *state != STARTED)
        .map(|(card, chip, state)| {
            message!("chip-starting", card = card, chip = chip, state = state, started = STARTED)
        })
        .collect();
    let elsewhere: Vec<String> = seen
        .openers
        .iter()
        .filter(|opener| opener.elsewhere)
        .map(|opener| {
            let (process, command) = (opener.process.as_str(), opener.command.as_str());
            message!("process-holds", process = process, command = command, node = opener.node.as_str())
        })
        .collect();
    let conflicts = seen.messages.conflict.iter().take(3).cloned();
    let blocker = |id: &str, title: String, next: &str| Finding::new(id, Severity::Blocker, title, next);
    let finding = if let Some(resetting) = seen.resetting {
        let title = message!("devices-resetting", by = by, code = code);
        blocker("devices.resetting", title, message!("devices-resetting-next")).seen(resetting)
    } else if code == codes::UPGRADING {
        let title = message!("devices-upgrading", by = by, code = code);
        blocker("devices.upgrading", title, message!("devices-upgrading-next"))
    } else if code == codes::NOT_READY || !starting.is_empty() {
        let title = message!("devices-not-ready", by = by, code = code);
        blocker("devices.not-ready", title, message!("devices-not-ready-next")).seen_all(starting)
    } else {
        let title = match elsewhere.is_empty() {
            true => message!("devices-other-namespace-not-visible", by = by, code = code),
            false => message!("devices-other-namespace", by = by, code = code),
        };
        let finding = blocker("devices.other-namespace", title, message!("devices-other-namespace-next"));
        finding.seen_all(elsewhere).seen_all(conflicts)
    };
    found.find(finding.rests_on(Certainty::Code, OCCUPIED));
}

/// Explains the runtime's codes and messages in a probe's output.
pub(super) fn of_runtime(text: &str, seen: &Occupants<'_>, found: &mut Examination) {
    let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    if has(&["EL0005", "507899", "drvRetCode=87"]) {
        occupied(codes::OCCUPIED, message!("opening-a-device"), seen, found);
    } else if has(&["507033", "E39007", "tdt error=31"]) {
        device_side(seen, found);
    } else if has(&["no progress", "timed out and was killed", "timed out, was killed"]) {
        let (title, next) = (message!("runtime-hangs"), message!("runtime-hangs-next"));
        let finding = Finding::new("runtime.hangs", Severity::Blocker, title, next);
        found.find(finding.rests_on(Certainty::Field, HALF_DEAD));
    } else if has(&["107001"]) {
        let (title, next) = (message!("runtime-no-such-device"), message!("runtime-no-such-device-next"));
        let finding = Finding::new("runtime.no-such-device", Severity::Blocker, title, next);
        found.find(finding.rests_on(Certainty::Document, "hicann/runtime docs, FAQ on aclrtSetDevice"));
    } else if has(&["207000", "EE1015", "undefined symbol"]) {
        let (title, next) = (message!("runtime-driver-too-old"), message!("runtime-driver-too-old-next"));
        let finding = Finding::new("runtime.driver-too-old", Severity::Blocker, title, next);
        found.find(
            finding
                .rests_on(Certainty::Document, "hicann/runtime docs, FAQ on mismatches; a public report of one site"),
        );
    }
}

/// Explains a device side that does not start although the host side answers. Possible causes are a bad node, too many
/// openers, and a device that the control group does not grant.
fn device_side(seen: &Occupants<'_>, found: &mut Examination) {
    /// The least number of simultaneous openers for which a device counts as crowded. A device has 64 contexts.
    const CROWD: usize = 16;
    let (id, title, next) = if found.has("nodes.not-granted") {
        (
            "runtime.device-not-granted",
            message!("runtime-device-not-granted"),
            message!("runtime-device-not-granted-next"),
        )
    } else if seen.openers.len() >= CROWD {
        ("runtime.device-crowded", message!("runtime-device-crowded"), message!("runtime-device-crowded-next"))
    } else {
        ("runtime.device-side", message!("runtime-device-side"), message!("runtime-device-side-next"))
    };
    let openers = message!("runtime-device-side-seen", count = seen.openers.len());
    let finding = Finding::new(id, Severity::Blocker, title, next).seen(openers);
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
