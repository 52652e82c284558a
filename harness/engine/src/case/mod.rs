//! Axes → cases: which values a rule is tried with, what they show, and smaller ones when a case fails.
//!
//! Built on proptest: a case is a [`proptest::strategy::ValueTree`], so that shrinking is proptest's binary search on
//! every axis.

mod bounds;
mod coverage;
mod json;
mod plan;
mod report;
mod search;
mod tree;
mod work;

pub use bounds::{Bounds, Scope};
pub use coverage::{Cut, Discarded, Distinct, exhausted};
pub use json::{CaseJsonError, case_from_json, case_to_json, cases_from_json, display_values};
pub use plan::{Case, Plan, rule_seed};
pub use report::{CaseFailure, CaseReport, FailedCall, Finding, Trouble};
pub use search::{FailedCase, Ran, Search, SearchResult};
pub use tree::CaseTree;
pub use work::{Budget, Patience, Work};

use serde::{Deserialize, Serialize};

/// The value of an axis in one case. Texts and alternatives are positions in their list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    Integer(i128),
    List(Vec<i128>),
}

impl Value {
    /// The integer; a list gives its length.
    pub fn integer(&self) -> i128 {
        match self {
            Value::Integer(value) => *value,
            Value::List(items) => items.len() as i128,
        }
    }
}
