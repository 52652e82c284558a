//! A command with a time limit. A signal to this process also ends the command, so that no set-up or run keeps running.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use catalog::files;
use engine::run::interrupt;
use rustix::process::{Pid, Signal, kill_process_group};

/// The interval between checks for the end of a command.
const TICK: Duration = Duration::from_millis(10);
/// The time between SIGTERM and SIGKILL, in which a run can close its journal and end its workers.
const PATIENCE: Duration = Duration::from_secs(30);
/// The number of bytes at the end of a command's output that are searched for the last line.
const MOST: u64 = 64 << 10;

/// The end of a command.
#[derive(Debug)]
pub(super) enum End {
    /// The command exited with this status.
    Status(i32),
    /// The command was killed by this signal.
    Signal(i32),
    /// The command exceeded its time limit and was stopped.
    TimedOut,
    /// The command was stopped because this process received this signal.
    Asked(&'static str),
    /// The command could not be started.
    NotStarted(io::Error),
}

/// Runs a command for at most `limit` and writes its output to a file.
pub(super) fn run(command: &mut Command, log: &Path, limit: Duration) -> End {
    let outputs = File::create_new(log).and_then(|file| Ok((file.try_clone()?, file)));
    let started = outputs.and_then(|(output, errors)| {
        // A separate process group, so that the processes that the command starts end with the command.
        command.stdin(Stdio::null()).stdout(output).stderr(errors).process_group(0).spawn()
    });
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return End::NotStarted(error),
    };
    let begun = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            // A process left running (for example, a service) may be the purpose of the set-up, so it is not killed.
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

/// Sends SIGTERM, waits, then sends SIGKILL.
fn end(child: &mut Child) {
    signal(child, Signal::TERM);
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE && !matches!(child.try_wait(), Ok(Some(_))) {
        std::thread::sleep(TICK);
    }
    signal(child, Signal::KILL);
    // A process that is blocked in a driver does not end, even after SIGKILL.
    let _ = child.try_wait();
}

fn signal(child: &Child, signal: Signal) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // The process may have ended already.
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
