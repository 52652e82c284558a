//! The results of running a failing case again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;

/// The results of running a failing case again, always in fresh processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confirmation {
    /// The conclusion from the runs.
    pub conclusion: Conclusion,
    /// The verdict of the case when it was found.
    pub found: Verdict,
    /// Runs of the case alone.
    pub alone: Repeats,
    /// Runs of the rule from its first case to this one, including the run that found the case.
    pub rule: Repeats,
    /// Values of the cases that must run before this one in the same process, by name and in their order.
    pub after: Vec<Vec<(String, String)>>,
    /// Open questions with their reasons; may be empty.
    pub remark: String,
}

/// Identical runs and the number of failed ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Repeats {
    /// Runs that failed.
    pub failed: u32,
    /// All runs.
    pub runs: u32,
}

/// The conclusion from running a case again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// The case fails alone, each time.
    Alone,
    /// The case passes alone, and fails each time after certain other cases.
    After,
    /// The case fails in some runs and passes in other, identical ones.
    Flaky,
    /// The runs do not show.
    Open,
}

impl Repeats {
    pub fn note(&mut self, failed: bool) {
        self.runs += 1;
        self.failed += u32::from(failed);
    }
}

impl std::fmt::Display for Repeats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} run{}", self.failed, self.runs, if self.runs == 1 { "" } else { "s" })
    }
}

impl Confirmation {
    /// The runs that tried the case again. The run that found the failure is not counted.
    pub fn again(&self) -> Repeats {
        if self.alone.failed > 0 || self.rule.runs < 2 {
            return self.alone;
        }
        let Repeats { failed, runs } = self.rule;
        Repeats { failed: failed.saturating_sub(1), runs: runs - 1 }
    }

    /// The conclusion in words: `fails in 3 of 10 runs of the case alone`.
    pub fn clause(&self) -> String {
        match self.conclusion {
            Conclusion::Alone => format!("fails in {} of the case alone", self.alone),
            Conclusion::After => match self.after.len() {
                1 => "fails only after one other case in the same process".to_owned(),
                count => format!("fails only after {count} other cases in the same process"),
            },
            Conclusion::Flaky if self.alone.failed > 0 => format!("failed in {} of the case alone", self.alone),
            Conclusion::Flaky => format!("failed in {} of the rule up to this case", self.rule),
            Conclusion::Open if self.alone.runs == 0 => "not run again".to_owned(),
            Conclusion::Open => format!("failed in {} of the case alone", self.alone),
        }
    }
}
