//! Answers of calls where no document prescribes one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answers of a rule that no document prescribes. They judge nothing, but two runs are compared by them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answers {
    /// Codes of calls, by question: the call as written in the steps, with the class of each argument and with drawn
    /// values that are a small choice.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: AnswersByQuestion,
    /// Results of checks that may hold in several ways, and of checks that are only reported.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: AnswersByQuestion,
    /// Values that are observed, or that are one of several allowed ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: AnswersByQuestion,
    /// The questions contain everything that a case draws: the same question is the same case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// The number of answers that are not counted, because there were too many different questions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// Questions with their answers.
pub type AnswersByQuestion = BTreeMap<String, QuestionAnswers>;

/// The answers to a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionAnswers {
    /// Cases with this question.
    pub cases: u64,
    /// The answers. A case with several answers counts for each.
    pub answers: BTreeMap<String, AnswerCount>,
}

/// An answer with its number of cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerCount {
    /// Cases with this answer.
    #[schemars(range(min = 1))]
    pub cases: u64,
    /// The values of the first case, in the form of `--case`; `None`: they are too long, or part of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
