//! The kernel's messages, where they can be read. The driver prints its errors with the level of a notice, so lines are
//! told by their text. Shapes: hicann/driver inc/dmc/dmc_log.h, hb_read.c, uda_access.c; MindCluster's test data.

use engine::doctor::{Certainty, End, Examination, Finding, Machine, Severity};

use crate::logs::SYSTEM_LOGS;

/// What the driver's lines mean for whoever wants to start.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Messages {
    /// Lines of a device whose heartbeat is lost.
    pub heartbeat: Vec<String>,
    /// Lines of an opener that a mount namespace kept out.
    pub conflict: Vec<String>,
}

/// How many lines of a kind are shown.
const SHOWN: usize = 3;

/// Reads the kernel's messages: from the tool, else from a file.
pub(super) fn look(machine: &Machine, found: &mut Examination) -> Messages {
    let messages = read(&text(machine, found));
    if let Some(first) = messages.heartbeat.first() {
        let title = "the kernel reports a device whose heartbeat is lost since the system started";
        let next = "run with --probe to see whether the devices work now; one that is lost needs a reset, or the machine a reboot";
        let finding = Finding::new("kernel.heartbeat-lost", Severity::Warning, title, next).seen(first.clone());
        let finding = finding.seen_all(messages.heartbeat.iter().skip(1).take(SHOWN - 1).cloned());
        found.find(finding.rests_on(Certainty::Code, "hicann/driver hb_read.c, hb_host.c; mind-cluster test data"));
    }
    messages
}

fn text(machine: &Machine, found: &mut Examination) -> String {
    // Of a copy it would be another machine's kernel.
    let tool = if machine.is_copy() { None } else { machine.tool("dmesg", &["/bin", "/usr/bin"]) };
    if let Some(tool) = tool {
        let answer = machine.run(&tool, &[]);
        found.looked("kernel messages", tool.display().to_string(), answer.said());
        if matches!(answer.end, End::Status(0)) {
            return answer.output;
        }
    }
    // The system may have no tool, or not let this user ask it.
    for path in SYSTEM_LOGS {
        let read = machine.read(path);
        let said = read.as_ref().map_or_else(ToString::to_string, |text| format!("{} lines", text.lines().count()));
        found.looked("kernel messages", *path, said);
        if let Ok(text) = read {
            return text;
        }
    }
    String::new()
}

/// Reads lines of the driver. A page fault that a killed process left and a killed process itself mean nothing here.
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
    fn lines_are_told_by_their_text() {
        let messages = read(include_str!("../../../../fixtures/machines/dmesg-driver.txt"));
        assert_eq!((messages.heartbeat.len(), messages.conflict.len()), (3, 1));
        assert!(messages.conflict[0].contains("udevid=0"));
    }
}
