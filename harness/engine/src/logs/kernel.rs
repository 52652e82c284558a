//! A driver's lines in the kernel log: in the kernel's buffer, in the files in which systems keep kernel messages, or
//! in the journal. The runtime's crate recognizes the lines.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use catalog::count;
use jiff::tz::TimeZone;
use messages::message;
use rustix::fs::OFlags;

use super::times::{of_journal, of_system, since_start};
use super::{Excerpt, Scene, Tail, tail};
use crate::doctor::{End, Examination, HostMachine};

/// The files in which systems keep kernel messages.
const SYSTEM_LOGS: &[&str] = &["/var/log/messages", "/var/log/syslog", "/var/log/kern.log"];
/// The number of bytes read from the end of a log file.
pub const MOST_OF_A_FILE: u64 = 4 << 20;

const SOURCE: &str = "kernel";
const BUFFER: &str = "/dev/kmsg";
const JOURNAL: &str = "journalctl";
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
    /// The journal's lines, each with its time in seconds since 1970.
    OfJournal(Vec<String>),
}

/// The parts of a log that were not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Nothing,
    Older,
    Newer,
}

/// The kernel log lines about devices and about the scene's processes. `subject` tells what a line is about.
pub fn kernel_lines(
    machine: &HostMachine,
    scene: &Scene,
    zone: &TimeZone,
    subject: &dyn Fn(&str) -> Subject,
) -> Excerpt {
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
            Ok((lines, missing)) => return of_lines(path, lines, missing, machine, scene, zone, subject),
            Err(error) => tried.push(format!("{path}: {error}")),
        }
    }
    match journal(machine, scene) {
        Some(Ok(lines)) => {
            let lines = Lines::OfJournal(lines);
            return of_lines(JOURNAL, lines, Missing::Nothing, machine, scene, zone, subject);
        }
        Some(Err(error)) => tried.push(format!("{JOURNAL}: {error}")),
        None => {}
    }
    Excerpt::nothing(SOURCE, "the kernel", tried.join("; "))
}

/// The journal's kernel messages around the scene; `None` if the machine has no journal or is a copy.
fn journal(machine: &HostMachine, scene: &Scene) -> Option<Result<Vec<String>, String>> {
    let tool = journal_tool(machine).filter(|_| !scene.is_over())?;
    let seconds = |at: SystemTime| at.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // The margin covers the scene's slack and the drift. The lines are selected exactly afterward.
    let from = format!("@{}", seconds(scene.from).saturating_sub(10));
    let to = format!("@{}", seconds(scene.to) + 10);
    let answer = machine.run(&tool, &["-k", "-q", "--no-pager", "-o", "short-unix", "--since", &from, "--until", &to]);
    match answer.end {
        End::Status(0) => Some(Ok(answer.output.lines().map(str::to_owned).collect())),
        _ => Some(Err(answer.said())),
    }
}

fn journal_tool(machine: &HostMachine) -> Option<PathBuf> {
    // In the examination of a copy, the tool would print this machine's messages.
    if machine.is_copy() { None } else { machine.tool(JOURNAL, &["/bin", "/usr/bin"]) }
}

/// The kernel's messages since the system started, from the tool `dmesg`, from a file or from the journal. `what`
/// names the subject among the examined places.
pub fn kernel_messages(machine: &HostMachine, what: &str, found: &mut Examination) -> String {
    let run = |tool: Option<PathBuf>, words: &[&str], found: &mut Examination| {
        let tool = tool?;
        let answer = machine.run(&tool, words);
        found.looked(what, tool.display().to_string(), answer.said());
        matches!(answer.end, End::Status(0)).then_some(answer.output)
    };
    let tool = if machine.is_copy() { None } else { machine.tool("dmesg", &["/bin", "/usr/bin"]) };
    if let Some(text) = run(tool, &[], found) {
        return text;
    }
    // The tool may be missing, or this user may not be allowed to run it.
    for path in SYSTEM_LOGS {
        let read = machine.read(path);
        let said = read
            .as_ref()
            .map_or_else(ToString::to_string, |text| message!("count-lines", count = text.lines().count()));
        found.looked(what, *path, said);
        if let Ok(text) = read {
            return text;
        }
    }
    run(journal_tool(machine), &["-k", "-q", "--no-pager"], found).unwrap_or_default()
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
    subject: &dyn Fn(&str) -> Subject,
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
        Lines::OfJournal(lines) => {
            (lines.into_iter().map(|line| (of_journal(&line), line)).collect(), "times are seconds since 1970")
        }
    };
    let (mut kept, mut others, mut earlier) = (Vec::new(), 0, false);
    for (at, line) in lines {
        earlier |= at.is_some_and(|at| at < scene.from && !scene.holds(at, DRIFT));
        if !at.is_some_and(|at| scene.holds(at, DRIFT)) {
            continue;
        }
        match subject(&line) {
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// One of the scene's processes, or a device without a process.
    Ours,
    /// Another process.
    Other,
    /// The line is not from the driver.
    NotTheDriver,
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

    fn ours(line: &str) -> Subject {
        match line {
            line if line.contains("[driver] 7") => Subject::Ours,
            line if line.contains("[driver]") => Subject::Other,
            _ => Subject::NotTheDriver,
        }
    }

    #[test]
    fn the_drivers_lines_of_the_scene_are_kept_and_others_are_counted() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("var/log")).unwrap();
        let at = jiff::Timestamp::try_from(SystemTime::now()).unwrap();
        let text = format!("{at} node kernel: [driver] 7\n{at} node kernel: [driver] 8\n{at} node sshd: x\n");
        fs::write(root.path().join("var/log/syslog"), text).unwrap();
        let machine = HostMachine::new(root.path(), Duration::from_secs(1));
        let (now, until) = (SystemTime::now(), Instant::now() + Duration::from_secs(60));
        let scene = Scene { from: now, to: now, processes: BTreeSet::new(), until };
        let found = kernel_lines(&machine, &scene, &TimeZone::UTC, &ours);
        assert_eq!(found.lines.len(), 1, "{found:?}");
        assert!(found.lines[0].ends_with("[driver] 7"));
        assert_eq!(found.remarks[0], "left out: 1 line about other processes");
        let over = Scene { until: Instant::now(), ..scene };
        let found = kernel_lines(&machine, &over, &TimeZone::UTC, &ours);
        assert_eq!(found.remarks, ["not looked into: the time for logs was used up"]);
        let lines = Lines::SinceStart(Vec::new());
        let found = of_lines(BUFFER, lines, Missing::Newer, &machine, &over, &TimeZone::UTC, &ours);
        assert!(found.remarks[0].starts_with("newer lines were not read"), "{found:?}");
    }

    #[test]
    fn lines_of_the_journal_have_the_time_at_their_start() {
        let machine = HostMachine::new(Path::new("/nowhere"), Duration::from_secs(1));
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_600_767);
        let until = Instant::now() + Duration::from_secs(60);
        let scene = Scene { from: at, to: at, processes: BTreeSet::new(), until };
        let lines = ["1772600767.1 node kernel: [driver] 7", "1772600700.1 node kernel: [driver] 7"];
        let lines = Lines::OfJournal(lines.map(str::to_owned).to_vec());
        let found = of_lines(JOURNAL, lines, Missing::Nothing, &machine, &scene, &TimeZone::UTC, &ours);
        assert_eq!(found.lines, ["1772600767.1 node kernel: [driver] 7"]);
        assert!(found.place.starts_with("journalctl, times are seconds since 1970"));
    }
}
