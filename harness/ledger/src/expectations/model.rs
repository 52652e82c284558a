//! The structure of a file of known failures. Doc comments here become the descriptions in the JSON Schema.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;

/// `expectations/*.yaml`: known failures (waivers), each with its tracker and its last day.
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
    /// The rule's id, or a pattern in which `*` matches any text. An entry has either this or `rules`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub rule: Option<Spanned<String>>,
    /// The rules that fail for one cause, each as in `rule`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub rules: Vec<Spanned<String>>,
    /// The kind of known failure.
    #[schemars(with = "Kind")]
    pub kind: Spanned<Kind>,
    /// Products to which the entry applies; if none are listed, it applies to all.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub products: Vec<Spanned<String>>,
    /// Versions to which the entry applies, by component, for example `driver: ">=25.5 <26.0"`. All components must
    /// match.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub versions: IndexMap<String, Spanned<String>>,
    /// For `fail` and `flake`: the expected symptom. A different symptom is a new failure.
    #[serde(default)]
    pub symptom: Option<SymptomSource>,
    /// For `flake`: the largest allowed share of failing runs of the failing case, between 0 and 1.
    #[serde(default)]
    #[schemars(with = "Option<f64>")]
    pub rate: Option<Spanned<f64>>,
    /// For `skip`: the harm that running the rule does, for example that it hangs the machine.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub danger: Option<Spanned<String>>,
    /// A link to the issue that tracks the failure.
    #[schemars(with = "String")]
    pub tracker: Spanned<String>,
    /// The person or team responsible for the entry.
    #[schemars(with = "String")]
    pub owner: Spanned<String>,
    /// The last day on which the entry applies, in UTC, for example `2027-03-31`.
    #[schemars(with = "String")]
    pub expires: Spanned<String>,
    /// Notes for the reader.
    #[serde(default)]
    pub note: String,
}

/// The kind of a known failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The rule fails every time.
    Fail,
    /// The rule fails in some runs and passes in other, identical runs.
    Flake,
    /// The rule is not run because it would do harm.
    Skip,
}

/// The symptom of a failure. Absent parts match anything.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SymptomSource {
    /// The verdict; for a flake, the verdict of a single failing run.
    #[schemars(with = "String")]
    pub verdict: Spanned<String>,
    /// The failing statement, as written in the catalog.
    #[serde(default)]
    pub check: Option<String>,
    /// The code that the call returned: its number, its name in the header, or `success`.
    #[serde(default)]
    pub code: Option<String>,
    /// The called function that returned the code, crashed or hung.
    #[serde(default)]
    pub call: Option<String>,
    /// The shape of the bytes that differ: `all`, `one-byte`, `head`, `tail`, `block`, `every-nth` or `scattered`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub shape: Option<Spanned<String>>,
}
