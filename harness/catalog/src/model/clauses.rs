//! The form of the files of clauses (docs/policy.md): section → modality → id → sentence.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_yaml::Spanned;

use crate::edition::Edition;

/// `specs/<runtime>/clauses/*.yaml`: normative sentences, by section and modality. The name of the file is the chapter of
/// the coverage.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClausesFile {
    /// The id in documents.yaml of the document that the sentences are from.
    #[schemars(with = "String")]
    pub document: Spanned<String>,
    /// The pages that were read for it, sentence by sentence.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub pages: Vec<Spanned<String>>,
    /// The pages have not been read: the chapter is known not to be covered.
    #[serde(default)]
    pub open: bool,
    /// Section (a function or type of the header, or one of the document's sections) → modality → id → sentence.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, IndexMap<Modality, IndexMap<String, Sentenced>>>")]
    pub clauses: IndexMap<String, IndexMap<Modality, IndexMap<String, Spanned<Sentenced>>>>,
}

/// What kind of sentence a clause is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Modality {
    /// A documented outcome.
    #[default]
    Promise,
    /// A documented refusal.
    Error,
    /// Not supported, only supported, not allowed: the outcome is undefined.
    Prohibition,
    /// A value that is reserved: an instruction to the caller.
    Reserved,
    /// What the caller has to do.
    Duty,
    /// What the caller had better do.
    Advice,
    /// Limits, sizes, units, meanings.
    Fact,
}

impl Modality {
    /// Its name, as the catalog writes it.
    pub fn name(self) -> &'static str {
        match self {
            Modality::Promise => "promise",
            Modality::Error => "error",
            Modality::Prohibition => "prohibition",
            Modality::Reserved => "reserved",
            Modality::Duty => "duty",
            Modality::Advice => "advice",
            Modality::Fact => "fact",
        }
    }

    /// Whether a document says what happens.
    pub fn promises(self) -> bool {
        matches!(self, Modality::Promise | Modality::Error)
    }

    /// Whether a document asks something of the caller: every rule that judges keeps to it.
    pub fn asks(self) -> bool {
        matches!(self, Modality::Duty | Modality::Reserved)
    }
}

/// A normative sentence: its text in our words, behind the first 12 digits of the SHA-256 of the sentence in the document
/// (docs/policy.md). With more to say, a map whose `says` is that text.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum Sentenced {
    /// The sentence alone.
    Plain(String),
    /// The sentence with its details.
    Detailed(Box<Details>),
}

/// A normative sentence with its details.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Details {
    /// The sentence, as [`Sentenced::Plain`].
    pub says: String,
    /// The document's id in documents.yaml, where it is not the file's.
    #[serde(default)]
    pub document: Option<String>,
    /// The products that it speaks of; none: all.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub products: Vec<Spanned<String>>,
    /// The first edition in which it holds.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub since: Option<Edition>,
    /// The last edition in which it holds.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub until: Option<Edition>,
    /// The run modes in which it holds; none: all.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub run_modes: Vec<Spanned<String>>,
    /// The functions that may refuse what rules pass them, by what it says of its run modes: there it is only observed
    /// whether their bare calls succeed.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub leaves_open: Vec<Spanned<String>>,
    /// The codes that it names for a refusal.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub codes: Vec<Spanned<String>>,
    /// Why it promises an outcome, where its wording sounds as if it did not.
    #[serde(default)]
    pub reason: Option<String>,
    /// Rules that fail, or report it, where a device breaks the sentence, although their checks name other sentences.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub noticed_by: Vec<Spanned<String>>,
    /// Defects that break the sentence, each claimed by a rule that rests on it or notices it: what proves that a promise
    /// or a refusal is judged.
    #[serde(default)]
    pub broken_by: Vec<String>,
    /// Why no device can break what counts as judged: `about a prototype`, `either answer is legal`, or `restates` the id
    /// of the clause that names the defect.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub no_device: Option<Spanned<String>>,
    /// Why no rule can judge or observe it: `needs a kernel`, `needs hardware state`, `not reachable from C`, `timing`,
    /// `advice`, or `duplicate of` the id of another clause.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub untestable: Option<Spanned<String>>,
    /// The clause or page of another runtime's documents that says the same, where sentences wait for their runtime.
    #[serde(default)]
    pub elsewhere: Option<String>,
}

impl<'de> Deserialize<'de> for Sentenced {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sentenced, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Sentenced;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sentence, or a map with `says`")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Sentenced, E> {
                Ok(Sentenced::Plain(text.to_owned()))
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Sentenced, M::Error> {
                Details::deserialize(MapAccessDeserializer::new(map))
                    .map(|details| Sentenced::Detailed(Box::new(details)))
            }
        }
        deserializer.deserialize_any(Form)
    }
}

impl Sentenced {
    fn details(&self) -> Details {
        match self {
            Sentenced::Plain(says) => Details { says: says.clone(), ..Details::default() },
            Sentenced::Detailed(details) => (**details).clone(),
        }
    }
}

/// A sentence of a file with everything that its place in the file says.
pub(crate) struct ClauseEntry {
    /// The clause's name for ever, `<area>.<name>`.
    pub id: Spanned<String>,
    pub document: String,
    pub section: String,
    pub modality: Modality,
    /// The first digits of the SHA-256 of the sentence.
    pub sentence: String,
    /// The sentence in our words.
    pub digest: String,
    pub details: Details,
}

impl ClausesFile {
    /// The sentences in their order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = ClauseEntry> + '_ {
        let sections = self.clauses.iter();
        let kinds = sections.flat_map(|(section, kinds)| kinds.iter().map(move |(kind, ids)| (section, *kind, ids)));
        kinds.flat_map(move |(section, modality, ids)| {
            ids.iter().map(move |(id, sentenced)| {
                let details = sentenced.value.details();
                let (sentence, digest) = details.says.split_once(' ').unwrap_or((&details.says, ""));
                ClauseEntry {
                    id: Spanned::new(id.clone(), sentenced.referenced, sentenced.defined),
                    document: details.document.clone().unwrap_or_else(|| self.document.value.clone()),
                    section: section.clone(),
                    modality,
                    sentence: sentence.to_ascii_lowercase(),
                    digest: digest.split_whitespace().collect::<Vec<_>>().join(" "),
                    details,
                }
            })
        })
    }
}
