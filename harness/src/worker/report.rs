//! What one case showed.

use serde::{Deserialize, Serialize};

use crate::lang::Span;
use crate::record::Verdict;

/// The result of a case, small enough to cross a pipe.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CaseReport {
    /// `None`: nothing failed.
    pub failure: Option<CaseFailure>,
    /// Verdict statements that were executed.
    pub checks: u64,
    /// Remarks that do not fail the case.
    pub findings: Vec<String>,
    /// Releases that failed.
    pub releases: Vec<String>,
    /// A call that is documented as unsupported did its work.
    pub exceeds: Option<String>,
    /// (position in the program's list, class).
    pub observations: Vec<(usize, String)>,
}

/// Why a case failed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CaseFailure {
    pub verdict: Verdict,
    /// Place in the steps.
    pub start: usize,
    pub end: usize,
    pub message: String,
    /// The function that failed in the set-up.
    pub blocked_by: Option<String>,
    /// The call site at which the process was lost.
    pub lost_at: Option<u32>,
}

impl CaseFailure {
    /// A failure of a statement.
    pub fn of(verdict: Verdict, span: Span, message: String) -> CaseFailure {
        CaseFailure { verdict, start: span.start, end: span.end, message, blocked_by: None, lost_at: None }
    }

    /// Whether the other is a failure of the same kind at the same place; for a lost process: in the same call.
    pub fn same_as(&self, other: &CaseFailure) -> bool {
        (self.verdict, self.start, self.lost_at) == (other.verdict, other.start, other.lost_at)
    }
}

/// A remark.
pub enum Finding {
    Info(String),
    Release(String),
}

impl CaseReport {
    pub fn finding(&mut self, finding: Finding) {
        match finding {
            Finding::Info(text) => self.findings.push(text),
            Finding::Release(text) => self.releases.push(text),
        }
    }

    /// Notes a failure; the first one counts.
    pub fn fail(&mut self, verdict: Verdict, span: Span, message: String) {
        if self.failure.is_none() {
            self.failure = Some(CaseFailure::of(verdict, span, message));
        }
    }

    pub fn blocked(&mut self, function: &str, span: Span, message: String) {
        if self.failure.is_none() {
            let blocked = CaseFailure::of(Verdict::Blocked, span, message);
            self.failure = Some(CaseFailure { blocked_by: Some(function.to_owned()), ..blocked });
        }
    }

    /// Whether shrinking may go on with this report.
    pub fn same_failure(&self, other: &CaseReport) -> bool {
        matches!((&self.failure, &other.failure), (Some(a), Some(b)) if a.same_as(b))
    }
}
