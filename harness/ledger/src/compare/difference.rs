//! The differences of two runs as data. `reports/schema/diff.schema.json` is generated from these types.

use schemars::JsonSchema;
use serde::Serialize;

/// Two runs, compared.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Difference {
    /// Version of this format.
    pub format: u32,
    pub old: Side,
    pub new: Side,
    /// Limits of the comparison: differences of the runs that prevent or weaken a part of it.
    pub remarks: Vec<String>,
    /// The number of rules with a result in both runs that are in no list.
    pub unchanged: u64,
    /// Rules whose verdict or symptom changed, the worst first.
    pub changes: Vec<RuleChange>,
    /// Behavior that changed although no rule broke, the strongest first.
    pub drift: Vec<Drift>,
    /// Rules with an answer in one run only, with the reasons.
    pub coverage: Vec<CoverageChange>,
    /// The differing fields of the journals' first lines.
    pub fields: Vec<FieldChange>,
    /// `None`: no rule passed in both runs.
    pub timing: Option<Timing>,
    pub family: Family,
}

impl Difference {
    /// The version of the format that this suite writes.
    pub const FORMAT: u32 = 1;
}

/// One of the two runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Side {
    /// The file or folder of the run.
    pub path: String,
    /// The name of the run.
    pub run: String,
    /// Start, RFC 3339 in UTC.
    pub started: String,
    /// The tested library, or the simulated device.
    pub tested: String,
    pub product: String,
    /// The number of results.
    pub results: u64,
    /// True if the run finished.
    pub ended: bool,
}

/// The kind of change of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The rule held, and is broken.
    Regression,
    /// The rule is broken, and had no answer before.
    NewFailure,
    /// The rule is broken in another way than before.
    OtherSymptom,
    /// The rule fails sometimes, in one run or in both, and chance explains the difference of the rates.
    Flake,
    /// The rule was broken, and holds.
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
    /// `None`: the run has no result of the rule.
    pub old: Option<RuleOutcome>,
    /// As `old`.
    pub new: Option<RuleOutcome>,
    /// For a flake: the chance of rates at least as different if nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// For a flake: true if the rates differ more than chance explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub significant: Option<bool>,
}

/// The result of a rule in one run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleOutcome {
    pub verdict: String,
    pub reason: String,
    /// The symptom of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symptom: Option<Symptom>,
    /// Failed runs and all runs of the failing case, if it was run again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<[u64; 2]>,
}

/// The symptom of a failure: failures with equal symptoms count as the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Symptom {
    pub verdict: String,
    /// The failed statement, as written in the catalog.
    pub check: String,
    /// The code that a call returned, if the failure names one.
    pub code: Option<String>,
    /// The call that the failure names, if it names one.
    pub call: Option<String>,
}

/// The kind of drifted behavior.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DriftKind {
    /// The code of a call, where no document prescribes one.
    Code,
    /// A value that a rule observes, or one of several that the documents allow.
    Value,
    /// A check that may hold in several ways, or is only reported.
    Check,
    /// The verdict: of a rule of level `info`, between two good verdicts, or of a rule that is blocked by a function
    /// whose owner is not broken.
    Verdict,
}

/// Behavior that changed although no rule broke.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Drift {
    pub rule: String,
    pub kind: DriftKind,
    /// The call, check or value.
    pub what: String,
    /// The difference of the answers from 0 to 1: half of the sum of the differences of their shares (total variation).
    pub strength: f64,
    /// The chance of shares at least as different if nothing changed; `None`: the same question always had one answer,
    /// and now always has another.
    pub p: Option<f64>,
    pub old: Vec<Share>,
    pub new: Vec<Share>,
}

/// An answer with its frequency.
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
    /// In the older run, but not in the newer one.
    OnlyOld,
    /// In the newer run, but not in the older one.
    OnlyNew,
    /// The rule does not exist in the newer run's catalog.
    Gone,
    /// The rule did not exist in the older run's catalog.
    New,
    /// In both runs, but on different devices.
    OtherDevice,
}

/// A rule that has an answer in one run only.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CoverageChange {
    pub rule: String,
    pub kind: CoverageKind,
    /// The verdict in the run with an answer.
    pub verdict: String,
    /// The reason why the other run has none.
    pub why: String,
}

/// A field of the first line of a journal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FieldChange {
    /// For example `library.sha256`.
    pub field: String,
    /// As JSON; `None`: absent.
    pub old: Option<serde_json::Value>,
    /// As `old`.
    pub new: Option<serde_json::Value>,
}

/// The times of cases of the rules that passed in both runs. A ratio is the time of a case in the newer run over that
/// in the older one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Timing {
    /// The number of compared rules.
    pub rules: u64,
    /// The median of the ratios.
    pub median: f64,
    /// A 95 % interval of the median from the ranks of the ratios; `None`: there are fewer than six rules.
    pub interval: Option<[f64; 2]>,
    /// The median distance of a ratio from the median, as a factor.
    pub spread: f64,
    /// Rules that became slower or faster by much more than the others, the slowest first.
    pub outliers: Vec<SlowRule>,
    /// The budget in percent, if set.
    pub budget: Option<f64>,
    /// Times that exceed the budget, in words.
    pub exceeded: Vec<String>,
}

/// A rule whose time changed differently from that of the others.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SlowRule {
    pub rule: String,
    /// Time of a case in the newer run over that in the older one.
    pub ratio: f64,
    /// Nanoseconds of a case.
    pub old: u64,
    /// As `old`.
    pub new: u64,
}

/// The statistical tests of a comparison together.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Family {
    /// The greatest chance of any false finding if nothing changed.
    pub level: f64,
    pub tests: u64,
    pub method: String,
}
