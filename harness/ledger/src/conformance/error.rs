//! What is wrong with a record, or with what one is to be made of.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why there is no record, or none that can be believed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConformanceError {
    #[error(
        "the run was made by version {suite} with another catalog (sha256 {of_run}; this one: {of_catalog}): what its rules \
         demand is not known here; use the version that made the run, or name its catalog with --specs"
    )]
    Catalog { suite: String, of_run: String, of_catalog: String },
    #[error("{product} is no product of this catalog; use the version that made the run")]
    Product { product: String },
    #[error("cannot read {path}: {source}; name a record that `atlas-cts certify` wrote")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path} is a record of format {format}, and this version reads 1 and 2; use the version that wrote it")]
    Format { path: PathBuf, format: u32 },
    #[error("{path} is no conformance record as the suite writes it: {reason}; ask for the file that was written")]
    NotARecord { path: PathBuf, reason: String },
}
