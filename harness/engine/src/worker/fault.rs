//! Why a case stops, cannot be judged, or a worker cannot go on. Faults are mistakes of a rule, of the suite, of the machine; never of the
//! library.

use std::io;
use std::path::PathBuf;

use abi::Type;
use steps::evaluate::EvaluationError;
use steps::types::c_name;
use thiserror::Error;

use crate::wire::advice;

/// What is wrong with a case.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(super) enum Fault {
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    #[error("array `{0}` is used before its declaration was executed")]
    UndeclaredArray(String),
    #[error("a null pointer is read or written by the rule itself")]
    NullPointer,
    #[error("a built-in got a null pointer")]
    NullArgument,
    #[error("an index is outside its array")]
    OutsideArray,
    #[error("an access at byte {offset} is outside an array of {room} bytes")]
    OutsideRoom { offset: usize, room: usize },
    #[error("a value of this type cannot be computed with")]
    NoValue,
    #[error("{value} does not fit a {}; cast it if the wrap is meant", c_name(*.ty))]
    DoesNotFit { value: i128, ty: Type },
    #[error("{value} does not fit a parameter of type {}", c_name(*.ty))]
    DoesNotFitParameter { value: i128, ty: Type },
    #[error("{0} is no size of memory")]
    Size(i128),
    #[error("{0} is no length of an array")]
    Length(i128),
    #[error("the alignment of host() is a power of two up to 2 MiB")]
    HostAlignment,
    #[error("ALIGN_UP to a multiple of nothing")]
    AlignUp,
    #[error("this is not a gate of the case; `gate()` makes one")]
    NoGate,
    /// Memory that a built-in needs.
    #[error("{what}: {source}{}", advice(.source))]
    Memory { what: String, source: io::Error },
    /// A file that a built-in needs.
    #[error("cannot write {path}: {source}{}", advice(.source))]
    File { path: PathBuf, source: io::Error },
    #[error("the loop would run {rounds} times; at most {most} are allowed")]
    Rounds { rounds: i128, most: i128 },
    #[error("the case chose an alternative that is not there")]
    NoAlternative,
    /// Control flow is to be performed by an actor, or something else as control flow.
    #[error("control flow is not performed by an actor")]
    Flow,
    #[error("a process that ended has no further statements")]
    Gone,
    /// A variable of another process.
    #[error("a variable arrived in pieces")]
    BrokenVariable,
    #[error("a thread of the case ended early")]
    ThreadEnded,
    #[error("a thread of the case cannot be started: {source}{}", advice(.source))]
    NoThread { source: io::Error },
    #[error("the case executed more than {0} statements: bound the rounds of its loops")]
    Steps(u64),
    /// A part of the life cycle could not be done.
    #[error("{0}")]
    LifeCycle(String),
    /// The supervisor cannot be heard or told.
    #[error(transparent)]
    Link(#[from] WorkerFault),
}

/// Why the execution of a case stopped before its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// The rule, or its set-up, failed: the report says how.
    Failed,
    /// Another process of the case failed or ended the case.
    Elsewhere,
    /// The case cannot be judged.
    Fault(Box<Fault>),
}

impl<E: Into<Fault>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Fault(Box::new(error.into()))
    }
}

/// Why a worker cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(super) enum WorkerFault {
    #[error("this executable has no bindings for `{0}`")]
    UnknownRuntime(String),
    #[error("{0} is not set")]
    NotSet(&'static str),
    /// The operating system refused.
    #[error("{what}: {source}{}", advice(.source))]
    Io { what: String, source: io::Error },
    /// A message cannot be written or understood.
    #[error("{what}: {source}")]
    Message { what: &'static str, source: serde_json::Error },
    #[error("expected {expected}, got {got}")]
    Unexpected { expected: &'static str, got: String },
    /// The catalog cannot be used any more.
    #[error("{0}")]
    Catalog(String),
    #[error("the catalog in {0} changed while the run was going on; start the run again")]
    CatalogChanged(PathBuf),
    #[error("the catalog has no {what} `{name}`")]
    Unknown { what: &'static str, name: String },
}

impl WorkerFault {
    pub(super) fn io(what: impl ToString, source: io::Error) -> WorkerFault {
        WorkerFault::Io { what: what.to_string(), source }
    }
}
