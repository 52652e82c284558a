//! The failures of a run as they happen: a block for the first failure of each cause, one line for each further one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use messages::message;
use record::{RuleResult, RunHeader};

use super::failure::failure_text;
use super::text::{WIDTH, elide, one_line, pad};
use crate::causes::Likeness;
use crate::names::verdict_title;

/// The failures that were printed.
#[derive(Debug, Default)]
pub struct Blocks {
    /// The first rule with each feature.
    first: Mutex<BTreeMap<Likeness, String>>,
}

impl Blocks {
    /// The text for a failure: a block, or a line if an earlier failure looks alike.
    pub fn text(&self, result: &RuleResult, header: &RunHeader) -> String {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        match first.get(&Likeness::of(result)).filter(|first| **first != result.id) {
            None => {
                first.insert(Likeness::of(result), result.id.clone());
                failure_text(result, header)
            }
            Some(first) => {
                let like = message!("looks-like", rule = first.as_str());
                let line = format!("{} {}  ({like})", pad(&verdict_title(result.verdict), 9), one_line(&result.id));
                elide(&line, WIDTH.max(one_line(&result.id).len() + 12))
            }
        }
    }
}
