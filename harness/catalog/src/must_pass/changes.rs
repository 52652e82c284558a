//! The catalog's log of changes: the parts of rules that became weaker, each with the version and the reason.

use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

use super::error::MustPassError;
use crate::one_space;
use crate::version::VersionNumber;
use crate::{CatalogError, Diagnostic, Rules, Source, Specs, is_rule_id, parse_source};

/// The log's name in a runtime's folder.
pub(super) const FILE: &str = "changes.yaml";

/// The maximum size of a log in bytes. Logs are written by hand.
const LARGEST: u64 = 8 << 20;

/// `specs/<runtime>/changes.yaml`: requirements that a release weakened, with the reasons.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangesFile {
    /// The changes, oldest first.
    #[schemars(with = "Vec<Change>")]
    pub changes: Vec<Spanned<Change>>,
}

/// A part of a rule that became weaker.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The rule's id.
    #[schemars(with = "String")]
    pub rule: Spanned<String>,
    /// The first suite version with the change.
    #[schemars(with = "String")]
    pub version: Spanned<String>,
    /// The part that became weaker.
    pub part: ChangedPart,
    /// The affected products, conditions or statements; empty if `part` is `rule` or `level`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub of: Vec<Spanned<String>>,
    /// The reason: the sentence in a document that contradicts the rule, or the mistake in the rule.
    #[schemars(with = "String")]
    pub why: Spanned<String>,
}

/// The part of a rule that became weaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangedPart {
    /// The rule was removed.
    Rule,
    /// The rule only informs, or is only observed.
    Level,
    /// The rule no longer has to hold on these products.
    Products,
    /// The rule applies only under these conditions, or its conditions are different from before.
    Conditions,
    /// These statements were removed or changed, or are only reported.
    Checks,
}

impl ChangedPart {
    /// The name that the log uses.
    pub fn name(self) -> &'static str {
        match self {
            ChangedPart::Rule => "rule",
            ChangedPart::Level => "level",
            ChangedPart::Products => "products",
            ChangedPart::Conditions => "conditions",
            ChangedPart::Checks => "checks",
        }
    }

    /// True if an entry names the affected products, conditions or statements.
    fn has_names(self) -> bool {
        !matches!(self, ChangedPart::Rule | ChangedPart::Level)
    }
}

/// A catalog's log, with its path.
#[derive(Debug)]
pub(super) struct Log {
    pub path: PathBuf,
    pub source: Arc<Source>,
    pub changes: Vec<Spanned<Change>>,
}

impl Log {
    /// Reads a catalog's log; a missing log is empty.
    pub(super) fn read(specs: &Specs, rules: &Rules) -> Result<Log, MustPassError> {
        let path = specs.root().join(&rules.runtime).join(FILE);
        let text = match specs.exists(&path) {
            true => specs.read(&path, LARGEST).and_then(|bytes| {
                String::from_utf8(bytes).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error))
            }),
            false => Ok("changes: []\n".to_owned()),
        };
        let text = text.map_err(|source| MustPassError::Io { path: path.clone(), source })?;
        let source = Arc::new(Source::new(path.clone(), text));
        let file: ChangesFile = parse_source(&source).map_err(|mistake| mistakes(vec![mistake]))?;
        let found: Vec<Diagnostic> = file.changes.iter().flat_map(|change| check(&source, &change.value)).collect();
        if found.is_empty() { Ok(Log { path, source, changes: file.changes }) } else { Err(mistakes(found)) }
    }
}

fn mistakes(diagnostics: Vec<Diagnostic>) -> MustPassError {
    MustPassError::Changes(CatalogError { diagnostics })
}

/// The mistakes in a single entry.
fn check(source: &Arc<Source>, change: &Change) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut at = |place: &Spanned<String>, message: String| found.push(Diagnostic::at(source, place, message));
    if !is_rule_id(&change.rule.value) {
        at(&change.rule, format!("`{}` is not the id of a rule", change.rule.value));
    }
    if VersionNumber::read_whole(&change.version.value).is_none() {
        at(
            &change.version,
            format!("`{}` is not a version of the suite; write, for example, 0.3.0", change.version.value),
        );
    }
    if change.why.value.trim().is_empty() {
        at(&change.why, "write the reason: the sentence that says otherwise, or what was wrong".to_owned());
    }
    let part = change.part.name();
    match (change.part.has_names(), change.of.first()) {
        (true, None) => at(&change.rule, format!("name the {part} that changed: `of: [\"…\"]`")),
        (false, Some(name)) => {
            at(name, format!("a change of `part: {part}` applies to the whole rule; leave `of` out"))
        }
        _ => {}
    }
    found
}

impl Change {
    /// True if this entry explains a weakening.
    pub(super) fn is_about(&self, rule: &str, part: ChangedPart, name: &str) -> bool {
        let named = !part.has_names() || self.of.iter().any(|of| one_space(&of.value) == name);
        self.rule.value == rule && self.part == part && named
    }
}
