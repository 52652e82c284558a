//! The parser's part for expressions. Precedence is C's.

use super::parse::{ParseError, Parsed, Parser, describe};
use super::syntax::{BinaryOperator, Expression, ExpressionKind, SetUse, UnaryOperator};
use super::token::Kind;

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
        Ok(Expression {
            kind: ExpressionKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)),
            span: self.since(start),
        })
    }

    fn binary(&mut self, lowest: u8) -> Parsed<Expression> {
        let start = self.span();
        let mut left = self.unary()?;
        loop {
            if self.is_word("in") && lowest <= 7 {
                self.next();
                self.link()?;
                let values = self.set()?;
                left = Expression { kind: ExpressionKind::In(Box::new(left), values), span: self.since(start) };
                continue;
            }
            let Kind::Symbol(symbol) = *self.peek() else { return Ok(left) };
            let Some((operator, precedence)) = binary_operator(symbol) else { return Ok(left) };
            if precedence < lowest {
                return Ok(left);
            }
            self.next();
            self.link()?;
            let right = self.deeper(|parser| parser.binary(precedence + 1))?;
            left = Expression {
                kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)),
                span: self.since(start),
            };
        }
    }

    fn unary(&mut self) -> Parsed<Expression> {
        self.deeper(|parser| parser.unary_here())
    }

    fn unary_here(&mut self) -> Parsed<Expression> {
        let start = self.span();
        let make = |kind, parser: &Self| Ok(Expression { kind, span: parser.since(start) });
        if self.accept("!") {
            let of = Box::new(self.unary()?);
            return make(ExpressionKind::Unary(UnaryOperator::Not, of), self);
        }
        if self.accept("~") {
            let of = Box::new(self.unary()?);
            return make(ExpressionKind::Unary(UnaryOperator::Complement, of), self);
        }
        if self.accept("-") {
            let of = Box::new(self.unary()?);
            return make(ExpressionKind::Unary(UnaryOperator::Minus, of), self);
        }
        if self.accept("&") {
            let of = Box::new(self.unary()?);
            return make(ExpressionKind::AddressOf(of), self);
        }
        if self.accept("*") {
            let of = Box::new(self.unary()?);
            return make(ExpressionKind::Dereference(of), self);
        }
        if self.is_word("sizeof") {
            self.next();
            self.expect("(", "after `sizeof`")?;
            let (ty, pointers) = self.type_name()?;
            self.expect(")", "after the type")?;
            return make(ExpressionKind::SizeOf { ty, pointers }, self);
        }
        if self.is("(")
            && matches!(self.peek_after(1), Kind::Name(name) if name == "const" || (self.names.is_type)(name))
        {
            self.next();
            let (ty, pointers) = self.type_name()?;
            self.expect(")", "after the type of the cast")?;
            let of = Box::new(self.unary()?);
            return make(ExpressionKind::Cast { ty, pointers, of }, self);
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Parsed<Expression> {
        let start = self.span();
        let mut expression = self.primary()?;
        loop {
            if self.accept(".") {
                let (name, _) = self.name("a member")?;
                self.link()?;
                expression = Expression {
                    kind: ExpressionKind::Member { of: Box::new(expression), name },
                    span: self.since(start),
                };
            } else if self.accept("[") {
                self.link()?;
                let index = Box::new(self.expression()?);
                self.expect("]", "after the index")?;
                expression = Expression {
                    kind: ExpressionKind::Index { of: Box::new(expression), index },
                    span: self.since(start),
                };
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
                self.expect(")", "to close the bracket")?;
                return Ok(Expression { kind: inner.kind, span: self.since(start) });
            }
            Kind::Name(name) => {
                if self.accept("(") {
                    let mut arguments = Vec::new();
                    while !self.is(")") {
                        arguments.push(self.expression()?);
                        if !self.accept(",") {
                            break;
                        }
                    }
                    self.expect(")", "after the arguments")?;
                    ExpressionKind::Call { function: name, arguments }
                } else {
                    ExpressionKind::Name(name)
                }
            }
            Kind::SetupEnd | Kind::Info | Kind::End => return self.fail("expected a value"),
        };
        Ok(Expression { kind, span: self.since(start) })
    }

    /// `{a, b}`, or the name of a set of the runtime.
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
        let (name, span) = self.name("a set of codes")?;
        let Some(codes) = self.names.vocabulary.sets.get(&name) else {
            return Err(ParseError { span, message: self.names.vocabulary.no_set(&name) });
        };
        self.sets.push(SetUse { span, written: format!("{{{}}}", codes.join(", ")) });
        Ok(codes.iter().map(|code| Expression { kind: ExpressionKind::Name(code.clone()), span }).collect())
    }
}

fn binary_operator(symbol: &str) -> Option<(BinaryOperator, u8)> {
    use BinaryOperator::*;
    Some(match symbol {
        "||" => (Or, 1),
        "&&" => (And, 2),
        "|" => (BitOr, 3),
        "^" => (BitXor, 4),
        "&" => (BitAnd, 5),
        "==" => (Equal, 6),
        "!=" => (NotEqual, 6),
        "<" => (Less, 7),
        "<=" => (LessEqual, 7),
        ">" => (Greater, 7),
        ">=" => (GreaterEqual, 7),
        "<<" => (ShiftLeft, 8),
        ">>" => (ShiftRight, 8),
        "+" => (Add, 9),
        "-" => (Subtract, 9),
        "*" => (Multiply, 10),
        "/" => (Divide, 10),
        "%" => (Remainder, 10),
        _ => return None,
    })
}
