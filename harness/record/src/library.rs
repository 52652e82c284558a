//! The libraries in the process under test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The loaded library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryIdentity {
    /// The path as opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex.
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub sha256: String,
    /// The version that the runtime reports, if any.
    pub version: Option<String>,
    /// The library that reported the version instead of the first one, or the reason for a missing version. Absent in
    /// older journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_note: Option<String>,
    /// True for the suite's simulated device.
    pub simulated: bool,
    /// The way in which the library was chosen, for example `--library` or `simulator (no toolkit found)`.
    pub chosen_by: String,
}

/// A library that was loaded in addition to the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FurtherLibrary {
    /// Its id in the catalog.
    pub id: String,
    /// The path as opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex.
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub sha256: String,
}

/// A shared library in the process under test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MappedLibrary {
    /// Path as the system names it; `embedded`: part of the suite.
    pub path: String,
    /// SHA-256 of the file, lower-case hex; `None`: unreadable, for example because it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub sha256: Option<String>,
    /// The build id from its linker, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
}
