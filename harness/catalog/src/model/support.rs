//! support.yaml: functions and values by product.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::documents::SourceReference;
use crate::edition::{Edition, Span};

/// `specs/<runtime>/support.yaml`: function × product.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupportFile {
    /// The source of the table.
    pub source: SourceReference,
    /// The reasons why functions are out of scope, each with a sentence for readers of the catalog.
    #[serde(default)]
    pub outside: IndexMap<String, String>,
    /// The products that support each function.
    pub functions: IndexMap<String, SupportEntry>,
    /// The products that accept each enumerator. Enumerators that every product accepts are not listed.
    #[serde(default)]
    pub values: IndexMap<String, SupportEntry>,
}

/// The products that offer a function or accept a value. About a product in neither list, the documents say nothing.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct SupportEntry {
    /// Documented as supported.
    #[serde(default)]
    pub supported: Vec<String>,
    /// Documented as not supported.
    #[serde(default)]
    pub unsupported: Vec<String>,
    /// The first known edition of the runtime that offers the function or value.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub since: Option<Edition>,
    /// For a function: true if it is documented only for physical machines and containers, so that its behavior in a
    /// virtual machine is undefined.
    #[serde(default)]
    pub not_virtual: bool,
    /// For a `not_virtual` function: the trial in api.yaml that shows if the device supports the function in a
    /// virtual machine.
    #[serde(default)]
    pub trial: Option<String>,
    /// For a function: the maximum number of bytes that a rule locks by calling it. If a process is not allowed to lock
    /// this much, a failure says nothing about the device.
    #[serde(default)]
    pub locks: u64,
    /// The last edition that offers the function or value.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub until: Option<Edition>,
    /// For a function: what the documents say of its future.
    #[serde(default)]
    pub mark: Option<Mark>,
    /// For a function that no rule calls: one of the reasons in `outside`.
    #[serde(default)]
    pub outside: Option<String>,
}

/// The future of a function according to the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// May change, and is not meant for production.
    Experimental,
    /// Will be removed.
    Deprecated,
    /// Does not work yet.
    Reserved,
}

impl Mark {
    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Experimental => "experimental",
            Mark::Deprecated => "deprecated",
            Mark::Reserved => "reserved",
        }
    }
}

impl SupportEntry {
    /// The editions that offer the function or value.
    pub fn span(&self) -> Span {
        Span { since: self.since.clone(), until: self.until.clone() }
    }
}
