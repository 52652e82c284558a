//! Tokens → the syntax tree.

use super::parse_sequence::Inside;
use super::syntax::{Declaration, Expression, Identifier, SequenceSyntax, SetUse, Steps};
use super::token::{Kind, Token, tokenize};
use super::vocabulary::Vocabulary;
use super::{ParseError, Span};

/// The maximum nesting depth. Deeper nesting is reported as an error before the stack can overflow.
const DEEPEST: usize = 48;
/// The maximum number of operators, members and indices in one statement. They nest in the syntax tree even if the text
/// looks flat.
const LONGEST_CHAIN: usize = 512;

/// The names that affect how text is parsed.
pub struct Names<'a> {
    /// True if a name is a type.
    pub is_type: &'a dyn Fn(&str) -> bool,
    /// The rule's actors.
    pub actors: &'a [String],
    /// The runtime's additions to the language.
    pub vocabulary: &'a Vocabulary,
}

/// Parses a `steps` block.
pub fn parse_steps(text: &str, names: &Names<'_>) -> Result<Steps, ParseError> {
    let mut parser = Parser::new(text, names, false)?;
    let statements = parser.statements(&Kind::End)?;
    Ok(Steps { statements, sets: parser.sets, sequence: parser.sequence })
}

/// Parses one expression. `sizes` allows sizes such as `64KiB`, for use in bounds.
pub fn parse_expression(text: &str, names: &Names<'_>, sizes: bool) -> Result<Expression, ParseError> {
    let mut parser = Parser::new(text, names, sizes)?;
    let expression = parser.expression()?;
    parser.expect_end()?;
    Ok(expression)
}

pub(super) struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// The number of operators, members and indices in this statement so far.
    pub(super) links: usize,
    /// The sets of codes named so far.
    pub(super) sets: Vec<SetUse>,
    /// The declarations after the first comma in this statement.
    pub(super) declared: Vec<(Declaration, Span)>,
    /// The rule's sequence, if its text was read.
    pub(super) sequence: Option<SequenceSyntax>,
    /// The operation of a sequence around the present text.
    pub(super) inside: Option<Inside>,
    pub(super) names: &'a Names<'a>,
}

pub(super) type Parsed<T> = Result<T, ParseError>;

impl<'a> Parser<'a> {
    pub(super) fn new(text: &str, names: &'a Names<'a>, sizes: bool) -> Parsed<Parser<'a>> {
        Ok(Parser {
            tokens: tokenize(text, sizes)?,
            at: 0,
            depth: 0,
            links: 0,
            sets: Vec::new(),
            declared: Vec::new(),
            sequence: None,
            inside: None,
            names,
        })
    }

    pub(super) fn peek(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    pub(super) fn peek_after(&self, distance: usize) -> &Kind {
        &self.tokens[(self.at + distance).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    pub(super) fn since(&self, start: Span) -> Span {
        Span { start: start.start, end: self.tokens[self.at.saturating_sub(1)].span.end.max(start.end) }
    }

    /// Takes the next token. Each token is read only once; afterward only its place is needed.
    pub(super) fn next(&mut self) -> Kind {
        if self.at + 1 == self.tokens.len() {
            return Kind::End;
        }
        self.at += 1;
        std::mem::replace(&mut self.tokens[self.at - 1].kind, Kind::End)
    }

    /// True if this symbol or word comes next.
    pub(super) fn is(&self, text: &str) -> bool {
        match self.peek() {
            Kind::Symbol(symbol) => *symbol == text,
            Kind::Name(name) => name == text,
            _ => false,
        }
    }

    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect(&mut self, symbol: &str, why: &str) -> Parsed<()> {
        if self.accept(symbol) {
            Ok(())
        } else {
            self.fail(&format!("expected `{symbol}` {why}, found {}", describe(self.peek())))
        }
    }

    pub(super) fn expect_end(&mut self) -> Parsed<()> {
        if *self.peek() == Kind::End {
            Ok(())
        } else {
            self.fail(&format!("expected the end of the input, found {}", describe(self.peek())))
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Identifier> {
        let span = self.span();
        let Kind::Name(name) = &mut self.tokens[self.at].kind else {
            return self.fail(&format!("expected {what}, found {}", describe(self.peek())));
        };
        let name = std::mem::take(name);
        self.next();
        Ok(Identifier { name, span })
    }

    pub(super) fn fail<T>(&self, message: &str) -> Parsed<T> {
        Err(ParseError { span: self.span(), message: message.to_owned() })
    }

    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(&format!("nested deeper than {DEEPEST} levels; flatten it"));
        }
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// True outside all blocks.
    pub(super) fn is_top(&self) -> bool {
        self.depth == 0
    }

    /// Counts another operator, member or index.
    pub(super) fn link(&mut self) -> Parsed<()> {
        self.links += 1;
        if self.links > LONGEST_CHAIN {
            return self.fail(&format!("more than {LONGEST_CHAIN} operators in one statement; split it"));
        }
        Ok(())
    }
}

pub(super) fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Name(name) => format!("`{name}`"),
        Kind::Integer(value) => format!("`{value}`"),
        Kind::Text(_) => "a text".to_owned(),
        Kind::Symbol(symbol) => format!("`{symbol}`"),
        Kind::SetupEnd => "`---`".to_owned(),
        Kind::Info => "`[info]`".to_owned(),
        Kind::End => "the end".to_owned(),
    }
}
