//! A run's results, compared with the known failures.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The files of known failures, for the run's header. A run can only be resumed with the same files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectationFiles {
    /// The given file or folder.
    pub path: String,
    /// SHA-256 of the files' names and contents, lower-case hex.
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub digest: String,
    /// The number of entries.
    pub entries: usize,
}

/// The known failures, applied to a run's results.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppliedExpectations {
    /// The files that contain the entries.
    pub files: ExpectationFiles,
    /// The day on which entries were checked for expiry, for example `2027-03-31`, in UTC.
    #[schemars(extend("format" = "date"))]
    pub on: String,
    /// The sorts that fail the run even without new failures.
    pub fail_on: Vec<Sort>,
    /// The results that failed or that an entry expects to fail. All other results hold or do not apply.
    pub results: Vec<SortedResult>,
    /// Entries that were undecided or matched no result, each with the reason.
    pub open: Vec<String>,
}

/// A failure, or a result that an entry describes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SortedResult {
    /// The rule's id.
    pub rule: String,
    pub sort: Sort,
    /// The result of the comparison, in words.
    pub why: String,
    /// The entry that decided; `None` if no entry names this rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryReference>,
}

/// An entry of known failures, as reports name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryReference {
    /// The entry's place, as `file.yaml:line` relative to the folder.
    pub place: String,
    /// The issue that tracks the failure.
    pub tracker: String,
    /// The person or team responsible for the entry.
    pub owner: String,
    /// The last day on which the entry applies.
    #[schemars(extend("format" = "date"))]
    pub expires: String,
}

/// A result compared with the known failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// Broken, and no entry covers this rule on this device.
    New,
    /// Broken with a symptom that no entry for this rule describes.
    Unlike,
    /// A known flake that fails more often than its entry allows.
    TooOften,
    /// Broken as an expired entry describes.
    Expired,
    /// The rule holds, although an entry expects a failure.
    Fixed,
    /// Broken as an entry describes.
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
    /// The sort of a rule's result, if the result has one.
    pub fn of(&self, rule: &str) -> Option<&SortedResult> {
        self.results.iter().find(|sorted| sorted.rule == rule)
    }

    /// True if the rule's result does not count because it is a known failure.
    pub fn excuses(&self, rule: &str) -> bool {
        let excused = |sort| matches!(sort, Sort::Known | Sort::Expired) && !self.fail_on.contains(&sort);
        self.of(rule).is_some_and(|sorted| excused(sorted.sort))
    }

    /// True if at least one result has a sort from `fail_on`, for example [`Sort::Fixed`].
    pub fn breaks(&self) -> bool {
        self.results.iter().any(|sorted| self.fail_on.contains(&sorted.sort))
    }

    /// The number of results with a sort.
    pub fn number(&self, sort: Sort) -> usize {
        self.results.iter().filter(|sorted| sorted.sort == sort).count()
    }
}
