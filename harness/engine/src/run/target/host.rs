//! A run's host, as described by the system's files in a root folder. Rules depend on some of these facts, and the
//! report shows the others.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::doctor::HostMachine;
use record::Host;

/// The bits for two process capabilities: locking any amount of memory, and administering the machine.
const IPC_LOCK: u32 = 14;
const SYS_ADMIN: u32 = 21;
/// Prefixes of the vendor and product names in virtual machines' firmware, as in systemd-detect-virt.
const VIRTUAL: &[&str] = &[
    "KVM",
    "OpenStack",
    "KubeVirt",
    "Amazon EC2",
    "QEMU",
    "VMware",
    "VMW",
    "innotek GmbH",
    "VirtualBox",
    "Xen",
    "Bochs",
    "Parallels",
    "BHYVE",
    "Hyper-V",
    "Apple Virtualization",
    "Google Compute Engine",
];
/// The suffix that marks an instance without a hypervisor.
const BARE: &str = ".metal";

/// Reads the facts about a machine from a root folder, which is `/` except in tests. Facts that cannot be read stay
/// unknown.
pub(super) fn read(root: &Path) -> Host {
    let text = |path: &str| fs::read_to_string(root.join(path)).ok();
    let capabilities = text("proc/self/status").as_deref().and_then(capabilities);
    let may = |bit: u32| capabilities.map(|bits| bits >> bit & 1 == 1);
    Host {
        kernel: text("proc/sys/kernel/osrelease").map(|release| release.trim().to_owned()),
        page_size: text("proc/self/smaps").as_deref().and_then(page_size),
        virtual_machine: virtual_machine(root),
        container: HostMachine::new(root, Duration::ZERO).container().map(str::to_owned),
        privileged: may(SYS_ADMIN),
        locked_memory: text("proc/self/limits")
            .as_deref()
            .and_then(locked_memory)
            .filter(|_| may(IPC_LOCK) != Some(true)),
        ..Host::default()
    }
}

/// The capability bits in the line `CapEff`.
fn capabilities(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

/// The page size in bytes, taken from a process's first mapping.
fn page_size(mappings: &str) -> Option<u64> {
    let line = mappings.lines().find_map(|line| line.strip_prefix("KernelPageSize:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The number of bytes that a process may lock; `None` if there is no limit.
fn locked_memory(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max locked memory"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// True if the machine is virtual. x86 processors have a flag for a hypervisor; on other machines, the firmware has a
/// name or a node that shows one.
fn virtual_machine(root: &Path) -> Option<bool> {
    let text = |path: &str| fs::read_to_string(root.join(path)).ok();
    let processors = text("proc/cpuinfo").unwrap_or_default();
    if let Some(flags) = processors.lines().find(|line| line.starts_with("flags")) {
        return Some(flags.split_whitespace().any(|flag| flag == "hypervisor"));
    }
    if root.join("proc/device-tree/hypervisor").exists() {
        return Some(true);
    }
    let product = text("sys/class/dmi/id/product_name");
    let named: Vec<String> = product.iter().cloned().chain(text("sys/class/dmi/id/sys_vendor")).collect();
    if named.is_empty() {
        return None;
    }
    let bare = product.is_some_and(|product| product.trim().ends_with(BARE));
    Some(!bare && named.iter().any(|name| VIRTUAL.iter().any(|known| name.starts_with(known))))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const STATUS: &str = "Name:\tatlas-cts\nCapPrm:\t0000000000000000\nCapEff:\t";
    const LIMITS: &str = "Limit                     Soft Limit           Hard Limit           Units     \n\
                          Max locked memory         ";

    /// Creates a machine with these files.
    fn machine(files: &[(&str, &str)]) -> Host {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        read(root.path())
    }

    #[rstest]
    #[case::a_processor_with_the_flag(&[("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lm\n")], Some(true))]
    #[case::a_processor_without(&[("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme lm\n")], Some(false))]
    #[case::firmware_of_an_emulator(
        &[("proc/cpuinfo", "Features\t: fp\n"), ("sys/class/dmi/id/sys_vendor", "QEMU\n")],
        Some(true)
    )]
    #[case::firmware_of_a_cloud(
        &[("sys/class/dmi/id/sys_vendor", "Huawei Cloud\n"), ("sys/class/dmi/id/product_name", "OpenStack Nova\n")],
        Some(true)
    )]
    #[case::firmware_of_a_server(
        &[("sys/class/dmi/id/sys_vendor", "Huawei\n"), ("sys/class/dmi/id/product_name", "Atlas 800 (Model 9000)\n")],
        Some(false)
    )]
    #[case::a_cloud_without_hypervisor(
        &[("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"), ("sys/class/dmi/id/product_name", "c7g.metal\n")],
        Some(false)
    )]
    #[case::a_node_of_the_device_tree(&[("proc/device-tree/hypervisor/compatible", "linux,kvm")], Some(true))]
    #[case::nothing_that_tells(&[("proc/cpuinfo", "Features\t: fp\n")], None)]
    fn a_virtual_machine_is_told_by_what_the_system_shows(#[case] files: &[(&str, &str)], #[case] is: Option<bool>) {
        assert_eq!(machine(files).virtual_machine, is);
    }

    #[rstest]
    #[case::a_limit("0000000000000000", "65536                65536                bytes", Some(65536))]
    #[case::no_limit("0000000000000000", "unlimited            unlimited            bytes", None)]
    #[case::one_that_does_not_bind("0000000000004000", "65536                65536                bytes", None)]
    fn the_limit_of_locked_memory_binds_who_may_not_lock_any_amount(
        #[case] bits: &str,
        #[case] limit: &str,
        #[case] is: Option<u64>,
    ) {
        let (status, limits) = (format!("{STATUS}{bits}\n"), format!("{LIMITS}{limit}\n"));
        assert_eq!(machine(&[("proc/self/status", &status), ("proc/self/limits", &limits)]).locked_memory, is);
    }

    #[rstest]
    #[case::docker(&[(".dockerenv", "")], Some("docker"))]
    #[case::podman(&[("run/.containerenv", "")], Some("podman"))]
    #[case::a_pod(&[("proc/self/cgroup", "0::/kubepods/burstable/pod1/2\n")], Some("kubernetes"))]
    #[case::none(&[("proc/self/cgroup", "0::/user.slice\n")], None)]
    fn a_container_is_told_by_what_made_it(#[case] files: &[(&str, &str)], #[case] is: Option<&str>) {
        assert_eq!(machine(files).container.as_deref(), is);
    }

    #[test]
    fn pages_kernel_and_rights_are_read_and_what_is_not_there_is_unknown() {
        let status = format!("{STATUS}0000000000200000\n");
        let smaps = "00400000-00452000 r-xp\nSize:  328 kB\nKernelPageSize:       64 kB\nMMUPageSize:  64 kB\n";
        let found = machine(&[
            ("proc/self/status", &status),
            ("proc/self/smaps", smaps),
            ("proc/sys/kernel/osrelease", "5.10.0-60.18.0.50.oe2203.aarch64\n"),
        ]);
        assert_eq!((found.page_size, found.privileged), (Some(65536), Some(true)));
        assert_eq!(found.kernel.as_deref(), Some("5.10.0-60.18.0.50.oe2203.aarch64"));
        assert_eq!(machine(&[]), Host::default());
    }
}
