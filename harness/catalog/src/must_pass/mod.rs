//! Must-pass lists, one per release: the rules that a conformant device holds, with products, conditions and checks. If
//! a catalog is weaker than the last list, its log of changes must explain why.

mod changes;
mod error;
mod file;
mod hold;
mod list;
#[cfg(test)]
mod tests;

pub use changes::{Change, ChangedPart, ChangesFile};
pub use error::MustPassError;
pub use hold::{Mistake, hold};
pub use list::{MustPass, Promise};

use std::collections::BTreeSet;

use crate::{Rules, Specs};

/// The ids of rules that were in the last release or that the log of changes names; they must not be reused.
///
/// # Errors
/// Fails if the list or the log cannot be read.
pub fn earlier_ids(specs: &Specs, rules: &Rules) -> Result<BTreeSet<String>, MustPassError> {
    let listed = MustPass::newest(specs, &rules.runtime)?.into_iter().flat_map(|list| list.rules.into_keys());
    let log = changes::Log::read(specs, rules)?;
    let changed = log.changes.into_iter().map(|change| change.value.rule.value);
    Ok(listed.chain(changed).collect())
}
