//! The end of a burst: at the promised time, the workers are killed, and shortly after it the process ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::run::ExitStatus;

/// The limit of a burst.
#[derive(Debug)]
pub(super) struct Limit {
    begun: Instant,
    /// The time from `begun` until rules are stopped.
    time: Duration,
    over: Arc<AtomicBool>,
}

impl Limit {
    /// Starts the watch. The promised time counts from the start of this process; `reserve` of it is for the end.
    pub(super) fn new(promised: Duration, reserve: Duration) -> Limit {
        let begun = Instant::now();
        let left = promised.saturating_sub(since_start());
        let time = left.saturating_sub(reserve);
        let over = Arc::new(AtomicBool::new(false));
        let shared = over.clone();
        let watch = move || {
            std::thread::sleep(time);
            shared.store(true, Ordering::Relaxed);
            children().into_iter().for_each(end);
            std::thread::sleep((begun + left).saturating_duration_since(Instant::now()));
            // The rule that was running is in the ledger. Workers end with this process.
            children().into_iter().for_each(end);
            std::process::exit(ExitStatus::Success as i32);
        };
        // Without a watch, rules that fit by their estimates still keep the time.
        let _ = std::thread::Builder::new().name("burst-limit".to_owned()).spawn(watch);
        Limit { begun, time, over }
    }

    /// The time that rules still have.
    pub(super) fn left(&self) -> Duration {
        self.time.saturating_sub(self.begun.elapsed())
    }

    /// True if the time is up.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// The time since this process was started, to a hundredth of a second.
pub(super) fn since_start() -> Duration {
    const TICK: Duration = Duration::from_millis(10);
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let stat = read("/proc/self/stat");
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().nth(19).and_then(|ticks| ticks.parse::<u32>().ok());
    let uptime = read("/proc/uptime").split_whitespace().next().and_then(|seconds| seconds.parse::<f64>().ok());
    let started = ticks.map(|ticks| TICK * ticks);
    let elapsed = uptime.zip(started).map(|(up, started)| Duration::from_secs_f64(up).saturating_sub(started));
    elapsed.unwrap_or_default()
}

/// The processes that this process started.
fn children() -> Vec<i32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<i32>>()).collect()
}

/// Kills a worker with its group. A process that has ended already needs no signal.
fn end(process: i32) {
    if let Some(group) = Pid::from_raw(process) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
