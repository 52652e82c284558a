//! Folders in which simulated machines keep their state.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// State of simulated machines: in memory where there is room for it.
pub fn machines_folder() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("{MACHINES}{}-{number}", std::process::id());
    let memory = Path::new("/dev/shm");
    let roomy = rustix::fs::statvfs(memory).is_ok_and(|fs| fs.f_bavail.saturating_mul(fs.f_frsize) >= 1 << 30);
    let folder = if roomy { memory.to_owned() } else { std::env::temp_dir() };
    if number == 0 {
        remove_left_over(&folder);
    }
    folder.join(name)
}

/// Start of the names of machine folders; the number of the process that made them follows.
const MACHINES: &str = "atlas-cts-";

/// Removes the machines of runs that were killed.
fn remove_left_over(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(MACHINES)).and_then(|rest| rest.split_once('-'));
        let Some(process) = process.and_then(|(process, _)| process.parse::<u32>().ok()) else { continue };
        if !Path::new(&format!("/proc/{process}")).exists() {
            // Another run may be removing it at the same time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
