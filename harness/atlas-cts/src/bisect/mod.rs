//! `atlas-cts bisect`: the first version of a list with which a rule shows a symptom. Versions are set up by a command of the
//! site; the rule runs in a fresh run for each try.

mod attempt;
mod child;
mod command;
mod find;
mod hunt;
mod search;
mod text;

pub use command::{Arguments, bisect};
pub use hunt::BisectError;
