//! Known failures: files → checked entries → which of them apply to a run → its results, sorted.
//!
//! The record stays what was seen. What was expected changes how it counts, and what reports call it.

mod date;
mod draft;
mod known_failure;
mod error;
mod expecting;
mod flake;
mod model;
mod read;
mod symptom;
#[cfg(test)]
mod tests;
mod warnings;

pub use date::{day, today};
pub use draft::{Details, draft};
pub use known_failure::{KnownFailure, VERSIONS};
pub use error::ExpectationsError;
pub use expecting::Expecting;
pub use model::{ExpectationsFile, Kind};
pub use read::Expectations;
pub use symptom::ExpectedSymptom;
