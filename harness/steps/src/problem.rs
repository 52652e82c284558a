//! Problems in a text, with their places in it.

use super::ids::AxisId;

/// A range of bytes within a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    pub start: usize,
    pub end: usize,
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
