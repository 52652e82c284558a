//! Why a case cannot be judged, or a worker cannot go on: mistakes of a rule, of the suite, of the machine; never of the
//! library.

use std::fmt;
use std::io;
use std::path::PathBuf;

use abi::Type;
use steps::evaluate::EvaluationError;
use steps::types::c_name;

/// What is wrong with a case.
#[derive(Debug)]
#[non_exhaustive]
pub(super) enum Fault {
    /// An expression has no value.
    Evaluation(EvaluationError),
    /// An array is used before its declaration was executed.
    UndeclaredArray(String),
    /// The rule itself reads or writes through a null pointer.
    NullPointer,
    /// A built-in got a null pointer.
    NullArgument,
    /// An index is outside its array.
    OutsideArray,
    /// An access is outside an array.
    OutsideRoom { offset: usize, room: usize },
    /// A value of this type cannot be computed with.
    NoValue,
    /// A value does not fit where it is stored.
    DoesNotFit { value: i128, ty: Type },
    /// A value does not fit the parameter that it is passed for.
    DoesNotFitParameter { value: i128, ty: Type },
    /// A number is not a size of memory.
    Size(i128),
    /// A number is not the length of an array.
    Length(i128),
    /// `host()` with an alignment that it does not know.
    HostAlignment,
    /// `ALIGN_UP` to a multiple of nothing.
    AlignUp,
    /// Memory that a built-in needs.
    Memory { what: String, source: io::Error },
    /// A file that a built-in needs.
    File { path: PathBuf, source: io::Error },
    /// A loop would not end in time.
    Rounds { rounds: i128, most: i128 },
    /// Control flow is to be performed by an actor, or something else as control flow.
    Flow,
    /// A process that has ended is to perform a statement.
    Gone,
    /// A variable of another process arrived in pieces.
    BrokenVariable,
    /// A thread of the case ended early.
    ThreadEnded,
    /// A part of the life cycle could not be done.
    LifeCycle(String),
    /// The supervisor cannot be heard or told.
    Link(WorkerFault),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Evaluation(error) => error.fmt(f),
            Fault::UndeclaredArray(name) => write!(f, "array `{name}` is used before its declaration was executed"),
            Fault::NullPointer => f.write_str("a null pointer is read or written by the rule itself"),
            Fault::NullArgument => f.write_str("a built-in got a null pointer"),
            Fault::OutsideArray => f.write_str("an index is outside its array"),
            Fault::OutsideRoom { offset, room } => {
                write!(f, "an access at byte {offset} is outside an array of {room} bytes")
            }
            Fault::NoValue => f.write_str("a value of this type cannot be computed with"),
            Fault::DoesNotFit { value, ty } => {
                write!(f, "{value} does not fit a {}; cast it if the wrap is meant", c_name(*ty))
            }
            Fault::DoesNotFitParameter { value, ty } => {
                write!(f, "{value} does not fit a parameter of type {}", c_name(*ty))
            }
            Fault::Size(value) => write!(f, "{value} is no size of memory"),
            Fault::Length(value) => write!(f, "{value} is no length of an array"),
            Fault::HostAlignment => f.write_str("the alignment of host() is a power of two up to 2 MiB"),
            Fault::AlignUp => f.write_str("ALIGN_UP to a multiple of nothing"),
            Fault::Memory { what, source } => write!(f, "{what}: {source}"),
            Fault::File { path, source } => write!(f, "cannot write {}: {source}", path.display()),
            Fault::Rounds { rounds, most } => {
                write!(f, "the loop would run {rounds} times; at most {most} are allowed")
            }
            Fault::Flow => f.write_str("control flow is not performed by an actor"),
            Fault::Gone => f.write_str("a process that ended has no further statements"),
            Fault::BrokenVariable => f.write_str("a variable arrived in pieces"),
            Fault::ThreadEnded => f.write_str("a thread of the case ended early"),
            Fault::LifeCycle(message) => f.write_str(message),
            Fault::Link(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

impl From<EvaluationError> for Fault {
    fn from(error: EvaluationError) -> Fault {
        Fault::Evaluation(error)
    }
}

impl From<WorkerFault> for Fault {
    fn from(error: WorkerFault) -> Fault {
        Fault::Link(error)
    }
}

/// Why a worker cannot go on.
#[derive(Debug)]
#[non_exhaustive]
pub(super) enum WorkerFault {
    /// This executable has no tables of the runtime.
    UnknownRuntime(String),
    /// The environment lacks what the supervisor sets.
    NotSet(&'static str),
    /// The operating system refused.
    Io { what: String, source: io::Error },
    /// A message cannot be written or understood.
    Message { what: &'static str, source: serde_json::Error },
    /// Another message was expected.
    Unexpected { expected: &'static str, got: String },
    /// The catalog cannot be used any more.
    Catalog(String),
    /// The catalog is another one than the supervisor's.
    CatalogChanged(PathBuf),
    /// The catalog has no such rule or product.
    Unknown { what: &'static str, name: String },
}

impl WorkerFault {
    pub(super) fn io(what: impl fmt::Display, source: io::Error) -> WorkerFault {
        WorkerFault::Io { what: what.to_string(), source }
    }
}

impl fmt::Display for WorkerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkerFault::UnknownRuntime(name) => write!(f, "this executable has no bindings for `{name}`"),
            WorkerFault::NotSet(name) => write!(f, "{name} is not set"),
            WorkerFault::Io { what, source } => write!(f, "{what}: {source}"),
            WorkerFault::Message { what, source } => write!(f, "{what}: {source}"),
            WorkerFault::Unexpected { expected, got } => write!(f, "expected {expected}, got {got}"),
            WorkerFault::Catalog(error) => f.write_str(error),
            WorkerFault::CatalogChanged(root) => {
                write!(f, "the catalog in {} changed while the run was going on; start the run again", root.display())
            }
            WorkerFault::Unknown { what, name } => write!(f, "the catalog has no {what} `{name}`"),
        }
    }
}

impl std::error::Error for WorkerFault {}
