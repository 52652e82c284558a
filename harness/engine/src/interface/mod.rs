//! What a library and a header offer, read without loading or running anything, and how two of them differ.

mod compare;
mod declarations;
mod library;

pub use compare::{Difference, Kind, headers, libraries, missing};
pub use declarations::{Declarations, FieldAt, Layout};
pub use library::{InterfaceError, LibraryInterface, read_library};
