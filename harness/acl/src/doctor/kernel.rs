//! The kernel's messages, if they can be read. The driver logs errors at the level of notices, so lines are recognized
//! by their text. Sources of the form: hicann/driver inc/dmc/dmc_log.h, hb_read.c, uda_access.c, and MindCluster's test
//! data.

use engine::doctor::{Certainty, Examination, Finding, HostMachine, Severity};
use engine::logs::kernel_messages;

/// The driver's lines that matter for starting the suite.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Messages {
    /// Lines about a device whose heartbeat was lost.
    pub heartbeat: Vec<String>,
    /// Lines about a process whose mount namespace prevented the process from opening a device.
    pub conflict: Vec<String>,
}

/// The maximum number of lines shown of each kind.
const SHOWN: usize = 3;

/// Reads the kernel's messages, from the tool or from a file.
pub(super) fn look(machine: &HostMachine, found: &mut Examination) -> Messages {
    let messages = read(&kernel_messages(machine, message!("look-kernel-messages"), found));
    if let Some(first) = messages.heartbeat.first() {
        let (title, next) = (message!("kernel-heartbeat-lost"), message!("kernel-heartbeat-lost-next"));
        let finding = Finding::new("kernel.heartbeat-lost", Severity::Warning, title, next).seen(first.clone());
        let finding = finding.seen_all(messages.heartbeat.iter().skip(1).take(SHOWN - 1).cloned());
        found.find(finding.rests_on(Certainty::Code, "hicann/driver hb_read.c, hb_host.c; mind-cluster test data"));
    }
    messages
}

/// Reads the driver's lines. A killed process and the resulting page fault do not matter here.
pub(super) fn read(text: &str) -> Messages {
    let mut messages = Messages::default();
    for line in text.lines().filter(|line| line.contains("[ascend]")) {
        let line = line.trim().to_owned();
        if line.contains("Heartbeat lost!") || line.contains("heartbeat is lost") {
            messages.heartbeat.push(line);
        } else if line.contains("Conflict open udevid") {
            messages.conflict.push(line);
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_recognized_by_their_text() {
        let messages = read(include_str!("../../../../fixtures/machines/dmesg-driver.txt"));
        assert_eq!((messages.heartbeat.len(), messages.conflict.len()), (3, 1));
        assert!(messages.conflict[0].contains("udevid=0"));
    }
}
