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

/// A subject. The summary of a run says which parts were judged and which were only observed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Subject")]
pub struct SubjectEntry {
    /// Its name.
    pub subject: String,
    /// The rules about it: ids, in which `*` stands for any text.
    #[schemars(with = "Vec<String>")]
    pub rules: Vec<Spanned<String>>,
}
