//! Conformance records: evidence about a device from a run, in a canonical form that can be signed and compared. A
//! record is made only from a run's journal and catalog.

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
    Capability, CatalogIdentity, ConformanceRecord, Missing, RuleVerdict, RunIdentity, Statement, TestedLibrary,
    TestedMachine,
};
