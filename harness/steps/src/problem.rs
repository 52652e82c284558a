//! Problems in a text, with their places in it.

use super::ids::AxisId;

/// A range of bytes within a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(from = "(usize, usize)", into = "(usize, usize)")]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// The stored form: the start and the length, which takes one byte where the end would take two.
impl From<Span> for (usize, usize) {
    fn from(span: Span) -> (usize, usize) {
        (span.start, span.end.saturating_sub(span.start))
    }
}

impl From<(usize, usize)> for Span {
    fn from((start, length): (usize, usize)) -> Span {
        Span { start, end: start.saturating_add(length) }
    }
}

/// A violation of the grammar.
#[derive(Debug)]
pub struct ParseError {
    pub span: Span,
    pub message: String,
}

/// A problem in a rule's texts.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The text in the rule that has the problem.
    pub part: RulePart,
    /// The place in that text.
    pub span: Span,
    /// The problem, and what to do next.
    pub message: String,
}

/// The parts of a rule that have text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RulePart {
    Actors,
    Steps,
    Where,
    /// A bound or a value in an axis's domain.
    Axis(AxisId),
    /// An observation, by its position.
    Observe(usize),
}
