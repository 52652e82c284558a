//! Errors about conformance records.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The reason why a record cannot be made or cannot be trusted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConformanceError {
    #[error(
        "version {suite} made the run with another catalog (sha256 {of_run}; this one: {of_catalog}), so its rules are \
         unknown here; use that version, or name its catalog with --specs"
    )]
    Catalog { suite: String, of_run: String, of_catalog: String },
    #[error("unknown product {product} in this catalog; use the version that made the run")]
    Product { product: String },
    #[error("cannot read {path}: {source}; name a record that `atlas-cts certify` wrote")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path} has format {format}, but this version reads 1 and 2; use the version that wrote it")]
    Format { path: PathBuf, format: u32 },
    #[error("{path} is not a conformance record of the suite: {reason}; get the original file")]
    NotARecord { path: PathBuf, reason: String },
}
