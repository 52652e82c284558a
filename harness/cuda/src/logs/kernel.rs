//! The driver's lines in the kernel log. Lines of the modules begin with `NVRM:`, `nvidia-uvm:` or `nvidia-nvlink:`. A
//! line about an error has a number (Xid) and, if the driver knows the process, `pid=13332, name=…`. Source of the form:
//! docs.nvidia.com/deploy/xid-errors, and public threads (fixtures/machines/README.md).

use std::collections::BTreeSet;

use engine::doctor::HostMachine;
use engine::logs::{Excerpt, Scene, Subject, kernel_lines};
use jiff::tz::TimeZone;
use regex_lite::Regex;

use crate::xids::{self, Kind};

/// The beginnings of the modules' lines.
const MODULES: &[&str] = &["NVRM:", "nvidia-uvm:", "nvidia-nvlink:", "nvidia-modeset:", "nvidia_uvm:"];

/// The kernel log lines about devices and about the scene's processes, with the meanings of their numbers.
pub(super) fn cut_out(machine: &HostMachine, scene: &Scene, zone: &TimeZone) -> Excerpt {
    let process = Regex::new(r"\bpid=([0-9]+)").expect("it is tested");
    let mut found = kernel_lines(machine, scene, zone, &|line| subject(line, scene, &process));
    let meanings: BTreeSet<String> = found.lines.iter().filter_map(|line| xids::explained(line)).collect();
    found.remarks.extend(meanings);
    found
}

fn subject(line: &str, scene: &Scene, process: &Regex) -> Subject {
    let driver = MODULES.iter().any(|module| line.contains(module));
    let named = process.captures(line).and_then(|found| found.get(1)?.as_str().parse::<u32>().ok());
    let ours = named.is_some_and(|process| scene.processes.contains(&process));
    // An error of the device or its memory affects every process, whichever process the driver names.
    let of_device = || xids::number(line).and_then(xids::known).is_some_and(|xid| xid.kind != Kind::Program);
    match named {
        // Other parts of the kernel name our processes too, for example when memory runs out.
        _ if ours => Subject::Ours,
        _ if !driver => Subject::NotTheDriver,
        None => Subject::Ours,
        Some(_) if of_device() => Subject::Ours,
        Some(_) => Subject::Other,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant, SystemTime};

    use engine::logs::times::since_start;

    use super::*;

    const SAMPLE: &str = include_str!("../../../../fixtures/machines/nvidia-dmesg.txt");
    /// The age of the machine, in seconds.
    const AGE: u64 = 20_000;

    /// The lines that were cut out at a time after the machine's start, for this process.
    fn cut(seconds: u64, process: u32) -> Excerpt {
        let root = tempfile::tempdir().unwrap();
        let record = |line: &str| {
            let micros = since_start(line).unwrap();
            format!("4,1,{micros},-;{}\n", line.split_once("] ").unwrap().1)
        };
        let records: String = SAMPLE.lines().filter(|line| line.starts_with('[')).map(record).collect();
        for (name, text) in [("dev/kmsg", records), ("proc/uptime", format!("{AGE}.00 1.00\n"))] {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let machine = HostMachine::new(root.path(), Duration::from_secs(1));
        let at = SystemTime::now() - Duration::from_secs(AGE - seconds);
        let until = Instant::now() + Duration::from_secs(60);
        let scene = Scene { from: at, to: at, processes: BTreeSet::from([process]), until };
        cut_out(&machine, &scene, &TimeZone::UTC)
    }

    #[test]
    fn a_page_fault_is_cut_out_for_its_process_and_explained() {
        let found = cut(14_328, 13_332);
        assert_eq!(found.lines.len(), 2, "{found:?}");
        assert!(found.lines[1].contains("MMU Fault"), "{found:?}");
        assert!(found.remarks.iter().any(|remark| remark.starts_with("Xid 31: a page fault")), "{found:?}");
    }

    #[test]
    fn a_page_fault_of_another_process_is_counted() {
        let found = cut(14_328, 1);
        assert_eq!(found.lines.len(), 1, "the line that names the device is kept: {found:?}");
        assert!(found.remarks.contains(&"left out: 1 line about other processes".to_owned()), "{found:?}");
    }

    #[test]
    fn errors_of_the_device_are_kept_whichever_process_they_name() {
        let lost = cut(3606, 1);
        assert!(lost.lines.iter().any(|line| line.contains(": 119, pid=67769")), "{lost:?}");
        assert!(cut(5000, 1).lines.iter().any(|line| line.contains("fallen off the bus")));
        let memory = cut(16_000, 1);
        let meanings: Vec<&str> = memory.remarks.iter().filter_map(|remark| remark.split(':').next()).collect();
        assert_eq!(meanings, ["Xid 48", "Xid 63", "Xid 94"], "{memory:?}");
    }
}
