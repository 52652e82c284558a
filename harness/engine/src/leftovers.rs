//! Leftovers: processes that a library or a tool started in a separate group or session, and that outlive the
//! worker or the tool.
//!
//! Leftovers hold pipes, devices and locks that the next worker needs. This process therefore adopts orphaned
//! descendants, and recognizes them by the environment that they inherited. A process that has cleared its
//! environment goes unnoticed.

use std::path::Path;
use std::sync::Once;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpgid, getpid, kill_process, set_child_subreaper, waitpid};

/// The prefix of the names of the folders that runs create for machines and tools. Old ones are removed by later runs.
pub(crate) const RUN_FOLDERS: &str = "atlas-cts-run-";

/// Makes this process the parent of its orphaned descendants.
pub(crate) fn adopt_orphans() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // If the system refuses, leftovers are not found later.
        let _ = set_child_subreaper(Some(getpid()));
    });
}

/// Ends the processes that an exited child left behind outside the child's group. Returns true if there were any such
/// processes. Processes in the child's group were killed with the child.
pub(crate) fn end(mark: &str, child: u32) -> bool {
    let mut found = false;
    for process in children() {
        let Ok(group) = getpgid(Some(process)) else { continue };
        if group.as_raw_pid() == child as i32 {
            reap(process);
        } else if is_marked(process, mark) {
            found = true;
            // The process may already have exited.
            let _ = kill_process(process, Signal::KILL);
            reap(process);
        }
    }
    found
}

fn children() -> Vec<Pid> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace().filter_map(|child| Pid::from_raw(child.parse().ok()?)).collect::<Vec<_>>()
        })
        .collect()
}

fn is_marked(process: Pid, mark: &str) -> bool {
    let path = Path::new("/proc").join(process.as_raw_pid().to_string()).join("environ");
    std::fs::read(path)
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes()))
}

/// Reaps a killed process. Gives up if the process does not end.
fn reap(process: Pid) {
    let begun = Instant::now();
    while let Ok(None) = waitpid(Some(process), WaitOptions::NOHANG) {
        if begun.elapsed() > Duration::from_millis(500) {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
