//! The machine that a run was made on, as reports name it.

use crate::record::Host;

use super::text::one_line;

/// What is known of a machine, on one line.
pub(super) fn host_line(host: &Host) -> String {
    let kernel = host.kernel.as_deref().map(|release| format!("Linux {}", one_line(release)));
    let pages = host.page_size.map(|size| format!("pages of {}", bytes(size)));
    let virtual_machine = match host.virtual_machine {
        Some(true) => "a virtual machine",
        Some(false) => "no virtual machine",
        None => "a virtual machine or not is not known",
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

    #[test]
    fn a_host_is_named_by_what_is_known_of_it() {
        let host = Host {
            kernel: Some("5.10.0-60.oe2203.aarch64".to_owned()),
            page_size: Some(65536),
            virtual_machine: Some(false),
            container: Some("docker".to_owned()),
            privileged: Some(false),
            locked_memory: Some(8 << 20),
        };
        let said = "Linux 5.10.0-60.oe2203.aarch64, pages of 64 KiB, no virtual machine, \
                    in a container (docker, unprivileged), may lock 8 MiB";
        assert_eq!(host_line(&host), said);
        assert_eq!(host_line(&Host::default()), "a virtual machine or not is not known");
        assert!(host_line(&Host { locked_memory: Some(0), ..Host::default() }).ends_with("may lock 0 bytes"));
    }
}
