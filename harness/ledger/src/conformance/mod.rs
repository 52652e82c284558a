//! Conformance records: what a run shows about a device, in a canonical form that can be signed and compared. A record
//! is made from a journal and the catalog of the run alone.

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
