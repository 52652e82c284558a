//! Reads all runs below a folder.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use messages::message;
use thiserror::Error;

use super::past::PastRun;
use super::{History, Timeline};
use record::{Journal, RunHeader, read_run};

/// The depth to which folders are searched.
const DEPTH: usize = 4;
/// The largest number of runs in a history.
const MOST: usize = 2_000;

/// The reason why a history cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HistoryError {
    #[error("cannot read {path}: {source}; give a folder with runs below it, for example reports/out")]
    Folder { path: PathBuf, source: io::Error },
    #[error(
        "no readable run below {path}{}; give a folder with runs below it, for example reports/out",
        remarks.iter().map(|remark| format!(" ({remark})")).collect::<String>()
    )]
    Empty { path: PathBuf, remarks: Vec<String> },
}

/// Reads all runs below a folder. Links are not followed, so no run counts twice. An unreadable journal produces a
/// remark.
///
/// # Errors
/// Fails if the folder cannot be read or has no runs.
pub fn history(folder: &Path) -> Result<History, HistoryError> {
    let mut journals = Vec::new();
    find(folder, DEPTH, &mut journals).map_err(|source| HistoryError::Folder { path: folder.to_owned(), source })?;
    journals.sort();
    let mut remarks = Vec::new();
    if journals.len() > MOST {
        remarks.push(format!("too many runs ({}); these are the last {MOST} by name", journals.len()));
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
            let labels = runs.first().map(|(header, _)| labels(header)).unwrap_or_default();
            let whole =
                runs.into_iter().filter(|(header, _)| !merged.contains(&(header.run.clone(), header.started.clone())));
            let mut runs: Vec<PastRun> = whole.map(|(_, past)| past).collect();
            parts += all - runs.len();
            runs.sort_by(|a, b| (&a.started, &a.path).cmp(&(&b.started, &b.path)));
            Timeline { tested, labels, runs }
        })
        .filter(|timeline| !timeline.runs.is_empty())
        .collect();
    if parts > 0 {
        remarks.push(message!("history-parts-of-merged-runs", count = parts));
    }
    if timelines.is_empty() {
        return Err(HistoryError::Empty { path: folder.to_owned(), remarks });
    }
    Ok(History { timelines, remarks })
}

/// The runs that were merged into other runs, by name and start time.
fn merged<'a>(headers: impl Iterator<Item = &'a RunHeader>) -> HashSet<(String, String)> {
    headers.flat_map(|header| &header.merged).map(|part| (part.run.clone(), part.started.clone())).collect()
}

/// The runtime and product that a run tested, marked if the device was simulated. Two runs are comparable only if their
/// texts are equal.
fn tested(header: &RunHeader) -> String {
    let simulated = if header.library.simulated { " (simulated)" } else { "" };
    format!("{} on {}{simulated}", header.runtime, header.product)
}

/// The parts of [`tested`], as labels of metrics.
fn labels(header: &RunHeader) -> [(&'static str, String); 3] {
    [
        ("runtime", header.runtime.clone()),
        ("product", header.product.clone()),
        ("simulated", header.library.simulated.to_string()),
    ]
}

fn find(folder: &Path, depth: usize, journals: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_file() && entry.file_name() == Journal::FILE {
            journals.push(entry.path());
        } else if kind.is_dir() && depth > 0 {
            // Unreadable folders are skipped.
            let _ = find(&entry.path(), depth - 1, journals);
        }
    }
    Ok(())
}
