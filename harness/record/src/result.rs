//! The result of a rule.

use std::collections::BTreeMap;

use catalog::{Level, Word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::Answers;
use crate::confirmation::{Confirmation, Repeats};
use crate::coverage::Coverage;
use crate::device::OnDevice;
use crate::failure::Failure;
use crate::logs::RuleLogs;
use crate::memory_limit::MemoryLimit;
use crate::verdict::{Meaning, Verdict};

/// The result of a rule.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RuleResult {
    /// The rule's id.
    pub id: String,
    /// The chapter of the rule.
    pub chapter: String,
    /// The rule's title.
    pub title: String,
    /// `must` if a document promises the statement of the rule.
    pub level: Level,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason: why it was skipped, the message of a failure, empty for a pass.
    pub reason: String,
    /// Wall time in nanoseconds.
    pub nanoseconds: u64,
    /// The number of executed cases.
    pub cases: u64,
    /// The number of judged statements (calls under test and checks) executed in all cases.
    pub checks: u64,
    /// The rule's seed.
    pub seed: u64,
    /// The failing case.
    pub failure: Option<Box<Failure>>,
    /// Statements marked `[info]` that did not hold, and other remarks.
    pub findings: Vec<String>,
    /// Observed values: name → class → number of cases.
    pub observations: BTreeMap<String, BTreeMap<String, u64>>,
    /// Answers that no document prescribes, for comparing runs; `None`: none, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Box<Answers>>,
    /// An unresolved contradiction in the documents, from the catalog.
    pub doubt: Option<String>,
    /// The number of times that the run ended while this rule ran, before this result. Does not change the verdict.
    #[serde(default)]
    pub interrupted: u32,
    /// The share of the domain that was tried; `None`: no domain, or no case ran. Absent in older journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Checks that were only observed with this library, each with the reason. Absent in older journals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed_only: Vec<String>,
    /// Alternatives of `choose` and values of axes that did not run, because the product or the edition does not
    /// support them. Absent in older journals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The option of the user that would run the skipped rule; `None`: it ran, or no option is enough. Absent in older
    /// journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_without: Option<Word>,
    /// The devices of the rule, in the numbering of the machine. If the rule ran on each device: the device of this
    /// answer. Empty: all devices, a simulated machine, or an older journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// The answers of a rule that ran on each device, in the order of devices; empty: it did not, or an older journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub each: Vec<OnDevice>,
    /// A process that reached its memory limit; `None`: none did. Absent in older journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<MemoryLimit>,
    /// The kept logs of driver and runtime; `None`: no logs were read. Absent in older journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<RuleLogs>,
    /// The class of its test case in the JUnit report; `None`: the chapter's name, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
}

impl RuleResult {
    /// The runs that tried a failing case again, see [`Confirmation::again`].
    pub fn runs_again(&self) -> Repeats {
        let confirmation = self.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
        confirmation.map(Confirmation::again).unwrap_or_default()
    }

    /// The meaning of the result for the run.
    pub fn meaning(&self) -> Meaning {
        self.verdict.meaning(self.level)
    }
}
