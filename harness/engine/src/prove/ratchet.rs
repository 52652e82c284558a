//! The ratchet: figures in `ratchet.tsv`, in the runtime's folder, that may only improve.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::Path;

use super::{Proof, ProofFileError};
use catalog::files;

/// The maximum size of a ratchet file, in bytes. Each line, for one chapter and product, takes a few dozen bytes.
const LARGEST: u64 = 1 << 20;

/// The figures for one chapter on one product.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reached {
    /// The number of different defects that the chapter's rules claim and kill.
    pub defects: u64,
    /// The percentage of checks that are needed, or kept for a reason, rounded down.
    pub needed: u64,
}

/// The figures in a ratchet file.
#[derive(Debug, Default)]
pub struct Ratchet {
    head: String,
    /// The minimum figures, by product and chapter.
    least: BTreeMap<(String, String), Reached>,
}

impl Ratchet {
    /// Reads a ratchet file; a missing file has no figures.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if a line does not have the form `product, chapter, defects, percent`.
    pub fn read(path: &Path) -> Result<Ratchet, ProofFileError> {
        let text = match files::read_to_string(path, LARGEST) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.map_err(io(path))?,
        };
        let mut ratchet = Ratchet::default();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                ratchet.head.push_str(line);
                ratchet.head.push('\n');
                continue;
            }
            let words: Vec<&str> = line.split('\t').collect();
            let reached = match words.as_slice() {
                [_, _, defects, needed] => defects.parse().ok().zip(needed.parse().ok()),
                _ => None,
            };
            let Some((defects, needed)) = reached else {
                return Err(ProofFileError::Line { path: path.to_owned(), number: number + 1 });
            };
            ratchet.least.insert((words[0].to_owned(), words[1].to_owned()), Reached { defects, needed });
        }
        Ok(ratchet)
    }

    /// True if the file has figures of a product.
    pub fn holds(&self, product: &str) -> bool {
        self.least.keys().any(|(known, _)| known == product)
    }

    /// Compares a proof with these figures. Returns descriptions of the figures that fell, and lines for the figures
    /// that rose.
    pub fn compare(&self, proof: &Proof) -> (Vec<String>, Vec<String>) {
        let now = reached(proof);
        let (mut fallen, mut risen) = (Vec::new(), Vec::new());
        for ((product, chapter), least) in self.least.iter().filter(|((product, _), _)| *product == proof.product) {
            let now = now.get(chapter).copied().unwrap_or_default();
            if now.defects < least.defects {
                fallen.push(format!(
                    "{chapter}: {} different defects are claimed and killed, down from {}",
                    now.defects, least.defects
                ));
            }
            if now.needed < least.needed {
                fallen.push(format!(
                    "{chapter}: {} % of the checks are needed, down from {} %",
                    now.needed, least.needed
                ));
            }
            if now.defects > least.defects || now.needed > least.needed {
                risen.push(line(product, chapter, now.max(*least)));
            }
        }
        (fallen, risen)
    }
}

impl Reached {
    fn max(self, other: Reached) -> Reached {
        Reached { defects: self.defects.max(other.defects), needed: self.needed.max(other.needed) }
    }
}

/// Raises the figures for the proof's product in the file, and adds lines for new chapters. No figure is lowered.
///
/// # Errors
/// Fails if the file cannot be read or written.
pub fn raise(path: &Path, proof: &Proof) -> Result<(), ProofFileError> {
    let mut ratchet = Ratchet::read(path)?;
    for (chapter, now) in reached(proof) {
        let least = ratchet.least.entry((proof.product.clone(), chapter)).or_default();
        *least = least.max(now);
    }
    let mut text = ratchet.head;
    for ((product, chapter), least) in &ratchet.least {
        let _ = writeln!(text, "{}", line(product, chapter, *least));
    }
    files::replace(path, text).map_err(io(path))
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> ProofFileError {
    |source| ProofFileError::Io { path: path.to_owned(), source }
}

fn line(product: &str, chapter: &str, reached: Reached) -> String {
    format!("{product}\t{chapter}\t{}\t{}", reached.defects, reached.needed)
}

fn reached(proof: &Proof) -> BTreeMap<String, Reached> {
    let mut chapters: BTreeMap<&str, (BTreeSet<&str>, u64, u64)> = BTreeMap::new();
    for rule in proof.judged() {
        let killed =
            rule.kills.iter().filter(|(_, tally)| !tally.survives() && !tally.is_open()).map(|(name, _)| name.as_str());
        let (defects, good, all) = chapters.entry(&rule.chapter).or_default();
        defects.extend(killed);
        *all += rule.checks.len() as u64;
        *good += rule.checks.iter().filter(|check| check.needed_for.is_some() || check.reason.is_some()).count() as u64;
    }
    let reached = |(chapter, (defects, good, all)): (&str, (BTreeSet<&str>, u64, u64))| {
        let needed = (good * 100).checked_div(all).unwrap_or(100);
        (chapter.to_owned(), Reached { defects: defects.len() as u64, needed })
    };
    chapters.into_iter().map(reached).collect()
}
