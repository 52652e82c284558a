//! The variables that select devices. The runtime reads CUDA_VISIBLE_DEVICES up to the first entry that is not a
//! device (CUDA programming guide, environment variables). The container runtime reads NVIDIA_VISIBLE_DEVICES.

use engine::doctor::{Certainty, Examination, Finding, HostMachine, Severity};

use super::evidence::ENVIRONMENT;

/// The runtime's mask.
pub(super) const MASK: &str = "CUDA_VISIBLE_DEVICES";
/// The container runtime's mask.
pub(super) const GIVEN: &str = "NVIDIA_VISIBLE_DEVICES";
/// The order in which the runtime numbers the devices.
pub(super) const ORDER: &str = "CUDA_DEVICE_ORDER";

/// A mask's meaning for the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mask {
    /// The listed entries, each a number or the beginning of a UUID, and the entry at which reading stops.
    Devices(Vec<String>, Option<String>),
    /// No device, and the entry at which reading stops.
    Empty(Option<String>),
}

/// Reads a mask in the same way as the runtime on a machine with `count` devices.
pub(super) fn read(text: &str, count: u32) -> Mask {
    let (mut devices, mut stopped): (Vec<String>, Option<String>) = (Vec::new(), None);
    for token in text.split(',').map(str::trim) {
        let named = token.starts_with("GPU-") || token.starts_with("MIG-");
        if named || token.parse::<u32>().is_ok_and(|device| device < count) {
            devices.push(token.to_owned());
        } else {
            stopped = Some(token.to_owned());
            break;
        }
    }
    if devices.is_empty() { Mask::Empty(stopped) } else { Mask::Devices(devices, stopped) }
}

/// The positions, among the tool's devices, of the devices that the runtime numbers 0, 1, …; `None` if they are
/// unknown: the runtime puts the fastest device first unless `CUDA_DEVICE_ORDER` is `PCI_BUS_ID`.
pub(super) fn numbered(machine: &HostMachine, uuids: &[String], names: &[String]) -> Option<Vec<usize>> {
    let alike = names.windows(2).all(|pair| pair[0] == pair[1]);
    if !alike && machine.variable(ORDER) != Some("PCI_BUS_ID") {
        return None;
    }
    let count = u32::try_from(uuids.len()).unwrap_or(u32::MAX);
    match machine.set_variable(MASK).map(|text| read(text, count)) {
        None => Some((0..uuids.len()).collect()),
        Some(Mask::Empty(_)) => Some(Vec::new()),
        Some(Mask::Devices(entries, _)) => entries.iter().map(|entry| position(entry, uuids)).collect(),
    }
}

/// The position of a mask's entry among the devices.
fn position(entry: &str, uuids: &[String]) -> Option<usize> {
    match entry.parse::<usize>() {
        Ok(number) => Some(number),
        Err(_) => uuids.iter().position(|uuid| uuid.starts_with(entry)),
    }
}

/// Judges the masks.
pub(super) fn look(machine: &HostMachine, count: usize, container: bool, names: &[String], found: &mut Examination) {
    let given = machine.set_variable(GIVEN);
    found.looked(message!("look-container-devices"), GIVEN, given.unwrap_or(message!("not-set")));
    let text = machine.set_variable(MASK);
    found.looked(message!("look-visible-devices"), MASK, text.unwrap_or(message!("not-set")));
    if container && let Some(given) = given.filter(|given| ["", "void", "none"].contains(given)) {
        let finding = Finding::new(
            "visible.container-none",
            Severity::Blocker,
            message!("visible-container-none", given = given),
            message!("visible-container-none-next"),
        );
        found.find(finding.rests_on(Certainty::Document, super::evidence::CONTAINERS));
    }
    order(machine, names, found);
    let Some(text) = text else { return };
    // If the number of devices is unknown, no number counts as too large.
    let known = if count == 0 { u32::MAX } else { u32::try_from(count).unwrap_or(u32::MAX) };
    let finding = match read(text, known) {
        Mask::Devices(_, None) => return,
        Mask::Devices(devices, Some(token)) => {
            let title = message!("visible-cut-off", token = token, devices = devices.join(", "));
            Finding::new("visible.cut-off", Severity::Warning, title, message!("visible-cut-off-next"))
        }
        Mask::Empty(stopped) => {
            let title = match stopped.filter(|token| !token.is_empty()) {
                Some(token) => message!("visible-none-valid", token = token),
                None => message!("visible-none").to_owned(),
            };
            Finding::new("visible.none", Severity::Blocker, title, message!("visible-none-next"))
        }
    };
    found.find(finding.seen(format!("{MASK}={text}")).rests_on(Certainty::Document, ENVIRONMENT));
}

/// Reports that the numbers of the tool and of the runtime may differ.
fn order(machine: &HostMachine, names: &[String], found: &mut Examination) {
    let order = machine.variable(ORDER);
    found.looked(message!("look-device-order"), ORDER, order.unwrap_or(message!("not-set")));
    let mut different = names.to_vec();
    different.dedup();
    if different.len() < 2 || order == Some("PCI_BUS_ID") {
        return;
    }
    let title = message!("visible-order", names = different.join(", "));
    let finding = Finding::new("visible.order", Severity::Note, title, message!("visible-order-next"));
    found.find(finding.rests_on(Certainty::Document, ENVIRONMENT));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn devices(entries: &[&str], stopped: Option<&str>) -> Mask {
        Mask::Devices(entries.iter().map(|entry| (*entry).to_owned()).collect(), stopped.map(str::to_owned))
    }

    #[rstest]
    #[case::all_good("2,1", devices(&["2", "1"], None))]
    #[case::the_beginning_counts("0,2,-1,1", devices(&["0", "2"], Some("-1")))]
    #[case::too_large("0,8", devices(&["0"], Some("8")))]
    #[case::a_uuid("GPU-8932f937", devices(&["GPU-8932f937"], None))]
    #[case::a_part_of_a_device("MIG-6d7d", devices(&["MIG-6d7d"], None))]
    #[case::nothing("", Mask::Empty(Some(String::new())))]
    #[case::a_word("NoDevFiles", Mask::Empty(Some("NoDevFiles".to_owned())))]
    fn a_mask_is_read_as_the_runtime_reads_it(#[case] text: &str, #[case] is: Mask) {
        assert_eq!(read(text, 4), is);
    }

    #[test]
    fn the_beginning_of_a_uuid_names_a_device() {
        let uuids = ["GPU-11", "GPU-22"].map(str::to_owned);
        assert_eq!(
            (position("GPU-2", &uuids), position("1", &uuids), position("MIG-1", &uuids)),
            (Some(1), Some(1), None)
        );
    }

    proptest! {
        #[test]
        fn each_listed_number_is_a_device(text in "[0-9, xGPU-]{0,30}", count in 0u32..20) {
            if let Mask::Devices(devices, _) = read(&text, count) {
                for device in devices {
                    prop_assert!(device.parse::<u32>().is_ok_and(|device| device < count) || device.contains('-'));
                }
            }
        }
    }
}
