//! `atlas-cts bisect`: finds the first version in a list with which a rule shows a symptom. The user's command sets up
//! each version, and each trial of the rule is a fresh run.

mod attempt;
mod child;
mod command;
mod find;
mod hunt;
mod search;
mod text;

pub use command::{BisectArguments, bisect};
pub use hunt::BisectError;
