//! Must-pass lists: the ids of rules with their levels, as files that a later catalog must not fall below.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::{Level, Rules, Specs, files, is_rule_id, promised, short};

/// The name of the list in a runtime's folder.
const FILE: &str = "mustpass.tsv";

/// The maximum size of a list in bytes, enough for tens of thousands of rules.
const LARGEST: u64 = 16 << 20;

/// The rules of a catalog with their levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MustPass {
    /// Id → level. `must`: a document promises the rule's behavior on at least one product.
    pub rules: BTreeMap<String, Level>,
}

/// The reason why a list cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MustPassError {
    #[error("cannot read {path}: {source}; name a list that `atlas-cts catalog mustpass --write` wrote")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: not a line of a list; write `rule<tab>must` or `rule<tab>info`")]
    Line { path: PathBuf, line: usize },
}

impl MustPass {
    /// The list of a catalog, or of the rules that a product must pass.
    pub fn of(rules: &Rules, product: Option<&str>) -> MustPass {
        let level = |holds: bool| if holds { Level::Must } else { Level::Info };
        let products = || rules.products.iter().map(|product| product.id.as_str());
        let listed = rules.rules.iter().map(|rule| {
            let holds = match product {
                Some(product) => promised(rule, product, rules),
                None => products().any(|product| promised(rule, product, rules)),
            };
            (rule.id.clone(), level(holds))
        });
        let listed = listed.chain(rules.support_rule().map(|id| (id, Level::Must)));
        MustPass { rules: listed.filter(|(_, level)| product.is_none() || *level == Level::Must).collect() }
    }

    /// Reads a list.
    ///
    /// # Errors
    /// Fails if the file cannot be read or a line is malformed.
    pub fn read(path: &Path) -> Result<MustPass, MustPassError> {
        let io = |source| MustPassError::Io { path: path.to_owned(), source };
        let text = files::read_to_string(path, LARGEST).map_err(io)?;
        let line = |(index, line): (usize, &str)| {
            let entry = line.split_once('\t').and_then(|(id, level)| {
                let level = [Level::Must, Level::Info].into_iter().find(|known| known.name() == level)?;
                is_rule_id(id).then(|| (id.to_owned(), level))
            });
            entry.ok_or_else(|| MustPassError::Line { path: path.to_owned(), line: index + 1 })
        };
        let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        Ok(MustPass { rules: lines.map(line).collect::<Result<_, _>>()? })
    }

    /// The list in a runtime's folder; `None` if there is none. Executables contain no lists.
    ///
    /// # Errors
    /// Fails if the list cannot be read.
    pub fn kept(specs: &Specs, runtime: &str) -> Result<Option<MustPass>, MustPassError> {
        let Specs::Folder(root) = specs else { return Ok(None) };
        let path = root.join(runtime).join(FILE);
        path.exists().then(|| MustPass::read(&path)).transpose()
    }

    /// The rules of a list that a catalog lacks or only reports, as sentences.
    pub fn weaker(&self, path: &Path, rules: &Rules) -> Vec<String> {
        let now = MustPass::of(rules, None);
        let fallen = self.rules.iter().filter_map(|(id, level)| match (level, now.rules.get(id)) {
            (_, None) => Some((id, "is gone")),
            (Level::Must, Some(Level::Info)) => Some((id, "is only reported")),
            _ => None,
        });
        let list = short(path);
        let sentence = |(id, what)| {
            format!("{id} {what}; restore it, or change its line in {list} and give the reason in the commit")
        };
        fallen.map(sentence).collect()
    }
}

impl fmt::Display for MustPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules.iter().try_for_each(|(id, level)| writeln!(f, "{id}\t{}", level.name()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<MustPass, MustPassError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::write(&path, text).unwrap();
        MustPass::read(&path)
    }

    proptest! {
        #[test]
        fn a_list_is_read_as_it_was_written(
            rules in prop::collection::btree_map("toy\\.[a-z]{1,6}\\.[a-z0-9-]{1,8}", any::<bool>(), 0..6),
        ) {
            let level = |must| if must { Level::Must } else { Level::Info };
            let list = MustPass { rules: rules.into_iter().map(|(id, must)| (id, level(must))).collect() };
            prop_assert_eq!(read(&list.to_string()).unwrap(), list);
        }
    }

    #[test]
    fn a_line_of_no_list_is_named() {
        let error = read("# A comment.\n\ntoy.set.byte\tmust\ntoy.set.byte\tmay\n").unwrap_err().to_string();
        assert!(error.contains("mustpass.tsv:4: not a line of a list"), "{error}");
    }
}
