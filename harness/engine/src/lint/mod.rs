//! What a catalog without mistakes should not rest on: defects that do not tell rules apart, conditions that discard
//! most cases, functions that no rule can say to be denied.

mod claims;
mod conditions;
mod width;

pub use claims::claims;
pub use conditions::{ConditionMistake, ConditionMistakeKind, condition_mistakes};
pub use width::wide_lines;
