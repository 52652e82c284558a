//! Parses expressions with C's precedence.

use super::parse::{Parsed, Parser, describe};
use super::syntax::{BinaryOperator, Expression, ExpressionKind, Identifier, SetUse, UnaryOperator};
use super::token::Kind;
use super::{ParseError, Span};

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.deeper(|parser| parser.conditional())
    }

    fn conditional(&mut self) -> Parsed<Expression> {
        let start = self.span();
        let condition = self.binary(0)?;
        if !self.accept("?") {
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect(":", "between the two values of `?:`")?;
        let otherwise = self.expression()?;
        let kind = ExpressionKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
        Ok(self.made(start, kind))
    }

    /// Builds the expression that began at `start` and ends here.
    fn made(&self, start: Span, kind: ExpressionKind) -> Expression {
        Expression { kind, span: self.since(start) }
    }

    fn binary(&mut self, lowest: u8) -> Parsed<Expression> {
        let start = self.span();
        let mut left = self.unary()?;
        loop {
            if lowest <= 7 && self.accept("in") {
                self.link()?;
                let values = self.set()?;
                left = self.made(start, ExpressionKind::In(Box::new(left), values));
                continue;
            }
            let Kind::Symbol(symbol) = *self.peek() else { return Ok(left) };
            let Some((operator, precedence)) = BinaryOperator::read(symbol) else { return Ok(left) };
            if precedence < lowest {
                return Ok(left);
            }
            self.next();
            self.link()?;
            let right = self.deeper(|parser| parser.binary(precedence + 1))?;
            left = self.made(start, ExpressionKind::Binary(operator, Box::new(left), Box::new(right)));
        }
    }

    fn unary(&mut self) -> Parsed<Expression> {
        self.deeper(|parser| parser.unary_here())
    }

    fn unary_here(&mut self) -> Parsed<Expression> {
        let start = self.span();
        let prefix: Option<fn(Box<Expression>) -> ExpressionKind> = match self.peek() {
            Kind::Symbol("!") => Some(|of| ExpressionKind::Unary(UnaryOperator::Not, of)),
            Kind::Symbol("~") => Some(|of| ExpressionKind::Unary(UnaryOperator::Complement, of)),
            Kind::Symbol("-") => Some(|of| ExpressionKind::Unary(UnaryOperator::Minus, of)),
            Kind::Symbol("&") => Some(ExpressionKind::AddressOf),
            Kind::Symbol("*") => Some(ExpressionKind::Dereference),
            _ => None,
        };
        if let Some(prefix) = prefix {
            self.next();
            let of = Box::new(self.unary()?);
            return Ok(self.made(start, prefix(of)));
        }
        if self.accept("sizeof") {
            self.expect("(", "after `sizeof`")?;
            let (ty, pointers) = self.type_name()?;
            self.expect(")", "after the type")?;
            return Ok(self.made(start, ExpressionKind::SizeOf { ty, pointers }));
        }
        if self.is("(")
            && (matches!(self.peek_after(1), Kind::Name(name) if name == "const") || self.type_words(1).is_some())
        {
            self.next();
            let (ty, pointers) = self.type_name()?;
            self.expect(")", "after the type of the cast")?;
            let of = Box::new(self.unary()?);
            return Ok(self.made(start, ExpressionKind::Cast { ty, pointers, of }));
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Parsed<Expression> {
        let start = self.span();
        let mut expression = self.primary()?;
        loop {
            if self.accept(".") {
                let name = self.name("a member")?.name;
                self.link()?;
                expression = self.made(start, ExpressionKind::Member { of: Box::new(expression), name });
            } else if self.accept("[") {
                self.link()?;
                let index = Box::new(self.expression()?);
                self.expect("]", "after the index")?;
                expression = self.made(start, ExpressionKind::Index { of: Box::new(expression), index });
            } else {
                return Ok(expression);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let start = self.span();
        if !matches!(self.peek(), Kind::Integer(_) | Kind::Text(_) | Kind::Symbol("(") | Kind::Name(_)) {
            return self.fail(&format!("expected a value, found {}", describe(self.peek())));
        }
        let kind = match self.next() {
            Kind::Integer(value) => ExpressionKind::Integer(value),
            Kind::Text(text) => ExpressionKind::Text(text),
            Kind::Symbol(_) => {
                let inner = self.expression()?;
                self.expect(")", "to close the parenthesis")?;
                inner.kind
            }
            Kind::Name(name) => {
                if self.accept("(") {
                    ExpressionKind::Call { function: name, arguments: self.arguments()? }
                } else {
                    self.parameter_or_name(name, start)
                }
            }
            Kind::SetupEnd | Kind::Info | Kind::End => return self.fail("expected a value"),
        };
        Ok(self.made(start, kind))
    }

    /// Parses the arguments of a call, after the opening parenthesis.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expression>> {
        let mut arguments = Vec::new();
        while !self.is(")") {
            arguments.push(self.expression()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")", "after the arguments")?;
        Ok(arguments)
    }

    /// Parses `{a, b}`, or the name of a set that the runtime defines.
    pub(super) fn set(&mut self) -> Parsed<Vec<Expression>> {
        if matches!(self.peek(), Kind::Name(_)) {
            return self.named_set();
        }
        self.expect("{", "before the values")?;
        let mut values = vec![self.expression()?];
        while self.accept(",") {
            values.push(self.expression()?);
        }
        self.expect("}", "after the values")?;
        Ok(values)
    }

    fn named_set(&mut self) -> Parsed<Vec<Expression>> {
        let Identifier { name, span } = self.name("a set of codes")?;
        let Some(codes) = self.names.vocabulary.sets.get(&name) else {
            return Err(ParseError { span, message: self.names.vocabulary.no_set(&name) });
        };
        self.sets.push(SetUse { span, written: format!("{{{}}}", codes.join(", ")) });
        Ok(codes.iter().map(|code| Expression { kind: ExpressionKind::Name(code.clone()), span }).collect())
    }
}
