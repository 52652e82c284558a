//! Answers that no document prescribes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule's answers that no document prescribes. They do not affect the verdict; comparisons of two runs use them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answers {
    /// Codes returned by calls. A question is the call as written in the steps, with the class of each argument and
    /// with the drawn values that come from a small set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: AnswersByQuestion,
    /// Results of checks that can hold in several ways, and of checks that are only reported.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: AnswersByQuestion,
    /// Observed values, and values for which the documents allow several alternatives.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: AnswersByQuestion,
    /// True if the questions contain all drawn values, so that equal questions mean equal cases.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// The number of answers left uncounted because there were too many different questions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// Questions and their answers.
pub type AnswersByQuestion = BTreeMap<String, QuestionAnswers>;

/// The answers to a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionAnswers {
    /// The number of cases with this question.
    pub cases: u64,
    /// The answers. A case with several answers counts once for each.
    pub answers: BTreeMap<String, AnswerCount>,
}

/// An answer and the number of its cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerCount {
    /// The number of cases with this answer.
    #[schemars(range(min = 1))]
    pub cases: u64,
    /// The values of the first case, in the form of `--case`; `None` if they are too long or part of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
