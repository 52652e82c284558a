//! Set-ups that a runtime names: one statement of a rule that stands for several, which may declare.
//!
//! They are written out in the text of the steps before it is read. Everything that comes after sees steps in which no
//! set-up is left, and [`GivenUse`] leads from there back to what the rule says.

use super::syntax::{Expression, ExpressionKind};
use super::word::changing_call;
use super::{ParseError, Span};

/// What a set-up stands for, with names for what a rule passes.
#[derive(Debug)]
pub struct SetUp {
    pub(super) parameters: Vec<String>,
    pub(super) pieces: Vec<Piece>,
    /// Whether its statements say who performs them.
    pub(super) names_actors: bool,
    /// The set-ups that it is made of.
    pub made_of: Vec<String>,
}

/// A part of the text of a set-up.
#[derive(Debug)]
pub(super) enum Piece {
    Text(String),
    /// A statement begins: who performs it is said here.
    Statement,
    /// The argument at a position; `alone` where an expression of any form may stand without brackets.
    Argument {
        position: usize,
        alone: bool,
    },
}

/// The place where steps use a set-up.
#[derive(Debug)]
pub struct GivenUse {
    pub name: String,
    /// Where the rule says so.
    pub written: Span,
    /// What it stands for, in the text of the program.
    pub stands_for: Span,
}

impl SetUp {
    /// The first parameter that no statement uses.
    pub fn unused(&self) -> Option<&str> {
        let used = (0..self.parameters.len()).find(|position| self.uses(*position) == 0);
        used.map(|position| self.parameters[position].as_str())
    }

    /// Whether it stands for no statement.
    pub fn is_empty(&self) -> bool {
        !self.pieces.iter().any(|piece| matches!(piece, Piece::Statement))
    }

    fn uses(&self, wanted: usize) -> usize {
        let uses = |piece: &&Piece| matches!(piece, Piece::Argument { position, .. } if *position == wanted);
        self.pieces.iter().filter(uses).count()
    }

    /// The statements with these arguments, each performed by `actor`.
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

    /// Whether a use with these arguments means something.
    pub(super) fn fits(&self, name: &str, span: Span, arguments: &[Expression]) -> Result<(), ParseError> {
        if arguments.len() != self.parameters.len() {
            let (wanted, names, given) = (self.parameters.len(), self.parameters.join(", "), arguments.len());
            let message = format!("`{name}` takes {wanted} arguments ({names}), here are {given}");
            return Err(ParseError { span, message });
        }
        let repeated = arguments.iter().enumerate().filter(|(position, _)| self.uses(*position) > 1);
        if let Some(call) = repeated.filter_map(|(_, argument)| changing_call(argument)).next() {
            let message = format!("`{name}` uses this argument more than once; keep it in a variable first");
            return Err(ParseError { span: call.span, message });
        }
        Ok(())
    }
}

impl GivenUse {
    /// The place in the rule of a place in the text of the program.
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

    /// The use of a set-up that a place in the text of the program belongs to.
    pub fn of(uses: &[GivenUse], span: Span) -> Option<&GivenUse> {
        uses.iter().find(|given| (given.stands_for.start..given.stands_for.end).contains(&span.start))
    }
}

/// Whether an expression needs no brackets beside an operator.
fn is_primary(of: &Expression) -> bool {
    use ExpressionKind::*;
    matches!(of.kind, Name(_) | Integer(_) | Text(_) | Call { .. } | Member { .. } | Index { .. } | SizeOf { .. })
}
