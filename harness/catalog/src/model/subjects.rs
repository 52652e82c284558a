//! subjects.yaml: the subjects that the suite was built for.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `specs/<runtime>/subjects.yaml`: the subjects that the suite was built for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubjectsFile {
    /// The subjects, in the order of the summary.
    pub subjects: Vec<SubjectEntry>,
}

/// A subject. A run's summary shows how much of each subject was judged and how much was only observed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Subject")]
pub struct SubjectEntry {
    /// Its name.
    pub subject: String,
    /// The ids of the rules about the subject; `*` matches any text.
    #[schemars(with = "Vec<String>")]
    pub rules: Vec<Spanned<String>>,
}
