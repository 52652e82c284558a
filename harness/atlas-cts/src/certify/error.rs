//! Why no record is written, or why one cannot be believed, and the exit status of that.

use std::io;
use std::path::PathBuf;

use engine::run::ExitStatus;
use ledger::conformance::ConformanceError;
use thiserror::Error;

use super::signature::SignatureError;

/// Why no record is written, or why one cannot be believed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CertifyError {
    #[error(transparent)]
    Record(#[from] ConformanceError),
    #[error("the run is one of the runtime {name}, which this executable does not test; use the version that made it")]
    Runtime { name: String },
    #[error("cannot read {path}: {source}; name the folder of a run")]
    Journal { path: PathBuf, source: io::Error },
    #[error("cannot write {path}: {source}; name a file that is not there with --to")]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Signature(#[from] SignatureError),
}

impl CertifyError {
    /// The status that the command ends with: a record or a signature that is not as it must be is a broken one.
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
