//! A tool or a library in a child process with a timer: what hangs is killed with all that it started.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::leftovers;

/// The most bytes of a stream that are kept; a tool that floods is read on and forgotten.
const MOST: usize = 1 << 20;
/// How often to look whether a child has ended.
const TICK: Duration = Duration::from_millis(5);
/// How long a killed process may take to go: one that a driver holds does not.
const GOING: Duration = Duration::from_secs(2);
/// How long to wait for the last bytes of a stream that something else may hold open.
const DRAINING: Duration = Duration::from_millis(300);

/// The variable that children share with the processes that they start.
const MARK: &str = "ATLAS_CTS_CHILD";

/// How a child ended.
#[derive(Debug)]
pub enum End {
    /// By itself, with this status.
    Status(i32),
    /// By a signal of somebody else, or of its own fault.
    Signal(i32),
    /// It was killed when its time was over.
    TimedOut,
    /// It was killed when its time was over and did not go: a driver holds it.
    LeftBehind,
    /// It was killed because nobody waits for its answer any more.
    Abandoned,
    /// It was not started.
    NotStarted(io::Error),
}

/// What a child answered.
#[derive(Debug)]
pub struct Answer {
    pub end: End,
    /// What it printed, as text, up to a mebibyte.
    pub output: String,
    /// What it printed to its error output, the same.
    pub errors: String,
}

impl Answer {
    /// Output and error output, one after the other.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.output, self.errors)
    }

    /// How it ended, in words, with the first thing that it printed where it failed.
    pub fn said(&self) -> String {
        let text = self.text();
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("nothing printed");
        match &self.end {
            End::Status(0) => "answered".to_owned(),
            End::Status(status) => format!("exit status {status}: {line}"),
            End::Signal(signal) => format!("ended by signal {signal}: {line}"),
            End::TimedOut => "did not answer in its time and was killed".to_owned(),
            End::LeftBehind => "did not answer in its time, was killed and did not go".to_owned(),
            End::Abandoned => "was killed, because whoever asked was asked to end".to_owned(),
            End::NotStarted(error) => format!("not started: {error}"),
        }
    }
}

/// Runs a command to its end, for `limit`, or until `abandoned` says that nobody waits for it any more.
pub fn ask(command: &mut Command, limit: Duration, abandoned: &dyn Fn() -> bool) -> Answer {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    leftovers::adopt_orphans();
    let mark = mark();
    // A separate group, so that the processes that it starts end with it; the mark finds those that leave the group.
    let mut child = match command.process_group(0).env(MARK, &mark).spawn() {
        Ok(child) => child,
        Err(error) => return Answer { end: End::NotStarted(error), output: String::new(), errors: String::new() },
    };
    let output = Drain::of(child.stdout.take());
    let errors = Drain::of(child.stderr.take());
    let end = match wait(&mut child, limit, abandoned) {
        Some(status) => ended(status),
        None => {
            kill_group(&child);
            match wait(&mut child, GOING, &|| false) {
                None => End::LeftBehind,
                Some(_) if abandoned() => End::Abandoned,
                Some(_) => End::TimedOut,
            }
        }
    };
    // What it started and left.
    kill_group(&child);
    leftovers::end(&format!("{MARK}={mark}"), child.id());
    Answer { end, output: output.text(), errors: errors.text() }
}

/// A text that no other child on this machine has in its environment.
fn mark() -> String {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{}", std::process::id(), now.as_nanos(), ASKED.fetch_add(1, Ordering::Relaxed))
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

fn kill_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may have gone by itself.
        let _ = kill_process_group(group, Signal::KILL);
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
            // Nobody may listen any more.
            let _ = tell.send(());
        };
        // Where no thread can be had, the stream reads as empty.
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
    use super::*;

    fn shell(script: &str, limit: Duration) -> Answer {
        ask(Command::new("sh").args(["-c", script]), limit, &|| false)
    }

    #[test]
    fn a_child_is_heard_to_its_end() {
        let answer = shell("echo out; echo err >&2; exit 187", Duration::from_secs(60));
        assert!(matches!(answer.end, End::Status(187)), "{answer:?}");
        assert_eq!((answer.output.as_str(), answer.errors.as_str()), ("out\n", "err\n"));
        assert_eq!(answer.said(), "exit status 187: out");
    }

    #[test]
    fn what_hangs_is_killed_with_what_it_started_and_what_it_said_is_kept() {
        let answer = shell("echo before; sleep 3600 & echo $!; sleep 3600", Duration::from_millis(500));
        assert!(matches!(answer.end, End::TimedOut), "{answer:?}");
        let started = answer.output.lines().nth(1).expect("the child printed what it started");
        let pid = Pid::from_raw(started.parse().unwrap()).unwrap();
        let begun = Instant::now();
        while rustix::process::test_kill_process(pid).is_ok() && !is_zombie(started) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{started} still runs");
            std::thread::sleep(TICK);
        }
    }

    /// Ended, and not yet waited for by whoever adopted it.
    fn is_zombie(pid: &str) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.lines().any(|line| line.starts_with("State:") && line.contains('Z'))
    }

    #[test]
    fn what_left_the_group_of_a_child_is_killed_too() {
        let answer = shell("setsid sleep 3600 & echo $!; sleep 0.2", Duration::from_secs(60));
        let started = answer.output.trim().to_owned();
        let begun = Instant::now();
        while std::path::Path::new("/proc").join(&started).exists() && !is_zombie(&started) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{started} still runs");
            std::thread::sleep(TICK);
        }
    }

    #[test]
    fn a_child_that_nobody_waits_for_any_more_is_killed() {
        let answer = ask(Command::new("sh").args(["-c", "sleep 3600"]), Duration::from_secs(3600), &|| true);
        assert!(matches!(answer.end, End::Abandoned), "{answer:?}");
    }

    #[test]
    fn a_flood_has_an_end() {
        let answer = shell("head -c 3000000 /dev/zero", Duration::from_secs(60));
        assert_eq!(answer.output.len(), MOST);
    }

    #[test]
    fn what_is_not_there_is_said() {
        let answer = ask(&mut Command::new("/nowhere/tool"), Duration::from_secs(1), &|| false);
        assert!(answer.said().starts_with("not started: "), "{}", answer.said());
    }
}
