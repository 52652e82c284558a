//! The errors in `certify` and `verify`, with their exit statuses.

use std::io;
use std::path::PathBuf;

use engine::run::ExitStatus;
use ledger::conformance::ConformanceError;
use thiserror::Error;

use super::signature::SignatureError;

/// The reasons why no record is written or a record cannot be trusted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CertifyError {
    #[error(transparent)]
    Record(#[from] ConformanceError),
    #[error(
        "the run tested the runtime {name}, which this executable does not know; use the version that made the run"
    )]
    Runtime { name: String },
    #[error("cannot read {path}: {source}; give the folder of a run")]
    Journal { path: PathBuf, source: io::Error },
    #[error("cannot write {path}: {source}; give a new file with --to")]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Signature(#[from] SignatureError),
}

impl CertifyError {
    /// The command's exit status. An invalid record or signature counts as broken.
    pub fn exit(&self) -> ExitStatus {
        match self {
            CertifyError::Record(ConformanceError::NotARecord { .. })
            | CertifyError::Signature(SignatureError::Bad { .. } | SignatureError::NotAllowed { .. }) => {
                ExitStatus::Broken
            }
            CertifyError::Record(ConformanceError::Catalog { .. }) | CertifyError::Runtime { .. } => ExitStatus::Usage,
            _ => ExitStatus::Unknown,
        }
    }
}
