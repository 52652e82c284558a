//! Runs a tool or a library in a child process with a time limit. A child that hangs is killed together with its
//! descendants.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use catalog::files;

use crate::leftovers;

/// The maximum number of bytes kept from a stream. The rest is read and dropped.
const MOST: usize = 1 << 20;
/// The interval between checks for the child's end.
const TICK: Duration = Duration::from_millis(5);
/// The time that a killed process gets to end. A process blocked by a driver does not end.
const GOING: Duration = Duration::from_secs(2);
/// The wait for the last bytes of a stream, which another process may keep open.
const DRAINING: Duration = Duration::from_millis(300);

/// The variable that marks a child. The processes that the child starts inherit the variable.
const MARK: &str = "ATLAS_CTS_CHILD";

/// The end of a child.
#[derive(Debug)]
pub enum End {
    /// The child exited with this status.
    Status(i32),
    /// The child was killed by this signal.
    Signal(i32),
    /// The child exceeded its time limit and was killed.
    TimedOut,
    /// The child exceeded its time limit and was killed. The child did not end, because a driver blocks it.
    LeftBehind,
    /// The child was killed because its answer was no longer needed.
    Abandoned,
    /// The child could not be started.
    NotStarted(io::Error),
}

/// The answer from a child.
#[derive(Debug)]
pub struct ChildAnswer {
    pub end: End,
    /// Standard output as text, at most 1 MiB.
    pub output: String,
    /// Standard error as text, at most 1 MiB.
    pub errors: String,
}

impl ChildAnswer {
    /// Standard output, then standard error.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.output, self.errors)
    }

    /// The end in words, with the first printed line after a failure.
    pub fn said(&self) -> String {
        let text = self.text();
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("nothing printed");
        match &self.end {
            End::Status(0) => "answered".to_owned(),
            End::Status(status) => format!("exit status {status}: {line}"),
            End::Signal(signal) => format!("killed by signal {signal}: {line}"),
            End::TimedOut => "timed out and was killed".to_owned(),
            End::LeftBehind => "timed out, was killed, but did not end".to_owned(),
            End::Abandoned => "was killed because the run is ending".to_owned(),
            End::NotStarted(error) => format!("not started: {error}"),
        }
    }
}

/// Runs a command until the command ends, until `limit` has passed, or until `abandoned` returns true because the
/// answer is no longer needed. If no current folder is set, the command starts in a new, empty one, because many tools
/// read files in the current folder, and these may belong to another user.
pub fn ask(command: &mut Command, limit: Duration, abandoned: &dyn Fn() -> bool) -> ChildAnswer {
    if command.get_current_dir().is_some() {
        return ask_here(command, limit, abandoned);
    }
    match files::private_folder(&std::env::temp_dir(), leftovers::RUN_FOLDERS) {
        Ok(folder) => ask_here(command.current_dir(folder.path()), limit, abandoned),
        Err(error) => ChildAnswer { end: End::NotStarted(error), output: String::new(), errors: String::new() },
    }
}

fn ask_here(command: &mut Command, limit: Duration, abandoned: &dyn Fn() -> bool) -> ChildAnswer {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    leftovers::adopt_orphans();
    let mark = mark();
    // The child gets a separate process group, so that the child's descendants end together with the child. The mark
    // finds descendants that leave the group.
    let mut child = match command.process_group(0).env(MARK, &mark).spawn() {
        Ok(child) => child,
        Err(error) => return ChildAnswer { end: End::NotStarted(error), output: String::new(), errors: String::new() },
    };
    let output = Drain::of(child.stdout.take());
    let errors = Drain::of(child.stderr.take());
    let end = match wait(&mut child, limit, abandoned) {
        Some(status) => ended(status),
        None => {
            leftovers::kill_group(child.id());
            match wait(&mut child, GOING, &|| false) {
                None => End::LeftBehind,
                Some(_) if abandoned() => End::Abandoned,
                Some(_) => End::TimedOut,
            }
        }
    };
    // Kill the processes that the child started and left running.
    leftovers::kill_group(child.id());
    leftovers::end(&format!("{MARK}={mark}"), child.id());
    ChildAnswer { end, output: output.text(), errors: errors.text() }
}

/// A text unique to this child on this machine.
fn mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{}", std::process::id(), now.as_nanos(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn ended(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Status(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

fn wait(child: &mut Child, limit: Duration, abandoned: &dyn Fn() -> bool) -> Option<ExitStatus> {
    let begun = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if begun.elapsed() >= limit || abandoned() {
            return None;
        }
        std::thread::sleep(TICK);
    }
}

/// A stream that is read while the child runs.
struct Drain {
    bytes: Arc<Mutex<Vec<u8>>>,
    over: Receiver<()>,
}

impl Drain {
    fn of(stream: Option<impl Read + Send + 'static>) -> Drain {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (tell, over) = channel();
        let kept = bytes.clone();
        let read = move || {
            let mut buffer = [0; 8192];
            let Some(mut stream) = stream else { return };
            while let Ok(read @ 1..) = stream.read(&mut buffer) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = MOST.saturating_sub(kept.len()).min(read);
                kept.extend_from_slice(&buffer[..room]);
            }
            // The receiver may no longer exist.
            let _ = tell.send(());
        };
        // If no thread can be started, the stream reads as empty.
        let _ = std::thread::Builder::new().spawn(read);
        Drain { bytes, over }
    }

    fn text(self) -> String {
        let _ = self.over.recv_timeout(DRAINING);
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::Pid;

    use super::*;

    fn shell(script: &str, limit: Duration) -> ChildAnswer {
        ask(Command::new("sh").args(["-c", script]), limit, &|| false)
    }

    #[test]
    fn a_child_is_read_to_its_end() {
        let answer = shell("echo out; echo err >&2; exit 187", Duration::from_secs(60));
        assert!(matches!(answer.end, End::Status(187)), "{answer:?}");
        assert_eq!((answer.output.as_str(), answer.errors.as_str()), ("out\n", "err\n"));
        assert_eq!(answer.said(), "exit status 187: out");
    }

    #[test]
    fn a_hanging_child_is_killed_with_its_descendants_and_its_output_is_kept() {
        let answer = shell("echo before; sleep 3600 & echo $!; sleep 3600", Duration::from_millis(500));
        assert!(matches!(answer.end, End::TimedOut), "{answer:?}");
        let started = answer.output.lines().nth(1).expect("the child printed the process that it started");
        let pid = Pid::from_raw(started.parse().unwrap()).unwrap();
        let begun = Instant::now();
        while rustix::process::test_kill_process(pid).is_ok() && !is_zombie(started) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{started} still runs");
            std::thread::sleep(TICK);
        }
    }

    /// True if a process has ended and its new parent has not yet waited for it.
    fn is_zombie(pid: &str) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.lines().any(|line| line.starts_with("State:") && line.contains('Z'))
    }

    #[test]
    fn a_process_that_left_the_group_of_a_child_is_killed_too() {
        let answer = shell("setsid sleep 3600 & echo $!; sleep 0.2", Duration::from_secs(60));
        let started = answer.output.trim().to_owned();
        let begun = Instant::now();
        while std::path::Path::new("/proc").join(&started).exists() && !is_zombie(&started) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{started} still runs");
            std::thread::sleep(TICK);
        }
    }

    #[test]
    fn an_abandoned_child_is_killed() {
        let answer = ask(Command::new("sh").args(["-c", "sleep 3600"]), Duration::from_secs(3600), &|| true);
        assert!(matches!(answer.end, End::Abandoned), "{answer:?}");
    }

    #[test]
    fn a_flood_of_output_is_cut_off() {
        let answer = shell("head -c 3000000 /dev/zero", Duration::from_secs(60));
        assert_eq!(answer.output.len(), MOST);
        let answer = shell("cat /dev/zero", Duration::from_secs(1));
        assert!(matches!(answer.end, End::TimedOut), "{:?}", answer.end);
        assert!(answer.output.len() <= MOST, "{}", answer.output.len());
    }

    #[test]
    fn a_tool_starts_in_an_empty_folder_unless_it_has_one() {
        assert_eq!(shell("pwd -P; ls -A", Duration::from_secs(60)).output.lines().count(), 1);
        let answer = ask(Command::new("pwd").current_dir("/"), Duration::from_secs(60), &|| false);
        assert_eq!(answer.output, "/\n");
    }

    #[test]
    fn a_missing_tool_is_reported() {
        let answer = ask(&mut Command::new("/nowhere/tool"), Duration::from_secs(1), &|| false);
        assert!(answer.said().starts_with("not started: "), "{}", answer.said());
    }
}
