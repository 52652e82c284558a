//! The results of rerunning a failing case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;

/// The results of rerunning a failing case, always in fresh processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confirmation {
    /// The conclusion from the reruns.
    pub conclusion: Conclusion,
    /// The verdict when the failure was found.
    pub found: Verdict,
    /// The reruns of the case alone.
    pub alone: Repeats,
    /// The runs of the rule from its first case to the failing case, including the run that found the failure.
    pub rule: Repeats,
    /// The values, by name, of the cases that must run first in the same process, in order.
    pub after: Vec<Vec<(String, String)>>,
    /// The ids of the rules that must run first in the same processes, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after_rules: Vec<String>,
    /// Open questions and their reasons; may be empty.
    pub remark: String,
}

/// The number of identical runs, and how many of them failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Repeats {
    /// The number of failed runs.
    pub failed: u32,
    /// The number of all runs.
    pub runs: u32,
}

/// The conclusion from rerunning a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// The case fails every time, even alone.
    Alone,
    /// The case passes alone, but always fails after certain other cases.
    After,
    /// The case passes alone, but always fails after certain other rules in the same processes.
    AfterRules,
    /// The case fails in some runs and passes in other, identical runs.
    Flaky,
    /// The reruns allow no conclusion.
    Open,
    /// The failure was seen once, because no rerun took place.
    Unconfirmed,
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
    /// The record of a failure with this verdict that was not rerun, for the given reason.
    pub fn without_rerun(found: Verdict, remark: String) -> Confirmation {
        Confirmation {
            conclusion: Conclusion::Unconfirmed,
            found,
            alone: Repeats::default(),
            rule: Repeats { failed: 1, runs: 1 },
            after: Vec::new(),
            after_rules: Vec::new(),
            remark,
        }
    }

    /// The reruns of the case, without the run that found the failure.
    pub fn again(&self) -> Repeats {
        if self.alone.failed > 0 || self.rule.runs < 2 {
            return self.alone;
        }
        let Repeats { failed, runs } = self.rule;
        Repeats { failed: failed.saturating_sub(1), runs: runs - 1 }
    }

    /// The conclusion in words, for example `fails in 3 of 10 runs of the case alone`.
    pub fn clause(&self) -> String {
        match self.conclusion {
            Conclusion::Alone => format!("fails in {} of the case alone", self.alone),
            Conclusion::After => match self.after.len() {
                1 => "fails only after one other case in the same process".to_owned(),
                count => format!("fails only after {count} other cases in the same process"),
            },
            Conclusion::Flaky if self.alone.failed > 0 => format!("failed in {} of the case alone", self.alone),
            Conclusion::Flaky => format!("failed in {} of the rule up to this case", self.rule),
            Conclusion::AfterRules => format!("fails only after {} in the same process", self.after_rules.join(", ")),
            Conclusion::Unconfirmed => "unconfirmed: seen once, not run again".to_owned(),
            Conclusion::Open => format!("failed in {} of the case alone", self.alone),
        }
    }
}
