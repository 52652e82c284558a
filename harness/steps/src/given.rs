//! Set-ups that a runtime names: one statement of a rule that stands for several, which may declare.
//!
//! They are written out in the text of the steps before it is read. Everything that comes after sees steps in which no
//! set-up is left, and [`Given`] leads from there back to what the rule says.

use super::Span;
use super::parse::{Names, ParseError, Parsed, Parser, parse_steps};
use super::suggest::hint;
use super::syntax::{Expression, ExpressionKind, Statement, StatementKind};
use super::token::{Kind, Token, tokenize};
use super::word::changing_call;

/// What a set-up stands for, with names for what a rule passes.
#[derive(Debug)]
pub struct SetUp {
    parameters: Vec<String>,
    pieces: Vec<Piece>,
    /// Whether its statements say who performs them.
    names_actors: bool,
    /// The set-ups that it is made of.
    pub made_of: Vec<String>,
}

/// A part of the text of a set-up.
#[derive(Debug)]
enum Piece {
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
pub struct Given {
    pub name: String,
    /// Where the rule says so.
    pub written: Span,
    /// What it stands for, in the text of the program.
    pub stands_for: Span,
}

impl SetUp {
    /// Reads the statements of a set-up.
    ///
    /// # Errors
    /// The text does not follow the grammar, or has a statement that a set-up may not have.
    pub fn parse(parameters: Vec<String>, text: &str, names: &Names<'_>) -> Result<SetUp, ParseError> {
        let names = Names { actors: &parameters, ..*names };
        let (text, uses) = write_out(text, &names)?;
        let placed = |error: ParseError| ParseError { span: Given::written(&uses, error.span), ..error };
        let statements = parse_steps(&text, &names).map_err(placed)?.statements;
        if let Some(judging) = judging(&statements) {
            let message = "a set-up declares, calls, and checks that it may go on; write this in the rule".to_owned();
            return Err(ParseError { span: Given::written(&uses, judging.span), message });
        }
        let names_actors = statements.iter().any(|statement| statement.actor.is_some());
        let starts: Vec<usize> = statements.iter().map(|statement| statement.span.start).collect();
        let pieces = pieces(&text, &tokenize(&text, false)?, &starts, &parameters);
        let made_of = uses.into_iter().map(|given| given.name).collect();
        Ok(SetUp { parameters, pieces, names_actors, made_of })
    }

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
    fn text(&self, actor: Option<&str>, arguments: &[(Expression, &str)]) -> String {
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
    fn fits(&self, name: &str, span: Span, arguments: &[Expression]) -> Parsed<()> {
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

impl Given {
    /// The place in the rule of a place in the text of the program.
    pub fn written(uses: &[Given], span: Span) -> Span {
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
    pub fn of(uses: &[Given], span: Span) -> Option<&Given> {
        uses.iter().find(|given| (given.stands_for.start..given.stands_for.end).contains(&span.start))
    }
}

/// The steps with all set-ups written out, each below a comment that names it.
pub(super) fn write_out(text: &str, names: &Names<'_>) -> Parsed<(String, Vec<Given>)> {
    let (mut out, mut uses, mut copied) = (String::new(), Vec::new(), 0);
    if !text.contains("given") {
        return Ok((text.to_owned(), uses));
    }
    let mut parser = Parser::new(text, names, false)?;
    let mut before: [Option<Token>; 2] = [None, None];
    while *parser.peek() != Kind::End {
        if !(parser.is("given") && matches!(parser.peek_after(1), Kind::Name(_))) {
            let span = parser.span();
            let token = Token { kind: parser.next(), span };
            before = [before[1].take(), Some(token)];
            continue;
        }
        let actor = actor_before(&before, names)?;
        let start = actor.map_or(parser.span().start, |(_, start)| start);
        let used = parser.given()?;
        used.set_up.fits(&used.name, used.span, &used.arguments)?;
        if let Some((actor, _)) = actor.filter(|_| used.set_up.names_actors) {
            let message = format!("`{}` says itself who does what; write it without `{actor}:`", used.name);
            return Err(ParseError { span: used.span, message });
        }
        let written = Span { start, end: parser.since(used.span).end };
        out += &text[copied..start];
        let begins = out.len();
        let said = &text[used.span.start..written.end];
        let said: Vec<&str> = said.trim_end_matches(';').split_whitespace().collect();
        out += &format!("/* {} */\n", said.join(" ").replace("/*", "/ *").replace("*/", "* /"));
        let arguments = used.arguments.into_iter().map(|argument| {
            let span = argument.span;
            (argument, &text[span.start..span.end])
        });
        out += &used.set_up.text(actor.map(|(actor, _)| actor), &arguments.collect::<Vec<_>>());
        copied = written.end;
        uses.push(Given { name: used.name, written, stands_for: Span { start: begins, end: out.len() } });
        before = [None, None];
    }
    out += &text[copied..];
    Ok((out, uses))
}

/// `given name(argument, …);`
struct Use<'a> {
    set_up: &'a SetUp,
    name: String,
    arguments: Vec<Expression>,
    span: Span,
}

impl<'a> Parser<'a> {
    fn given(&mut self) -> Parsed<Use<'a>> {
        let start = self.span();
        self.next();
        let name = self.name("the name of a set-up")?;
        let known = &self.names.vocabulary.set_ups;
        let Some(set_up) = known.get(&name.name) else {
            let hint = hint(&name.name, known.keys().map(String::as_str));
            let message = format!("`{}` is not a set-up of api.yaml{hint}", name.name);
            return Err(ParseError { span: name.span, message });
        };
        let Some(set_up) = set_up else {
            let message = format!(
                "`{}` is not defined yet: a set-up is made of set-ups that are written above it, never of itself",
                name.name
            );
            return Err(ParseError { span: name.span, message });
        };
        self.expect("(", "after the name of a set-up")?;
        let arguments = self.arguments()?;
        let span = self.since(start);
        self.expect(";", "after the set-up")?;
        Ok(Use { set_up, name: name.name, arguments, span })
    }
}

/// Who performs the set-up that comes next, and where this is said.
fn actor_before<'n>(before: &[Option<Token>; 2], names: &Names<'n>) -> Parsed<Option<(&'n str, usize)>> {
    match before {
        [Some(Token { kind: Kind::Name(name), span }), Some(Token { kind: Kind::Symbol(":"), .. })] => {
            Ok(names.actors.iter().find(|actor| *actor == name).map(|actor| (actor.as_str(), span.start)))
        }
        [_, Some(Token { kind: Kind::Info | Kind::Symbol("]"), span })] => {
            let message = "a set-up judges nothing; neither `[info]` nor `[name]` goes with it".to_owned();
            Err(ParseError { span: *span, message })
        }
        _ => Ok(None),
    }
}

/// The first statement that does more than set up.
fn judging(statements: &[Statement]) -> Option<&Statement> {
    use StatementKind::*;
    statements.iter().find_map(|statement| match &statement.kind {
        _ if statement.rests_on.is_some() => Some(statement),
        SetupEnd | Choose { .. } | Control(_) | Setup(_) | Refuse { .. } | Exit(_) | Kill(_) => Some(statement),
        Expression { expect, info, .. } => (expect.is_some() || *info).then_some(statement),
        For { body, .. } | Group(body) => judging(body),
        If { then, otherwise, .. } => judging(then).or_else(|| judging(otherwise)),
        Empty | Declaration(_) | Assignment { .. } | Defer(_) => None,
    })
}

/// The text of a set-up, taken apart where something else is put into it.
fn pieces(text: &str, tokens: &[Token], starts: &[usize], parameters: &[String]) -> Vec<Piece> {
    let (mut pieces, mut copied) = (Vec::new(), 0);
    for (at, token) in tokens.iter().enumerate() {
        let symbol = |position: Option<usize>| match position.and_then(|position| tokens.get(position)) {
            Some(Token { kind: Kind::Symbol(symbol), .. }) => symbol,
            _ => "",
        };
        let (before, after) = (symbol(at.checked_sub(1)), symbol(Some(at + 1)));
        let begins = starts.contains(&token.span.start) && token.kind != Kind::End;
        let position = match &token.kind {
            Kind::Name(name) if before != "." => parameters.iter().position(|parameter| parameter == name),
            _ => None,
        };
        if begins || position.is_some() {
            pieces.push(Piece::Text(text[copied..token.span.start].to_owned()));
            copied = token.span.start;
        }
        if begins {
            pieces.push(Piece::Statement);
        }
        if let Some(position) = position {
            let alone = matches!(before, "(" | "," | "=" | "[") && matches!(after, ")" | "," | ";" | "]" | "}");
            pieces.push(Piece::Argument { position, alone });
            copied = token.span.end;
        }
    }
    pieces.push(Piece::Text(text[copied..].trim_end().to_owned()));
    pieces
}

/// Whether an expression needs no brackets beside an operator.
fn is_primary(of: &Expression) -> bool {
    use ExpressionKind::*;
    matches!(of.kind, Name(_) | Integer(_) | Text(_) | Call { .. } | Member { .. } | Index { .. } | SizeOf { .. })
}
