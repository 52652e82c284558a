//! What a second reader found.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

use super::clauses::Modality;

/// `specs/<runtime>/readings/*.yaml`: rule → text of a judged check, as `atlas-cts clauses --checks` prints it → what a
/// second reader found. A check that is changed has to be read again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ReadingsFile {
    #[schemars(with = "IndexMap<String, IndexMap<String, Reading>>")]
    pub(crate) readings: IndexMap<String, IndexMap<String, Spanned<Reading>>>,
}

/// What a second reader found for one judged check.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// The sentences that the reader found: ids of clauses, or the first digits of the SHA-256 of a sentence that is no
    /// clause; none: the reader found none.
    #[serde(default)]
    pub found: Vec<String>,
    /// Sections that the reader names, where the clauses do not give them.
    #[serde(default)]
    pub sections: Vec<String>,
    /// What kind of sentence the strongest of them is, where the clauses do not give it.
    #[serde(default)]
    pub modality: Option<Strength>,
    /// The axioms that cover what of the check goes beyond the sentences.
    #[serde(default)]
    pub assuming: Vec<String>,
    /// What of the check goes beyond the sentences and no axiom covers: an objection that has to be settled or answered.
    #[serde(default)]
    pub beyond: Option<String>,
    /// The sentence, or the steps, that answer an objection of the reader.
    #[serde(default)]
    pub answered: Option<String>,
    /// Where author and reader disagree: what was decided, and by which sentence.
    #[serde(default)]
    pub settled: Option<String>,
}

/// The kind of the strongest sentence that a reader found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Strength {
    Modality(Modality),
    /// The word `none`: the reader found no sentence that decides it.
    None(Nothing),
}

/// The word `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Nothing {
    None,
}
