//! The catalog's files: what may stand in them, and reading them with every mistake reported at its place.

mod diagnostic;

mod model;
mod parallel;
mod read;

pub use diagnostic::{CatalogError, Diagnostic, Source};
pub use model::{
    ApiFile, ChapterFile, Choices, DocumentEntry, DocumentsFile, DomainSource, Hazard, LibrarySource, LifeCycle,
    ProductEntry, ProductsFile, Queries, QuerySource, ResourceSource, RuleSource, SourceReference, SupportEntry,
    SupportFile, UpDown, When,
};
pub use parallel::in_parallel;
pub use read::{CatalogFiles, ParsedFile, hex, read_catalog};
