//! Which part of a run this is, and what a run was put together from, as reports name it.

use std::collections::BTreeSet;

use record::{MergedRun, RunHeader};

use super::host::host_line;
use super::text::{count, one_line};

/// `3 of 8`, `8 of 8 from 9 runs`; empty: a run that nobody divided.
pub(super) fn part_line(header: &RunHeader) -> String {
    if let Some(part) = &header.settings.part {
        let by = if part.balanced.is_some() { ", by the times of an earlier run" } else { "" };
        return format!("{} of {}{by}", part.number, part.of);
    }
    let Some(first) = header.merged.first() else { return String::new() };
    let there: BTreeSet<u32> = header.merged.iter().map(|run| run.part).collect();
    let runs = header.merged.len();
    let from = if runs == there.len() { String::new() } else { format!(" from {}", count(runs as u64, "run")) };
    format!("{} of {}{from}, merged", there.len(), first.of)
}

/// Runs of a merged one that a report names: those without an answer and those that were cut off, a screen of them. The
/// journal has all, of which there may be a thousand.
pub(super) fn worth_a_line(header: &RunHeader) -> impl Iterator<Item = &MergedRun> {
    const MOST: usize = 12;
    header.merged.iter().filter(|run| !matches!(run.exit, Some(0 | 1))).take(MOST)
}

/// One of the runs that a merged one was made from.
pub(super) fn merged_line(run: &MergedRun) -> String {
    let exit = match (run.exit, &run.finished) {
        (Some(exit), Some(_)) => format!("exit status {exit}"),
        _ => "no end".to_owned(),
    };
    let host = run.host.as_ref().map(|host| format!(", {}", host_line(host))).unwrap_or_default();
    let results = count(run.results as u64, "result");
    let (name, started) = (one_line(&run.run), one_line(&run.started));
    format!("part {} of {}: {name}, started {started}, {results}, {exit}{host}", run.part, run.of)
}
