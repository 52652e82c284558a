//! The boundary between failing and passing cases: one axis is varied alone, and the other axes keep the values of the
//! smallest failing case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The boundary of a failure on one axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Boundary {
    /// The axis's name.
    pub axis: String,
    pub fails: FailingValues,
    /// The nearest value, as text, with which the case passes; `None` if no tried value passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<String>,
    /// The number of values that were tried.
    pub tried: u32,
    /// True if the boundary is not exact, because the budget ended or values next to it give no case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The values that were left out because they give no case; `None` if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untried: Option<Untried>,
}

/// Values on an axis that give no case while the other axes keep their values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Untried {
    /// The values, as text: `< 65537`, `> 4096`, or single alternatives.
    pub values: Vec<String>,
    /// The axes whose values exclude these, for example `cut = 65536`; empty if a condition of the rule does.
    pub with: Vec<String>,
}

/// The values on an axis with which a case fails, as far as they were tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailingValues {
    /// Each tried value.
    Any,
    /// The listed values, as text, and no other tried value.
    Only(Vec<String>),
    /// Each tried value in a range and, if `modulus` is present, only those with a remainder.
    Range {
        /// The lowest failing value; `None` if the range has no lower limit on the axis.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<i128>,
        /// The highest failing value; `None` if the range has no upper limit on the axis.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<i128>,
        /// The remainders by which failing values are distinguished from passing values in the range.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        modulus: Option<Remainder>,
    },
    /// Tried values without a recognized rule: the failing values, as text, in order.
    Irregular(Vec<String>),
}

/// A condition on the remainder of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remainder {
    /// The divisor.
    pub by: u64,
    /// True if the case fails when the remainder is 0; false if it fails when the remainder is not 0.
    pub zero: bool,
}

impl std::fmt::Display for FailingValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FailingValues::Any => f.write_str("any"),
            FailingValues::Only(values) | FailingValues::Irregular(values) => f.write_str(&values.join(", ")),
            FailingValues::Range { from, to, modulus } => {
                match (from, to) {
                    (Some(from), Some(to)) if from == to => write!(f, "{from}")?,
                    (Some(from), Some(to)) => write!(f, "{from}..={to}")?,
                    (Some(from), None) => write!(f, "≥ {from}")?,
                    (None, Some(to)) => write!(f, "≤ {to}")?,
                    (None, None) => f.write_str("any")?,
                }
                match modulus {
                    Some(Remainder { by, zero: true }) => write!(f, " that are multiples of {by}"),
                    Some(Remainder { by, zero: false }) => write!(f, " that are not multiples of {by}"),
                    None => Ok(()),
                }
            }
        }
    }
}
