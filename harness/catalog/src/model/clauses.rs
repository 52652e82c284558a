//! The structure of clauses files (docs/catalog/evidence.md): section → modality → id → sentence.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_yaml::Spanned;

use crate::edition::Edition;

/// `specs/<runtime>/clauses/*.yaml`: normative sentences, by section and modality. The file name is the chapter in
/// coverage reports.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClausesFile {
    /// The id of the source document in documents.yaml.
    #[schemars(with = "String")]
    pub document: Spanned<String>,
    /// The pages that were read for the chapter, sentence by sentence.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub pages: Vec<Spanned<String>>,
    /// True if the pages have not been read yet: the chapter is known to be uncovered.
    #[serde(default)]
    pub open: bool,
    /// Section (a function or type in the header, or one of the document's sections) → modality → id → sentence.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, IndexMap<Modality, IndexMap<String, Sentenced>>>")]
    pub clauses: IndexMap<String, IndexMap<Modality, IndexMap<String, Spanned<Sentenced>>>>,
}

/// The modality of a clause: the kind of sentence that it is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize, JsonSchema, serde::Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Modality {
    /// A documented outcome.
    #[default]
    Promise,
    /// A documented refusal.
    Error,
    /// A use that is not supported or not allowed, so that the outcome is undefined.
    Prohibition,
    /// A reserved value: an instruction to the caller.
    Reserved,
    /// A requirement on the caller.
    Duty,
    /// A recommendation to the caller.
    Advice,
    /// A limit, size, unit or meaning.
    Fact,
}

impl Modality {
    /// The name in the catalog.
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

    /// True if the document promises an outcome.
    pub fn promises(self) -> bool {
        matches!(self, Modality::Promise | Modality::Error)
    }

    /// True if the document requires something from the caller. Judging rules must comply.
    pub fn asks(self) -> bool {
        matches!(self, Modality::Duty | Modality::Reserved)
    }
}

/// A normative sentence: the first 12 digits of the SHA-256 of the document's sentence, followed by the sentence in our
/// words (docs/catalog/evidence.md). A sentence with details is a map whose `says` contains that text.
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
    /// The document's id in documents.yaml, if it differs from the file's.
    #[serde(default)]
    pub document: Option<String>,
    /// The products that the sentence applies to; empty: all.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub products: Vec<Spanned<String>>,
    /// The first edition in which the sentence holds.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub since: Option<Edition>,
    /// The last edition in which the sentence holds.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub until: Option<Edition>,
    /// The run modes in which the sentence holds; empty: all.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub run_modes: Vec<Spanned<String>>,
    /// Functions that the sentence allows to fail in its run modes. In these modes, the success of their bare calls is
    /// only observed.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub leaves_open: Vec<Spanned<String>>,
    /// The error codes that the sentence names for a refusal.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub codes: Vec<Spanned<String>>,
    /// The reason why the sentence promises an outcome, if the wording does not make that obvious.
    #[serde(default)]
    pub reason: Option<String>,
    /// Rules that fail or report a finding if a device breaks the sentence, although their checks name other sentences.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub noticed_by: Vec<Spanned<String>>,
    /// Defects that break the sentence. Each is claimed by a rule that rests on the sentence or notices the violation,
    /// which proves that the promise or refusal is judged.
    #[serde(default)]
    pub broken_by: Vec<String>,
    /// The reason why no device can break the sentence although it is judged: `about a prototype`, `either answer is
    /// legal`, or `restates` and the id of the clause that names the defect.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub no_device: Option<Spanned<String>>,
    /// The reason why no rule can judge or observe the sentence: `needs a kernel`, `needs hardware state`, `not
    /// reachable from C`, `timing`, `advice`, or `duplicate of` and the id of another clause.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub untestable: Option<Spanned<String>>,
    /// The clause of another runtime that says the same, or the page and function of its documents.
    #[serde(default)]
    pub elsewhere: Option<String>,
}

impl<'de> Deserialize<'de> for Sentenced {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sentenced, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Sentenced;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sentence or a map with `says`")
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

/// A sentence, with its section, modality and id.
pub(crate) struct ClauseEntry {
    /// The clause's permanent name, `<area>.<name>`.
    pub id: Spanned<String>,
    pub document: String,
    pub section: String,
    pub modality: Modality,
    /// The first digits of the sentence's SHA-256.
    pub sentence: String,
    /// The sentence in our words.
    pub digest: String,
    pub details: Details,
}

impl ClausesFile {
    /// The sentences in order.
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
