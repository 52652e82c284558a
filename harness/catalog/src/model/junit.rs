//! junit.yaml: older names of JUnit classes.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `specs/<runtime>/junit.yaml`: classes of JUnit test cases that keep a name older than that of their chapter.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JunitFile {
    /// The version of the suite in which these names end: from then on, classes are named after their chapters.
    #[schemars(with = "String")]
    pub until: Spanned<String>,
    /// Class → its chapters, and ids of rules whose class is not that of their chapter.
    #[schemars(with = "IndexMap<String, Vec<String>>")]
    pub classes: IndexMap<String, Vec<Spanned<String>>>,
}
