//! The table of the proof: which rule kills which seeded defects, on which products, and which check notices them. A
//! command writes the table; authors of rules do not.

mod row;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use simulator_contract::Defect;
use steps::suggest::hint;
use thiserror::Error;

use crate::{Rule, Rules, Specs, digest, files, one_space, short};

pub use row::ProofRow;

/// The name of the table in a runtime's folder.
pub const FILE: &str = "proof.tsv";

/// The maximum size of a table in bytes, enough for tens of thousands of rows.
const LARGEST: u64 = 16 << 20;

/// The maximum number of rows of a rule. More defects prove nothing more about it.
pub const MOST_ROWS: usize = 8;

/// The head of a table that did not exist before.
const HEAD: &str = "\
# Rules and the seeded defects that they kill: rule, defect, products on which the rule kills it, the check that notices
# it first (- if it is not known), digest of the rule's program, digest of the sources that implement the defect.
# `atlas-cts catalog prove --hold FOLDER --raise` writes this file (docs/engine/proof.md). Only rows of cycles are
# written by hand, as soaks notice their defects (ci/soak.sh).
";

/// The table of one runtime.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProofTable {
    /// The file, for messages.
    path: PathBuf,
    head: String,
    /// Rule → defect → row.
    rows: BTreeMap<String, BTreeMap<String, ProofRow>>,
}

/// The reason why a table cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProofTableError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: {mistake}; restore the file, or remove the row and prove the rule with --raise")]
    Row { path: PathBuf, line: usize, mistake: RowMistake },
}

/// The mistake in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RowMistake {
    #[error("a row is rule, defect, products, check and two digests, with tabs between")]
    Columns,
    #[error("the first word of a row is the id of a rule")]
    Rule,
    #[error("a row names at least one product, each once, with commas between")]
    Products,
    #[error("a digest has eight hexadecimal digits")]
    Digest,
    #[error("the rule and the defect have a row above")]
    Twice,
}

/// The age of a rule's rows for a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofAge {
    /// The rule was proven on the product as it is, with the defects as they are.
    Current,
    /// The device's code for a defect changed after the proof.
    DefectChanged,
    /// The rule's program changed after the proof.
    RuleChanged,
    /// No row names the product.
    Unproven,
}

impl ProofAge {
    /// True if only a new proof can tell what the rule kills.
    pub fn needs_proof(self) -> bool {
        matches!(self, ProofAge::RuleChanged | ProofAge::Unproven)
    }
}

impl ProofTable {
    /// The table in a runtime's folder; empty if there is none.
    ///
    /// # Errors
    /// Fails if the table cannot be read or a row is malformed.
    pub fn of(specs: &Specs, runtime: &str) -> Result<ProofTable, ProofTableError> {
        let path = specs.root().join(runtime).join(FILE);
        if !specs.exists(&path) {
            return Ok(ProofTable { path, ..ProofTable::default() });
        }
        let io = |source| ProofTableError::Io { path: path.clone(), source };
        let bytes = specs.read(&path, LARGEST).map_err(io)?;
        let text = String::from_utf8(bytes).map_err(|error| io(io::Error::new(io::ErrorKind::InvalidData, error)))?;
        ProofTable::parse(&path, &text)
    }

    /// The table in a folder; empty if there is none.
    ///
    /// # Errors
    /// Fails if the folder does not exist, or like [`ProofTable::of`].
    pub fn read(folder: &Path) -> Result<ProofTable, ProofTableError> {
        let path = folder.join(FILE);
        let text = match folder.read_dir().and_then(|_| files::read_to_string(&path, LARGEST)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => String::new(),
            Err(source) if folder.is_dir() => return Err(ProofTableError::Io { path, source }),
            Err(source) => return Err(ProofTableError::Io { path: folder.to_owned(), source }),
        };
        ProofTable::parse(&path, &text)
    }

    /// Reads the text of a table; `path` is its file, for messages.
    ///
    /// # Errors
    /// Fails if a row is malformed.
    pub fn parse(path: &Path, text: &str) -> Result<ProofTable, ProofTableError> {
        let mut table = ProofTable { path: path.to_owned(), ..ProofTable::default() };
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                table.head.push_str(line);
                table.head.push('\n');
                continue;
            }
            let row = row::read(line, index + 1).and_then(|(rule, defect, row)| {
                let rows = table.rows.entry(rule.to_owned()).or_default();
                rows.insert(defect.to_owned(), row).map_or(Ok(()), |_| Err(RowMistake::Twice))
            });
            row.map_err(|mistake| ProofTableError::Row { path: path.to_owned(), line: index + 1, mistake })?;
        }
        Ok(table)
    }

    /// Writes the table to its file.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write(&self) -> Result<(), ProofTableError> {
        let io = |source| ProofTableError::Io { path: self.path.clone(), source };
        files::replace(&self.path, self.to_string()).map_err(io)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The rows of a rule, by defect.
    pub fn rows(&self, rule: &str) -> impl Iterator<Item = (&str, &ProofRow)> {
        self.rows.get(rule).into_iter().flatten().map(|(defect, row)| (defect.as_str(), row))
    }

    /// The defects that a rule claims, on any product.
    pub fn claims(&self, rule: &str) -> impl Iterator<Item = &str> {
        self.rows(rule).map(|(defect, _)| defect)
    }

    /// The defects that a rule claims on a product.
    pub fn claims_on<'a>(&'a self, rule: &str, product: &'a str) -> impl Iterator<Item = &'a str> {
        self.rows(rule).filter(move |(_, row)| row.products.contains(product)).map(|(defect, _)| defect)
    }

    /// The number of rules that claim each defect, on any product.
    pub fn claimants(&self) -> BTreeMap<&str, usize> {
        let mut found = BTreeMap::new();
        for defect in self.rows.values().flat_map(BTreeMap::keys) {
            *found.entry(defect.as_str()).or_default() += 1;
        }
        found
    }

    /// The age of a rule's rows for a product.
    pub fn age(&self, rule: &Rule, product: &str, defects: &[Defect]) -> ProofAge {
        let here = || self.rows(&rule.id).filter(|(_, row)| row.products.contains(product));
        let digest = rule_digest(rule);
        if here().next().is_none() {
            ProofAge::Unproven
        } else if here().any(|(_, row)| row.rule != digest) {
            ProofAge::RuleChanged
        } else if here().any(|(defect, row)| source(defects, defect) != Some(row.defect)) {
            ProofAge::DefectChanged
        } else {
            ProofAge::Current
        }
    }

    /// Notes what a proof of a rule on a product found: the defects that the rule killed, each with the check that
    /// noticed it, and those for which that is unknown. Other rows no longer name the product. If the rule's program
    /// changed, a row no longer names products on which the proof was not repeated.
    pub fn renew(
        &mut self,
        rule: &Rule,
        product: &str,
        killed: &BTreeMap<&str, Option<&str>>,
        unknown: &BTreeSet<&str>,
        defects: &[Defect],
    ) {
        let digest = rule_digest(rule);
        let rows = self.rows.entry(rule.id.clone()).or_default();
        for (defect, row) in rows.iter_mut().filter(|(defect, _)| !unknown.contains(defect.as_str())) {
            if row.rule != digest || !killed.contains_key(defect.as_str()) {
                row.products.remove(product);
            }
        }
        for (defect, check) in killed {
            let Some(source) = source(defects, defect) else { continue };
            let row = rows.entry((*defect).to_owned()).or_default();
            if row.rule != digest {
                *row = ProofRow::default();
            }
            // Another product may notice the defect by another check. The first one stays, so that the order of proofs
            // changes no row.
            if row.check.is_none() || row.defect != source {
                row.check = check.map(one_space);
            }
            (row.rule, row.defect) = (digest, source);
            row.products.insert(product.to_owned());
        }
        rows.retain(|_, row| !row.products.is_empty());
        if rows.is_empty() {
            self.rows.remove(&rule.id);
        }
    }

    /// Removes the rows of rules and defects that no longer exist.
    pub fn retain_known(&mut self, rules: &Rules, defects: &[Defect]) {
        self.rows.retain(|rule, rows| {
            rows.retain(|defect, _| source(defects, defect).is_some());
            rules.rule(rule).is_some() && !rows.is_empty()
        });
    }

    /// The rows that name a rule, a defect or a product that does not exist, as sentences.
    pub fn mistakes(&self, rules: &Rules, defects: &[Defect]) -> Vec<String> {
        let mut found = Vec::new();
        for (rule, defect, row) in self.all() {
            let place = format!("{}:{}", short(&self.path), row.line);
            let mut unknown = |what: &str, name: &str, hint: String| {
                found.push(format!(
                    "{place}: there is no {what} `{name}`{hint}; prove the rules with --raise, or remove the row"
                ));
            };
            if rules.rule(rule).is_none() {
                unknown("rule", rule, hint(rule, rules.rules.iter().map(|rule| rule.id.as_str())));
            }
            if source(defects, defect).is_none() {
                unknown("seeded defect", defect, hint(defect, defects.iter().map(|known| known.name)));
            }
            for product in row.products.iter().filter(|product| rules.product(product).is_none()) {
                unknown("product", product, hint(product, rules.products.iter().map(|known| known.id.as_str())));
            }
        }
        found
    }

    fn all(&self) -> impl Iterator<Item = (&str, &str, &ProofRow)> {
        self.rows.iter().flat_map(|(rule, rows)| rows.iter().map(|(defect, row)| (rule.as_str(), defect.as_str(), row)))
    }
}

impl fmt::Display for ProofTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.head.is_empty() { HEAD } else { &self.head })?;
        self.all().try_for_each(|(rule, defect, row)| writeln!(f, "{rule}\t{defect}\t{row}"))
    }
}

/// The digest of what a rule does: its steps with set-ups expanded, its actors, axes and condition.
pub fn rule_digest(rule: &Rule) -> u32 {
    let texts = &rule.texts;
    let mut text = rule.program.source.clone();
    for part in texts.actors.iter().chain(&texts.condition).chain(texts.axes.iter().flat_map(|(name, of)| [name, of])) {
        text.push('\0');
        text.push_str(part);
    }
    row::digest(&digest::of_bytes(text.as_bytes())[..row::DIGITS]).expect("a SHA-256 has more digits")
}

/// The digest of the sources that implement a defect; `None` if there is no such defect.
fn source(defects: &[Defect], name: &str) -> Option<u32> {
    defects.iter().find(|defect| defect.name == name).map(|defect| defect.source)
}
