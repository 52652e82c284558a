//! What a library offers, read without loading or running anything, and how two of them differ.

mod compare;
mod library;

pub use compare::{Difference, Kind, libraries, missing};
pub use library::{InterfaceError, LibraryInterface, read_library};
