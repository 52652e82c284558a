//! The end of a command: the error message and the exit status.

use std::error::Error;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use catalog::coverage::ThresholdError;
use catalog::lint::TO_WRITE;
use catalog::must_pass::MustPassError;
use catalog::proof::ProofTableError;
use catalog::{OriginalsError, count};
use engine::case::{CaseError, QueryError};
use engine::interface::InterfaceError;
use engine::prove::ProofFileError;
use engine::run::{ExitStatus, RunError, is_missing};
use ledger::history::HistoryError;
use ledger::mustpass::MustPassRunError;
use ledger::report::{clean, disarmed};
use rustix::process::{Resource, getrlimit};
use thiserror::Error as ThisError;

use crate::draft::DraftError;
use crate::reproducer::ReproducerError;
use crate::say_aside;

/// The reasons why a command fails.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum CommandError {
    /// An error that commands share with runs: catalog, library, devices, folders.
    #[error(transparent)]
    Run(Box<RunError>),
    #[error("error: --matrix=PART proves nothing else; leave --variants, --weaken, --glitches and --hold out")]
    MatrixAndMore,
    /// Unfinished skeletons of rules.
    #[error(
        "error: {}\n{} to write, and nothing else was checked; replace each `{}` with the text that it describes",
        .places.join("\nerror: "),
        count(places.len(), "place"),
        TO_WRITE.trim_end()
    )]
    Unwritten { places: Vec<String> },
    #[error("error: {0}")]
    Draft(#[source] Box<DraftError>),
    /// The answers of a device cannot be written.
    #[error("error: {0}")]
    Answers(#[source] ledger::answers::AnswersError),
    /// Functions that no rule owns.
    #[error(
        "error: {}\ngive each of these functions to the rule of level `must` with its smallest valid use (`owns`)",
        .gaps.join("\n")
    )]
    Unowned { gaps: Vec<String> },
    /// Conditions that discard most of the drawn cases.
    #[error("error: {}", .mistakes.join("\n"))]
    Conditions { mistakes: Vec<String> },
    /// Timeouts that do not follow from the run's patience.
    #[error("error: {}", .mistakes.join("\n"))]
    TimeOuts { mistakes: Vec<String> },
    #[error("error: there is no {what} `{given}`{hint}")]
    Filter { what: &'static str, given: String, hint: String },
    /// The executable contains the rules and the sentences that the rules rest on, but no other evidence.
    #[error(
        "error: the executable contains only the sentences that rules name, and no readings; give the specs folder of a \
         checkout with --specs DIR"
    )]
    NoEvidence,
    #[error("error: give --print-path DIR or --list, or run a program: `atlas-cts simulator run -- PROGRAM`")]
    NothingAsked,
    #[error("error: {}: {source}; give the program's path after `--`", .program.display())]
    Program { program: PathBuf, source: io::Error },
    #[error("error: this runtime has no simulated device; give another one with --runtime")]
    NoSimulator,
    #[error("error: {text}: {source}")]
    Query { text: String, source: QueryError },
    /// The case is not JSON.
    #[error("error: --case {text}: {source}")]
    CaseText { text: String, source: serde_json::Error },
    /// The JSON is not a case of the rule.
    #[error("error: {given}: {error}")]
    Case { given: String, error: CaseError },
    #[error("error: {0}")]
    Print(CaseError),
    #[error("error: {signal}: the examination was stopped and says nothing; run the command again")]
    Interrupted { signal: &'static str },
    #[error("error: --root {path} is not a folder; give the folder that holds a machine's files, or omit --root")]
    Root { path: PathBuf },
    /// The file already exists and is not overwritten.
    #[error("error: {path} already exists and may contain edits; give another file, or move it away")]
    Exists { path: PathBuf },
    #[error("error: {0}")]
    Originals(#[source] OriginalsError),
    #[error("error: {path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("error: {0}")]
    Interface(#[source] InterfaceError),
    #[error("error: {0}")]
    Reproducer(#[source] Box<ReproducerError>),
    #[error("error: {0}")]
    Proof(#[source] ProofFileError),
    /// The table of who kills what cannot be used.
    #[error("error: {0}")]
    ProofTable(#[source] ProofTableError),
    /// A must-pass list cannot be read.
    #[error("error: {0}")]
    MustPass(#[source] Box<MustPassError>),
    /// A run cannot be compared with the must-pass list of a catalog.
    #[error("error: {0}")]
    MustPassRun(#[source] Box<MustPassRunError>),
    #[error("error: {0}")]
    Threshold(#[source] ThresholdError),
    #[error("error: {0}")]
    History(HistoryError),
    #[error(
        "error: {option} selects output for people, but --log-format json prints events for programs; omit one of them"
    )]
    NotText { option: &'static str },
    #[error("error: --fail-on timing needs a limit; give --budget PERCENT too")]
    NoBudget,
}

impl CommandError {
    /// True if a file or folder that the user named does not exist.
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

    /// The command's exit status.
    pub fn exit(&self) -> ExitStatus {
        match self {
            CommandError::Run(error) => error.exit(),
            _ if self.is_about_something_missing() => ExitStatus::Usage,
            CommandError::File { .. }
            | CommandError::Exists { .. }
            | CommandError::Interface(_)
            | CommandError::Interrupted { .. }
            | CommandError::Proof(_)
            | CommandError::ProofTable(_)
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

/// The stack size that a command needs, including its workers and the library, in bytes.
const STACK: u64 = 1 << 20;

/// Refuses to start on a small stack. A stack overflow would end the process without a message, and the library would
/// be blamed.
pub fn expect_stack() -> Result<(), ExitCode> {
    let Some(limit) = getrlimit(Resource::Stack).current.filter(|limit| *limit < STACK) else { return Ok(()) };
    // If printing fails, the exit status still reports the error.
    let _ = writeln!(
        io::stderr(),
        "error: the stack is limited to {} KiB, but {} KiB are needed; raise the limit (ulimit -s)",
        limit >> 10,
        STACK >> 10
    );
    Err(ExitCode::from(ExitStatus::Unknown as u8))
}

/// Prints an error. The catalog's mistakes quote its lines as they are.
fn say_error(error: &CommandError) {
    let is_quoted = matches!(error, CommandError::Run(error) if matches!(**error, RunError::Catalog(_)));
    let text = error.to_string();
    if is_quoted {
        // If printing fails, the exit status still reports the error.
        let _ = writeln!(io::stderr(), "{}", disarmed(&clean(&text)));
    } else {
        say_aside(&text);
    }
}

/// Runs a command and prints its error. A panic (for example, after standard output is closed) causes exit status 3.
pub fn conclude(command: impl FnOnce() -> Result<ExitStatus, CommandError>) -> ExitCode {
    let status = match catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => {
            say_error(&error);
            error.exit()
        }
        Err(_) => ExitStatus::Unknown,
    };
    ExitCode::from(status as u8)
}
