//! Older names of classes: junit.yaml.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `specs/<runtime>/junit.yaml`: classes of JUnit's test cases that keep an older name than that of their chapter.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JunitFile {
    /// The version of the suite with which these classes go: from it on, a class is called as its chapter.
    #[schemars(with = "String")]
    pub until: Spanned<String>,
    /// Class → chapters, and ids of rules whose class is not that of their chapter.
    #[schemars(with = "IndexMap<String, Vec<String>>")]
    pub classes: IndexMap<String, Vec<Spanned<String>>>,
}
