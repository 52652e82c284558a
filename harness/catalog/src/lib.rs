//! The catalog: reads files, checks rules, and selects those that apply to a device, with the reasons why the others do
//! not. Also checks the catalog as a whole: [`coverage`], [`must_pass`] lists, [`lint`], the table of the [`proof`].

// Items that no other crate uses are not public, so that the compiler finds dead code.
#![warn(unreachable_pub)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests write and run what they like"))]
#![forbid(unsafe_code)]

pub mod book;
pub mod coverage;
pub mod digest;
pub mod files;
pub mod lint;
pub mod must_pass;
pub mod proof;
pub mod version;

mod alternatives;
mod axioms;
mod capabilities;
mod chapters;
mod check;
mod clauses;
mod comments;
mod diagnostic;
mod edition;
mod editions;
mod histories;
mod ids;
mod inventory;
mod layouts;
mod libraries;
mod life_cycle;
mod limits;
mod model;
mod originals;
mod parallel;
mod parse;
mod policy;
mod product_names;
mod products;
mod python;
mod read;
mod readings;
mod resource;
mod rules;
mod select;
mod sentence;
mod specs;
mod waiting;
mod word;

pub(crate) use alternatives::identifiers;
pub use alternatives::{Alternative, named};
pub use capabilities::{Capability, CapabilityAnswer, CapabilityAnswers};
pub use chapters::area;
pub use check::load;
pub(crate) use clauses::DUPLICATE;
pub use clauses::{Clause, ClauseBook, ClauseChapter};
pub use diagnostic::{CatalogError, Diagnostic, Source, line_and_column};
pub use edition::{Edition, EditionCondition, Span};
pub use editions::{EditionConditions, Editions};
pub use histories::{History, HistoryCall, Origin};
pub use ids::is_rule_id;
pub use layouts::Layout;
pub use libraries::{Libraries, RuntimeLibrary};
pub use life_cycle::{FREE_MEMORY, LifeCycleProgram, LifeCycles, Query, RECENT_ERROR, Section, Trial, version_of};
pub use limits::Limit;
pub use model::{
    ApiFile, Axiom, AxiomsFile, ChapterFile, ClausesFile, DocumentEntry, DocumentsFile, Hazard, Level, Mark, Modality,
    PageEntry, ProductsFile, PythonFile, Reading, ReadingsFile, Reason, RuleSource, SubjectsFile, SupportEntry,
    SupportFile, TimeUnit, TrialSource, When,
};
pub use originals::{DocumentText, Original, Originals, OriginalsError, read_documents};
pub use parse::parse_source;
pub use policy::Known;
pub use product_names::ProductNames;
pub use products::Product;
pub use python::{PythonForm, PythonModule, Returned, Taken};
pub use read::{chapter_paths, name_below, product_names};
pub use readings::{Agreement, Readings, readings};
pub use resource::{Handle, ReleaseArgument, ReleaseCall, Resource};
pub use rules::{CatalogPlace, Chapter, Ground, Rule, RuleTexts, Rules};
pub use select::{
    Conditions, Missing, Skip, UnknownName, absences, applies, left_out, offered, product, promised, rule,
};
pub use sentence::{SENTENCE, Sentence, sentences};
pub use specs::{SpecFile, Specs, short};
pub use steps::count;
pub use waiting::waiting;
pub use word::Word;

/// The text with each run of white space replaced by a single space, for comparing checks.
pub fn one_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
