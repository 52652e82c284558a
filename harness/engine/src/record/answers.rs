//! What calls answered where no document says what they answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The answers of a rule that no document fixes. Nothing is judged by them; two runs are compared by them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    /// The codes of calls. By what was asked: the call as it stands in the steps, with the class of each argument and the
    /// drawn values that are a small choice. Below it each answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: Asked,
    /// How checks held that may hold in several ways, and whether those held that are only reported.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: Asked,
    /// Values that are observed, or one of several that are allowed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: Asked,
    /// Everything that a case draws stands in what was asked: the same question is the same case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// Answers that are not counted, because there were too many different questions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// Answers by question.
pub type Asked = BTreeMap<String, BTreeMap<String, Answer>>;

/// One answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// How often it was given.
    pub times: u64,
    /// The values of the first case in which it was given, as `--case` takes them; `None`: they are too long, or the rule
    /// draws nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
