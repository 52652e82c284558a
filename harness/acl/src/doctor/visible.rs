//! The masks that select devices. The runtime reads ASCEND_RT_VISIBLE_DEVICES up to the first invalid token, and
//! reports nothing until a device is used (hicann/runtime src/runtime/core/src/runtime.cc GetVisibleDevices). The
//! container runtime reads ASCEND_VISIBLE_DEVICES, which contains the host's numbers.

use engine::doctor::{Certainty, Examination, Finding, HostMachine, Severity};

/// The runtime's mask.
pub(super) const MASK: &str = "ASCEND_RT_VISIBLE_DEVICES";
/// The container runtime's mask.
const GIVEN: &str = "ASCEND_VISIBLE_DEVICES";

const SOURCE: &str =
    "hicann/runtime src/runtime/core/src/runtime.cc GetVisibleDevices; docs env_vars/ASCEND_RT_VISIBLE_DEVICES";

/// A mask's meaning for the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mask {
    /// The listed devices, and the token at which reading stopped because the token is not a number or is too large.
    Devices(Vec<u32>, Option<String>),
    /// No device, and the token at which reading stopped.
    Empty(Option<String>),
    Twice(u32),
    Descending(u32, u32),
}

/// Reads a mask in the same way as the runtime on a machine with `count` devices.
pub(super) fn read(text: &str, count: u32) -> Mask {
    let (mut devices, mut stopped): (Vec<u32>, Option<String>) = (Vec::new(), None);
    for token in text.split(',').map(str::trim) {
        match token.parse::<u32>() {
            Ok(device) if device < count => devices.push(device),
            _ => {
                stopped = Some(token.to_owned());
                break;
            }
        }
    }
    for (at, pair) in devices.windows(2).enumerate() {
        if devices[..=at].contains(&pair[1]) {
            return Mask::Twice(pair[1]);
        }
        if pair[1] < pair[0] {
            return Mask::Descending(pair[0], pair[1]);
        }
    }
    if devices.is_empty() { Mask::Empty(stopped) } else { Mask::Devices(devices, stopped) }
}

/// The devices visible to this process on a machine with `count` devices, in the order of the runtime's numbers.
pub(super) fn seen(machine: &HostMachine, count: usize) -> Vec<u32> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    match machine.variable(MASK).map(|text| read(text, count)) {
        None => (0..count).collect(),
        Some(Mask::Devices(devices, _)) => devices,
        Some(_) => Vec::new(),
    }
}

/// Judges the masks and returns the visible devices; `None` if all devices are visible.
pub(super) fn look(machine: &HostMachine, count: usize, container: bool, found: &mut Examination) -> Option<Vec<u32>> {
    let given = machine.variable(GIVEN);
    found.looked(message!("look-container-devices"), GIVEN, given.unwrap_or(message!("not-set")));
    let text = machine.variable(MASK);
    found.looked(message!("look-visible-devices"), MASK, text.unwrap_or(message!("not-set")));
    let text = text?;
    // If the number of devices is unknown, no number counts as too large.
    let count = if count == 0 { u32::MAX } else { u32::try_from(count).unwrap_or(u32::MAX) };
    let blocker = |id: &str, title: String, next: &str| {
        Finding::new(id, Severity::Blocker, title, next)
            .seen(format!("{MASK}={text}"))
            .rests_on(Certainty::Code, SOURCE)
    };
    match read(text, count) {
        Mask::Devices(devices, None) => return Some(devices),
        Mask::Devices(devices, Some(token)) => {
            let title = message!("visible-cut-off", token = token, devices = join(&devices));
            let next = message!("visible-cut-off-next");
            let finding =
                Finding::new("visible.cut-off", Severity::Warning, title, next).seen(format!("{MASK}={text}"));
            found.find(finding.rests_on(Certainty::Code, SOURCE));
            return Some(devices);
        }
        Mask::Twice(device) => found.find(blocker(
            "visible.duplicate",
            message!("visible-duplicate", device = device),
            message!("visible-duplicate-next"),
        )),
        Mask::Descending(first, then) => found.find(blocker(
            "visible.not-ascending",
            message!("visible-not-ascending", first = first, then = then),
            message!("visible-not-ascending-next"),
        )),
        Mask::Empty(Some(token)) if container && token.parse::<u32>().is_ok() => {
            let title = message!("visible-host-ids", token = token, count = count);
            let finding = blocker("visible.host-ids", title, message!("visible-host-ids-next"));
            found.find(finding.seen_all(given.map(|given| format!("{GIVEN}={given}"))));
        }
        Mask::Empty(stopped) => found.find(blocker(
            "visible.none",
            match stopped.filter(|token| !token.is_empty()) {
                Some(token) => message!("visible-none-valid", token = token),
                None => message!("visible-none").to_owned(),
            },
            message!("visible-none-next"),
        )),
    }
    None
}

fn join(devices: &[u32]) -> String {
    devices.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::all_good("0,1,3", Mask::Devices(vec![0, 1, 3], None))]
    #[case::the_beginning_counts("0,1,9,3", Mask::Devices(vec![0, 1], Some("9".to_owned())))]
    #[case::a_word_ends_it("0,x,1", Mask::Devices(vec![0], Some("x".to_owned())))]
    #[case::descending("2,0", Mask::Descending(2, 0))]
    #[case::twice_in_a_row("1,1", Mask::Twice(1))]
    #[case::twice("0,1,0", Mask::Twice(0))]
    #[case::too_large("8", Mask::Empty(Some("8".to_owned())))]
    #[case::no_number("all", Mask::Empty(Some("all".to_owned())))]
    #[case::negative("-1", Mask::Empty(Some("-1".to_owned())))]
    fn a_mask_is_read_as_the_runtime_reads_it(#[case] text: &str, #[case] is: Mask) {
        assert_eq!(read(text, 8), is);
    }

    proptest! {
        #[test]
        fn visible_devices_exist_and_ascend(text in "[0-9, x-]{0,30}", count in 0u32..20) {
            if let Mask::Devices(devices, _) = read(&text, count) {
                prop_assert!(devices.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert!(devices.iter().all(|device| *device < count));
            }
        }
    }
}
