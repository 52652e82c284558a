//! Parses set-ups, and expands them in the steps that use them.

use super::given::{GivenUse, Piece, SetUp};
use super::parse::{Names, Parsed, Parser, parse_steps};
use super::suggest::hint;
use super::syntax::{Expression, Statement, StatementKind};
use super::token::{Kind, Token, tokenize};
use super::{ParseError, Span};

impl SetUp {
    /// Parses the statements of a set-up.
    ///
    /// # Errors
    /// Fails if the text does not follow the grammar or has a statement that is not allowed in a set-up.
    pub fn parse(parameters: Vec<String>, text: &str, names: &Names<'_>) -> Result<SetUp, ParseError> {
        let names = Names { actors: &parameters, ..*names };
        let (text, uses) = write_out(text, &names)?;
        let placed = |error: ParseError| ParseError { span: GivenUse::written(&uses, error.span), ..error };
        let statements = parse_steps(&text, &names).map_err(placed)?.statements;
        if let Some(judging) = judging(&statements) {
            let message =
                "a set-up may only declare, call, and check that the rule can continue; write this in the rule"
                    .to_owned();
            return Err(ParseError { span: GivenUse::written(&uses, judging.span), message });
        }
        let names_actors = statements.iter().any(|statement| statement.actor.is_some());
        let starts: Vec<usize> = statements.iter().map(|statement| statement.span.start).collect();
        let pieces = pieces(&text, &tokenize(&text, false)?, &starts, &parameters);
        let made_of = uses.into_iter().map(|given| given.name).collect();
        Ok(SetUp { parameters, pieces, names_actors, made_of })
    }
}

/// Expands all set-ups in the steps. Each expansion follows a comment with the set-up's name.
pub(super) fn write_out(text: &str, names: &Names<'_>) -> Parsed<(String, Vec<GivenUse>)> {
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
            let message = format!("`{}` names its own actors; remove `{actor}:`", used.name);
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
        uses.push(GivenUse { name: used.name, written, stands_for: Span { start: begins, end: out.len() } });
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
            let message =
                format!("`{}` is not defined yet: a set-up can use only set-ups above it, not itself", name.name);
            return Err(ParseError { span: name.span, message });
        };
        self.expect("(", "after the name of a set-up")?;
        let arguments = self.arguments()?;
        let span = self.since(start);
        self.expect(";", "after the set-up")?;
        Ok(Use { set_up, name: name.name, arguments, span })
    }
}

/// The actor that the text before a set-up names, and the place of its name.
fn actor_before<'n>(before: &[Option<Token>; 2], names: &Names<'n>) -> Parsed<Option<(&'n str, usize)>> {
    match before {
        [Some(Token { kind: Kind::Name(name), span }), Some(Token { kind: Kind::Symbol(":"), .. })] => {
            Ok(names.actors.iter().find(|actor| *actor == name).map(|actor| (actor.as_str(), span.start)))
        }
        [_, Some(Token { kind: Kind::Info | Kind::Symbol("]"), span })] => {
            let message = "a set-up judges nothing; remove `[info]` or `[name]`".to_owned();
            Err(ParseError { span: *span, message })
        }
        _ => Ok(None),
    }
}

/// Finds the first statement that is not allowed in a set-up.
fn judging(statements: &[Statement]) -> Option<&Statement> {
    use StatementKind::*;
    statements.iter().find_map(|statement| match &statement.kind {
        _ if statement.rests_on.is_some() => Some(statement),
        SetupEnd
        | Choose { .. }
        | Control(_)
        | Setup(_)
        | Refuse { .. }
        | Exit(_)
        | Kill(_)
        | Together(_)
        | Begin(_)
        | End(_) => Some(statement),
        Expression { expect, info, .. } => (expect.is_some() || *info).then_some(statement),
        For { body, .. } | Group(body) => judging(body),
        If { then, otherwise, .. } => judging(then).or_else(|| judging(otherwise)),
        Empty | Declaration(_) | Assignment { .. } | Defer(_) => None,
    })
}

/// Splits the text of a set-up at the places where text is inserted.
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
