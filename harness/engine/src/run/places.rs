//! Where things are that belong to the project.

use std::path::{Path, PathBuf};

/// The folder of the project that this executable was built from.
pub fn project_root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}

/// The folder below which runs write.
pub fn runs_folder() -> PathBuf {
    project_root().join("reports/out")
}

/// The folder of known counterexamples.
pub(super) fn regressions_folder() -> PathBuf {
    std::env::var_os("ATLAS_CTS_REGRESSIONS").map_or_else(|| project_root().join("fixtures/regressions"), PathBuf::from)
}
