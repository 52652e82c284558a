//! The result of one rule.

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

/// The result of one rule.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RuleResult {
    /// The rule's id.
    pub id: String,
    /// The chapter that the rule belongs to.
    pub chapter: String,
    /// The rule's title.
    pub title: String,
    /// Whether a document promises what the rule says.
    pub level: Level,
    /// What happened.
    pub verdict: Verdict,
    /// Why: the reason of a skip, the message of a failure, empty for a pass.
    pub reason: String,
    /// Wall time in nanoseconds.
    pub nanoseconds: u64,
    /// Cases executed.
    pub cases: u64,
    /// Verdict statements (calls under test and checks) executed over all cases.
    pub checks: u64,
    /// The rule's seed.
    pub seed: u64,
    /// Where and with what the rule failed.
    pub failure: Option<Box<Failure>>,
    /// Statements marked `[info]` that did not hold, and other remarks.
    pub findings: Vec<String>,
    /// What `observe` saw: name → class → number of cases.
    pub observations: BTreeMap<String, BTreeMap<String, u64>>,
    /// What was answered where no document says what has to be: two runs are compared by it. `None`: nothing was, or an
    /// older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Box<Answers>>,
    /// An unresolved contradiction in the documents, from the catalog.
    pub doubt: Option<String>,
    /// How often the run ended while this rule ran, before it got this result. Never changes the verdict.
    #[serde(default)]
    pub interrupted: u32,
    /// How much of the domain was tried; `None`: there is none, or no case ran. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Checks that were only observed with this library, each with why. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed_only: Vec<String>,
    /// Alternatives of `choose` and values of axes that did not run, because the product or the edition lacks what they
    /// use. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The word of the user without which the rule was skipped; `None`: it ran, or no word is enough. Older journals do not
    /// know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_without: Option<Word>,
    /// The devices that the rule ran on, as the machine numbers them; of a rule that ran on each, that of this answer.
    /// Empty: all that there are, a simulated machine, or an older journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// The answers of a rule of one device that ran on each, in their order; empty: it ran on one, or an older journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub each: Vec<OnDevice>,
    /// A process reached the limit of its memory; `None`: none did. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<MemoryLimit>,
    /// What was kept of the logs of driver and runtime; `None`: nothing was looked for. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<RuleLogs>,
    /// The class of its test case in JUnit's report; `None`: it is called as the chapter, or an older journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
}

impl RuleResult {
    /// The runs that were made to see whether a failure comes again, see [`Confirmation::again`].
    pub fn runs_again(&self) -> Repeats {
        let confirmation = self.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
        confirmation.map(Confirmation::again).unwrap_or_default()
    }

    /// What the result means for the run.
    pub fn meaning(&self) -> Meaning {
        self.verdict.meaning(self.level)
    }
}
