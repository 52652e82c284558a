//! The difference between the bytes that a failed check compared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The difference between bytes found and bytes expected. All positions and lengths are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    pub shape: Shape,
    pub content: Content,
    /// The number of compared bytes.
    pub length: u64,
    /// The number of bytes that differ.
    pub count: u64,
    /// The position of the first byte that differs.
    pub first: u64,
    /// The position of the last byte that differs.
    pub last: u64,
    /// The distance between the parts, for [`Shape::EveryNth`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// The number of bytes by which the content lies too late, for [`Content::Shifted`]; negative if it lies too
    /// early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<i64>,
}

/// The positions of the bytes that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// All bytes.
    All,
    /// One byte, neither the first nor the last.
    OneByte,
    /// The first bytes.
    Head,
    /// The last bytes.
    Tail,
    /// One part in the middle.
    Block,
    /// Several parts at equal distances.
    EveryNth,
    /// Bytes without one of the other shapes.
    Scattered,
}

/// The content of the bytes that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// The poison from before the expected write.
    NeverWritten,
    /// Zeros.
    Zero,
    /// Another pattern of the same case, from the same position.
    OtherPattern,
    /// The expected bytes, at a wrong position.
    Shifted,
    /// Copies of one value other than zero.
    Constant,
    /// Bytes that the rule did not write, and that have none of the other forms.
    Unknown,
}

impl Shape {
    /// All shapes.
    pub const EACH: [Shape; 7] =
        [Shape::All, Shape::OneByte, Shape::Head, Shape::Tail, Shape::Block, Shape::EveryNth, Shape::Scattered];

    /// The name in journals and options.
    pub fn name(self) -> &'static str {
        match self {
            Shape::All => "all",
            Shape::OneByte => "one-byte",
            Shape::Head => "head",
            Shape::Tail => "tail",
            Shape::Block => "block",
            Shape::EveryNth => "every-nth",
            Shape::Scattered => "scattered",
        }
    }
}

impl Content {
    /// The name in journals and options.
    pub fn name(self) -> &'static str {
        match self {
            Content::NeverWritten => "never-written",
            Content::Zero => "zero",
            Content::OtherPattern => "other-pattern",
            Content::Shifted => "shifted",
            Content::Constant => "constant",
            Content::Unknown => "unknown",
        }
    }
}
