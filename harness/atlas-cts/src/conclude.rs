//! How a command ends.

use std::fmt;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use engine::case::CaseError;
use engine::prove::ProofFileError;
use engine::run::{ExitStatus, RunError};

/// Why a command cannot do what it was asked for.
#[derive(Debug)]
#[non_exhaustive]
pub enum CommandError {
    /// What has to do with runs: catalog, library, devices, folders.
    Run(Box<RunError>),
    /// An option that the command does not heed.
    Unheeded { option: &'static str },
    /// Parts of chapters are to be held to the numbers of whole ones.
    PartialRatchet,
    /// Functions that no rule can say to be denied.
    Unowned { gaps: Vec<String> },
    /// Conditions that discard most of what is drawn.
    Conditions { mistakes: Vec<String> },
    /// A filter of `list` names something that does not exist.
    Filter { what: &'static str, given: String, hint: String },
    /// `simulator` without a question.
    NothingAsked,
    /// The runtime has no simulated device.
    NoSimulator,
    /// `--case` is not JSON.
    CaseText { text: String, source: serde_json::Error },
    /// `--case` is not a case of the rule.
    Case { text: String, error: CaseError },
    /// `--case` is a list of cases, and a program is printed for one.
    CaseList { text: String, rule: String },
    /// The rule has no case to be printed.
    Print(CaseError),
    /// A schema is not what the code describes.
    SchemaDiffers { path: PathBuf },
    /// A file cannot be read or written.
    File { path: PathBuf, source: io::Error },
    /// A file of a proof cannot be read or written.
    Proof(ProofFileError),
}

impl CommandError {
    /// The status that the command ends with.
    pub fn exit(&self) -> ExitStatus {
        match self {
            CommandError::Run(error) => error.exit(),
            CommandError::File { .. } | CommandError::Proof(_) => ExitStatus::Unknown,
            _ => ExitStatus::Usage,
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let CommandError::Run(error) = self {
            return error.fmt(f);
        }
        f.write_str("error: ")?;
        match self {
            CommandError::Run(_) => Ok(()),
            CommandError::Unheeded { option } => write!(
                f,
                "{option} is for `atlas-cts run`, a proof chooses devices and cases by itself; \
                 leave it out, or unset its environment variable"
            ),
            CommandError::PartialRatchet => {
                f.write_str("--ratchet holds whole chapters to their numbers; leave the names of rules out")
            }
            CommandError::Unowned { gaps } => write!(
                f,
                "{}\ngive each of these functions to the rule of level `must` with its smallest valid use (`owns`)",
                gaps.join("\n")
            ),
            CommandError::Conditions { mistakes } => f.write_str(&mistakes.join("\n")),
            CommandError::Filter { what, given, hint } => write!(f, "there is no {what} `{given}`{hint}"),
            CommandError::NothingAsked => f.write_str("say what is wanted: --print-path DIR or --list"),
            CommandError::NoSimulator => {
                f.write_str("this runtime has no simulated device; name another with --runtime")
            }
            CommandError::CaseText { text, source } => write!(f, "--case {text}: {source}"),
            CommandError::Case { text, error } => write!(f, "--case {text}: {error}"),
            CommandError::CaseList { text, rule } => write!(
                f,
                "--case {text}: a program is printed for one case; give the last one, and know that it fails only \
                 after the others, or run them all with `atlas-cts run {rule} --case …`"
            ),
            CommandError::Print(error) => error.fmt(f),
            CommandError::SchemaDiffers { path } => {
                write!(f, "{} is not what the code describes; run `atlas-cts schema`", path.display())
            }
            CommandError::File { path, source } => write!(f, "{}: {source}", path.display()),
            CommandError::Proof(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CommandError {}

impl<E: Into<RunError>> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        CommandError::Run(Box::new(error.into()))
    }
}

/// Runs a command; what it could not do is printed. A panic, of the suite or because nothing can be printed any more,
/// is no answer.
pub fn conclude(command: impl FnOnce() -> Result<ExitStatus, CommandError>) -> ExitCode {
    let status = match catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => {
            // Where nothing can be printed, the status still tells.
            let _ = writeln!(io::stderr(), "{error}");
            error.exit()
        }
        Err(_) => ExitStatus::Unknown,
    };
    ExitCode::from(status as u8)
}
