//! The interface of a library, read without loading or running it, and the differences between two interfaces.

mod compare;
mod library;

pub use compare::{Difference, Kind, libraries, missing};
pub use library::{InterfaceError, LibraryInterface, needed_beside, read_library};
