//! The result of a rule.

use std::collections::BTreeMap;

use catalog::{Level, Word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::Answers;
use crate::confirmation::{Conclusion, Confirmation, Repeats};
use crate::coverage::Coverage;
use crate::device::OnDevice;
use crate::failure::Failure;
use crate::logs::RuleLogs;
use crate::memory_limit::MemoryLimit;
use crate::repetition::Repetition;
use crate::rounds::Rounds;
use crate::verdict::{Meaning, Verdict};

/// The result of a rule.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RuleResult {
    /// The rule's id.
    pub id: String,
    /// The rule's chapter. The journal has it in its header.
    #[serde(default, skip_serializing)]
    pub chapter: String,
    /// The rule's title. The journal has it in its header.
    #[serde(default, skip_serializing)]
    pub title: String,
    /// `must` if a document promises what the rule states. The journal has it in its header.
    #[serde(default, skip_serializing)]
    pub level: Level,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason for a skip, or the message of a failure; empty for a pass.
    pub reason: String,
    /// Wall time in nanoseconds.
    pub nanoseconds: u64,
    /// The number of executed cases.
    pub cases: u64,
    /// The number of judged statements (calls under test and checks) executed, over all cases.
    pub checks: u64,
    /// The rule's seed.
    pub seed: u64,
    /// The failing case.
    pub failure: Option<Box<Failure>>,
    /// Failed statements marked `[info]`, and other remarks.
    pub findings: Vec<String>,
    /// Observed values: name → class → number of cases.
    pub observations: BTreeMap<String, BTreeMap<String, u64>>,
    /// Answers that no document prescribes, for comparing runs; `None` if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Box<Answers>>,
    /// An unresolved contradiction in the documents. The journal has it in its header.
    #[serde(default, skip_serializing)]
    pub doubt: Option<String>,
    /// The number of times that the run ended while this rule was running. It does not affect the verdict.
    pub interrupted: u32,
    /// The share of the domain that was tried; `None` if there is no domain or no case ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Checks that this run only observed because of the library, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed_only: Vec<String>,
    /// Alternatives of `choose` and axis values that did not run because the product or the edition does not support
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The option with which the skipped rule would run; `None` if the rule ran or no single option suffices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_without: Option<Word>,
    /// The rule's devices, by the machine's numbering; if the rule ran on each device, the device that gave this
    /// answer. Empty for all devices, and for a simulated device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// The answers of a rule that ran on each device, in device order; empty for other rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub each: Vec<OnDevice>,
    /// A process that reached its memory limit, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<MemoryLimit>,
    /// The driver and runtime logs that were kept; `None` if no logs were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<RuleLogs>,
    /// The rounds of a rule that the run repeated; `None` for a rule that ran once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// The pooled workers that the rule used, and its place among the rules that ran in each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ran_in: Vec<RanIn>,
    /// The repetition of a cycle; `None` for a rule that the run did not repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
}

/// A pooled worker that a rule used. The rules with the same worker, in the order of their places, ran in one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RanIn {
    /// The worker's number in the run.
    pub worker: u64,
    /// The rule's place among the rules that ran in the worker, from 1.
    pub place: u64,
}

impl RuleResult {
    /// The reruns of a failing case; see [`Confirmation::again`].
    pub fn runs_again(&self) -> Repeats {
        let confirmation = self.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
        confirmation.map(Confirmation::again).unwrap_or_default()
    }

    /// True for a failure that was seen only once, because no rerun took place.
    pub fn unconfirmed(&self) -> bool {
        let confirmation = self.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
        confirmation.is_some_and(|confirmation| confirmation.conclusion == Conclusion::Unconfirmed)
            && matches!(self.verdict, Verdict::Fail | Verdict::WrongCode | Verdict::Crash | Verdict::Timeout)
    }

    /// True for a failure that fresh processes do not show, or not always.
    pub fn passes_in_fresh_processes(&self) -> bool {
        let confirmation = self.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
        let after = confirmation.is_some_and(|confirmation| confirmation.conclusion == Conclusion::AfterRules);
        after || self.verdict == Verdict::Flaky
    }

    /// The meaning of the result for the run. A crash breaks the run whatever the rule's level, because no document needs
    /// to promise that a process survives. So does a hang where a document promises an outcome of the call.
    pub fn meaning(&self) -> Meaning {
        let failure = self.failure.as_ref();
        let found = failure.and_then(|failure| failure.confirmation.as_ref()).map(|confirmation| confirmation.found);
        let found = found.filter(|_| self.verdict == Verdict::Flaky).unwrap_or(self.verdict);
        let promised = failure.is_some_and(|failure| failure.promised);
        match self.verdict.meaning(self.level) {
            Meaning::Finding if found == Verdict::Crash || (found == Verdict::Timeout && promised) => Meaning::Broken,
            meaning => meaning,
        }
    }

    /// True if the result makes the run's result unknown. A cut rule whose edge values all ran does so only in a strict
    /// run.
    pub fn hides(&self, strict: bool) -> bool {
        let cut = self.coverage.as_ref().and_then(|coverage| coverage.cut).filter(|_| self.verdict == Verdict::Cut);
        self.meaning() == Meaning::Unknown && (strict || cut.is_none_or(|cut| cut.edges_left > 0))
    }
}
