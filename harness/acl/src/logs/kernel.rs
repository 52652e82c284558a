//! The driver's lines in the kernel log. The driver logs errors at the level of notices, so lines are recognized by
//! their text: each contains `[ascend]`. Sources of the form: hicann/driver inc/dmc/dmc_log.h, hb_read.c, uda_access.c,
//! and MindCluster's test data. Places: /var/log/messages on Arm, syslog on x86 (hicann/driver docs, log questions).

use engine::doctor::HostMachine;
use engine::logs::{Excerpt, Scene, Subject, kernel_lines};
use jiff::tz::TimeZone;
use regex_lite::Regex;

/// The kernel log lines about devices and about the scene's processes.
pub(super) fn cut_out(machine: &HostMachine, scene: &Scene, zone: &TimeZone) -> Excerpt {
    let subjects = Subjects::new();
    kernel_lines(machine, scene, zone, &|line| subjects.of(line, scene))
}

/// The forms in which lines name processes.
struct Subjects {
    thread: Regex,
    process: Regex,
}

impl Subjects {
    fn new() -> Subjects {
        Subjects {
            thread: Regex::new(r"<([^<>]+?)[:,]([0-9]+)[^<>]*>").expect("it is tested"),
            process: Regex::new(r"\b(?:hostpid|host_pid|pid|tgid)=([0-9]+)").expect("it is tested"),
        }
    }

    fn of(&self, line: &str, scene: &Scene) -> Subject {
        let ours = |number: &str| number.parse().is_ok_and(|process: u32| scene.processes.contains(&process));
        let driver = line.contains("[ascend]");
        let mut named: Vec<&str> =
            self.process.captures_iter(line).filter_map(|found| found.get(1)).map(|found| found.as_str()).collect();
        if driver && let Some(thread) = self.thread.captures(line) {
            let (name, number) = (&thread[1], thread.get(2).map_or("", |number| number.as_str()));
            // Kernel threads do the driver's own work, so they do not identify a process.
            let kernel = ["kworker", "swapper", "ksoftirqd", "irq/", "kthreadd", "migration"];
            if !kernel.iter().any(|thread| name.starts_with(thread)) {
                named.push(number);
            }
        }
        match named.iter().any(|process| ours(process)) {
            true => Subject::Ours,
            false if driver && named.is_empty() => Subject::Ours,
            false if driver => Subject::Other,
            false => Subject::NotTheDriver,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;
    use std::time::{Duration, Instant, SystemTime};

    use engine::logs::times::since_start;

    use super::*;

    const SAMPLE: &str = include_str!("../../../../fixtures/machines/dmesg-driver.txt");

    /// A machine that started `seconds` seconds ago.
    fn machine(seconds: u64, files: &[(&str, String)]) -> (tempfile::TempDir, HostMachine) {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files.iter().chain(&[("proc/uptime", format!("{seconds}.00 1.00\n"))]) {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let machine = HostMachine::new(root.path(), Duration::from_secs(1));
        (root, machine)
    }

    fn scene(before: u64) -> Scene {
        let at = SystemTime::now() - Duration::from_secs(before);
        let until = Instant::now() + Duration::from_secs(60);
        Scene { from: at, to: at, processes: BTreeSet::from([6102, 6120]), until }
    }

    /// The sample as records of the kernel's buffer.
    fn records() -> String {
        let record = |line: &str| {
            let micros = since_start(line).unwrap();
            format!("5,1,{micros},-;{}\n SUBSYSTEM=x\n", line.split_once("] ").unwrap().1)
        };
        SAMPLE.lines().map(record).collect()
    }

    #[test]
    fn lines_about_devices_and_our_processes_are_cut_out_by_time() {
        let (_root, machine) = machine(3000, &[("dev/kmsg", records())]);
        // 2311 s after the start.
        let found = cut_out(&machine, &scene(3000 - 2311), &TimeZone::UTC);
        let said = |text: &str| found.lines.iter().filter(|line| line.contains(text)).count();
        assert_eq!((said("Conflict open udevid"), said("Vm fault failed"), said("oom-kill")), (1, 1, 1), "{found:?}");
        assert_eq!(found.lines.len(), 3, "earlier lines are left out: {found:?}");
        assert!(found.place.starts_with("/dev/kmsg, "));
    }

    #[test]
    fn lines_about_other_processes_are_counted_and_not_shown() {
        let (_root, machine) = machine(3000, &[("dev/kmsg", records())]);
        let scene = Scene { processes: BTreeSet::from([1]), ..scene(3000 - 2311) };
        let found = cut_out(&machine, &scene, &TimeZone::UTC);
        assert_eq!(found.lines, Vec::<String>::new());
        assert!(found.remarks.iter().any(|remark| remark == "left out: 2 lines about other processes"), "{found:?}");
    }

    #[test]
    fn lines_about_a_device_without_a_process_are_always_kept() {
        let (_root, machine) = machine(3000, &[("dev/kmsg", records())]);
        let found = cut_out(&machine, &scene(3000 - 2197), &TimeZone::UTC);
        assert_eq!(found.lines.len(), 1);
        assert!(found.lines[0].contains("Heartbeat lost! (device_id=2;"), "{found:?}");
    }

    #[test]
    fn the_system_log_is_read_if_the_buffer_cannot_be() {
        let at = jiff::Timestamp::try_from(SystemTime::now()).unwrap();
        let text = format!(
            "{at} node kernel: [ascend] [ERROR] [uda] [f 1] <atlas-cts:6102> ours\n\
             {at} node kernel: [ascend] [ERROR] [uda] [f 1] <other:77> of another\n\
             {at} node sshd[6102]: no line of the driver\n"
        );
        let (_root, machine) = machine(100, &[("var/log/syslog", text)]);
        let found = cut_out(&machine, &scene(0), &TimeZone::UTC);
        assert_eq!(found.lines.len(), 1, "{found:?}");
        assert!(found.lines[0].ends_with("ours"));
        let nothing = cut_out(&machine_without(), &scene(0), &TimeZone::UTC);
        assert!(nothing.remarks[0].contains("/var/log/messages"), "{nothing:?}");
    }

    fn machine_without() -> HostMachine {
        HostMachine::new(Path::new("/nowhere"), Duration::from_secs(1))
    }
}
