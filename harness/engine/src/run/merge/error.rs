//! The reasons why runs do not make one together.

use std::path::PathBuf;

use thiserror::Error;

use record::JournalError;

/// Why runs do not make one together.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MergeError {
    #[error("{error}; leave this part out to have its rules reported without an answer")]
    Unreadable { error: JournalError },
    #[error("{path} is not a part of a run: run each part with --shard K/N")]
    NotAPart { path: PathBuf },
    /// All that differs from the first run, a line each.
    #[error(
        "{path} cannot be merged with {first}, it tested something else:\n{}\nmerge only parts of one run",
        .found.join("\n")
    )]
    Different { path: PathBuf, first: PathBuf, found: Vec<String> },
    #[error(
        "{path} has a result of {id}, which is not a rule of its part, so its journal was changed after the run; restore \
         it from a copy, or leave it out"
    )]
    Foreign { path: PathBuf, id: String },
    #[error(
        "the runs tested the runtime {name}, which this executable does not know; merge with the one that ran them"
    )]
    Runtime { name: String },
    #[error(
        "the runs were made with version {suite} and another catalog than this one: give that catalog with --specs DIR, \
         or merge with the executable that ran them"
    )]
    Catalog { suite: String },
}
