//! What known failures made of a run: which results were expected, which were news, and by which entries.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run was held against, for its header: enough to notice that it goes on with something else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectationFiles {
    /// The file or the folder, as it was given.
    pub path: String,
    /// SHA-256 over names and texts of the files, lower-case hex.
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub digest: String,
    /// How many entries they have.
    pub entries: usize,
}

/// What was applied to the results of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppliedExpectations {
    /// Where the entries stand.
    pub files: ExpectationFiles,
    /// The day that dates of expiry were compared with, `2027-03-31`, in UTC.
    #[schemars(extend("format" = "date"))]
    pub on: String,
    /// What breaks the run although nothing new is broken.
    pub fail_on: Vec<Sort>,
    /// The results that are sorted; the others hold, or do not apply, and nobody expected otherwise.
    pub results: Vec<SortedResult>,
    /// Entries that may apply to this run, and could not be decided or met no result: each with why.
    pub open: Vec<String>,
}

/// A result that an entry speaks of, or that no entry expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SortedResult {
    /// The rule's id.
    pub rule: String,
    pub sort: Sort,
    /// What was compared, in words.
    pub why: String,
    /// The entry that decided; `None`: there is none for this rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryReference>,
}

/// An entry as reports name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryReference {
    /// `file.yaml:line`, from the folder on.
    pub place: String,
    /// Where the failure is followed up.
    pub tracker: String,
    /// Who answers for the entry.
    pub owner: String,
    /// The last day on which the entry holds.
    #[schemars(extend("format" = "date"))]
    pub expires: String,
}

/// What a result is in the light of what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// Broken, and no entry is about this rule on this device.
    New,
    /// Broken, and another symptom than the entries of this rule name.
    Unlike,
    /// The symptom of a flake, more often than its entry allows.
    TooOften,
    /// As an entry says, which has expired.
    Expired,
    /// An entry says that it fails, and it holds.
    Fixed,
    /// As an entry says.
    Known,
}

impl Sort {
    /// The name used in every report.
    pub fn name(self) -> &'static str {
        match self {
            Sort::New => "new",
            Sort::Unlike => "unlike",
            Sort::TooOften => "too-often",
            Sort::Expired => "expired",
            Sort::Fixed => "fixed",
            Sort::Known => "known",
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl AppliedExpectations {
    /// How the result of a rule is sorted, if it is.
    pub fn of(&self, rule: &str) -> Option<&SortedResult> {
        self.results.iter().find(|sorted| sorted.rule == rule)
    }

    /// Whether the result of a rule does not count, because it is as expected.
    pub fn excuses(&self, rule: &str) -> bool {
        let excused = |sort| matches!(sort, Sort::Known | Sort::Expired) && !self.fail_on.contains(&sort);
        self.of(rule).is_some_and(|sorted| excused(sorted.sort))
    }

    /// Whether something breaks the run that nobody would call broken: what holds although it was expected to fail.
    pub fn breaks(&self) -> bool {
        self.results.iter().any(|sorted| self.fail_on.contains(&sorted.sort))
    }

    /// How many results are of a sort.
    pub fn number(&self, sort: Sort) -> usize {
        self.results.iter().filter(|sorted| sorted.sort == sort).count()
    }
}
