//! The protocol between supervisor and worker: JSON, one message per line.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::case::{Budget, CaseFailure, CaseReport, FailedCall, SearchResult, Trouble, Value};
use catalog::Alternative;
use record::MemoryLimit;
use steps::judgment::Judgment;
use steps::program::Readiness;
use steps::{StatementId, VariableId};

/// A request from the supervisor.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Load the library, and prepare the process.
    Start(Box<Start>),
    /// Query the runtime about itself.
    Query,
    /// Perform the known operation on the device.
    Gate,
    /// Measure the time that the steps in api.yaml's `pace` take.
    Pace,
    /// Ask for a capability, which is given by position.
    Capability(usize),
    /// Perform the steps of a trial, which is given by position.
    Trial(usize),
    /// Report the bytes that the process has allocated from the C library's heap.
    Heap,
    /// Report which of these functions the library exports.
    Exports(Vec<String>),
    /// Keep this rule, whose bytes are in hexadecimal, for the requests that follow.
    Rule(String),
    /// Run a rule's cases.
    Run(Box<RunRule>),
    /// Take part in one case of a rule that has several processes.
    Case(Box<RunCase>),
    /// A turn, from another process.
    Turn(Turn),
    /// Release the resources that the case acquired at or after this tick.
    Release(u64),
    /// End the case and restore the process.
    EndCase,
    /// Tear down and exit.
    Stop,
}

/// The parameters for starting a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Start {
    /// The catalog without its rules, in hexadecimal.
    pub head: Arc<str>,
    /// The runtime's libraries, in catalog order; `None` for a missing optional library.
    pub libraries: Vec<Option<PathBuf>>,
    pub state: Readiness,
    pub device: u32,
    /// The product, if known. The product's life cycle prepares the process.
    pub product: String,
    /// The number of data bytes that the process may use in addition to its memory after start-up; `None` for no
    /// limit.
    pub memory: Option<u64>,
    /// True if the memory of a case becomes inaccessible when the case has ended.
    #[serde(default)]
    pub fenced_memory: bool,
    /// The Python module through which calls are made; `None` for calls in C.
    #[serde(default)]
    pub through: Option<Through>,
    /// True if the library once did not return from a query for an error text. The library is then not queried again.
    #[serde(default)]
    pub mute: bool,
}

/// The Python interpreter through which a worker makes calls, and the module's place.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Through {
    /// The interpreter's shared library.
    pub interpreter: PathBuf,
    /// The folders in which the interpreter finds modules.
    pub path: Vec<String>,
    /// The text of an embedded module: the names of its parts, packages first, each with its text.
    pub sources: Vec<(String, String)>,
}

/// The rule to run, and its settings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunRule {
    pub rule: String,
    /// The rule's bytes in hexadecimal, which are sent once to each worker ([`Request::Rule`]).
    #[serde(skip)]
    pub bytes: Arc<str>,
    pub product: String,
    pub devices: u32,
    /// The duration of a wait that should succeed, in milliseconds.
    pub patience: u32,
    pub seed: u64,
    pub budget: Budget,
    /// Known counterexamples, tried first.
    pub known: Vec<Json>,
    /// The only cases to run, in this order. If this list is empty, the plan is run.
    pub only: Vec<Json>,
    /// For proofs: a judgment that this run leaves out.
    #[serde(default)]
    pub ignored: Option<Judgment>,
    /// The ids of statements whose checks are only reported, because their clauses do not apply to the library's
    /// edition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<StatementId>,
    /// The alternatives of `choose` that are not drawn because the product does not offer them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Alternative>,
    /// For proofs: true to run all cases and count the failing cases.
    #[serde(default)]
    pub counts: bool,
}

/// One case for one of a rule's processes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunCase {
    pub rule: String,
    /// See [`RunRule::bytes`].
    #[serde(skip)]
    pub bytes: Arc<str>,
    pub product: String,
    pub devices: u32,
    /// See [`RunRule::patience`].
    pub patience: u32,
    /// The position of this worker's process in the rule.
    pub process: usize,
    pub number: u64,
    pub values: Vec<Value>,
    pub salt: u64,
    /// The recorder in whose memory the lanes of several processes meet, by its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meeting: Option<String>,
    /// For proofs: a judgment that this run leaves out.
    #[serde(default)]
    pub ignored: Option<Judgment>,
    /// The ids of statements whose checks are only reported, because their clauses do not apply to the library's
    /// edition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<StatementId>,
    /// The alternatives of `choose` that are not drawn because the product does not offer them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Alternative>,
}

/// The runtime's answers, each with its query.
pub type Answers = Vec<(String, Result<String, String>)>;

/// A reply from the worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Started(Started),
    /// The reason why the worker did not start.
    NotStarted(Trouble),
    /// A failure of the worker, caused by the suite and not by the library.
    Trouble(String),
    Answers(Answers),
    /// The device's answer for a capability, or the reason why the query failed.
    Capability(Result<String, String>),
    /// The failed step, if any.
    Gate(Option<Trouble>),
    /// The longest of several measurements, in nanoseconds, or the failed step.
    Pace(Result<u64, Trouble>),
    Exported(Vec<bool>),
    /// The allocated bytes; `None` if the C library does not report them.
    Heap(Option<u64>),
    Searched(Box<SearchResult>),
    /// The judgment of the current case, sent before the library is queried for an error text. `None` after the library
    /// has answered.
    Judged(Option<Box<CaseFailure>>),
    Turn(Turn),
    /// The steps of a case are done.
    Stepped(Box<Stepped>),
    /// The failed releases, and the first failed call.
    Released(Vec<String>, Option<FailedCall>),
    /// The process is ready for the next case.
    Ready(CaseEnd),
    /// The process has been torn down, and exits next.
    Stopped,
}

/// A started worker.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Started {
    /// The name by which a simulated device identifies itself.
    pub simulated: Option<String>,
    /// The time taken to load and prepare the library, in nanoseconds.
    pub nanoseconds: u64,
    /// Changes that the library made to its process during start-up. The changes are kept, because the library may need
    /// them.
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
    /// Changes that the library made to its process (see [`SearchResult::findings`]).
    pub manners: Vec<String>,
    /// Set if the process reached its memory limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<MemoryLimit>,
}

/// The end of the steps in one process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Stepped {
    pub report: CaseReport,
    /// The ticks at which the resources still held were acquired.
    pub held: Vec<u64>,
    /// The code, if any, after which the process is unusable.
    pub fatal: Option<String>,
}

/// A recorded call of a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenCall {
    /// The position of the history in the catalog.
    pub history: usize,
    pub record: history::Record,
}

/// The state that is passed on with the turn.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Turn {
    /// The bytes of variables in hexadecimal, each with the variable's position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(VariableId, String)>,
    /// The calls of histories since the process last had the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<SeenCall>,
    /// True if the case failed in the process that had the turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The process that had the turn, if that process ends after the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<usize>,
    /// The process to kill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill: Option<usize>,
    /// The process that hands a descriptor over to the process that had the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hands: Option<usize>,
}
