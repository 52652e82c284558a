//! The failures of a run as they happen: one line for the first failure of each cause.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use record::RuleResult;

use super::layout::Layout;
use super::summary::row;
use super::text::Paint;
use crate::causes::Likeness;

/// The failures that were noted.
#[derive(Debug, Default)]
pub struct Notices(Mutex<BTreeSet<Likeness>>);

impl Notices {
    /// The line for a failure; `None` if an earlier failure looks alike. The summary counts them all.
    pub fn line(&self, result: &RuleResult, layout: Layout) -> Option<String> {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.insert(Likeness::of(result)).then(|| row(result, Paint(layout)))
    }
}
