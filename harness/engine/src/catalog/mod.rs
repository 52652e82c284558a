//! The catalog: files → checked rules → which of them apply to a device, and why the others do not.

mod check;
mod claims;
mod diagnostic;
mod life_cycle;
mod model;
mod parallel;
mod place;
mod read;
mod resource;
mod rules;
mod select;
mod vocabulary;
mod width;

pub use check::load;
pub use claims::claims;
pub use diagnostic::{CatalogError, Diagnostic, Source};
pub use life_cycle::{LifeCycleProgram, Query, Section};
pub use model::{
    ApiFile, ChapterFile, DocumentEntry, DocumentsFile, Hazard, Level, LibrarySource, ProductsFile, RuleSource,
    SupportEntry, SupportFile, When,
};
pub use read::product_ids;
pub use resource::{Handle, Release, ReleaseArgument, Resource};
pub use rules::{CatalogPlace, Chapter, Kill, Product, Rule, Rules, short};
pub use select::{Conditions, Edition, Skip, UnknownName, applies, kernel, offered, product, rule};
pub use width::wide_lines;
