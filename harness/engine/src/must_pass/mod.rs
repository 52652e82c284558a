//! What a conformant device has to hold, release by release: the list of the rules that judge, on which products, under
//! which conditions, by which checks. A catalog that is weaker than the last list says so in its log of changes.

mod changes;
mod error;
mod file;
mod hold;
mod list;
#[cfg(test)]
mod tests;

pub use changes::{Change, ChangesFile, Part};
pub use error::MustPassError;
pub use hold::{Mistake, hold};
pub use list::{MustPass, Promise};
