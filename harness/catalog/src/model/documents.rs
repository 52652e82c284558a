//! documents.yaml: the documents that rules cite.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `specs/<runtime>/documents.yaml`: the documents that rules cite.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentsFile {
    /// The documents.
    pub documents: Vec<DocumentEntry>,
}

/// A document that rules cite.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentEntry {
    /// The name that rules use.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// Its title.
    pub title: String,
    /// The edition, as precisely as it is known.
    pub edition: String,
    /// Its language, for example `zh`.
    pub language: String,
    /// The subjects that it covers.
    pub covers: String,
    /// The names of its sections. Functions and types in the header are sections of every document and are not listed.
    /// Empty: any name is a section.
    #[serde(default)]
    pub sections: Vec<String>,
    /// The pages that chapters of clauses list without a restriction, with all functions that each page describes.
    #[serde(default)]
    pub pages: Vec<PageEntry>,
    /// True if the document promises anything. Source code does not: rules that rest on source code alone can only
    /// inform.
    #[serde(default = "promises")]
    pub promises: bool,
}

impl DocumentEntry {
    /// A section as printed in reports: `title (edition), section`.
    pub fn place(&self, section: &str) -> String {
        format!("{} ({}), {section}", self.title, self.edition)
    }

    /// The id, and title and edition as printed in reports.
    pub fn named(&self) -> (String, String) {
        (self.id.value.clone(), format!("{} ({})", self.title, self.edition))
    }
}

/// A page in a document, and the functions that it describes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Page")]
pub struct PageEntry {
    /// The page's name in chapters of clauses.
    pub page: String,
    /// The functions that the page describes, including those that the header does not declare. Each of them has a
    /// clause.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub functions: Vec<Spanned<String>>,
    /// Functions without a clause, each with the reason.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub open: IndexMap<String, Spanned<String>>,
}

impl DocumentEntry {
    /// True if the page lists a function, either with clauses or as open.
    pub fn describes(&self, function: &str) -> bool {
        self.pages
            .iter()
            .any(|page| page.functions.iter().any(|known| known.value == function) || page.is_open(function))
    }
}

impl PageEntry {
    /// True if the page says why a function has no clause.
    pub fn is_open(&self, function: &str) -> bool {
        self.open.contains_key(function)
    }
}

fn promises() -> bool {
    true
}

/// A place in a document.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceReference {
    /// The document's id in documents.yaml.
    pub document: String,
    /// Section, heading or function.
    pub section: String,
}
