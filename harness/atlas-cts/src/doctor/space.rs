//! A check that there is space for the reports of a run.

use std::path::Path;

use engine::doctor::{Examination, Finding, Severity};
use engine::run::runs_folder;

use super::surroundings::Surroundings;

/// Free bytes below which a run may lose its results.
const LEAST: u64 = 16 << 20;
/// Free bytes below which a long run with many failures may lose its results.
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
            found.looked("space for reports", place, error.to_string());
            return;
        }
    };
    let said = format!("{} MiB free", free >> 20);
    found.looked("space for reports", place.clone(), said.clone());
    let writable = rustix::fs::access(there, rustix::fs::Access::WRITE_OK);
    let next = "choose another folder with --report-dir DIR, or free space";
    if let Err(error) = writable {
        let title = format!("reports cannot be written to {place}: {}", std::io::Error::from(error));
        found.find(Finding::new("reports.not-writable", Severity::Blocker, title, next));
    } else if free < LEAST {
        let title = format!("there is no space for reports in {place}: {said}");
        found.find(Finding::new("reports.no-space", Severity::Blocker, title, next));
    } else if free < ENOUGH {
        let title = format!("there is little space for reports in {place}: {said}");
        found.find(Finding::new("reports.little-space", Severity::Warning, title, next));
    }
}
