//! Set-ups that a runtime defines. A rule uses a set-up as one statement, which stands for several statements and may
//! declare variables.
//!
//! Set-ups are expanded in the text of the steps before parsing, so later stages see only the expanded text.
//! [`GivenUse`] maps places in that text back to the rule.

use super::count::count;
use super::syntax::{Expression, ExpressionKind};
use super::word::changing_call;
use super::{ParseError, Span};

/// A set-up's statements and parameters.
#[derive(Debug)]
pub struct SetUp {
    pub(super) parameters: Vec<String>,
    pub(super) pieces: Vec<Piece>,
    /// True if the set-up's statements name their actors.
    pub(super) names_actors: bool,
    /// The names of the set-ups that this set-up uses.
    pub made_of: Vec<String>,
}

/// A piece of a set-up's text.
#[derive(Debug)]
pub(super) enum Piece {
    Text(String),
    /// The start of a statement, where its actor is inserted.
    Statement,
    /// An argument, by its position. `alone` is true if no expression needs parentheses there.
    Argument {
        position: usize,
        alone: bool,
    },
}

/// A use of a set-up in the steps.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct GivenUse {
    pub name: String,
    /// The place in the rule.
    pub written: Span,
    /// The expansion, as a place in the program's text.
    pub stands_for: Span,
}

impl SetUp {
    /// The first parameter that no statement uses.
    pub fn unused(&self) -> Option<&str> {
        let used = (0..self.parameters.len()).find(|position| self.uses(*position) == 0);
        used.map(|position| self.parameters[position].as_str())
    }

    /// True if the set-up has no statements.
    pub fn is_empty(&self) -> bool {
        !self.pieces.iter().any(|piece| matches!(piece, Piece::Statement))
    }

    fn uses(&self, wanted: usize) -> usize {
        let uses = |piece: &&Piece| matches!(piece, Piece::Argument { position, .. } if *position == wanted);
        self.pieces.iter().filter(uses).count()
    }

    /// The text of the statements with these arguments, to be performed by `actor`.
    pub(super) fn text(&self, actor: Option<&str>, arguments: &[(Expression, &str)]) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(part) => text += part,
                Piece::Statement => text.extend(actor.iter().flat_map(|actor| [actor, ": "])),
                Piece::Argument { position, alone } => {
                    let (argument, written) = &arguments[*position];
                    if *alone || is_primary(argument) {
                        text += written;
                    } else {
                        text.extend(["(", written, ")"]);
                    }
                }
            }
        }
        text
    }

    /// Checks the arguments of a use.
    pub(super) fn fits(&self, name: &str, span: Span, arguments: &[Expression]) -> Result<(), ParseError> {
        if arguments.len() != self.parameters.len() {
            let (wanted, names, given) =
                (count(self.parameters.len(), "argument"), self.parameters.join(", "), arguments.len());
            let message = format!("`{name}` takes {wanted} ({names}), got {given}");
            return Err(ParseError { span, message });
        }
        let repeated = arguments.iter().enumerate().filter(|(position, _)| self.uses(*position) > 1);
        if let Some(call) = repeated.filter_map(|(_, argument)| changing_call(argument)).next() {
            let message = format!("`{name}` uses this argument more than once; store it in a variable first");
            return Err(ParseError { span: call.span, message });
        }
        Ok(())
    }
}

impl GivenUse {
    /// Maps a place in the program's text to its place in the rule.
    pub fn written(uses: &[GivenUse], span: Span) -> Span {
        let place = |offset: usize, end: bool| {
            let Some(before) = uses.iter().rfind(|given| given.stands_for.start <= offset) else { return offset };
            match (offset < before.stands_for.end, end) {
                (true, false) => before.written.start,
                (true, true) => before.written.end,
                (false, _) => offset - before.stands_for.end + before.written.end,
            }
        };
        Span { start: place(span.start, false), end: place(span.end, true) }
    }

    /// The use of a set-up from which a place in the program's text comes.
    pub fn of(uses: &[GivenUse], span: Span) -> Option<&GivenUse> {
        uses.iter().find(|given| (given.stands_for.start..given.stands_for.end).contains(&span.start))
    }
}

/// True if an expression needs no parentheses next to an operator.
fn is_primary(of: &Expression) -> bool {
    use ExpressionKind::*;
    matches!(of.kind, Name(_) | Integer(_) | Text(_) | Call { .. } | Member { .. } | Index { .. } | SizeOf { .. })
}
