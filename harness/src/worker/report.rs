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
            self.failure = Some(CaseFailure { verdict, start: span.start, end: span.end, message, blocked_by: None });
        }
    }

    pub fn blocked(&mut self, function: &str, span: Span, message: String) {
        if self.failure.is_none() {
            let verdict = Verdict::Blocked;
            self.failure = Some(CaseFailure {
                verdict,
                start: span.start,
                end: span.end,
                message,
                blocked_by: Some(function.to_owned()),
            });
        }
    }

    /// Whether shrinking may go on with this report: the same kind of failure at the same place.
    pub fn same_failure(&self, other: &CaseReport) -> bool {
        match (&self.failure, &other.failure) {
            (Some(a), Some(b)) => a.verdict == b.verdict && a.start == b.start,
            _ => false,
        }
    }
}
