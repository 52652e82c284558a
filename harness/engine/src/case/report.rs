//! The result of a case.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answers::Seen;
use crate::stack::LostStack;
use record::{Difference, MemoryLimit, Picture, Verdict};
use steps::{Span, StatementId};

/// The result of a case, small enough to send through a pipe.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CaseReport {
    /// `None` if nothing failed.
    pub failure: Option<CaseFailure>,
    /// The number of judging statements that were executed.
    pub checks: u64,
    /// The first `if` on whose taken side the documents leave the device's answer free, if nothing was judged before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_branch: Option<StatementId>,
    /// Remarks that do not fail the case.
    pub findings: Vec<String>,
    /// Set if a process in the case reached its memory limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<MemoryLimit>,
    /// The releases that failed.
    pub releases: Vec<String>,
    /// The first failed release.
    pub unreleased: Option<FailedCall>,
    /// Set if a call that is documented as unsupported took effect.
    pub exceeds: Option<String>,
    /// The observed classes, each with the position of its expression in the program's list.
    pub observations: Vec<(usize, String)>,
    /// Answers to questions that no document settles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Seen>,
}

/// The failure of a case.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CaseFailure {
    pub verdict: Verdict,
    /// The position in the steps.
    pub start: usize,
    pub end: usize,
    pub message: String,
    /// The failed call, if any. The rule that owns the function may fail at the same call.
    pub blocked_by: Option<FailedCall>,
    /// The call site at which the process was lost.
    pub lost_at: Option<u32>,
    /// The function that was running when the process was lost.
    pub lost_in: Option<LostIn>,
    /// The difference, if the failed check compared bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// The smallest inconsistent part, if the failed check looked for an order of calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Box<Picture>>,
    /// The runtime's texts for the thread's most recent errors.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recent_error: String,
    /// The stack of the lost process. Only the supervisor has it.
    #[serde(skip)]
    pub stack: Option<Arc<LostStack>>,
}

/// A function that hung, or that terminated the process in which it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostIn {
    pub function: String,
    /// True if the function was called during start-up or between cases. Every rule needs the functions called there.
    pub life_cycle: bool,
}

impl CaseFailure {
    /// Creates a failure of a statement.
    pub fn of(verdict: Verdict, span: Span, message: String) -> CaseFailure {
        CaseFailure {
            verdict,
            start: span.start,
            end: span.end,
            message,
            blocked_by: None,
            lost_at: None,
            lost_in: None,
            difference: None,
            history: None,
            recent_error: String::new(),
            stack: None,
        }
    }

    /// True if both failures are of the same kind and at the same place or, for a lost process, in the same call.
    pub fn same_as(&self, other: &CaseFailure) -> bool {
        (self.verdict, self.start, self.lost_at) == (other.verdict, other.start, other.lost_at)
    }
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCall {
    pub function: String,
    /// The code that the call returned; `None` if the library does not export the function.
    pub code: Option<i64>,
}

/// The reason why part of the life cycle failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    pub message: String,
    /// The failed call, if any.
    pub call: Option<FailedCall>,
}

impl From<String> for Trouble {
    fn from(message: String) -> Trouble {
        Trouble { message, call: None }
    }
}

impl CaseReport {
    /// Records a failed release.
    pub fn fail_release(&mut self, message: String, call: FailedCall) {
        self.releases.push(message);
        self.unreleased.get_or_insert(call);
    }

    /// Records a failure. Only the first failure counts.
    pub fn fail(&mut self, verdict: Verdict, span: Span, message: String) {
        self.fail_call(verdict, span, message, None);
    }

    /// Same as [`CaseReport::fail`], for a call.
    pub fn fail_call(&mut self, verdict: Verdict, span: Span, message: String, call: Option<FailedCall>) {
        self.failure.get_or_insert_with(|| CaseFailure { blocked_by: call, ..CaseFailure::of(verdict, span, message) });
    }

    /// Makes the case fail if a release failed and nothing else did.
    pub fn judge_releases(&mut self) {
        if let Some(message) = self.releases.first().cloned() {
            let call = self.unreleased.clone();
            self.fail_call(Verdict::Fail, Span::default(), message, call);
        }
    }
}
