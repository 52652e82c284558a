//! The share of a rule's domain that its cases tried.

use catalog::count;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The share of a rule's domain that its cases tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// The number of distinct executed cases. Cases beyond the first million all count as distinct.
    pub distinct: u64,
    /// The reason why fewer cases ran than planned although the domain has more. It does not affect the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// The part of the plan that ran before the watchdog ended the rule; `None` if every planned case ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// A plan that did not finish in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cut {
    /// The number of cases that ran.
    pub ran: u64,
    /// The number of planned cases.
    pub planned: u64,
    /// The number of edge values that were not tried. Without them, the domain's limits are unknown.
    pub edges_left: u64,
    /// The rule's time limit, in milliseconds.
    pub limit_milliseconds: u64,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let limit = std::time::Duration::from_millis(self.limit_milliseconds);
        write!(
            f,
            "{} of {} planned cases ran within the limit of {limit:?}{}; set a longer --tune rule-limit",
            self.ran,
            self.planned,
            match self.edges_left {
                0 => String::new(),
                left => format!(", and {} did not", count(left, "edge value")),
            }
        )
    }
}
