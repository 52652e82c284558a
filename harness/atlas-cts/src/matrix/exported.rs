//! The functions that a program finds through a library: the library's, and those of the libraries that it needs.

use std::collections::BTreeSet;
use std::path::Path;

use engine::interface::{InterfaceError, behind, read_library};

/// Reads the exported names of a library and of the libraries that it needs.
///
/// # Errors
/// Fails if the library cannot be read.
pub(super) fn exported(path: &Path) -> Result<BTreeSet<String>, InterfaceError> {
    let library = read_library(path)?;
    let further = behind(path, &library).found.into_iter().flat_map(|needed| needed.interface.exported);
    Ok(library.exported.into_iter().chain(further).map(|(name, _)| name).collect())
}
