//! The reasons why a case stops or cannot be judged, and why a worker fails. Faults are mistakes in a rule, the
//! suite or the machine, except for a descriptor of the library that is not open.

use catalog::book::BookError;
use std::io;
use std::path::PathBuf;

use abi::Type;
use steps::evaluate::EvaluationError;
use steps::types::c_name;
use thiserror::Error;

use crate::wire::advice;

/// A fault in the execution of a case.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(super) enum Fault {
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    #[error("array `{0}` is used before its declaration was executed")]
    UndeclaredArray(String),
    #[error("the rule itself reads or writes a null pointer")]
    NullPointer,
    #[error("a built-in got a null pointer")]
    NullArgument,
    #[error("an index is outside its array")]
    OutsideArray,
    #[error("an access at byte {offset} is outside an array of {room} bytes")]
    OutsideRoom { offset: usize, room: usize },
    #[error("a value of this type cannot be used in a calculation")]
    NoValue,
    #[error("{value} does not fit a {}; cast it if wrapping is intended", c_name(*.ty))]
    DoesNotFit { value: i128, ty: Type },
    #[error("{value} does not fit a parameter of type {}", c_name(*.ty))]
    DoesNotFitParameter { value: i128, ty: Type },
    #[error("{0} is not a valid memory size")]
    Size(i128),
    #[error("{0} is not a valid array length")]
    Length(i128),
    #[error("the alignment of host() must be a power of two up to 2 MiB")]
    HostAlignment,
    #[error("ALIGN_UP to a multiple of 0")]
    AlignUp,
    #[error("this is not one of the case's gates; `gate()` creates one")]
    NoGate,
    #[error("the hooks of more than {0} callback types are used")]
    Hooks(usize),
    #[error("the latest call with the gate has no argument {0}: it has {1}")]
    NoArgument(i128, usize),
    /// There was not enough memory for a built-in.
    #[error("{what}: {source}{}", advice(.source))]
    Memory { what: String, source: io::Error },
    /// A file for a built-in could not be written.
    #[error("cannot write {path}: {source}{}", advice(.source))]
    File { path: PathBuf, source: io::Error },
    #[error("the loop would run {rounds} times; at most {most} are allowed")]
    Rounds { rounds: i128, most: i128 },
    #[error("the case chose an unknown alternative")]
    NoAlternative,
    /// Control flow was performed as an actor's statement, or another statement as control flow.
    #[error("control flow cannot be performed by an actor")]
    Flow,
    #[error("the call to end has not begun")]
    NotBegun,
    #[error("a process that has ended cannot execute statements")]
    Gone,
    /// The process that should hand a descriptor over has ended.
    #[error("{process} has ended, and its descriptors with it; hand `{name}` over before {process} ends")]
    HandedGone { process: String, name: String },
    /// A number that is not an open descriptor of its process.
    #[error(
        "{what} is {number}, which is not an open descriptor{}",
        if *.of_library { "" } else { "; use the number that a call or `handed` has opened" }
    )]
    NotOpen {
        what: String,
        number: i128,
        /// True if the number came from the library or from another process.
        of_library: bool,
    },
    /// A number that `shut` does not close.
    #[error("{what} is {number}, which was open before the case; `shut` only closes what the case has opened")]
    NotOurs { what: String, number: i128, of_library: bool },
    /// The system did not pass a descriptor on.
    #[error("cannot hand `{name}` over: {source}{}", advice(.source))]
    Handing { name: String, source: io::Error },
    /// A variable from another process is incomplete.
    #[error("a variable arrived incomplete")]
    BrokenVariable,
    #[error("`{name}` has more than {most} calls, which are not all recorded; use fewer rounds")]
    LongHistory { name: String, most: usize },
    #[error("the search for an order of {calls} calls of `{name}` was ended undecided; use fewer calls at once")]
    Undecided { name: String, calls: usize },
    #[error("{0}")]
    Misfit(String),
    #[error("a thread of the case ended early")]
    ThreadEnded,
    #[error("cannot start a thread of the case: {source}{}", advice(.source))]
    NoThread { source: io::Error },
    #[error("the case executed more than {0} statements: limit the iterations of its loops")]
    Steps(u64),
    /// Part of the life cycle failed.
    #[error("{0}")]
    LifeCycle(String),
    /// The connection to the supervisor failed.
    #[error(transparent)]
    Link(#[from] WorkerFault),
}

impl Fault {
    /// True if the library caused the fault, so that the case fails.
    pub(super) fn is_of_library(&self) -> bool {
        matches!(self, Fault::NotOpen { of_library: true, .. } | Fault::NotOurs { of_library: true, .. })
    }
}

/// The reason why the execution of a case stopped early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The rule or its set-up failed. The report has the details.
    Failed,
    /// The case failed in another process, or another process ended the case.
    Elsewhere,
    /// The case cannot be judged.
    Fault(Box<Fault>),
}

impl<E: Into<Fault>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Fault(Box::new(error.into()))
    }
}

/// The reason why a worker fails.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(super) enum WorkerFault {
    #[error("this executable has no bindings for `{0}`")]
    UnknownRuntime(String),
    #[error("{0} is not set")]
    NotSet(&'static str),
    /// An operating-system error.
    #[error("{what}: {source}{}", advice(.source))]
    Io { what: String, source: io::Error },
    /// A message cannot be written or parsed.
    #[error("{what}: {source}")]
    Message { what: &'static str, source: serde_json::Error },
    #[error("expected {expected}, got {got}")]
    Unexpected { expected: &'static str, got: String },
    /// The catalog's bytes cannot be read.
    #[error("{0}")]
    Book(#[from] BookError),
    #[error("the bytes of the catalog are not in hexadecimal")]
    NotHexadecimal,
    #[error("the catalog has no {what} `{name}`")]
    Unknown { what: &'static str, name: String },
}

impl WorkerFault {
    pub(super) fn io(what: impl ToString, source: io::Error) -> WorkerFault {
        WorkerFault::Io { what: what.to_string(), source }
    }
}
