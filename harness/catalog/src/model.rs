//! The structure of the YAML files. Doc comments here become descriptions in the JSON Schema.

mod api;
mod axioms;
mod chapter;
mod clauses;
mod documents;
mod life_cycle;
mod products;
mod python;
mod readings;
mod subjects;
mod support;

pub use api::{ApiFile, Reason, TimeUnit};
pub(crate) use api::{
    DescriptorSource, HistoryCallSource, LimitSource, MayBlockSource, ResourceSource, ResultSource, TimeOutSource,
    WordSource,
};
pub use axioms::{Axiom, AxiomsFile};
pub use chapter::{ChapterFile, Hazard, Level, RuleSource, When};
pub(crate) use clauses::{ClauseEntry, Sentenced};
pub use clauses::{ClausesFile, Modality};
pub(crate) use documents::SourceReference;
pub use documents::{DocumentEntry, DocumentsFile, PageEntry};
pub(crate) use life_cycle::CapabilitySource;
pub use life_cycle::TrialSource;
pub(crate) use life_cycle::{LifeCycle, LifeCycleDifference, Queries, QuerySource, UpDown, VersionSource};
pub use products::ProductsFile;
pub use python::PythonFile;
pub(crate) use python::PythonFunction;
pub(crate) use readings::Strength;
pub use readings::{Reading, ReadingsFile};
pub use subjects::SubjectsFile;
pub use support::{Mark, SupportEntry, SupportFile};
