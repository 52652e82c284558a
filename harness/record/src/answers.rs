//! What calls answered where no document says what they answer.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answers of a rule that no document fixes. Nothing is judged by them; two runs are compared by them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// Questions, each with what was answered.
pub type Asked = BTreeMap<String, Question>;

/// A question with its answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// Cases in which it was asked.
    pub cases: u64,
    /// A case that gave several answers counts for each of them.
    pub answers: BTreeMap<String, Answer>,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Cases in which it was given.
    #[schemars(range(min = 1))]
    pub cases: u64,
    /// The values of the first of them, as `--case` takes them; `None`: they are too long, or the question says them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
