//! The driver's error lines (Xids) since the system started, if the kernel's messages can be read.

use std::collections::BTreeMap;

use engine::doctor::{Certainty, Examination, Finding, HostMachine, Severity};
use engine::logs::kernel_messages;

use crate::xids::{self, Kind};

const SOURCE: &str = "docs.nvidia.com/deploy/xid-errors";
/// The maximum number of lines shown of each kind.
const SHOWN: usize = 4;

/// Reads the kernel's messages and reports the error lines.
pub(super) fn look(machine: &HostMachine, found: &mut Examination) {
    let text = kernel_messages(machine, message!("look-kernel-messages"), found);
    let lines = read(&text);
    let of = |kind: Kind| lines.iter().filter(move |(xid, _)| xid.kind == kind).collect::<Vec<_>>();
    for kind in [Kind::Device, Kind::Memory, Kind::Program] {
        let lines = of(kind);
        if lines.is_empty() {
            continue;
        }
        let (id, severity, title, next) = match kind {
            Kind::Device => (
                "kernel.device-errors",
                Severity::Warning,
                message!("kernel-device-errors"),
                message!("kernel-device-errors-next"),
            ),
            Kind::Memory => (
                "kernel.memory-errors",
                Severity::Warning,
                message!("kernel-memory-errors"),
                message!("kernel-memory-errors-next"),
            ),
            Kind::Program => (
                "kernel.program-errors",
                Severity::Note,
                message!("kernel-program-errors"),
                message!("kernel-program-errors-next"),
            ),
        };
        let meanings = lines.iter().map(|(xid, _)| (xid.number, xid.meaning)).collect::<BTreeMap<_, _>>();
        let meanings = meanings.into_iter().map(|(number, meaning)| format!("Xid {number}: {meaning}"));
        let newest = lines.iter().rev().take(SHOWN).rev().map(|(_, line)| line.clone());
        let finding = Finding::new(id, severity, title, next).seen_all(meanings).seen_all(newest);
        found.find(finding.rests_on(Certainty::Document, SOURCE));
    }
}

/// The error lines with known numbers.
fn read(text: &str) -> Vec<(&'static xids::Xid, String)> {
    let known = |line: &str| Some((xids::known(xids::number(line)?)?, line.trim().to_owned()));
    text.lines().filter_map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_recognized_by_their_number() {
        let lines = read(include_str!("../../../../fixtures/machines/nvidia-dmesg.txt"));
        let numbers: Vec<u32> = lines.iter().map(|(xid, _)| xid.number).collect();
        assert_eq!(numbers, [119, 79, 31, 45, 13, 48, 63, 94]);
    }
}
