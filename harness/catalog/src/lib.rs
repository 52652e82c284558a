//! The catalog: files → checked rules → which of them apply to a device, and why the others do not. Beside it what is
//! counted and held of it: [`coverage`], [`must_pass`] lists, [`lint`].
// So the compiler finds what is dead: what nobody outside reaches is not public.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

pub mod coverage;
pub mod digest;
pub mod files;
pub mod lint;
pub mod must_pass;
pub mod version;

mod alternatives;
mod axioms;
mod chapters;
mod check;
mod clause_file;
mod clauses;
mod diagnostic;
mod edition;
mod families;
mod inventory;
mod junit;
mod layouts;
mod libraries;
mod life_cycle;
mod limits;
mod model;
mod pages;
mod parallel;
mod policy;
mod products;
mod read;
mod readings;
mod resource;
mod results;
mod rules;
mod select;
mod sentence;
mod specs;
mod vocabulary;
mod waiting;
mod word;

pub(crate) use alternatives::identifiers;
pub use alternatives::{Alternative, named};
pub use axioms::{Axiom, AxiomsFile};
pub use chapters::area;
pub use check::load;
pub use clause_file::{ClausesFile, Modality};
pub(crate) use clauses::DUPLICATE;
pub use clauses::{Clause, ClauseBook, ClauseChapter, SENTENCE};
pub use diagnostic::{CatalogError, Diagnostic, Source};
pub use edition::{Edition, EditionCondition, Span};
pub use junit::JunitFile;
pub use layouts::Layout;
pub use libraries::{Libraries, RuntimeLibrary};
pub use life_cycle::{Capability, FREE_MEMORY, LifeCycleProgram, LifeCycles, Query, RECENT_ERROR, Section, VERSION};
pub use limits::Limit;
pub use model::{
    ApiFile, CapabilitySource, ChapterFile, DocumentEntry, DocumentsFile, Hazard, Level, PageEntry, ProductsFile,
    Reason, RuleSource, SubjectsFile, SupportEntry, SupportFile, TimeUnit, When,
};
pub use policy::{Ground, Known};
pub use read::parse_source;
pub use read::{chapter_paths, name_below, product_ids};
pub use readings::{Agreement, Reading, Readings, ReadingsFile, readings};
pub use resource::{Handle, Release, ReleaseArgument, Resource};
pub use rules::{CatalogPlace, Chapter, Kill, Product, Rule, Rules, is_rule_id, short};
pub use select::{Conditions, Skip, UnknownName, absences, applies, left_out, offered, product, promised, rule};
pub use sentence::{Sentence, sentences};
pub use specs::{SpecFile, Specs};
pub use waiting::waiting;
pub use word::Word;

/// A text with one space wherever it has several, or a line break: how checks are compared.
pub fn one_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
