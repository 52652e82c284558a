//! The reasons why it is not clear which rules are asked for.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use record::JournalError;

/// Why it is not clear which rules are asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SelectionError {
    #[error("--rules {path}: {source}; give a file with an id on each line")]
    List { path: PathBuf, source: io::Error },
    #[error("--rules {path} lists no rule, and none would be run; give a file with an id on each line")]
    EmptyList { path: PathBuf },
    #[error("--times: {error}")]
    Times { error: JournalError },
    #[error(
        "--shard: nextest starts a process for each rule, and none of them knows the whole part; use \
         `cargo test -- --shard K/N`, or nextest's own --partition"
    )]
    Nextest,
}
