//! Readings: the findings of a second reader.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

use super::clauses::Modality;

/// `specs/<runtime>/readings/*.yaml`: rule → text of a judged check, as printed by `atlas-cts catalog clauses --checks` → the
/// second reader's findings. A check must be read again if it changes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ReadingsFile {
    #[schemars(with = "IndexMap<String, IndexMap<String, Reading>>")]
    pub(crate) readings: IndexMap<String, IndexMap<String, Spanned<Reading>>>,
}

/// A second reader's findings for one judged check.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// The sentences that the reader found, given as clause ids or, for a sentence without a clause, as the first
    /// digits of its SHA-256. Empty: the reader found none.
    #[serde(default)]
    pub found: Vec<String>,
    /// The sections that the reader names, if the clauses do not determine them.
    #[serde(default)]
    pub sections: Vec<String>,
    /// The kind of the strongest sentence, if the clauses do not determine it.
    #[serde(default)]
    pub modality: Option<Strength>,
    /// The axioms that cover the parts of the check that go beyond the sentences.
    #[serde(default)]
    pub assuming: Vec<String>,
    /// The parts of the check that go beyond the sentences and that no axiom covers. Each is an objection to settle or
    /// answer.
    #[serde(default)]
    pub beyond: Option<String>,
    /// The sentence, or the steps, that answer the reader's objection.
    #[serde(default)]
    pub answered: Option<String>,
    /// The decision on a disagreement between author and reader, with the sentence that decides it.
    #[serde(default)]
    pub settled: Option<String>,
}

/// The kind of the strongest sentence that a reader found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Strength {
    Modality(Modality),
    /// The word `none`: the reader found no sentence that decides the check.
    None(Nothing),
}

/// The word `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Nothing {
    None,
}
