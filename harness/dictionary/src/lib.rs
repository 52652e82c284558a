//! The fault dictionary of a product: which rules notice each seeded defect, in how many cases, at which check and with
//! which answer. A proof makes it, a diagnosis compares red runs with it, and a budget selects rules by it.
//!
//! - [`Dictionary`]: the data; [`Row`] is a defect, [`Cell`] a rule that does not pass on the defect.
//! - [`encode`], [`decode`]: its file, compressed JSON with reproducible bytes.
//! - [`Current`]: the part of a dictionary that holds for this catalog and this simulated device.
//! - [`exclusions`], [`cases_to_exclude`]: what a green run says about defects that are noticed in some cases only.
//! - [`Plan`]: the rules and cases that keep most killed defects within a given time.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod chance;
mod current;
mod file;
mod model;
mod plan;

pub use chance::{Exclusion, cases_to_exclude, exclusions};
pub use current::{Current, digest_of_defects, digest_of_rule};
pub use file::{DictionaryError, EXTENSION, MOST_BYTES, decode, encode};
pub use model::{Cell, Dictionary, KnownRule, Row, Signature};
pub use plan::{Plan, PlannedRule};
