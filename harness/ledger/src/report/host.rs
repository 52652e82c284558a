//! Formats a run's machine for reports.

use messages::{comma, message};
use record::Host;

use super::text::one_line;

/// The known facts about a machine, on one line.
pub(super) fn host_line(host: &Host) -> String {
    let kernel = host.kernel.as_deref().map(|release| format!("Linux {}", one_line(release)));
    let pages = host.page_size.map(|size| message!("host-pages", size = bytes(size)));
    let virtual_machine = match (host.virtual_machine, host.assumed_bare) {
        (Some(true), true) => message!("host-virtual-assumed-physical"),
        (None, true) => message!("host-assumed-physical"),
        (Some(true), false) => message!("host-virtual"),
        (Some(false), _) => message!("host-physical"),
        (None, false) => message!("host-uncertain"),
    };
    let container = host.container.as_deref().map(|maker| match host.privileged {
        Some(false) => message!("host-unprivileged-container", maker = one_line(maker)),
        _ => message!("host-container", maker = one_line(maker)),
    });
    let locked = host.locked_memory.map(|limit| message!("host-may-lock", size = bytes(limit)));
    let parts = [kernel, pages, Some(virtual_machine.to_owned()), container, locked];
    parts.into_iter().flatten().collect::<Vec<_>>().join(comma())
}

/// Returns one line for each trial, and one for each group of rules that do not
/// run on the machine.
pub(super) fn left_out_lines(host: &Host) -> Vec<String> {
    let capabilities = host.trials.iter().map(|answer| match (one_line(&answer.means), &answer.lacks) {
        (what, None) => message!("capability-shown", what = what),
        (what, Some(lacks)) => message!("capability-missing", what = what, why = one_line(lacks)),
    });
    let left_out = host.left_out.iter().map(|left_out| match (left_out.rules, one_line(&left_out.reason)) {
        (rules, why) if host.counts_as_virtual() == Some(true) => {
            message!("left-out-on-virtual-machine", count = rules, why = why)
        }
        (rules, why) => message!("left-out", count = rules, why = why),
    });
    capabilities.chain(left_out).collect()
}

/// A size in the largest unit that divides the size exactly, for example `64 KiB`.
fn bytes(size: u64) -> String {
    match size {
        size if size > 0 && size.is_multiple_of(1 << 20) => format!("{} MiB", size >> 20),
        size if size > 0 && size.is_multiple_of(1 << 10) => format!("{} KiB", size >> 10),
        size => message!("count-bytes", count = size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{LeftOut, TrialAnswer};

    #[test]
    fn a_host_is_described_by_its_known_facts() {
        let host = Host {
            kernel: Some("5.10.0-60.oe2203.aarch64".to_owned()),
            page_size: Some(65536),
            virtual_machine: Some(false),
            container: Some("docker".to_owned()),
            privileged: Some(false),
            locked_memory: Some(8 << 20),
            ..Host::default()
        };
        let line = "Linux 5.10.0-60.oe2203.aarch64, 64 KiB pages, not a virtual machine, \
                    in a container (docker, unprivileged), may lock 8 MiB";
        assert_eq!(host_line(&host), line);
        assert_eq!(host_line(&Host::default()), "unknown whether this is a virtual machine");
        assert!(host_line(&Host { locked_memory: Some(0), ..Host::default() }).ends_with("may lock 0 bytes"));
    }

    #[test]
    fn the_lines_give_the_rules_left_out_and_the_answers_of_the_devices() {
        let left_out = vec![LeftOut { reason: "this is a virtual machine".to_owned(), rules: 34 }];
        let virtual_machine = Host { virtual_machine: Some(true), left_out, ..Host::default() };
        let advice = "34 rules: this is a virtual machine (if not, set ATLAS_CTS_ASSUME_BARE_METAL=1)";
        assert_eq!(left_out_lines(&virtual_machine), [advice]);
        let answer = |lacks| TrialAnswer { id: "peers".to_owned(), means: "copies".to_owned(), lacks };
        let trials = vec![answer(None), answer(Some("it answered\n1".to_owned()))];
        let lines = [
            "the devices support copies, which no document promises here: observed, not judged",
            "the devices do not support copies: it answered 1",
        ];
        assert_eq!(left_out_lines(&Host { trials, ..Host::default() }), lines);
        let assumed = Host { assumed_bare: true, ..virtual_machine };
        assert_eq!(host_line(&assumed), "a virtual machine, treated as physical (ATLAS_CTS_ASSUME_BARE_METAL)");
    }
}
