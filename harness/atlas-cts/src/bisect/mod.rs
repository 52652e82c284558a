//! `atlas-cts bisect`: the first version in a list with which a rule shows a symptom. A command of the site sets up
//! each version; each trial of the rule is a fresh run.

mod attempt;
mod child;
mod command;
mod find;
mod hunt;
mod search;
mod text;

pub use command::{BisectArguments, bisect};
pub use hunt::BisectError;
