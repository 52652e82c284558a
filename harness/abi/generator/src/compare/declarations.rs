//! The declarations of a header, as far as a compiled program depends on them. Names of types and parameters that do
//! not affect a compiled program are resolved or left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The declarations of a header by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Declarations {
    /// Function → its type, in one notation.
    pub functions: BTreeMap<String, String>,
    /// Enumerator or integer macro → its value.
    pub constants: BTreeMap<String, i128>,
    /// Struct or union → its layout.
    pub layouts: BTreeMap<String, Layout>,
}

/// The memory layout of a struct or union.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layout {
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub align: u64,
    /// In the order of the header.
    pub fields: Vec<FieldAt>,
}

/// A field of a struct or union.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FieldAt {
    pub name: String,
    /// Bytes from the start.
    pub offset: u64,
    /// Its type, in one notation.
    pub ty: String,
}
