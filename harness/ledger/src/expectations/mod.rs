//! Known failures (waivers): files → checked entries → entries that apply to a run → sorted results.
//!
//! Known failures do not change recorded results. They only decide which results count.

mod date;
mod draft;
mod error;
mod expecting;
mod flake;
mod known_failure;
mod model;
mod read;
mod symptom;
#[cfg(test)]
mod tests;
mod warnings;

pub use date::{day, today};
pub use draft::{Details, draft};
pub use error::ExpectationsError;
pub use expecting::Expecting;
pub use known_failure::{KnownFailure, VERSIONS};
pub use model::{ExpectationsFile, Kind};
pub use read::Expectations;
pub use symptom::ExpectedSymptom;
