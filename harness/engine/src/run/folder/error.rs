//! The reasons why the folder of a run cannot be used.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use record::JournalError;

/// Bytes of the longest name that a runner may give a run.
pub(super) const LONGEST_NAME: usize = 100;

/// Why the folder of a run cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FolderError {
    #[error("{path}: {source}; choose another folder with --report-dir DIR")]
    Create { path: PathBuf, source: io::Error },
    #[error("another run writes to {path}; wait for it to end, or choose another folder with --report-dir DIR")]
    InUse { path: PathBuf },
    #[error(
        "NEXTEST_RUN_ID={given:?} cannot be the name of a folder; unset it, or let it be at most {LONGEST_NAME} letters, \
         digits, hyphens, underscores and dots, the first of them not a dot"
    )]
    Name { given: String },
    #[error("--keep: nobody said where; let ATLAS_CTS_REGRESSIONS name a folder that is your own")]
    Keep,
    #[error(
        "no result can be written any more, so the run ends here: {reason}; `--resume {path}` runs what has no result"
    )]
    Lost { path: PathBuf, reason: JournalError },
    /// Somebody touched the journal: it cannot be gone on with.
    #[error("the run ends here: {reason}; what ran until then is in the report")]
    Changed { reason: JournalError },
}
