//! Shares that may not fall: `coverage.tsv` of a runtime's folder.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::Coverage;
use crate::files;

/// Begins the line with the most checks that may be unread.
const UNREAD: &str = "unread";

/// Bytes of the largest file: a line for each chapter.
const LARGEST: u64 = 1 << 20;

/// For each chapter of clauses, the least share of its promises and errors that is judged, observed or untestable, and
/// the fewest clauses.
#[derive(Debug, Default)]
pub struct Threshold {
    /// Chapter → share in whole percent, clauses.
    least: BTreeMap<String, (u64, u64)>,
    /// The most checks that only their author has read.
    unread: Option<u64>,
}

/// Why a threshold cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    #[error("cannot read {path}: {source}: name the file with --hold, or leave it out")]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "{path}:{line}: write `chapter<tab>percent<tab>clauses`, for example `copies<tab>95<tab>120`, or `unread<tab>checks`"
    )]
    Line { path: PathBuf, line: usize },
}

impl Threshold {
    /// Reads the file.
    ///
    /// # Errors
    /// It cannot be read, or a line is not `chapter, percent, clauses`.
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

    /// What has fallen, and the lines of what has risen. The unread checks of rules that no release has are a debt, which does
    /// not count: `released` holds the ids of the others; `None`: there was no release.
    pub fn compare(&self, coverage: &Coverage<'_>, released: Option<&BTreeSet<&str>>) -> (Vec<String>, Vec<String>) {
        let (mut fallen, mut risen) = (Vec::new(), Vec::new());
        let chapters = coverage.rules.book.chapters.iter().enumerate().filter(|(_, chapter)| !chapter.open);
        let now: BTreeMap<&str, (u64, u64)> =
            chapters.map(|(position, chapter)| (chapter.name.as_str(), reached(coverage, position))).collect();
        for (chapter, least) in &self.least {
            let now = now.get(chapter.as_str()).copied().unwrap_or_default();
            if now.0 < least.0 {
                fallen.push(format!(
                    "{chapter}: {} % of its promises and errors are covered, it was {} %",
                    now.0, least.0
                ));
            }
            if now.1 < least.1 {
                fallen.push(format!("{chapter}: {} clauses, it were {}", now.1, least.1));
            }
        }
        let counts = |rule: &str| released.is_none_or(|released| released.contains(rule));
        let unread = coverage.readings.unread(coverage.rules).filter(|(rule, _)| counts(rule)).count() as u64;
        match self.unread {
            Some(most) if unread > most => {
                fallen.push(format!("{unread} checks have been read by their author only, at most {most} may be"));
            }
            Some(most) if unread == most => {}
            _ => risen.push(format!("{UNREAD}\t{unread}")),
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

/// The share of a chapter in whole percent, rounded down, and its clauses.
fn reached(coverage: &Coverage<'_>, chapter: usize) -> (u64, u64) {
    let (covered, all) = coverage.reached(chapter);
    let share = (covered as u64 * 100).checked_div(all as u64).unwrap_or(100);
    (share, coverage.chapter(chapter).count() as u64)
}
