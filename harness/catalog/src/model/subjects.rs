//! What the suite was asked for: subjects.yaml.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `specs/<runtime>/subjects.yaml`: what the suite was asked for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubjectsFile {
    /// The subjects, in the order of the summary.
    pub subjects: Vec<SubjectEntry>,
}

/// A subject: the summary of a run says what of it was judged, and what was only observed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Subject")]
pub struct SubjectEntry {
    /// Its name.
    pub subject: String,
    /// The rules that are about it: ids, in which `*` stands for any text.
    #[schemars(with = "Vec<String>")]
    pub rules: Vec<Spanned<String>>,
}
