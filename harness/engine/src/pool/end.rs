//! The end of a worker and its cause: the library, the machine, or the suite.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Resource, Signal, getrlimit};
use thiserror::Error;

use crate::wire::{DEAF, OWN_TROUBLE, OWN_TROUBLE_MARK};
use record::Verdict;

/// The maximum time for a process to end after it was killed or after its last reply.
pub(super) const GONE: Duration = Duration::from_secs(5);

/// The ways in which a worker can end.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WorkerEnd {
    /// The process ended: `signal 11 (SIGSEGV)`, `exit status 0`.
    #[error("the library ended its process ({0})")]
    Crashed(String),
    /// The library closed the pipes to the supervisor.
    #[error("the library closed file descriptors that it did not open")]
    Deaf,
    #[error("no progress for {0:?}; the process was killed")]
    Hung(Duration),
    #[error("no progress for {0:?}; the process was killed and did not end within {GONE:?}")]
    Stuck(Duration),
    /// A case took too long while no library call was open.
    #[error(
        "no progress for {0:?} while no call was open; the process was killed; the rule's steps take too long: limit \
         their loops and sizes, or raise --tune deadline"
    )]
    Overran(Duration),
    /// The run was interrupted.
    #[error("the run was interrupted ({0})")]
    Interrupted(&'static str),
    /// A machine limit or the suite itself ended the process.
    #[error("{0}")]
    Environment(String),
    #[error("invalid reply from the worker: {0}")]
    Confused(String),
}

impl WorkerEnd {
    /// The verdict for the case that was running.
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            WorkerEnd::Crashed(_) | WorkerEnd::Deaf => Verdict::Crash,
            WorkerEnd::Hung(_) | WorkerEnd::Stuck(_) => Verdict::Timeout,
            WorkerEnd::Overran(_) | WorkerEnd::Interrupted(_) | WorkerEnd::Environment(_) | WorkerEnd::Confused(_) => {
                Verdict::Error
            }
        }
    }

    /// Determines how a process ended from its exit status, output, processor time and machine folder.
    pub(super) fn of(status: ExitStatus, output: &str, used: Option<ProcessorTime>, machine: &Path) -> WorkerEnd {
        let reason = output.lines().last().and_then(|line| line.strip_prefix(OWN_TROUBLE_MARK));
        let signal = status.signal().and_then(Signal::from_named_raw);
        match (status.code(), reason, signal, used.filter(|used| used.is_over())) {
            (Some(DEAF), ..) => WorkerEnd::Deaf,
            (Some(OWN_TROUBLE), Some(reason), ..) => {
                WorkerEnd::Environment(format!("the worker's own code failed: {reason}"))
            }
            (.., Some(Signal::XCPU | Signal::KILL), Some(used)) => used.end(status),
            (.., Some(Signal::BUS), _) if is_full(machine) => WorkerEnd::Environment(format!(
                "the file system of {} is full, so the device's memory could not grow ({}); free some space, or set \
                 TMPDIR to a folder with free space",
                machine.display(),
                how(status)
            )),
            (.., Some(Signal::KILL), None) => {
                let text = format!("{}, not sent by the suite: the machine may be out of memory", how(status));
                WorkerEnd::Crashed(text)
            }
            _ => WorkerEnd::Crashed(how(status)),
        }
    }
}

/// The processor time of an exited process, in whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessorTime {
    used: u64,
    /// The limit.
    limit: u64,
}

impl ProcessorTime {
    /// The processor time of a process that has not been reaped yet; `None` if the process had no limit.
    pub(super) fn of(process: u32) -> Option<ProcessorTime> {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).ok();
        let limits = read("limits")?;
        let limit = limits.lines().find_map(|line| line.strip_prefix("Max cpu time"))?;
        let limit = limit.split_whitespace().find_map(|seconds| seconds.parse().ok())?;
        let stat = read("stat")?;
        // The process name may contain any text; it ends at the last parenthesis. The 12th and 13th fields after the
        // name are user and system ticks.
        let (_, fields) = stat.rsplit_once(')')?;
        let ticks: u64 = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Some(ProcessorTime { used: ticks / rustix::param::clock_ticks_per_second().max(1), limit })
    }

    /// Tolerates one second: the kernel checks only at intervals, and counts differently.
    fn is_over(self) -> bool {
        self.used + 1 >= self.limit
    }

    /// Names the owner of the limit: workers inherit the limit from this process.
    fn end(self, status: ExitStatus) -> WorkerEnd {
        let (limit, how) = (self.limit, how(status));
        if getrlimit(Resource::Cpu).current.is_some_and(|own| own <= limit) {
            return WorkerEnd::Environment(format!(
                "the process used up its {limit} s of processor time ({how}); raise that limit (ulimit -t)"
            ));
        }
        WorkerEnd::Crashed(format!(
            "{how}: the process had limited its own processor time to {limit} s and reached \
            that limit"
        ))
    }
}

/// True if the file system that contains a folder has no space left.
fn is_full(folder: &Path) -> bool {
    const LITTLE: u64 = 64 << 10;
    rustix::fs::statvfs(folder).is_ok_and(|found| found.f_bavail.saturating_mul(found.f_frsize) < LITTLE)
}

/// A process's exit status as text.
pub(super) fn how(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}{}", signal_name(signal)),
        (None, Some(code)) => format!("exit status {code}"),
        (None, None) => "unknown exit status".to_owned(),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        5 => " (SIGTRAP)",
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
        31 => " (SIGSYS)",
        _ => "",
    }
}
