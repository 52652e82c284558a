//! Draws cases (the values with which a rule is tried) from axes, and shrinks the cases that fail.
//!
//! This crate is built on proptest: a case is a [`proptest::strategy::ValueTree`], and shrinking is proptest's binary
//! search on every axis.
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod coverage;
mod effort;
mod error;
mod exhaustive;
mod json;
mod plan;
mod query;
mod sequence;
mod tree;

pub use coverage::{Discarded, Distinct, exhausted, some_cases};
pub use effort::{Budget, Effort, Patience};
pub use error::CaseError;
pub use exhaustive::Exhaustive;
pub use json::{case_from_json, case_to_json, cases_from_json, display_values, parse_json, unique_keys};
pub use plan::{Case, Plan, calls_of_a_case, first_value, rule_seed, smallest_case};
pub use query::{QueryError, parse_query, query};
pub use tree::CaseTree;

pub use steps::evaluate::{LEAST_PATIENCE, Scope, Value};
