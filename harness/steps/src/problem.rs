//! Places in a text, and what is wrong there.

use super::ids::AxisId;

/// A range of bytes in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// A place where the text does not follow the grammar.
#[derive(Debug)]
pub struct ParseError {
    pub span: Span,
    pub message: String,
}

/// Something wrong in a rule's texts.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Which text of the rule.
    pub part: RulePart,
    /// Where in that text.
    pub span: Span,
    /// What is wrong and what to do next.
    pub message: String,
}

/// The texts that a rule is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RulePart {
    Actors,
    Steps,
    Where,
    /// A bound or a value of a domain.
    Axis(AxisId),
    /// An observation, by its position.
    Observe(usize),
}
