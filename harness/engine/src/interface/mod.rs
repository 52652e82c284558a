//! A library's interface, read without loading or running the library, and the differences between two interfaces.

mod compare;
mod library;
mod loader;

pub use compare::{Difference, Kind, libraries, missing, offers};
pub use library::{InterfaceError, LibraryInterface, read_library};
pub use loader::{Behind, NeededLibrary, behind};
