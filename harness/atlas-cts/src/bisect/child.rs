//! A command with a time limit that passes on who asks for the end, so that neither a set-up nor a run is left behind.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use catalog::files;
use engine::run::interrupt;
use rustix::process::{Pid, Signal, kill_process_group};

/// How often to look whether a command has ended.
const TICK: Duration = Duration::from_millis(10);
/// How long a command that was asked to end may take: a run closes its journal and ends its workers.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most of what a command printed that is looked at afterward.
const MOST: u64 = 64 << 10;

/// How a command ended.
#[derive(Debug)]
pub(super) enum End {
    /// By itself, with this status.
    Status(i32),
    /// By a signal of somebody else, or of its own fault.
    Signal(i32),
    /// It was ended when its time was over.
    TimedOut,
    /// It was ended because this process was asked to end, by this signal.
    Asked(&'static str),
    /// It was not started.
    NotStarted(io::Error),
}

/// Runs a command to its end, or for `limit`, with what it prints in a file.
pub(super) fn run(command: &mut Command, log: &Path, limit: Duration) -> End {
    let outputs = File::create_new(log).and_then(|file| Ok((file.try_clone()?, file)));
    let started = outputs.and_then(|(output, errors)| {
        // Its own group, so that whatever it starts ends with it.
        command.stdin(Stdio::null()).stdout(output).stderr(errors).process_group(0).spawn()
    });
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return End::NotStarted(error),
    };
    let begun = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            // What it started and left, a service for example, may be what was wanted: it stays.
            return ended(status);
        }
        let asked = interrupt::requested();
        if asked.is_some() || begun.elapsed() >= limit {
            end(&mut child);
            return asked.map_or(End::TimedOut, End::Asked);
        }
        std::thread::sleep(TICK);
    }
}

/// Asks for the end first, and does not ask for ever.
fn end(child: &mut Child) {
    signal(child, Signal::TERM);
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE && !matches!(child.try_wait(), Ok(Some(_))) {
        std::thread::sleep(TICK);
    }
    signal(child, Signal::KILL);
    // It may be held by a driver, and then it stays.
    let _ = child.try_wait();
}

fn signal(child: &Child, signal: Signal) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may have gone by itself.
        let _ = kill_process_group(group, signal);
    }
}

fn ended(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Status(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

/// The last line that a command printed.
pub(super) fn last_line(log: &Path) -> String {
    let read = || -> io::Result<String> {
        let mut file = files::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MOST)))?;
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut io::Read::take(file, MOST), &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let text = read().unwrap_or_default();
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("nothing printed").to_owned()
}
