//! Estimates a run's remaining time from the times that the rules took in earlier runs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use record::{Journal, Recorded, RunHeader, Verdict, read_run};

/// The maximum number of recent runs to read.
const LOOKED_AT: usize = 12;
/// The number of runs of the same kind after which no more runs are read.
const ENOUGH: usize = 5;
/// There is no estimate unless the time is known for at least one in this many selected rules.
const KNOWN_OF: usize = 2;

/// The times that rules took in earlier runs of the same kind.
#[derive(Debug, Clone, Default)]
pub struct Estimate {
    /// The median time for each rule, in nanoseconds.
    times: HashMap<String, u64>,
    /// The median time over all rules, used for rules without a known time.
    usual: u64,
}

impl Estimate {
    /// Estimates times from the newest runs in the same parent folder that tested the same product with the same
    /// profile. Returns `None` if these runs have times for too few of the selected rules. Unreadable journals are
    /// ignored.
    pub(super) fn of_last_runs(folder: &Path, header: &RunHeader, selected: &[String]) -> Option<Estimate> {
        let mut runs = Vec::new();
        for journal in newest(folder) {
            runs.extend(read_run(&journal).ok().filter(|run| same_kind(&run.header, header)));
            if runs.len() == ENOUGH {
                break;
            }
        }
        let estimate = Estimate::of(&runs);
        let known = selected.iter().filter(|rule| estimate.times.contains_key(*rule)).count();
        (known > 0 && known * KNOWN_OF >= selected.len()).then_some(estimate)
    }

    fn of(runs: &[Recorded]) -> Estimate {
        let mut times: HashMap<String, Vec<u64>> = HashMap::new();
        for result in runs.iter().flat_map(|run| &run.results).filter(|result| result.verdict != Verdict::Skipped) {
            times.entry(result.id.clone()).or_default().push(result.nanoseconds);
        }
        // Skipped rules take no time.
        for result in runs.iter().flat_map(|run| &run.results) {
            times.entry(result.id.clone()).or_insert_with(|| vec![0]);
        }
        let times: HashMap<String, u64> = times.into_iter().map(|(rule, times)| (rule, median(times))).collect();
        Estimate { usual: median(times.values().copied().collect()), times }
    }

    /// The expected time for these rules on this many threads: the sum of the rules' times divided by the number of
    /// threads, but at least the longest of these times.
    pub fn left<'a>(&self, rules: impl Iterator<Item = &'a str>, threads: usize) -> Duration {
        let (mut all, mut longest) = (0u64, 0u64);
        for rule in rules {
            let time = self.times.get(rule).copied().unwrap_or(self.usual);
            (all, longest) = (all.saturating_add(time), longest.max(time));
        }
        Duration::from_nanos((all / threads.max(1) as u64).max(longest))
    }
}

fn median(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0)
}

/// The other journals in the parent folder, newest first.
fn newest(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.parent().and_then(|parent| std::fs::read_dir(parent).ok()).into_iter().flatten().flatten();
    // The link `latest` is skipped: it points to this run, or to another run that is already in the list.
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path());
    let journals = folders.filter(|other| other != folder).map(|other| other.join(Journal::FILE));
    let mut dated: Vec<(SystemTime, PathBuf)> =
        journals.filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path))).collect();
    dated.sort();
    dated.into_iter().rev().take(LOOKED_AT).map(|(_, path)| path).collect()
}

fn same_kind(then: &RunHeader, now: &RunHeader) -> bool {
    let kind = |header: &RunHeader| {
        let simulated = header.library.simulated;
        (
            header.runtime.clone(),
            header.product.clone(),
            header.profile.clone(),
            simulated,
            header.settings.case.is_some(),
        )
    };
    kind(then) == kind(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_shared_by_threads_and_lasts_as_long_as_the_longest() {
        let times = [("a", 40), ("b", 10), ("c", 10)].map(|(rule, time)| (rule.to_owned(), time));
        let estimate = Estimate { times: HashMap::from(times), usual: 10 };
        let left = |rules: &[&str], threads| estimate.left(rules.iter().copied(), threads).as_nanos();
        assert_eq!(left(&["a", "b", "c"], 1), 60);
        assert_eq!(left(&["a", "b", "c"], 2), 40);
        assert_eq!(left(&["b", "c", "unknown"], 3), 10);
        assert_eq!(left(&[], 3), 0);
    }
}
