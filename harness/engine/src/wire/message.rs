//! The protocol between supervisor and worker: JSON, one message per line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::case::{Budget, CaseFailure, CaseReport, FailedCall, SearchResult, Trouble, Value};
use catalog::Alternative;
use record::MemoryLimit;
use steps::judgment::Judgment;
use steps::program::Readiness;
use steps::{StatementId, VariableId};

/// A request of the supervisor.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Load the catalog and the library, and set the process up.
    Start(Box<Start>),
    /// Query the runtime about itself.
    Query,
    /// Make the device perform the known operation.
    Gate,
    /// Measure the time of the steps of api.yaml's `pace`.
    Pace,
    /// Make the device perform a capability's steps; the capability is given by position.
    Capability(usize),
    /// Report which of these functions the library exports.
    Exports(Vec<String>),
    /// Run a rule's cases.
    Run(Box<RunRule>),
    /// Take part in one case of a rule of several processes.
    Case(Box<RunCase>),
    /// The turn of another process.
    Turn(Turn),
    /// Release the resources acquired at or after this point of the case.
    Release(u64),
    /// End the case and restore the process.
    EndCase,
    /// Tear down and exit.
    Stop,
}

/// The start of a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Start {
    /// The folder of the catalog; `None` for the embedded one.
    pub specs: Option<PathBuf>,
    /// The only chapter to read, by its file in the runtime's folder.
    pub only: Option<String>,
    /// Digest of the supervisor's catalog; `None` if only one chapter is read.
    pub digest: Option<String>,
    /// The runtime's libraries, in the order of the catalog; `None` for a missing optional one.
    pub libraries: Vec<Option<PathBuf>>,
    pub state: Readiness,
    pub device: u32,
    /// The product as far as it is known; its life cycle sets the process up.
    pub product: String,
    /// Bytes of data that the process may use in addition to its memory after set-up; `None` for no limit.
    pub memory: Option<u64>,
    /// True if the library once did not return from the query for an error text; it is not queried again.
    #[serde(default)]
    pub mute: bool,
}

/// The rule to run, and its settings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunRule {
    pub rule: String,
    pub product: String,
    pub devices: u32,
    /// Length of a wait that should succeed, in milliseconds.
    pub patience: u32,
    pub seed: u64,
    pub budget: Budget,
    /// Known counterexamples, tried first.
    pub known: Vec<Json>,
    /// The only cases to run, in this order; empty for the plan.
    pub only: Vec<Json>,
    /// For proofs: a judgment that this run ignores.
    #[serde(default)]
    pub ignored: Option<Judgment>,
    /// Statements whose checks are only reported, by id: their clauses do not apply to the library's edition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<StatementId>,
    /// Alternatives of `choose` that are not drawn, because the product does not offer them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Alternative>,
    /// For proofs: run all cases and count the failing ones.
    #[serde(default)]
    pub counts: bool,
}

/// One case for one process of a rule.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunCase {
    pub rule: String,
    pub product: String,
    pub devices: u32,
    /// See [`RunRule::patience`].
    pub patience: u32,
    /// Position of this worker's process in the rule.
    pub process: usize,
    pub number: u64,
    pub values: Vec<Value>,
    pub salt: u64,
    /// For proofs: a judgment that this run ignores.
    #[serde(default)]
    pub ignored: Option<Judgment>,
    /// Statements whose checks are only reported, by id: their clauses do not apply to the library's edition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<StatementId>,
    /// Alternatives of `choose` that are not drawn, because the product does not offer them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Alternative>,
}

/// The runtime's answers, by query.
pub type Answers = Vec<(String, Result<String, String>)>;

/// A reply of the worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Started(Started),
    /// The obstacle to starting.
    NotStarted(Trouble),
    /// A failure of the worker itself, caused by the suite and not the library.
    Trouble(String),
    Answers(Answers),
    /// The failure of the operation, if any.
    Gate(Option<Trouble>),
    /// Nanoseconds of the longest of several measurements, or the failed step.
    Pace(Result<u64, Trouble>),
    Exported(Vec<bool>),
    Searched(Box<SearchResult>),
    /// The judgment of the running case; the library is queried for its error text next. `None` after its answer.
    Judged(Option<Box<CaseFailure>>),
    Turn(Turn),
    /// The steps of a case are done.
    Stepped(Box<Stepped>),
    /// The failed releases, and the first failed call.
    Released(Vec<String>, Option<FailedCall>),
    /// Ready for the next case.
    Ready(CaseEnd),
    /// Torn down; the process exits next.
    Stopped,
}

/// A started worker.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Started {
    /// The name by which a simulated device identifies itself.
    pub simulated: Option<String>,
    /// Nanoseconds of loading and setting up the library.
    pub nanoseconds: u64,
    /// Changes that the library made to its process during set-up. They are kept: the library may need them.
    pub changed: Option<String>,
    /// The reasons why available optional libraries were not loaded.
    #[serde(default)]
    pub unloaded: Vec<String>,
}

/// The end of a case in one process.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CaseEnd {
    /// The reason why the life cycle could not be restored.
    pub trouble: Option<Trouble>,
    /// Changes that the library made to its process: see [`SearchResult::findings`].
    pub manners: Vec<String>,
    /// Set if the process reached its memory limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<MemoryLimit>,
}

/// The end of the steps in one process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Stepped {
    pub report: CaseReport,
    /// The acquisition times of the resources still held.
    pub held: Vec<u64>,
    /// A code after which the process is unusable.
    pub fatal: Option<String>,
}

/// The state passed on with the turn.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Turn {
    /// Variables by position, with their bytes in hex.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(VariableId, String)>,
    /// True if the case failed in the process that had the turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The process that had the turn ends after this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<usize>,
    /// The process to kill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill: Option<usize>,
}
