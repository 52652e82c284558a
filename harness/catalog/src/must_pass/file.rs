//! Must-pass lists as files. Each line has one fact, so that lists can be compared with `diff`.

use std::fmt;
use std::path::{Path, PathBuf};

use super::error::MustPassError;
use super::list::{MustPass, Promise};
use crate::files;
use crate::version::VersionNumber;
use crate::{Specs, is_rule_id};

/// The maximum size of a list in bytes, enough for tens of thousands of rules.
const LARGEST: u64 = 16 << 20;

/// The folder of the lists in a runtime's folder.
const FOLDER: &str = "mustpass";

/// The first words of lines. Tabs separate the columns.
const VERSION: &str = "version";
const CATALOG: &str = "catalog";
const PRODUCTS: &str = "on";
const CONDITION: &str = "where";
const CHECK: &str = "check";

impl MustPass {
    /// Reads a list.
    ///
    /// # Errors
    /// Fails if the file cannot be read or a line is malformed.
    pub fn read(path: &Path) -> Result<MustPass, MustPassError> {
        let io = |source| MustPassError::Io { path: path.to_owned(), source };
        let text = files::read_to_string(path, LARGEST).map_err(io)?;
        let mut list = MustPass { version: String::new(), catalog: String::new(), rules: Default::default() };
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let words: Vec<&str> = line.splitn(3, '\t').collect();
            list.take(&words).ok_or_else(|| MustPassError::Line { path: path.to_owned(), line: index + 1 })?;
        }
        if list.version.is_empty() || list.rules.is_empty() {
            return Err(MustPassError::Empty { path: path.to_owned() });
        }
        Ok(list)
    }

    /// The list from a runtime's last release; `None` if the runtime has no list. Executables contain no lists.
    ///
    /// # Errors
    /// Fails if the list cannot be read.
    pub fn newest(specs: &Specs, runtime: &str) -> Result<Option<MustPass>, MustPassError> {
        let Specs::Folder(root) = specs else { return Ok(None) };
        let entries = std::fs::read_dir(root.join(runtime).join(FOLDER)).into_iter().flatten().flatten();
        let lists = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|kind| kind == "txt"));
        let version = |path: &PathBuf| VersionNumber::read_whole(path.file_stem()?.to_str()?);
        let newest = lists.filter_map(|path| Some((version(&path)?, path))).max_by(|a, b| a.0.compare(&b.0));
        newest.map(|(_, path)| MustPass::read(&path)).transpose()
    }

    /// Adds a line; `None` if the line is malformed.
    fn take(&mut self, words: &[&str]) -> Option<()> {
        match *words {
            [VERSION, version] => self.version = VersionNumber::read_whole(version).map(|_| version.to_owned())?,
            [CATALOG, digest] => self.catalog = digest.to_owned(),
            [id, what, said] if is_rule_id(id) && !said.is_empty() => {
                let promise = self.rules.entry(id.to_owned()).or_default();
                promise.take(what, said)?;
            }
            _ => return None,
        }
        Some(())
    }
}

impl Promise {
    fn take(&mut self, what: &str, said: &str) -> Option<()> {
        match what {
            PRODUCTS => self.products.extend(said.split(' ').map(str::to_owned)),
            CONDITION => drop(self.conditions.insert(said.to_owned())),
            CHECK => self.checks.push(said.to_owned()),
            _ => return None,
        }
        Some(())
    }
}

impl fmt::Display for MustPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# What a conformant device holds, as this version of the suite has it (docs/results/evidence.md): for each rule the"
        )?;
        writeln!(
            f,
            "# products on which it has to hold, where it applies, and the statements that are judged. Written by"
        )?;
        writeln!(f, "# `atlas-cts mustpass --write`, and never changed afterward.")?;
        writeln!(f, "{VERSION}\t{}\n{CATALOG}\t{}", self.version, self.catalog)?;
        for (id, promise) in &self.rules {
            let products: Vec<&str> = promise.products.iter().map(String::as_str).collect();
            writeln!(f, "{id}\t{PRODUCTS}\t{}", products.join(" "))?;
            promise.conditions.iter().try_for_each(|condition| writeln!(f, "{id}\t{CONDITION}\t{condition}"))?;
            promise.checks.iter().try_for_each(|check| writeln!(f, "{id}\t{CHECK}\t{check}"))?;
        }
        Ok(())
    }
}
