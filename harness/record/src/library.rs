//! The libraries in the process under test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which library was loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryIdentity {
    /// Path as it was opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex.
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub sha256: String,
    /// Version that the runtime reports, if it reports one.
    pub version: Option<String>,
    /// Who answered instead of the first that was asked for it, or why nobody did. Older journals do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_note: Option<String>,
    /// Whether this is the simulated device of the suite.
    pub simulated: bool,
    /// How the library was chosen, for example `--library` or `simulator (no toolkit found)`.
    pub chosen_by: String,
}

/// A library that was loaded besides the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FurtherLibrary {
    /// Its id in the catalog.
    pub id: String,
    /// Path as it was opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex.
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub sha256: String,
}

/// A shared library in the process under test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MappedLibrary {
    /// Path as the system names it; `embedded`: what the suite carries.
    pub path: String,
    /// SHA-256 of the file, lower-case hex; `None`: it cannot be read, for example because it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub sha256: Option<String>,
    /// The id that its linker gave it, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
}
