//! Shares of covered clauses that must not fall: `coverage.tsv` in a runtime's folder.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use steps::count;

use super::{Coverage, FunctionState};
use crate::files;

/// The first word of the line that limits the number of unread checks.
const UNREAD: &str = "unread";

/// The first word of the line that limits the number of functions in [`FunctionState::Open`].
const OPEN: &str = "open";

/// The maximum size of the file in bytes; it has one line per chapter.
const LARGEST: u64 = 1 << 20;

/// The minimum values for each chapter of clauses: the share of its promises and errors that are judged, observed or
/// untestable, and the number of its clauses.
#[derive(Debug, Default)]
pub struct Threshold {
    /// The minimum share in whole percent and the minimum number of clauses, by chapter.
    least: BTreeMap<String, (u64, u64)>,
    /// The maximum number of checks that only their author has read.
    unread: Option<u64>,
    /// The maximum number of functions in [`FunctionState::Open`].
    open: Option<u64>,
}

/// An error reading a threshold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    #[error("cannot read {path}: {source}; name another file with --hold, or leave the option out")]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "{path}:{line}: write `chapter<tab>percent<tab>clauses`, for example `copies<tab>95<tab>120`, or \
         `unread<tab>checks` and `open<tab>functions`"
    )]
    Line { path: PathBuf, line: usize },
}

impl Threshold {
    /// Reads the file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if a line is not `chapter, percent, clauses`.
    pub fn read(path: &Path) -> Result<Threshold, ThresholdError> {
        let io = |source| ThresholdError::Io { path: path.to_owned(), source };
        let text = files::read_to_string(path, LARGEST).map_err(io)?;
        let mut threshold = Threshold::default();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let words: Vec<&str> = line.split('\t').collect();
            let read = match words.as_slice() {
                [UNREAD, most] => most.parse().ok().map(|most| threshold.unread = Some(most)),
                [OPEN, most] => most.parse().ok().map(|most| threshold.open = Some(most)),
                [chapter, share, clauses] => {
                    let numbers = share.parse().ok().zip(clauses.parse().ok());
                    numbers.map(|numbers| {
                        threshold.least.insert((*chapter).to_owned(), numbers);
                    })
                }
                _ => None,
            };
            read.ok_or(ThresholdError::Line { path: path.to_owned(), line: index + 1 })?;
        }
        Ok(threshold)
    }

    /// Returns a message for each share that fell, and the new lines for the shares that rose. Unread checks count only
    /// in released rules: `released` has their ids, or is `None` before the first release.
    pub fn compare(&self, coverage: &Coverage<'_>, released: Option<&BTreeSet<&str>>) -> (Vec<String>, Vec<String>) {
        let (mut fallen, mut risen) = (Vec::new(), Vec::new());
        let chapters = coverage.rules.book.chapters.iter().enumerate().filter(|(_, chapter)| !chapter.open);
        let now: BTreeMap<&str, (u64, u64)> =
            chapters.map(|(position, chapter)| (chapter.name.as_str(), reached(coverage, position))).collect();
        for (chapter, least) in &self.least {
            let now = now.get(chapter.as_str()).copied().unwrap_or_default();
            if now.0 < least.0 {
                fallen.push(format!(
                    "{chapter}: {} % of its promises and errors are covered, down from {} %",
                    now.0, least.0
                ));
            }
            if now.1 < least.1 {
                fallen.push(format!("{chapter}: {}, down from {}", count(now.1, "clause"), least.1));
            }
        }
        let counts = |rule: &str| released.is_none_or(|released| released.contains(rule));
        let unread = coverage.readings.unread(coverage.rules).filter(|(rule, _)| counts(rule)).count() as u64;
        match self.unread {
            Some(most) if unread > most => {
                fallen.push(format!("{} without a second reader; at most {most} allowed", count(unread, "check")));
            }
            Some(most) if unread == most => {}
            _ => risen.push(format!("{UNREAD}\t{unread}")),
        }
        let open: Vec<&str> = open(coverage);
        match self.open {
            Some(most) if open.len() as u64 > most => fallen.push(format!(
                "{} neither judged, observed nor out of scope; at most {most} allowed: {}",
                count(open.len(), "function"),
                open.join(", ")
            )),
            Some(most) if open.len() as u64 == most => {}
            _ => risen.push(format!("{OPEN}\t{}", open.len())),
        }
        for (chapter, (share, clauses)) in now {
            let least = self.least.get(chapter).copied().unwrap_or_default();
            if share > least.0 || clauses > least.1 {
                risen.push(format!("{chapter}\t{}\t{}", share.max(least.0), clauses.max(least.1)));
            }
        }
        (fallen, risen)
    }
}

/// The functions in [`FunctionState::Open`].
fn open<'a>(coverage: &Coverage<'a>) -> Vec<&'a str> {
    let open = coverage.support.iter().filter(|function| function.state == FunctionState::Open);
    open.map(|function| function.name).collect()
}

/// A chapter's share in whole percent, rounded down, and its number of clauses.
fn reached(coverage: &Coverage<'_>, chapter: usize) -> (u64, u64) {
    let (covered, all) = coverage.reached(chapter);
    let share = (covered as u64 * 100).checked_div(all as u64).unwrap_or(100);
    (share, coverage.chapter(chapter).count() as u64)
}
