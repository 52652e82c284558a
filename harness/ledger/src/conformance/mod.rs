//! The conformance record: what a run shows of a device, in a form that is the same bytes each time it is written, so
//! that it can be signed and compared. It is made from a journal and from the catalog that the run used, and from
//! nothing else.

mod canonical;
mod error;
mod evidence;
mod model;
mod requirements;
#[cfg(test)]
mod tests;

pub use canonical::{read_record, to_canonical};
pub use error::ConformanceError;
pub use evidence::conformance_record;
pub use model::{
    Capability, CatalogIdentity, ConformanceRecord, Missing, RuleVerdict, RunIdentity, Statement,
    TestedLibrary, TestedMachine,
};
