//! The machine that a run was made on, as reports name it.

use record::Host;

use super::text::{count, one_line};

/// What is known of a machine, on one line.
pub(super) fn host_line(host: &Host) -> String {
    let kernel = host.kernel.as_deref().map(|release| format!("Linux {}", one_line(release)));
    let pages = host.page_size.map(|size| format!("pages of {}", bytes(size)));
    let virtual_machine = match (host.virtual_machine, host.assumed_bare) {
        (Some(true), true) => "a virtual machine, taken for a physical one (--assume-bare-metal)",
        (None, true) => "taken for a physical machine (--assume-bare-metal)",
        (Some(true), false) => "a virtual machine",
        (Some(false), _) => "no virtual machine",
        (None, false) => "a virtual machine or not is not known",
    };
    let rights = match host.privileged {
        Some(false) => ", unprivileged",
        _ => "",
    };
    let container = host.container.as_deref().map(|maker| format!("in a container ({}{rights})", one_line(maker)));
    let locked = host.locked_memory.map(|limit| format!("may lock {}", bytes(limit)));
    let parts = [kernel, pages, Some(virtual_machine.to_owned()), container, locked];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The capabilities that the devices were asked for, and the rules that the machine leaves out: one text for each.
pub(super) fn left_out_lines(host: &Host) -> Vec<String> {
    let asked = host.capabilities.iter().map(|asked| match &asked.lacks {
        None => format!("the devices do {}, of which no document speaks here: it is observed", one_line(&asked.means)),
        Some(lacks) => format!("the devices do not do {}: {}", one_line(&asked.means), one_line(lacks)),
    });
    let left_out = host.left_out.iter().map(|left_out| {
        let advice = if host.counts_as_virtual() == Some(true) { " (--assume-bare-metal, if it is none)" } else { "" };
        format!("{}: {}{advice}", count(left_out.rules, "rule"), one_line(&left_out.reason))
    });
    asked.chain(left_out).collect()
}

/// `64 KiB` where it is a whole number of them.
fn bytes(size: u64) -> String {
    match size {
        size if size > 0 && size.is_multiple_of(1 << 20) => format!("{} MiB", size >> 20),
        size if size > 0 && size.is_multiple_of(1 << 10) => format!("{} KiB", size >> 10),
        size => format!("{size} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{CapabilityAnswer, LeftOut};

    #[test]
    fn a_host_is_named_by_what_is_known_of_it() {
        let host = Host {
            kernel: Some("5.10.0-60.oe2203.aarch64".to_owned()),
            page_size: Some(65536),
            virtual_machine: Some(false),
            container: Some("docker".to_owned()),
            privileged: Some(false),
            locked_memory: Some(8 << 20),
            ..Host::default()
        };
        let said = "Linux 5.10.0-60.oe2203.aarch64, pages of 64 KiB, no virtual machine, \
                    in a container (docker, unprivileged), may lock 8 MiB";
        assert_eq!(host_line(&host), said);
        assert_eq!(host_line(&Host::default()), "a virtual machine or not is not known");
        assert!(host_line(&Host { locked_memory: Some(0), ..Host::default() }).ends_with("may lock 0 bytes"));
    }

    #[test]
    fn what_a_machine_leaves_out_is_said_with_what_its_devices_answered() {
        let left_out = vec![LeftOut { reason: "this is a virtual machine".to_owned(), rules: 34 }];
        let virtual_machine = Host { virtual_machine: Some(true), left_out, ..Host::default() };
        let advice = "34 rules: this is a virtual machine (--assume-bare-metal, if it is none)";
        assert_eq!(left_out_lines(&virtual_machine), [advice]);
        let answer = |lacks| CapabilityAnswer { id: "peers".to_owned(), means: "copies".to_owned(), lacks };
        let capabilities = vec![answer(None), answer(Some("it answered\n1".to_owned()))];
        let asked = [
            "the devices do copies, of which no document speaks here: it is observed",
            "the devices do not do copies: it answered 1",
        ];
        assert_eq!(left_out_lines(&Host { capabilities, ..Host::default() }), asked);
        let taken = Host { assumed_bare: true, ..virtual_machine };
        assert_eq!(host_line(&taken), "a virtual machine, taken for a physical one (--assume-bare-metal)");
    }
}
