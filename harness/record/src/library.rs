//! The libraries in the process under test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The library under test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryIdentity {
    /// The path as opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex.
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub sha256: String,
    /// The version that the runtime reports, if any.
    pub version: Option<String>,
    /// The library that reported the version, if not the library under test, or the reason why the version is missing.
    ///
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_note: Option<String>,
    /// True for the suite's simulated device.
    pub simulated: bool,
    /// The reason for choosing the library, for example `--library` or `simulator (no toolkit found)`.
    pub chosen_by: String,
}

/// A library loaded in addition to the main library under test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FurtherLibrary {
    /// The library's id in the catalog.
    pub id: String,
    /// The path as opened.
    pub path: String,
    /// SHA-256 of the file, lower-case hex.
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub sha256: String,
}

/// The version of a further library that has a version query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryVersion {
    /// The version that the library reports, if any.
    pub version: Option<String>,
    /// The library's edition, if known.
    pub edition: Option<String>,
    /// The reason why another query answered, or why the version is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A shared library in the process under test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MappedLibrary {
    /// The path reported by the operating system, or `embedded` for a part of the suite.
    pub path: String,
    /// SHA-256 of the file, lower-case hex; `None` if the file is unreadable, for example because it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]*$"))]
    pub sha256: Option<String>,
    /// The library's build id, if the linker wrote one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
}
