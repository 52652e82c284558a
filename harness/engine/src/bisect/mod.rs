//! The first version of a list with which a rule shows a symptom. Versions are set up by a command of the site's own; the rule
//! runs in a fresh run for each try.

mod attempt;
mod child;
mod confidence;
mod search;
mod text;

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::run::RunError;
use crate::workers::interrupt;
use record::Symptom;

use attempt::Bench;
pub use confidence::Confidence;
pub use search::Conclusion;
use search::search;

/// What is looked for, and how.
#[derive(Debug)]
pub struct Hunt {
    /// The rule's id.
    pub rule: String,
    /// The versions, in the order in which they were released.
    pub versions: Vec<String>,
    /// A command of the shell that sets a version up: it is its last argument, or stands in place of each `{}`.
    pub set_up: String,
    /// This executable, whose command `run` runs the rule.
    pub executable: PathBuf,
    /// Further words for `run`.
    pub words: Vec<std::ffi::OsString>,
    /// How the rule fails; `None`: as it does with the last version that can be tried.
    pub symptom: Option<Symptom>,
    /// How often the rule runs with a version before it is free of the symptom.
    pub runs: u32,
    /// How long setting a version up may take.
    pub set_up_limit: Duration,
    /// How long one run may take.
    pub run_limit: Duration,
    /// A folder, which must not be there, for the runs and for what the commands print.
    pub folder: PathBuf,
}

/// What was found.
#[derive(Debug)]
pub struct Found {
    pub conclusion: Conclusion,
    /// How sure that is; `None`: one run for each version says nothing about that, or nothing was found.
    pub confidence: Option<Confidence>,
    /// How the machine is set up now; `None`: nothing was tried.
    pub left: Option<String>,
}

/// Why nothing can be said.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BisectError {
    #[error("a search takes two versions or more, not {given}; name them after the set-up command, the oldest first")]
    TooFew { given: usize },
    #[error("`{version}` stands twice in the list; give each version once")]
    Twice { version: String },
    #[error("cannot write {path}: {source}; name a folder that is not there with --report-dir")]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("{signal}: asked to end; what was tried stands in {folder}; {left}")]
    Asked { signal: &'static str, left: String, folder: PathBuf },
    /// Nothing can be printed any more.
    #[error("{0}")]
    Say(Box<RunError>),
}

/// Finds the first version with the symptom. `say` is given each line as soon as it is known.
///
/// # Errors
/// The list has no two versions, nothing can be written, or somebody asked for the end.
pub fn bisect(hunt: &Hunt, say: &mut dyn FnMut(&str) -> Result<(), RunError>) -> Result<Found, BisectError> {
    if hunt.versions.len() < 2 {
        return Err(BisectError::TooFew { given: hunt.versions.len() });
    }
    let twice = hunt.versions.iter().enumerate().find(|(at, version)| hunt.versions[..*at].contains(version));
    if let Some((_, version)) = twice {
        return Err(BisectError::Twice { version: version.clone() });
    }
    let parent = hunt.folder.parent().map_or(Ok(()), std::fs::create_dir_all);
    parent
        .and_then(|()| std::fs::create_dir(&hunt.folder))
        .map_err(|source| BisectError::Folder { path: hunt.folder.clone(), source })?;
    interrupt::listen();
    let mut bench = Bench::new(hunt);
    let conclusion = search(hunt.versions.len(), |version| {
        let seen = bench.look(version)?;
        say(&bench.line(version)).map_err(|error| BisectError::Say(Box::new(error)))?;
        Ok(seen)
    })?;
    let confidence = matches!(conclusion, Conclusion::First { .. }).then(|| bench.confidence()).flatten();
    let found = Found { conclusion, confidence, left: bench.left() };
    text::conclusion(hunt, &found)
        .iter()
        .try_for_each(|line| say(line))
        .map_err(|error| BisectError::Say(Box::new(error)))?;
    Ok(found)
}
