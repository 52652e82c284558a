//! A folder → the runs below it.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::past::PastRun;
use super::{History, Timeline};
use record::{Journal, RunHeader, read_run};

/// Folders below folders that are looked into.
const DEPTH: usize = 4;
/// The most runs that are read.
const MOST: usize = 2_000;

/// Why there is no history.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HistoryError {
    #[error("cannot read {path}: {source}; give a folder with runs below it, for example reports/out")]
    Folder { path: PathBuf, source: io::Error },
    #[error(
        "there is no run below {path} that can be read{}; give a folder with runs below it, for example reports/out",
        remarks.iter().map(|remark| format!(" ({remark})")).collect::<String>()
    )]
    Empty { path: PathBuf, remarks: Vec<String> },
}

/// Reads all runs below a folder. Links are not followed, so that no run counts twice; a journal that cannot be read is a
/// remark.
///
/// # Errors
/// The folder cannot be read, or there is no run.
pub fn history(folder: &Path) -> Result<History, HistoryError> {
    let mut journals = Vec::new();
    find(folder, DEPTH, &mut journals).map_err(|source| HistoryError::Folder { path: folder.to_owned(), source })?;
    journals.sort();
    let mut remarks = Vec::new();
    if journals.len() > MOST {
        remarks
            .push(format!("{} runs are more than are read at once; these are the last {MOST} by name", journals.len()));
        journals.drain(..journals.len() - MOST);
    }
    let mut timelines: BTreeMap<String, Vec<(RunHeader, PastRun)>> = BTreeMap::new();
    for path in journals {
        match read_run(&path) {
            Err(error) => remarks.push(format!("left out: {error}")),
            Ok(run) => {
                let past = PastRun::of(path.parent().unwrap_or(&path), &run);
                timelines.entry(tested(&run.header)).or_default().push((run.header, past));
            }
        }
    }
    let merged = merged(timelines.values().flatten().map(|(header, _)| header));
    let mut parts = 0;
    let timelines: Vec<Timeline> = timelines
        .into_iter()
        .map(|(tested, runs)| {
            let all = runs.len();
            let whole =
                runs.into_iter().filter(|(header, _)| !merged.contains(&(header.run.clone(), header.started.clone())));
            let mut runs: Vec<PastRun> = whole.map(|(_, past)| past).collect();
            parts += all - runs.len();
            runs.sort_by(|a, b| (&a.started, &a.path).cmp(&(&b.started, &b.path)));
            Timeline { tested, runs }
        })
        .filter(|timeline| !timeline.runs.is_empty())
        .collect();
    if parts > 0 {
        remarks.push(format!("{parts} runs are parts of merged ones, and count there"));
    }
    if timelines.is_empty() {
        return Err(HistoryError::Empty { path: folder.to_owned(), remarks });
    }
    Ok(History { timelines, remarks })
}

/// The runs that merged ones were made from, by name and start.
fn merged<'a>(headers: impl Iterator<Item = &'a RunHeader>) -> HashSet<(String, String)> {
    headers.flat_map(|header| &header.merged).map(|part| (part.run.clone(), part.started.clone())).collect()
}

/// What a run tested: runs of other products, or of a simulated device, say nothing about each other.
fn tested(header: &RunHeader) -> String {
    let simulated = if header.library.simulated { " (simulated)" } else { "" };
    format!("{} on {}{simulated}", header.runtime, header.product)
}

fn find(folder: &Path, depth: usize, journals: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_file() && entry.file_name() == Journal::FILE {
            journals.push(entry.path());
        } else if kind.is_dir() && depth > 0 {
            // A folder among many that cannot be read holds no run that anybody could compare.
            let _ = find(&entry.path(), depth - 1, journals);
        }
    }
    Ok(())
}
