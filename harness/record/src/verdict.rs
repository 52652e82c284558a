//! The verdict of a rule, and its meaning for the run.

use catalog::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every case held.
    Pass,
    /// A check in the rule failed.
    Fail,
    /// A call failed as required, but with a code that the documents do not name.
    WrongCode,
    /// A call documented as unsupported succeeded.
    Exceeds,
    /// The documents leave the behavior undefined, so it was recorded but not judged.
    Observed,
    /// Set-up failed in a function that another rule owns.
    Blocked,
    /// The rule does not apply; the reason says why.
    Skipped,
    /// The suite or its environment failed to produce an answer.
    Error,
    /// The process crashed, or the library ended it.
    Crash,
    /// A call did not return by its deadline.
    Timeout,
    /// A case failed in some runs and passed in other, identical runs.
    Flaky,
    /// The device was lost.
    DeviceLost,
    /// All executed cases held, but the watchdog ended the rule before the remaining cases ran.
    Cut,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Verdict; 13] = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::WrongCode,
        Verdict::Exceeds,
        Verdict::Observed,
        Verdict::Blocked,
        Verdict::Skipped,
        Verdict::Error,
        Verdict::Crash,
        Verdict::Timeout,
        Verdict::Flaky,
        Verdict::DeviceLost,
        Verdict::Cut,
    ];

    /// True if the rule judged the device's behavior as wrong. In a proof, such a verdict kills the defect.
    pub fn kills(self) -> bool {
        matches!(self, Verdict::Fail | Verdict::WrongCode)
    }

    /// True if the rule found nothing wrong.
    pub fn passes(self) -> bool {
        matches!(self, Verdict::Pass | Verdict::Exceeds | Verdict::Observed)
    }

    /// The meaning of the verdict for the run if the rule has this level.
    pub fn meaning(self, level: Level) -> Meaning {
        match self {
            Verdict::Pass | Verdict::Observed | Verdict::Exceeds => Meaning::Good,
            Verdict::Skipped => Meaning::Skipped,
            // A promise that is kept only sometimes is broken, so `flaky` counts as a failure.
            Verdict::Fail | Verdict::WrongCode | Verdict::Crash | Verdict::Timeout | Verdict::Flaky => match level {
                Level::Must => Meaning::Broken,
                Level::Info => Meaning::Finding,
            },
            Verdict::Blocked | Verdict::Error | Verdict::DeviceLost | Verdict::Cut => Meaning::Unknown,
        }
    }

    /// The name in reports.
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

/// The meaning of a result for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// The rule holds, or was only observed.
    Good,
    /// The rule is broken.
    Broken,
    /// A rule with level `info` is broken. A finding is reported but does not fail the run.
    Finding,
    /// The rule did not apply.
    Skipped,
    /// The rule has no answer.
    Unknown,
}
