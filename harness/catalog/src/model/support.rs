//! Functions and values by product: support.yaml.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::documents::SourceReference;
use crate::edition::{Edition, Span};

/// `specs/<runtime>/support.yaml`: function × product.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupportFile {
    /// Where the table comes from.
    pub source: SourceReference,
    /// By function.
    pub functions: IndexMap<String, SupportEntry>,
    /// By enumerator, of those that not every product takes.
    #[serde(default)]
    pub values: IndexMap<String, SupportEntry>,
}

/// Which products offer a function or take a value; a product in neither list: the documents do not say.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupportEntry {
    /// Documented as supported.
    #[serde(default)]
    pub supported: Vec<String>,
    /// Documented as not supported.
    #[serde(default)]
    pub unsupported: Vec<String>,
    /// The first edition of the runtime that has it, as far as is known.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub since: Option<Edition>,
    /// Of a function: documented for physical machines and containers only, so that in a virtual machine it is undefined.
    #[serde(default)]
    pub not_virtual: bool,
    /// Of a function that is `not_virtual`: the capability of api.yaml that says whether the device does it all the same.
    #[serde(default)]
    pub capability: Option<String>,
    /// Of a function: bytes of memory that a rule which calls it locks at most. Where a process may lock less, its failure
    /// says nothing about the device.
    #[serde(default)]
    pub locks: u64,
    /// The last edition that has it.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub until: Option<Edition>,
}

impl SupportEntry {
    /// The editions that have it.
    pub fn span(&self) -> Span {
        Span { since: self.since.clone(), until: self.until.clone() }
    }
}
