//! The shape of a file of known failures. Doc comments here become the descriptions in the JSON Schema.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `expectations/*.yaml`: failures that are known, each with where it is followed up and until when.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectationsFile {
    /// The entries.
    pub expectations: Vec<EntrySource>,
}

/// A known failure.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntrySource {
    /// The rule's id, or a pattern in which `*` stands for any text.
    #[schemars(with = "String")]
    pub rule: Spanned<String>,
    /// What is known of it.
    #[schemars(with = "Kind")]
    pub kind: Spanned<Kind>,
    /// Products on which it is known; none: all.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub products: Vec<Spanned<String>>,
    /// Versions with which it is known, by what has them: `driver: ">=25.5 <26.0"`. All of them must hold.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub versions: IndexMap<String, Spanned<String>>,
    /// How it fails: another symptom is not expected. For `fail` and `flake`.
    #[serde(default)]
    pub symptom: Option<SymptomSource>,
    /// For `flake`: the largest share of runs of the failing case that fail, above 0 and below 1.
    #[serde(default)]
    #[schemars(with = "Option<f64>")]
    pub rate: Option<Spanned<f64>>,
    /// For `skip`: what running it does, for example that it hangs the machine.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub danger: Option<Spanned<String>>,
    /// Where it is followed up: a link.
    #[schemars(with = "String")]
    pub tracker: Spanned<String>,
    /// Who answers for this entry.
    #[schemars(with = "String")]
    pub owner: Spanned<String>,
    /// The last day on which it holds, `2027-03-31`, in UTC.
    #[schemars(with = "String")]
    pub expires: Spanned<String>,
    /// What else whoever reads it should know.
    #[serde(default)]
    pub note: String,
}

/// What is known of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It fails, each time.
    Fail,
    /// It fails in some runs and passes in others that are the same.
    Flake,
    /// It is not run: that would do harm.
    Skip,
}

/// How a rule fails. What is not named may be anything.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SymptomSource {
    /// The verdict; of a flake, of a single run that fails.
    #[schemars(with = "String")]
    pub verdict: Spanned<String>,
    /// The statement that fails, as the catalog writes it.
    #[serde(default)]
    pub check: Option<String>,
    /// What the call answered: its number, or its name in the header, or `success`.
    #[serde(default)]
    pub code: Option<String>,
    /// The function that answered it, or was lost in.
    #[serde(default)]
    pub call: Option<String>,
}
