//! A library's interface, read without loading or running the library, and the differences between two interfaces.

mod compare;
mod library;

pub use compare::{Difference, Kind, libraries, missing};
pub use library::{InterfaceError, LibraryInterface, needed_beside, read_library};
