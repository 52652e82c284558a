//! The parts of a header's declarations that a compiled program depends on. Names of types and parameters that do not
//! affect a compiled program are resolved or left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A header's declarations, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Declarations {
    /// Function → its type, in a uniform notation.
    pub functions: BTreeMap<String, String>,
    /// The value of each enumerator and integer macro, by name.
    pub constants: BTreeMap<String, i128>,
    /// Struct or union → its layout.
    pub layouts: BTreeMap<String, Layout>,
}

/// The memory layout of a struct or union.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layout {
    /// The size in bytes.
    pub size: u64,
    /// The alignment in bytes.
    pub align: u64,
    /// The fields, in the header's order.
    pub fields: Vec<FieldAt>,
}

/// A field of a struct or union.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FieldAt {
    pub name: String,
    /// The number of bytes from the start of the struct.
    pub offset: u64,
    /// The field's type, in a uniform notation.
    pub ty: String,
}
