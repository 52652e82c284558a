//! What running a failing case again showed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;

/// What running a failing case again, always in fresh processes, showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confirmation {
    /// What follows from the runs.
    pub conclusion: Conclusion,
    /// The verdict of the case when it was found.
    pub found: Verdict,
    /// Runs of the case alone.
    pub alone: Repeats,
    /// Runs of the rule from its first case to this one. The run that found the case is the first.
    pub rule: Repeats,
    /// Values of the cases that must run before this one in the same process, by name and in their order.
    pub after: Vec<Vec<(String, String)>>,
    /// What the conclusion leaves open, and why. Empty: nothing.
    pub remark: String,
}

/// Runs that were the same, and how many of them failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Repeats {
    /// Runs that failed.
    pub failed: u32,
    /// All runs.
    pub runs: u32,
}

/// What follows from running a case again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// It fails alone, each time.
    Alone,
    /// It passes alone, and fails each time after certain other cases.
    After,
    /// It fails in some runs and passes in others that are the same.
    Flaky,
    /// The runs do not say.
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
        write!(f, "{} of {}", self.failed, catalog::count(self.runs, "run"))
    }
}

impl Confirmation {
    /// The runs that were made to see whether the case fails again. The run that found it is none of them: without it nobody
    /// would have looked.
    pub fn again(&self) -> Repeats {
        if self.alone.failed > 0 || self.rule.runs < 2 {
            return self.alone;
        }
        let Repeats { failed, runs } = self.rule;
        Repeats { failed: failed.saturating_sub(1), runs: runs - 1 }
    }

    /// The conclusion as a clause: `fails in 3 of 10 runs of the case alone`.
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
