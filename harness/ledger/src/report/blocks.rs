//! The failures of a run as they happen: a block for the first failure of each cause, one line for each further one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use messages::message;
use record::{RuleResult, RunHeader};

use super::failure::failure_text;
use super::layout::Layout;
use super::text::{elide, one_line, pad, painted};
use crate::causes::Likeness;
use crate::names::verdict_title;
use record::text::columns;

/// The failures that were printed.
#[derive(Debug, Default)]
pub struct Blocks {
    /// The first rule with each feature.
    first: Mutex<BTreeMap<Likeness, String>>,
}

impl Blocks {
    /// The text for a failure: a block, or a line if an earlier failure looks alike.
    pub fn text(&self, result: &RuleResult, header: &RunHeader, layout: Layout) -> String {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        match first.get(&Likeness::of(result)).filter(|first| **first != result.id) {
            None => {
                first.insert(Likeness::of(result), result.id.clone());
                failure_text(result, header, layout)
            }
            Some(first) => {
                let like = message!("looks-like", rule = first.as_str());
                let verdict = pad(&verdict_title(result.verdict), 9);
                let id = one_line(&result.id);
                let room = layout.width.saturating_sub(columns(&verdict) + 1).max(id.len() + 2);
                let line = elide(&format!("{id}  ({like})"), room);
                format!("{} {line}", painted(result.meaning(), &verdict, layout))
            }
        }
    }
}
