//! What happened to a rule, and what that means for a run.

use catalog::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened to a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every case held.
    Pass,
    /// A statement of the rule did not hold.
    Fail,
    /// A call failed as it must, with a code that the documents do not name.
    WrongCode,
    /// A call that is documented as unsupported did its work.
    Exceeds,
    /// Undefined by the documents: what was seen is recorded, not judged.
    Observed,
    /// Set-up failed in a function that another rule owns.
    Blocked,
    /// The rule does not apply; the reason says why.
    Skipped,
    /// The suite or its environment could not give an answer.
    Error,
    /// The library ended the process.
    Crash,
    /// A call did not return before its deadline.
    Timeout,
    /// A case failed in some runs and passed in others that were the same.
    Flaky,
    /// The device is of no further use.
    DeviceLost,
    /// The cases that ran held, and the guard against hangs kept the others from running.
    Cut,
}

impl Verdict {
    /// Whether the rule said that the device is wrong: in a proof, that it noticed the defect.
    pub fn kills(self) -> bool {
        matches!(self, Verdict::Fail | Verdict::WrongCode)
    }

    /// Whether the rule found nothing wrong.
    pub fn passes(self) -> bool {
        matches!(self, Verdict::Pass | Verdict::Exceeds | Verdict::Observed)
    }

    /// What it means for a run, of a rule of this level.
    pub fn meaning(self, level: Level) -> Meaning {
        match self {
            Verdict::Pass | Verdict::Observed | Verdict::Exceeds => Meaning::Good,
            Verdict::Skipped => Meaning::Skipped,
            // A promise that is kept sometimes is broken: `flaky` means what the failure means.
            Verdict::Fail | Verdict::WrongCode | Verdict::Crash | Verdict::Timeout | Verdict::Flaky => match level {
                Level::Must => Meaning::Broken,
                Level::Info => Meaning::Finding,
            },
            Verdict::Blocked | Verdict::Error | Verdict::DeviceLost | Verdict::Cut => Meaning::Unknown,
        }
    }

    /// Whether it makes the answer of a run unknown: that cases were cut does where somebody wants to know it exactly.
    pub fn hides(self, level: Level, strict: bool) -> bool {
        self.meaning(level) == Meaning::Unknown && (strict || self != Verdict::Cut)
    }

    /// The name used in every report.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::WrongCode => "wrong-code",
            Verdict::Exceeds => "exceeds",
            Verdict::Observed => "observed",
            Verdict::Blocked => "blocked",
            Verdict::Skipped => "skipped",
            Verdict::Error => "error",
            Verdict::Crash => "crash",
            Verdict::Timeout => "timeout",
            Verdict::Flaky => "flaky",
            Verdict::DeviceLost => "device-lost",
            Verdict::Cut => "cut",
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What a result means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// The rule holds, or what was seen is only recorded.
    Good,
    /// A rule is broken.
    Broken,
    /// A rule of level `info` is broken: reported, does not break the run.
    Finding,
    /// The rule did not apply.
    Skipped,
    /// The answer is not known.
    Unknown,
}
