//! How much of a rule's domain was tried.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of a rule's domain its cases were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Distinct cases among those executed; more than a million are not told apart.
    pub distinct: u64,
    /// Why the cases are fewer than planned, although the domain has more. Never changes the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// What the guard against hangs left of the plan; `None`: all of it ran. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// A plan that did not come to its end in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cut {
    /// Cases that ran.
    pub ran: u64,
    /// Cases that were planned.
    pub planned: u64,
    /// The guard, in milliseconds.
    pub limit_milliseconds: u64,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let limit = std::time::Duration::from_millis(self.limit_milliseconds);
        write!(
            f,
            "{} of {} planned cases ran within the limit of {limit:?}; set a longer --rule-limit",
            self.ran, self.planned
        )
    }
}
