//! What two runs do not have in common, as data. `reports/schema/diff.schema.json` is made from these types.

use schemars::JsonSchema;
use serde::Serialize;

/// Two runs, compared.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Difference {
    /// Version of this format.
    pub format: u32,
    pub old: Side,
    pub new: Side,
    /// What the runs do not have in common so that something could not be compared, or means less.
    pub remarks: Vec<String>,
    /// Rules with a result in both runs that stand in no list.
    pub unchanged: u64,
    /// Rules whose verdict or symptom is another, the worst first.
    pub changes: Vec<RuleChange>,
    /// What became different though nothing broke, the strongest first.
    pub drift: Vec<Drift>,
    /// What has an answer in one run only, and why.
    pub coverage: Vec<CoverageChange>,
    /// Every field of the runs' first lines that differs.
    pub fields: Vec<FieldChange>,
    /// `None`: no rule passed in both.
    pub timing: Option<Timing>,
    pub family: Family,
}

impl Difference {
    /// The version of the format that this suite writes.
    pub const FORMAT: u32 = 1;
}

/// One of the runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Side {
    /// The file or folder that was read.
    pub path: String,
    /// The run's name.
    pub run: String,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// What was tested: the library, and whether it is the simulated device.
    pub tested: String,
    pub product: String,
    /// Results that the run has.
    pub results: u64,
    /// Whether the run reached its end.
    pub ended: bool,
}

/// What changed about a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It held, and is broken.
    Regression,
    /// It is broken, and had no answer before.
    NewFailure,
    /// It is broken in another way than before.
    OtherSymptom,
    /// It fails sometimes, in one of the runs or in both, and the rates are no news.
    Flake,
    /// It was broken, and holds.
    Fix,
}

/// A rule whose verdict or symptom is another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleChange {
    pub rule: String,
    pub title: String,
    /// `must` or `info`, as the newer run says.
    pub level: String,
    pub change: Change,
    /// `None`: the run has no result of the rule.
    pub old: Option<RuleOutcome>,
    /// As `old`.
    pub new: Option<RuleOutcome>,
    /// Of a flake: how likely rates at least as different are where nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Of a flake: whether the rates differ more than chance explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub significant: Option<bool>,
}

/// What a run says of a rule.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleOutcome {
    pub verdict: String,
    pub reason: String,
    /// How it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symptom: Option<Symptom>,
    /// How often, where it was run again: failed, runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<[u64; 2]>,
}

/// How a rule fails: two failures with equal symptoms are taken for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Symptom {
    pub verdict: String,
    /// The statement that does not hold, as the catalog has it.
    pub check: String,
    /// The code that a call answered with, if the failure names one.
    pub code: Option<String>,
    /// The call that the failure names, if it names one.
    pub call: Option<String>,
}

/// What kind of behavior drifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DriftKind {
    /// Which code a call answers with, where no document says.
    Code,
    /// A value that a rule observes, or one of several that the documents allow.
    Value,
    /// A check that may hold in several ways, or is only reported.
    Check,
    /// The verdict of a rule of level `info`, a way of being right, or a rule that is blocked by a function that no broken rule
    /// of the run owns.
    Verdict,
}

/// Behavior that became different though nothing broke.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Drift {
    pub rule: String,
    pub kind: DriftKind,
    /// The call, check or value.
    pub what: String,
    /// How different the answers are: half of the sum of the differences of their shares (total variation), 0 to 1.
    pub strength: f64,
    /// How likely shares at least as different are where nothing changed; `None`: the same question always had one answer,
    /// and now always has another.
    pub p: Option<f64>,
    pub old: Vec<Share>,
    pub new: Vec<Share>,
}

/// One answer with how often it was given.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Share {
    pub answer: String,
    /// Cases in which it was given.
    pub cases: u64,
    /// A case in which it was given, as `--case` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
}

/// Where a rule has an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CoverageKind {
    /// In both runs before, in the newer one no more.
    OnlyOld,
    /// In the newer run, and not in the older one.
    OnlyNew,
    /// The rule does not exist in the newer run's catalog.
    Gone,
    /// The rule did not exist in the older run's catalog.
    New,
    /// In both runs, and on no device in both.
    OtherDevice,
}

/// A rule that has an answer in one run only.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CoverageChange {
    pub rule: String,
    pub kind: CoverageKind,
    /// The verdict of the run that has an answer.
    pub verdict: String,
    /// Why the other one has none.
    pub why: String,
}

/// A field of the first line of a journal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FieldChange {
    /// For example `library.sha256`.
    pub field: String,
    /// As JSON; `None`: the field is not there.
    pub old: Option<serde_json::Value>,
    /// As `old`.
    pub new: Option<serde_json::Value>,
}

/// How long cases took: over the rules that passed in both runs, time of a case in the newer run over that in the older.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Timing {
    /// Rules that were compared.
    pub rules: u64,
    /// The median of the ratios.
    pub median: f64,
    /// A 95 % interval of the median from the ranks of the ratios; `None`: there are fewer than six rules.
    pub interval: Option<[f64; 2]>,
    /// The median distance of a ratio from the median, as a factor.
    pub spread: f64,
    /// Rules that became slower or faster by much more than the others, the slowest first.
    pub outliers: Vec<SlowRule>,
    /// In percent, if one was set.
    pub budget: Option<f64>,
    /// What is over the budget.
    pub exceeded: Vec<String>,
}

/// A rule whose time changed otherwise than that of the others.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SlowRule {
    pub rule: String,
    /// Time of a case in the newer run over that in the older.
    pub ratio: f64,
    /// Nanoseconds of a case.
    pub old: u64,
    /// As `old`.
    pub new: u64,
}

/// The tests that were made together.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Family {
    /// The chance that any of them says something where nothing changed is at most this.
    pub level: f64,
    pub tests: u64,
    pub method: String,
}
