//! The catalog: files → checked rules → which of them apply to a device, and why the others do not.

mod check;
mod diagnostic;
mod edition;
mod layouts;
mod libraries;
mod life_cycle;
mod model;
mod parallel;
mod products;
mod read;
mod resource;
mod results;
mod rules;
mod select;
mod specs;
mod vocabulary;

pub use check::load;
pub use diagnostic::{CatalogError, Diagnostic, Source};
pub use edition::{Edition, EditionCondition, kernel};
pub use layouts::Layout;
pub use libraries::{Libraries, RuntimeLibrary};
pub use life_cycle::{LifeCycleProgram, Query, Section, VERSION};
pub use model::{
    ApiFile, ChapterFile, DocumentEntry, DocumentsFile, Hazard, Level, ProductsFile, RuleSource, SupportEntry,
    SupportFile, When,
};
pub use read::{chapter_paths, name_below, product_ids};
pub use resource::{Handle, Release, ReleaseArgument, Resource};
pub use rules::{CatalogPlace, Chapter, Kill, Product, Rule, Rules, is_rule_id, short};
pub use select::{Conditions, Skip, UnknownName, applies, offered, product, rule};
pub use specs::{SpecFile, Specs};
