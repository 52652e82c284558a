//! The driver's lines in the kernel log. The driver logs errors at the level of notices, so lines are recognized by
//! their text: each contains `[ascend]`. Sources of the form: hicann/driver inc/dmc/dmc_log.h, hb_read.c, uda_access.c,
//! and MindCluster's test data. Places: /var/log/messages on Arm, syslog on x86 (hicann/driver docs, log questions).

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use catalog::count;
use engine::doctor::HostMachine;
use engine::logs::{Excerpt, Scene, Tail, tail};
use jiff::tz::TimeZone;
use regex_lite::Regex;
use rustix::fs::OFlags;

use super::files::{MOST_OF_A_FILE, SYSTEM_LOGS};
use super::times::{of_system, since_start};

const SOURCE: &str = "kernel";
const BUFFER: &str = "/dev/kmsg";
/// The allowed difference between the kernel's clock and the system's clock. Only the system's clock is adjusted, so
/// the clocks drift apart by seconds over weeks.
const DRIFT: Duration = Duration::from_secs(3);
/// The number of bytes read from the kernel's buffer, which is rarely larger.
const MOST_OF_BUFFER: usize = 16 << 20;

/// Kernel log lines, by the form of their times.
enum Lines {
    /// The lines, each with its time in microseconds since the system started.
    SinceStart(Vec<(Option<u64>, String)>),
    OfSystem(Vec<String>),
}

/// The parts of a log that were not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Nothing,
    Older,
    Newer,
}

/// The kernel log lines about devices and about the scene's processes.
pub(super) fn cut_out(machine: &HostMachine, scene: &Scene, zone: &TimeZone) -> Excerpt {
    if scene.is_over() {
        return Excerpt::unread(SOURCE, "the kernel");
    }
    let mut tried = Vec::new();
    for path in std::iter::once(&BUFFER).chain(SYSTEM_LOGS) {
        let read = match *path {
            BUFFER => buffer(&machine.at(path), scene).map(|(lines, missing)| (Lines::SinceStart(lines), missing)),
            path => {
                tail(&machine.at(path), MOST_OF_A_FILE).map(|Tail { lines, cut }| (Lines::OfSystem(lines), older(cut)))
            }
        };
        match read {
            Ok((lines, missing)) => return of_lines(path, lines, missing, machine, scene, zone),
            Err(error) => tried.push(format!("{path}: {error}")),
        }
    }
    Excerpt::nothing(SOURCE, "the kernel", tried.join("; "))
}

fn older(cut: bool) -> Missing {
    if cut { Missing::Older } else { Missing::Nothing }
}

fn of_lines(
    path: &str,
    lines: Lines,
    missing: Missing,
    machine: &HostMachine,
    scene: &Scene,
    zone: &TimeZone,
) -> Excerpt {
    let started = started(machine);
    let since = |micros: u64| Some(started? + Duration::from_micros(micros));
    let (lines, how): (Vec<(Option<SystemTime>, String)>, &str) = match lines {
        Lines::SinceStart(lines) => {
            let timed = lines.into_iter().map(|(micros, line)| (micros.and_then(since), line));
            (timed.collect(), "times are seconds since the system started")
        }
        Lines::OfSystem(lines) => {
            // For lines without a date, the kernel's own time is used if the line has one.
            let at = |line: &str| of_system(line, scene.to, zone).or_else(|| since_start(line).and_then(since));
            (lines.into_iter().map(|line| (at(&line), line)).collect(), "times without a zone are local")
        }
    };
    let subjects = Subjects::new();
    let (mut kept, mut others, mut earlier) = (Vec::new(), 0, false);
    for (at, line) in lines {
        earlier |= at.is_some_and(|at| at < scene.from && !scene.holds(at, DRIFT));
        if !at.is_some_and(|at| scene.holds(at, DRIFT)) {
            continue;
        }
        match subjects.of(&line, scene) {
            Subject::Ours => kept.push(line),
            Subject::Other => others += 1,
            Subject::NotTheDriver => {}
        }
    }
    let mut remarks = Vec::new();
    if missing == Missing::Newer {
        let text = "newer lines were not read: time for logs ran out, or there are too many lines";
        remarks.push(text.to_owned());
    } else if kept.is_empty() {
        remarks.push("no line of the driver at this time".to_owned());
    }
    if others > 0 {
        remarks.push(format!("left out: {} about other processes", count(others, "line")));
    }
    if missing == Missing::Older && !earlier {
        remarks.push("older lines were not read".to_owned());
    }
    if started.is_none() {
        remarks.push("/proc/uptime cannot be read, so lines without a date were left out".to_owned());
    }
    Excerpt { source: SOURCE, place: format!("{path}, {how}"), lines: kept, left_out: 0, remarks }
}

/// The time at which the system started, computed from its uptime.
fn started(machine: &HostMachine) -> Option<SystemTime> {
    let text = machine.read("/proc/uptime").ok()?;
    let seconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    SystemTime::now().checked_sub(Duration::try_from_secs_f64(seconds).ok()?)
}

/// The process or device that a line is about.
enum Subject {
    /// One of the scene's processes, or a device without a process.
    Ours,
    /// Another process.
    Other,
    /// The line is not from the driver.
    NotTheDriver,
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

/// A record's time in microseconds since the machine started, if the record has a time, and the record's text.
type Record = (Option<u64>, String);

/// Reads the kernel's buffer. Each read returns one record, oldest first, of the form
/// `priority,sequence,microseconds,flags;text` followed by further lines. A copy of a machine has a regular file with
/// the same records.
fn buffer(path: &Path, scene: &Scene) -> io::Result<(Vec<Record>, Missing)> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let mut file = File::options().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        let Tail { lines, cut } = tail(path, MOST_OF_A_FILE)?;
        return Ok((lines.iter().filter_map(|line| record(line)).collect(), older(cut)));
    }
    if !kind.is_char_device() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a device"));
    }
    let (mut records, mut bytes, mut room) = (Vec::new(), 0, vec![0; 16 << 10]);
    while bytes < MOST_OF_BUFFER && !scene.is_over() {
        match file.read(&mut room) {
            Ok(0) => return Ok((records, Missing::Nothing)),
            Ok(length) => {
                bytes += length;
                records.extend(String::from_utf8_lossy(&room[..length]).lines().find_map(record));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok((records, Missing::Nothing)),
            // Records were overwritten in the meantime, or a signal arrived.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok((records, Missing::Newer))
}

fn record(line: &str) -> Option<Record> {
    let (head, text) = line.split_once(';')?;
    let micros = head.split(',').nth(2).and_then(|micros| micros.parse::<u64>().ok());
    let shown = micros.map(|micros| format!("[{:5}.{:06}] ", micros / 1_000_000, micros % 1_000_000));
    Some((micros, shown.unwrap_or_default() + text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::time::Instant;

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

    #[test]
    fn remarks_tell_that_time_ran_out() {
        let (_root, machine) = machine(3000, &[("dev/kmsg", records())]);
        let over = Scene { until: Instant::now(), ..scene(3000 - 2311) };
        let found = cut_out(&machine, &over, &TimeZone::UTC);
        assert_eq!(found.remarks, ["not looked into: the time for logs was used up"]);
        let lines = Lines::SinceStart(Vec::new());
        let found = of_lines(BUFFER, lines, Missing::Newer, &machine, &over, &TimeZone::UTC);
        assert!(found.remarks[0].starts_with("newer lines were not read"), "{found:?}");
    }

    fn machine_without() -> HostMachine {
        HostMachine::new(Path::new("/nowhere"), Duration::from_secs(1))
    }
}
