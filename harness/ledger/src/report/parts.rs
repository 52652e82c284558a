//! Formats parts and merged runs for reports.

use std::collections::BTreeSet;

use messages::{comma, message};
use record::{MergedRun, RunHeader};

use super::host::host_line;
use super::text::one_line;

/// The part or parts, for example `3 of 8` or `8 of 8 from 9 runs, merged`; empty for a whole run.
pub(super) fn part_line(header: &RunHeader) -> String {
    if let Some(part) = &header.settings.part {
        return match part.balanced {
            None => message!("part", number = part.number, of = part.of),
            Some(_) => message!("part-balanced", number = part.number, of = part.of),
        };
    }
    let Some(first) = header.merged.first() else { return String::new() };
    let parts: BTreeSet<u32> = header.merged.iter().map(|run| run.part).collect();
    match header.merged.len() {
        runs if runs == parts.len() => message!("merged", number = runs, of = first.of),
        runs => message!("merged-from", number = parts.len(), of = first.of, count = runs),
    }
}

/// The merged runs that a report lists: at most one screen of unfinished runs and runs without an answer. The journal
/// lists all merged runs, which may be a thousand.
pub(super) fn worth_a_line(header: &RunHeader) -> impl Iterator<Item = &MergedRun> {
    const MOST: usize = 12;
    header.merged.iter().filter(|run| !matches!(run.exit, Some(0 | 1))).take(MOST)
}

/// A run that was merged into another run.
pub(super) fn merged_line(run: &MergedRun) -> String {
    let exit = match (run.exit, &run.finished) {
        (Some(exit), Some(_)) => message!("exit-status", status = exit),
        _ => message!("unfinished").to_owned(),
    };
    let host = run.host.as_ref().map(|host| comma().to_owned() + &host_line(host)).unwrap_or_default();
    let (name, started) = (one_line(&run.run), one_line(&run.started));
    let (part, of, results) = (run.part, run.of, run.results);
    message!("merged-run", part = part, of = of, run = name, started = started, count = results, exit = exit) + &host
}
