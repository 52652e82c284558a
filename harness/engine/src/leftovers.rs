//! Leftovers: processes that a library or a tool started in a separate group or session, and that outlive the
//! worker or the tool.
//!
//! Leftovers hold pipes, devices and locks that the next worker needs. This process therefore adopts orphaned
//! descendants, and recognizes them by the environment that they inherited. A process that has cleared its
//! environment goes unnoticed. Names that a library leaves in shared memory or in the temporary folder are counted.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};

use catalog::count;
use rustix::process::{
    Pid, Signal, WaitOptions, getpgid, getpid, kill_process, kill_process_group, set_child_subreaper, waitpid,
};

/// The prefix of the names of the folders that runs create for machines and tools. Old ones are removed by later runs.
pub(crate) const RUN_FOLDERS: &str = "atlas-cts-run-";

/// The folders in which libraries leave objects: shared memory, and the folder of temporary files if it is one of this
/// user's. In one for all users, files of other programs look the same.
fn folders() -> Vec<PathBuf> {
    let temporary = std::env::temp_dir();
    let shared = std::fs::metadata(&temporary).is_ok_and(|metadata| metadata.mode() & 0o002 != 0);
    [PathBuf::from("/dev/shm")].into_iter().chain((!shared).then_some(temporary)).collect()
}

/// The names in these folders at one time.
#[derive(Debug)]
pub(crate) struct Names {
    seen: Vec<(PathBuf, BTreeSet<String>)>,
    /// The run's report folder, which is not counted.
    report: Option<PathBuf>,
}

impl Names {
    pub(crate) fn now(report: Option<&Path>) -> Names {
        Names::in_folders(folders(), report)
    }

    fn in_folders(folders: Vec<PathBuf>, report: Option<&Path>) -> Names {
        let seen = folders.into_iter().map(|folder| (folder.clone(), names_of_this_user(&folder))).collect();
        Names { seen, report: report.and_then(|report| std::path::absolute(report).ok()) }
    }

    /// A remark about names that are new since then. `None` if there are none.
    pub(crate) fn remark_on_new(&self) -> Option<String> {
        const SHOWN: usize = 3;
        let mut found = Vec::new();
        for (folder, before) in &self.seen {
            let is_report =
                |name: &str| self.report.as_ref().is_some_and(|report| report.starts_with(folder.join(name)));
            let now = names_of_this_user(folder);
            let new: Vec<&String> =
                now.iter().filter(|name| !before.contains(*name) && !is_report(name.as_str())).collect();
            if !new.is_empty() {
                let first: Vec<&str> = new.iter().take(SHOWN).map(|name| name.as_str()).collect();
                let more = if new.len() > SHOWN { ", …" } else { "" };
                let (number, first) = (count(new.len() as u64, "name"), first.join(", "));
                found.push(format!("{number} in {} ({first}{more})", folder.display()));
            }
        }
        let what = (!found.is_empty()).then(|| found.join(" and "))?;
        Some(format!(
            "during the run, this user's processes left {what}; if no other program made them, the library leaves \
             them: remove them"
        ))
    }
}

/// The names of this user's files in a folder, except for those of runs.
fn names_of_this_user(folder: &Path) -> BTreeSet<String> {
    let own = rustix::process::getuid().as_raw();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == own));
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| !name.starts_with("atlas-cts")).collect()
}

/// Makes this process the parent of its orphaned descendants.
pub(crate) fn adopt_orphans() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // If the system refuses, leftovers are not found later.
        let _ = set_child_subreaper(Some(getpid()));
    });
}

/// Kills a child that leads a process group, together with the group.
pub(crate) fn kill_group(child: u32) {
    if let Some(group) = Pid::from_raw(child as i32) {
        // A group that is already gone needs no signal.
        let _ = kill_process_group(group, Signal::KILL);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_appear_while_a_run_goes_on_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| std::fs::write(folder.path().join(name), "").unwrap();
        write("earlier");
        let before = Names::in_folders(vec![folder.path().to_owned()], Some(&folder.path().join("report/1")));
        assert_eq!(before.remark_on_new(), None);
        ["report", "atlas-cts-run-1", "earlier"].into_iter().for_each(write);
        assert_eq!(before.remark_on_new(), None, "the run's folders are not counted");
        ["a", "b", "c", "d"].into_iter().for_each(write);
        let remark = before.remark_on_new().unwrap();
        assert!(remark.contains(&format!("left 4 names in {} (a, b, c, …)", folder.path().display())), "{remark}");
    }
}
