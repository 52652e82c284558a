//! A check for enough space for a run's reports.

use std::path::Path;

use engine::doctor::{Examination, Finding, Severity};
use engine::run::runs_folder;
use messages::message;

use super::surroundings::Surroundings;

/// The number of free bytes below which a run may lose its results.
const LEAST: u64 = 16 << 20;
/// The number of free bytes below which a long run with many failures may lose its results.
const ENOUGH: u64 = 256 << 20;

/// Examines the file system that reports are written to.
pub(super) fn look(options: &Surroundings, found: &mut Examination) {
    let folder = options.machine.report_dir.clone().unwrap_or_else(runs_folder);
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let there = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    let place = folder.display().to_string();
    let free = match rustix::fs::statvfs(there) {
        Ok(about) => about.f_bavail.saturating_mul(about.f_frsize),
        Err(error) => {
            found.looked(message!("look-space"), place, error.to_string());
            return;
        }
    };
    let free_mebibytes = free >> 20;
    found.looked(message!("look-space"), place.clone(), message!("space-free", mebibytes = free_mebibytes));
    let (id, severity, title) = if let Err(error) = rustix::fs::access(there, rustix::fs::Access::WRITE_OK) {
        let error = std::io::Error::from(error).to_string();
        let title = message!("reports-not-writable", folder = place, error = error);
        ("reports.not-writable", Severity::Blocker, title)
    } else if free < LEAST {
        let title = message!("reports-no-space", folder = place, mebibytes = free_mebibytes);
        ("reports.no-space", Severity::Blocker, title)
    } else if free < ENOUGH {
        let title = message!("reports-little-space", folder = place, mebibytes = free_mebibytes);
        ("reports.little-space", Severity::Warning, title)
    } else {
        return;
    };
    found.find(Finding::new(id, severity, title, message!("reports-next")));
}
