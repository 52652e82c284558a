//! Templates: tests that rules of several runtimes share.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;
use steps::domain::DomainSource;

/// A file of templates below `specs/templates`. A rule names it by its path: `pool.reuse/…` is in `pool/reuse.yaml`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplatesFile {
    /// The subject of the templates.
    #[allow(dead_code, reason = "for readers of the file")]
    pub title: String,
    /// Its templates.
    #[schemars(with = "Vec<TemplateSource>")]
    pub templates: Vec<Spanned<TemplateSource>>,
}

/// The test of a rule, without what belongs to a runtime: its id, clauses, level and conditions. In every text, `$name`
/// is replaced by the runtime's text for the name.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateSource {
    /// The name by which rules name the template, after the name of its file: `pool.reuse/same-stream`.
    #[schemars(with = "String")]
    pub template: Spanned<String>,
    /// The rule in one short sentence.
    pub title: String,
    /// The documented behavior, in our words.
    pub statement: String,
    /// Processes and threads that perform the steps.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub actors: Option<Spanned<String>>,
    /// The axes that a case draws.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, DomainSource>")]
    pub forall: IndexMap<String, Spanned<DomainSource>>,
    /// A condition on the drawn values. Cases that do not satisfy it are discarded.
    #[serde(default, rename = "where")]
    #[schemars(with = "Option<String>")]
    pub condition: Option<Spanned<String>>,
    /// The calls and checks (docs/catalog/language.md).
    #[schemars(with = "String")]
    pub steps: Spanned<String>,
    /// Values that are recorded without being judged: name → expression.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub observe: IndexMap<String, Spanned<String>>,
    /// Seeded defects that every rule of the template kills.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub kills: Vec<Spanned<String>>,
}

/// names.yaml: what a runtime writes for the names in templates.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamesFile {
    /// A name, or a name with parameters such as `unmap(at, size)`, → the runtime's text on one line.
    #[schemars(with = "IndexMap<String, String>")]
    pub names: IndexMap<String, Spanned<String>>,
}
