//! The differences between two runs, as data. `catalog schema` makes a schema of these types.

use schemars::JsonSchema;
use serde::Serialize;

use crate::causes::Cause;

/// The comparison of two runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Difference {
    /// The version of this format.
    pub format: u32,
    pub old: Side,
    pub new: Side,
    /// Limits of the comparison: differences between the runs that prevent or weaken a part of the comparison.
    pub remarks: Vec<String>,
    /// The number of rules that have a result in both runs and appear in no list.
    pub unchanged: u64,
    /// Rules whose verdict or symptom changed, worst first.
    pub changes: Vec<RuleChange>,
    /// The causes of the rules that are newly broken, as far as the newer run's failures point at one. Absent if there
    /// are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<ChangeCause>,
    /// Behavior that changed although no rule broke, strongest first.
    pub drift: Vec<Drift>,
    /// Rules with an answer in only one run, with the reasons.
    pub coverage: Vec<CoverageChange>,
    /// The fields that differ between the journals' first lines.
    pub fields: Vec<FieldChange>,
    /// The times of cases; `None` if no rule passed in both runs.
    pub timing: Option<Timing>,
    pub family: Family,
}

impl Difference {
    /// The version of the format that this version of the suite writes.
    pub const FORMAT: u32 = 1;
}

/// A compared run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Side {
    /// The run's file or folder.
    pub path: String,
    /// The run's name.
    pub run: String,
    /// Start time, RFC 3339 in UTC.
    pub started: String,
    /// The tested library or the simulated device.
    pub tested: String,
    pub product: String,
    /// The number of results.
    pub results: u64,
    /// True if the run finished.
    pub ended: bool,
}

/// The kind of change in a rule's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The rule held before and is now broken.
    Regression,
    /// The rule is broken and had no answer before.
    NewFailure,
    /// The rule is broken, but in a different way than before.
    OtherSymptom,
    /// The rule fails sometimes, in one run or in both, and chance explains the difference between the rates.
    Flake,
    /// The rule was broken and now holds.
    Fix,
}

/// A rule whose verdict or symptom changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleChange {
    pub rule: String,
    pub title: String,
    /// `must` or `info`, according to the newer run.
    pub level: String,
    pub change: Change,
    /// The older result; `None` if the older run has no result for the rule.
    pub old: Option<RuleOutcome>,
    /// The newer result; `None` if the newer run has no result for the rule.
    pub new: Option<RuleOutcome>,
    /// For a flake, the chance of rates that differ at least this much if nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// For a flake, true if the rates differ more than chance explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub significant: Option<bool>,
}

/// The common cause of rules that are newly broken.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ChangeCause {
    /// The cause in a sentence.
    pub title: String,
    /// The rule to read first, with the reason.
    pub advice: String,
    /// The rules, the one to read first at the beginning.
    pub rules: Vec<String>,
}

impl ChangeCause {
    pub(super) fn of(cause: &Cause<'_>) -> ChangeCause {
        let lead = cause.lead().map(|lead| format!("; {lead}")).unwrap_or_default();
        ChangeCause {
            title: cause.title() + &lead,
            advice: cause.advice(),
            rules: cause.results().map(|result| result.id.clone()).collect(),
        }
    }
}

/// A rule's result in one run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleOutcome {
    pub verdict: String,
    pub reason: String,
    /// The symptom of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symptom: Option<Symptom>,
    /// The number of failed runs and of all runs of the failing case, if it was rerun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<[u64; 2]>,
}

/// The symptom of a failure. Failures with equal symptoms count as the same failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Symptom {
    pub verdict: String,
    /// The failed statement, as written in the catalog.
    pub check: String,
    /// The returned code, if the failure names one.
    pub code: Option<String>,
    /// The call, if the failure names one.
    pub call: Option<String>,
}

/// The kind of drifted behavior.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DriftKind {
    /// The code that a call returned where no document prescribes one.
    Code,
    /// An observed value, or a value for which the documents allow several alternatives.
    Value,
    /// A check that can hold in several ways, or that is only reported.
    Check,
    /// A verdict that breaks no promise: the rule has level `info`, both verdicts are good, or the rule is blocked by a
    /// function whose owner is not broken.
    Verdict,
}

/// Behavior that changed although no rule broke.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Drift {
    pub rule: String,
    pub kind: DriftKind,
    /// The call, check or value.
    pub what: String,
    /// The difference between the answers, from 0 to 1: half the sum of the differences between their shares (total
    /// variation).
    pub strength: f64,
    /// The chance of shares that differ at least this much if nothing changed; `None` if the same question always had
    /// one answer before and always has a different answer now.
    pub p: Option<f64>,
    pub old: Vec<Share>,
    pub new: Vec<Share>,
    /// True if a rule of level `info` fails now and did not fail before. Absent if false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub finding: bool,
}

/// An answer and its frequency.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Share {
    pub answer: String,
    /// The number of cases with this answer.
    pub cases: u64,
    /// A case with this answer, in the form of `--case`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
}

/// The runs in which a rule has an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CoverageKind {
    /// Only in the older run.
    OnlyOld,
    /// Only in the newer run.
    OnlyNew,
    /// Only in the older run, because the newer run's catalog lacks the rule.
    Gone,
    /// Only in the newer run, because the older run's catalog lacks the rule.
    New,
    /// Both runs have an answer, but from different devices.
    OtherDevice,
}

/// A rule with an answer in only one run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CoverageChange {
    pub rule: String,
    pub kind: CoverageKind,
    /// The verdict in the run that has an answer.
    pub verdict: String,
    /// The reason why the other run has no answer.
    pub why: String,
}

/// A field in the first line of a journal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FieldChange {
    /// The field's path, for example `library.sha256`.
    pub field: String,
    /// The older value as JSON; `None` if absent.
    pub old: Option<serde_json::Value>,
    /// The newer value as JSON; `None` if absent.
    pub new: Option<serde_json::Value>,
}

/// The times per case for rules that passed in both runs. A ratio is the time in the newer run divided by the time in
/// the older run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Timing {
    /// The number of compared rules.
    pub rules: u64,
    /// The median of the ratios.
    pub median: f64,
    /// A 95 % confidence interval of the median, from the ranks of the ratios; `None` for fewer than six rules.
    pub interval: Option<[f64; 2]>,
    /// The median distance between a ratio and the median, as a factor.
    pub spread: f64,
    /// Rules that became much slower or faster than the others did, slowest first.
    pub outliers: Vec<SlowRule>,
    /// The budget for slowdowns in percent, if set.
    pub budget: Option<f64>,
    /// Times that exceed the budget, in words.
    pub exceeded: Vec<String>,
}

/// A rule whose time changed much more than the times of the other rules.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SlowRule {
    pub rule: String,
    /// The time of a case in the newer run divided by its time in the older run.
    pub ratio: f64,
    /// The time per case in the older run, in nanoseconds.
    pub old: u64,
    /// The time per case in the newer run, in nanoseconds.
    pub new: u64,
}

/// The statistical tests in a comparison, taken together.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Family {
    /// The upper limit for the chance of any false finding if nothing changed.
    pub level: f64,
    pub tests: u64,
    pub method: String,
}
