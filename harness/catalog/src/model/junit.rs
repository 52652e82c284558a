//! junit.yaml: older names of JUnit classes.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `specs/<runtime>/junit.yaml`: classes of JUnit test cases that keep a name older than their chapter's.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JunitFile {
    /// The suite version that drops these names. From then on, classes are named after their chapters.
    #[schemars(with = "String")]
    pub until: Spanned<String>,
    /// Class → its chapters, and the ids of rules whose class differs from their chapter's.
    #[schemars(with = "IndexMap<String, Vec<String>>")]
    pub classes: IndexMap<String, Vec<Spanned<String>>>,
}
