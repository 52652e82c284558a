//! The common feature of failures that look alike.

use record::{Code, Content, RuleResult, Shape, Symptom, Verdict};

use super::calls::source_of_value;

/// The feature by which failures are grouped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Compared bytes differ at positions of one shape.
    Bytes {
        shape: Shape,
        /// True if the expected bytes are there, at a wrong position. Other contents do not tell causes apart: one lost
        /// write leaves poison in the memory of one rule, and zeros or old bytes in the memory of another.
        shifted: bool,
    },
    /// A function returned the code.
    Answer { function: String, code: String, verdict: Verdict },
    /// A function crashed or did not return.
    Lost { verdict: Verdict, function: String },
    /// A value from the function does not have the promised relation to others.
    Value { function: String },
    /// Nothing but the verdict.
    Verdict(Verdict),
}

impl Likeness {
    /// The feature of a rule's failure.
    pub fn of(result: &RuleResult) -> Likeness {
        let Symptom { verdict, code, call, .. } = Symptom::of_single_run(result);
        if let Some(difference) = result.failure.as_ref().and_then(|failure| failure.difference) {
            let shifted = difference.content == Content::Shifted;
            return Likeness::Bytes { shape: difference.shape, shifted };
        }
        match (call, code) {
            (Some(function), Some(Code { value, .. })) => Likeness::Answer { function, code: value, verdict },
            (Some(function), None) => Likeness::Lost { verdict, function },
            (None, _) => {
                source_of_value(result).map_or(Likeness::Verdict(verdict), |function| Likeness::Value { function })
            }
        }
    }
}
