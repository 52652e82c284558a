//! What supervisor and worker say to each other: JSON, one message a line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::case::{Budget, CaseFailure, CaseReport, FailedCall, SearchResult, Trouble, Value};
use catalog::Alternative;
use record::MemoryLimit;
use steps::judgment::Judgment;
use steps::program::Readiness;
use steps::{StatementId, VariableId};

/// From the supervisor.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Load the catalog and the library, and set the process up.
    Start(Box<Start>),
    /// Ask the runtime about itself.
    Query,
    /// Have the device do the known operation.
    Gate,
    /// Measure the time that the device takes for the steps of api.yaml's `pace`.
    Pace,
    /// Have the device perform a capability's steps, by the capability's position.
    Capability(usize),
    /// Which of these functions does the library export?
    Exports(Vec<String>),
    /// Run a rule's cases.
    Run(Box<RunRule>),
    /// Take part in one case of a rule of several processes.
    Case(Box<RunCase>),
    /// What another process did.
    Turn(Turn),
    /// Release what was acquired at or after this point of the case.
    Release(u64),
    /// The case is over: restore.
    EndCase,
    /// Tear down and end.
    Stop,
}

/// How a worker starts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Start {
    /// The folder of the catalog; `None`: the one that the executable carries.
    pub specs: Option<PathBuf>,
    /// Of the chapters, read only the one in this file of the runtime's folder.
    pub only: Option<String>,
    /// Digest of the catalog that the supervisor read; `None` when only one chapter is read.
    pub digest: Option<String>,
    /// The runtime's libraries, in the order of the catalog; `None`: an optional one that is not there.
    pub libraries: Vec<Option<PathBuf>>,
    pub state: Readiness,
    pub device: u32,
    /// The product as far as it is known: its life cycle sets the process up.
    pub product: String,
    /// Bytes of data that the process gets beside what it has once it is set up; `None`: there is no limit.
    pub memory: Option<u64>,
    /// The library did not return when it was asked for an error's text: it is not asked again.
    #[serde(default)]
    pub mute: bool,
}

/// Which rule to run, and how.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunRule {
    pub rule: String,
    pub product: String,
    pub devices: u32,
    /// Length of a wait that is expected to succeed, in milliseconds.
    pub patience: u32,
    pub seed: u64,
    pub budget: Budget,
    /// Known counterexamples, tried first.
    pub known: Vec<Json>,
    /// Run these cases, in this order, and no others; none: run the plan.
    pub only: Vec<Json>,
    /// For proofs: what this run does not judge.
    #[serde(default)]
    pub ignored: Option<Judgment>,
    /// Statements whose checks are only reported, by id: their clauses do not hold in the library's edition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<StatementId>,
    /// Alternatives of `choose` that are not drawn, because the product does not offer them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Alternative>,
    /// For proofs: run all cases and count those that fail.
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
    /// Which process of the rule this worker is.
    pub process: usize,
    pub number: u64,
    pub values: Vec<Value>,
    pub salt: u64,
    /// For proofs: what this run does not judge.
    #[serde(default)]
    pub ignored: Option<Judgment>,
    /// Statements whose checks are only reported, by id: their clauses do not hold in the library's edition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<StatementId>,
    /// Alternatives of `choose` that are not drawn, because the product does not offer them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Alternative>,
}

/// What the runtime answered, by question.
pub type Answers = Vec<(String, Result<String, String>)>;

/// From the worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Started(Started),
    /// What is in the way of starting.
    NotStarted(Trouble),
    /// The worker itself is in trouble: the suite's fault, not the library's.
    Trouble(String),
    Answers(Answers),
    /// What did not go as it must.
    Gate(Option<Trouble>),
    /// Nanoseconds of the longest of several measurements, or a description of the failed step.
    Pace(Result<u64, Trouble>),
    Exported(Vec<bool>),
    Searched(Box<SearchResult>),
    /// The judgment of the running case: the library is asked for the text of its error next. `None`: it has answered.
    Judged(Option<Box<CaseFailure>>),
    Turn(Turn),
    /// The steps of a case are done.
    Stepped(Box<Stepped>),
    /// The releases that failed, and the first of them.
    Released(Vec<String>, Option<FailedCall>),
    /// Ready for the next case.
    Ready(CaseEnd),
    /// Torn down; the process ends next.
    Stopped,
}

/// A worker that has started.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Started {
    /// Whether the library calls itself the simulated device.
    pub simulated: Option<String>,
    /// Nanoseconds of loading the library and setting it up.
    pub nanoseconds: u64,
    /// What the library changed of its process meanwhile. It stays: the library may need it.
    pub changed: Option<String>,
    /// Why optional libraries that are there were not loaded.
    #[serde(default)]
    pub unloaded: Vec<String>,
}

/// The end of a case in one process.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CaseEnd {
    /// Why the life cycle could not be restored.
    pub trouble: Option<Trouble>,
    /// What the library did to its process: see [`SearchResult::findings`].
    pub manners: Vec<String>,
    /// The process reached its memory limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<MemoryLimit>,
}

/// The end of the steps in one process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Stepped {
    pub report: CaseReport,
    /// When what is still held was acquired.
    pub held: Vec<u64>,
    /// A code was seen after which the process is of no further use.
    pub fatal: Option<String>,
}

/// Passed on when the turn passes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Turn {
    /// Variables by position, with their bytes in hex.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(VariableId, String)>,
    /// The case failed in the process that had the turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The process that had the turn ends after this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<usize>,
    /// The process that is to be killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill: Option<usize>,
}
