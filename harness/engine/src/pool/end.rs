//! How a worker ended, and whose doing that was: the library's, or that of the machine or the suite.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Resource, Signal, getrlimit};
use thiserror::Error;

use crate::wire::{DEAF, OWN_TROUBLE, OWN_TROUBLE_MARK};
use record::Verdict;

/// How long a process may take to end after it was killed, or after its own last word.
pub(super) const GONE: Duration = Duration::from_secs(5);

/// How a worker ended.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WorkerEnd {
    /// The process ended: `signal 11 (SIGSEGV)`, `exit status 0`.
    #[error("the library ended its process ({0})")]
    Crashed(String),
    /// The library closed the pipes to the supervisor.
    #[error("the library closed file descriptors that it had not opened")]
    Deaf,
    #[error("no progress for {0:?}; the process was killed")]
    Hung(Duration),
    #[error("no progress for {0:?}; the process was killed and did not end within {GONE:?}")]
    Stuck(Duration),
    /// A case ran on without any call of the library being open.
    #[error(
        "no progress for {0:?} while no call was open; the process was killed. The steps of the rule take that long: \
         bound their loops and sizes, or raise --deadline"
    )]
    Overran(Duration),
    /// The run was asked to end.
    #[error("the run was asked to end ({0})")]
    Interrupted(&'static str),
    /// A limit of the machine, or the suite itself, ended it.
    #[error("{0}")]
    Environment(String),
    #[error("the worker's reply is not understood: {0}")]
    Confused(String),
}

impl WorkerEnd {
    /// What it means for the case that ran.
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            WorkerEnd::Crashed(_) | WorkerEnd::Deaf => Verdict::Crash,
            WorkerEnd::Hung(_) | WorkerEnd::Stuck(_) => Verdict::Timeout,
            WorkerEnd::Overran(_) | WorkerEnd::Interrupted(_) | WorkerEnd::Environment(_) | WorkerEnd::Confused(_) => {
                Verdict::Error
            }
        }
    }

    /// Why a process ended by itself, given what it printed, what processor time it used, and the folder of its machine.
    pub(super) fn of(status: ExitStatus, output: &str, used: Option<ProcessorTime>, machine: &Path) -> WorkerEnd {
        let reason = output.lines().last().and_then(|line| line.strip_prefix(OWN_TROUBLE_MARK));
        let signal = status.signal().and_then(Signal::from_named_raw);
        match (status.code(), reason, signal, used.filter(|used| used.is_over())) {
            (Some(DEAF), ..) => WorkerEnd::Deaf,
            (Some(OWN_TROUBLE), Some(reason), ..) => {
                WorkerEnd::Environment(format!("the suite's own part of the process could not go on: {reason}"))
            }
            (.., Some(Signal::XCPU | Signal::KILL), Some(used)) => used.end(status),
            (.., Some(Signal::BUS), _) if is_full(machine) => WorkerEnd::Environment(format!(
                "the file system of {} is full, so that the device's memory could not grow ({}); free some of it, or set \
                 TMPDIR to a folder with room",
                machine.display(),
                how(status)
            )),
            (.., Some(Signal::KILL), None) => {
                let text = format!("{}, which the suite did not send: memory may have run short", how(status));
                WorkerEnd::Crashed(text)
            }
            _ => WorkerEnd::Crashed(how(status)),
        }
    }
}

/// The processor time of a process that has ended, in whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessorTime {
    used: u64,
    /// What it was limited to.
    limit: u64,
}

impl ProcessorTime {
    /// Of a process that was not reaped yet; `None`: it has no limit.
    pub(super) fn of(process: u32) -> Option<ProcessorTime> {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).ok();
        let limits = read("limits")?;
        let limit = limits.lines().find_map(|line| line.strip_prefix("Max cpu time"))?;
        let limit = limit.split_whitespace().find_map(|seconds| seconds.parse().ok())?;
        let stat = read("stat")?;
        // Behind the name, which may contain anything: the 12th and 13th field are ticks of user and system.
        let (_, fields) = stat.rsplit_once(')')?;
        let ticks: u64 = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Some(ProcessorTime { used: ticks / rustix::param::clock_ticks_per_second().max(1), limit })
    }

    /// The system looks now and then, and counts in another way.
    fn is_over(self) -> bool {
        self.used + 1 >= self.limit
    }

    /// Whose limit it was: that of this process is handed down.
    fn end(self, status: ExitStatus) -> WorkerEnd {
        let (limit, how) = (self.limit, how(status));
        if getrlimit(Resource::Cpu).current.is_some_and(|own| own <= limit) {
            return WorkerEnd::Environment(format!(
                "the process used up its {limit} s of processor time ({how}); raise that limit (ulimit -t)"
            ));
        }
        WorkerEnd::Crashed(format!("{how}: it had limited its processor time to {limit} s, and used it up"))
    }
}

/// Whether nothing can be written into a folder's file system any more.
fn is_full(folder: &Path) -> bool {
    const LITTLE: u64 = 64 << 10;
    rustix::fs::statvfs(folder).is_ok_and(|found| found.f_bavail.saturating_mul(found.f_frsize) < LITTLE)
}

/// How a process ended.
pub(super) fn how(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}{}", signal_name(signal)),
        (None, Some(code)) => format!("exit status {code}"),
        (None, None) => "an unknown end".to_owned(),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        14 => " (SIGALRM)",
        15 => " (SIGTERM)",
        24 => " (SIGXCPU)",
        25 => " (SIGXFSZ)",
        _ => "",
    }
}
