//! How a command ends.

use std::error::Error;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use catalog::coverage::ThresholdError;
use catalog::lint::TO_WRITE;
use catalog::must_pass::MustPassError;
use engine::case::{CaseError, QueryError};
use engine::interface::InterfaceError;
use engine::prove::ProofFileError;
use engine::run::{ExitStatus, RunError, is_missing};
use ledger::history::HistoryError;
use ledger::report::clean;
use rustix::process::{Resource, getrlimit};
use thiserror::Error as ThisError;

use crate::bisect::BisectError;
use crate::certify::CertifyError;
use crate::draft::DraftError;
use crate::reproducer::ReproducerError;

/// Why a command cannot do what it was asked for.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum CommandError {
    /// What has to do with runs: catalog, library, devices, folders.
    #[error(transparent)]
    Run(Box<RunError>),
    #[error("error: --ratchet holds whole chapters to their numbers; leave the names of rules out")]
    PartialRatchet,
    /// Skeletons of rules that are not written to their end.
    #[error(
        "error: {}\n{} to be written, and nothing else was checked; remove the words `{}` with what they ask for",
        .places.join("\nerror: "),
        if places.len() == 1 { "1 thing is".to_owned() } else { format!("{} things are", places.len()) },
        TO_WRITE.trim_end()
    )]
    Unwritten { places: Vec<String> },
    #[error("error: {0}")]
    Draft(#[source] Box<DraftError>),
    /// Functions that no rule can say to be denied.
    #[error(
        "error: {}\ngive each of these functions to the rule of level `must` with its smallest valid use (`owns`)",
        .gaps.join("\n")
    )]
    Unowned { gaps: Vec<String> },
    /// Conditions that discard most of what is drawn.
    #[error("error: {}", .mistakes.join("\n"))]
    Conditions { mistakes: Vec<String> },
    /// Timeouts that do not follow from the run's patience.
    #[error("error: {}", .mistakes.join("\n"))]
    TimeOuts { mistakes: Vec<String> },
    #[error("error: there is no {what} `{given}`{hint}")]
    Filter { what: &'static str, given: String, hint: String },
    /// An executable carries rules and the sentences that they rest on, and no other evidence.
    #[error(
        "error: the executable carries only the sentences that rules name, and no readings; name the specs folder of a \
         checkout with --specs DIR"
    )]
    NoEvidence,
    #[error("error: say what is wanted: --print-path DIR or --list")]
    NothingAsked,
    #[error("error: this runtime has no simulated device; name another with --runtime")]
    NoSimulator,
    #[error("error: {text}: {source}")]
    Query { text: String, source: QueryError },
    /// It is not JSON.
    #[error("error: --case {text}: {source}")]
    CaseText { text: String, source: serde_json::Error },
    /// It is not a case of the rule.
    #[error("error: --case {text}: {error}")]
    Case { text: String, error: CaseError },
    #[error("error: {0}")]
    Print(CaseError),
    #[error("error: --root {path} is no folder; give the folder that holds a machine's files, or leave it out")]
    Root { path: PathBuf },
    #[error("error: {path} is not what the code describes; run `atlas-cts schema`")]
    SchemaDiffers { path: PathBuf },
    /// A file that is not written over.
    #[error("error: {path} is there already, and somebody may have worked on it; name another file, or move it away")]
    Exists { path: PathBuf },
    #[error("error: {path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("error: {0}")]
    Interface(#[source] InterfaceError),
    #[error("error: {0}")]
    Reproducer(#[source] Box<ReproducerError>),
    #[error("error: --like {run}: {rule} is not broken in this run; name one in which it is, or leave --like out")]
    NoSymptom { rule: String, run: PathBuf },
    #[error("error: {0}")]
    Bisect(Box<BisectError>),
    #[error("error: {0}")]
    Certify(#[source] Box<CertifyError>),
    #[error("error: {0}")]
    Proof(#[source] ProofFileError),
    /// A list of what has to hold, or the log of changes, cannot be read.
    #[error("error: {0}")]
    MustPass(#[source] Box<MustPassError>),
    #[error("error: {0}")]
    Threshold(#[source] ThresholdError),
    #[error("error: {0}")]
    History(HistoryError),
    #[error("error: --fail-on timing needs to know how much slower is too slow; give --budget PERCENT too")]
    NoBudget,
}

impl CommandError {
    /// Whether the error is about a missing file or folder that was named.
    fn is_about_something_missing(&self) -> bool {
        let mut next: Option<&(dyn Error + 'static)> = Some(self);
        while let Some(error) = next {
            if error.downcast_ref::<io::Error>().is_some_and(is_missing) {
                return true;
            }
            next = error.source();
        }
        false
    }

    /// The status that the command ends with.
    pub fn exit(&self) -> ExitStatus {
        match self {
            CommandError::Run(error) => error.exit(),
            _ if self.is_about_something_missing() => ExitStatus::Usage,
            CommandError::Certify(error) => error.exit(),
            CommandError::Bisect(error)
                if matches!(**error, BisectError::Folder { .. } | BisectError::Asked { .. }) =>
            {
                ExitStatus::Unknown
            }
            CommandError::File { .. }
            | CommandError::Exists { .. }
            | CommandError::Interface(_)
            | CommandError::Proof(_)
            | CommandError::Threshold(_) => ExitStatus::Unknown,
            CommandError::MustPass(error) if matches!(**error, MustPassError::Io { .. }) => ExitStatus::Unknown,
            CommandError::Draft(error) => error.exit(),
            CommandError::Reproducer(error) if matches!(**error, ReproducerError::Write { .. }) => ExitStatus::Unknown,
            _ => ExitStatus::Usage,
        }
    }
}

impl<E: Into<RunError>> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        CommandError::Run(Box::new(error.into()))
    }
}

/// Number of bytes of stack that a command needs, including its workers and the library.
const STACK: u64 = 1 << 20;

/// Refuses to begin on a stack so small that it would overflow without a message, as if by the library's fault.
pub fn expect_stack() -> Result<(), ExitCode> {
    let Some(limit) = getrlimit(Resource::Stack).current.filter(|limit| *limit < STACK) else { return Ok(()) };
    // If nothing can be printed, the status still tells the user.
    let _ = writeln!(
        io::stderr(),
        "error: the stack is limited to {} KiB, and {} are needed; raise the limit (ulimit -s)",
        limit >> 10,
        STACK >> 10
    );
    Err(ExitCode::from(ExitStatus::Unknown as u8))
}

/// Runs a command; what it could not do is printed. A panic, of the suite or because nothing can be printed any more,
/// is no answer.
pub fn conclude(command: impl FnOnce() -> Result<ExitStatus, CommandError>) -> ExitCode {
    let status = match catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => {
            // Where nothing can be printed, the status still tells.
            let _ = writeln!(io::stderr(), "{}", clean(&error.to_string()));
            error.exit()
        }
        Err(_) => ExitStatus::Unknown,
    };
    ExitCode::from(status as u8)
}
