//! Parses statements.

use super::ParseError;
use super::parse::{Parsed, Parser};
use super::syntax::{
    BinaryOperator, Declaration, Expect, Expression, Identifier, Initializer, Lane, SetUse, Statement, StatementKind,
    TypeName,
};
use super::token::Kind;

impl Parser<'_> {
    pub(super) fn statements(&mut self, end: &Kind) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        while self.peek() != end {
            if *self.peek() == Kind::End {
                return self.fail("this block is not closed; add `}`");
            }
            self.statement_into(&mut statements)?;
        }
        Ok(statements)
    }

    pub(super) fn block(&mut self, after: &str) -> Parsed<Vec<Statement>> {
        self.expect("{", &format!("after {after}"))?;
        let statements = self.deeper(|parser| parser.statements(&Kind::Symbol("}")))?;
        self.expect("}", "at the end of the block")?;
        Ok(statements)
    }

    fn actor_follows(&self) -> bool {
        matches!(self.peek(), Kind::Name(name) if self.names.actors.contains(name))
            && *self.peek_after(1) == Kind::Symbol(":")
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span();
        self.links = 0;
        let mut actor = None;
        if self.actor_follows() {
            actor = Some(self.name("an actor")?);
            self.next();
        } else if let (Kind::Name(name), Kind::Symbol(":")) = (self.peek(), self.peek_after(1)) {
            return self
                .fail(&format!("`{name}` is not an actor of this rule; actors are {}", self.names.actors.join(", ")));
        }
        let info = self.accept_info();
        let rests_on = self.marker()?;
        let mut kind = self.statement_kind()?;
        if info {
            let StatementKind::Expression { info, .. } = &mut kind else {
                return Err(ParseError { span: start, message: "`[info]` must precede a check".to_owned() });
            };
            *info = true;
        }
        Ok(Statement { actor, rests_on, kind, span: self.since(start), begins_word: false })
    }

    fn accept_info(&mut self) -> bool {
        let found = *self.peek() == Kind::Info;
        if found {
            self.next();
        }
        found
    }

    /// Parses `[name]`, the ground of this statement's checks.
    fn marker(&mut self) -> Parsed<Option<Identifier>> {
        let start = self.span();
        if !self.accept("[") {
            return Ok(None);
        }
        let name = self.name("the ground of the checks")?;
        self.expect("]", "after the ground of the checks")?;
        self.sets.push(SetUse { span: self.since(start), written: String::new() });
        Ok(Some(name))
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        let beginning = match self.peek() {
            Kind::Name(word) => word,
            Kind::Symbol(symbol) => *symbol,
            Kind::SetupEnd => "---",
            Kind::Info | Kind::Integer(_) | Kind::Text(_) | Kind::End => "",
        };
        match beginning {
            "---" => {
                self.next();
                Ok(StatementKind::SetupEnd)
            }
            ";" => {
                self.next();
                Ok(StatementKind::Empty)
            }
            "{" => Ok(StatementKind::Group(self.block("the actor")?)),
            "for" => self.for_loop(),
            "if" => self.if_else(),
            "sequence" if self.sequence_follows() => self.sequence(),
            "choose" => self.choose(),
            "control" if *self.peek_after(1) == Kind::Symbol("{") => {
                self.next();
                Ok(StatementKind::Control(self.block("`control`")?))
            }
            "setup" if *self.peek_after(1) == Kind::Symbol("{") => {
                self.next();
                Ok(StatementKind::Setup(self.block("`setup`")?))
            }
            "together" if *self.peek_after(1) == Kind::Symbol("{") => self.together(),
            "defer" => {
                self.next();
                let call = self.expression()?;
                self.expect(";", "after the deferred call")?;
                Ok(StatementKind::Defer(call))
            }
            "refuse" => self.refuse(),
            "begin" if matches!(self.peek_after(1), Kind::Name(_)) => {
                self.next();
                let call = self.expression()?;
                self.expect(";", "after the call; its result is judged by `end`")?;
                Ok(StatementKind::Begin(call))
            }
            "end" if self.end_follows() => {
                self.next();
                let expect = if self.is("fails") { Some(self.fails()?) } else { None };
                self.expect(";", "after `end`")?;
                Ok(StatementKind::End(expect))
            }
            word @ ("exit" | "kill") if matches!(self.peek_after(1), Kind::Name(_)) => {
                let ending = if word == "exit" { StatementKind::Exit } else { StatementKind::Kill };
                self.next();
                let actor = self.name("an actor")?;
                self.expect(";", "after the actor")?;
                Ok(ending(actor))
            }
            "given" if matches!(self.peek_after(1), Kind::Name(_)) => {
                self.fail("a set-up can only be used in the steps of a rule; write its statements here")
            }
            "else" => self.fail("`else` must follow the block of an `if`"),
            word @ ("while" | "do" | "switch" | "goto" | "return" | "break" | "continue") => self.fail(&format!(
                "the step language has no `{word}`; use `if (e)`, `for (i < n)`, or `choose` (docs/catalog/language.md)"
            )),
            _ if self.type_follows() => self.declaration(),
            _ => self.expression_statement(),
        }
    }

    fn for_loop(&mut self) -> Parsed<StatementKind> {
        self.next();
        self.expect("(", "after `for`")?;
        let variable = self.name("the loop's variable")?;
        self.is_new(&variable)?;
        let variable = variable.name;
        if !self.accept("<") {
            return self.fail("write a loop as `for (i < n)`: i runs from 0 to n - 1");
        }
        let bound = self.expression()?;
        self.expect(")", "after the bound")?;
        let body = self.block("`for (…)`")?;
        Ok(StatementKind::For { variable, bound, body })
    }

    fn if_else(&mut self) -> Parsed<StatementKind> {
        self.next();
        self.expect("(", "after `if`")?;
        let condition = self.expression()?;
        self.expect(")", "after the condition")?;
        let then = self.block("`if (…)`")?;
        let otherwise = if self.accept("else") { self.block("`else`")? } else { Vec::new() };
        Ok(StatementKind::If { condition, then, otherwise })
    }

    fn choose(&mut self) -> Parsed<StatementKind> {
        self.next();
        self.expect("{", "after `choose`")?;
        let mut alternatives = Vec::new();
        while !self.is("}") {
            let name = self.name("the name of an alternative")?.name;
            self.expect(":", "after the name of an alternative")?;
            let body = if self.is("{") {
                self.block("the alternative")?
            } else {
                let mut statements = Vec::new();
                while !self.is("}") && !self.alternative_follows() {
                    if *self.peek() == Kind::End {
                        return self.fail("`choose` is not closed; add `}`");
                    }
                    self.deeper(|parser| parser.statement_into(&mut statements))?;
                }
                statements
            };
            alternatives.push((name, body));
        }
        self.expect("}", "at the end of `choose`")?;
        if alternatives.len() < 2 {
            return self.fail("`choose` needs at least two alternatives");
        }
        Ok(StatementKind::Choose { alternatives })
    }

    fn alternative_follows(&self) -> bool {
        matches!(self.peek(), Kind::Name(name) if !self.names.actors.contains(name))
            && *self.peek_after(1) == Kind::Symbol(":")
    }

    fn end_follows(&self) -> bool {
        match self.peek_after(1) {
            Kind::Symbol(symbol) => *symbol == ";",
            Kind::Name(name) => name == "fails",
            _ => false,
        }
    }

    fn together(&mut self) -> Parsed<StatementKind> {
        self.next();
        self.expect("{", "after `together`")?;
        let mut lanes = Vec::new();
        while !self.is("}") {
            let start = self.span();
            if !self.actor_follows() {
                return self.fail(&format!(
                    "a lane of `together` begins with its actor, as in `{}: {{ … }}`; actors are {}",
                    self.names.actors.last().map_or("A", String::as_str),
                    self.names.actors.join(", ")
                ));
            }
            let actor = self.name("an actor")?;
            self.next();
            let body = if self.is("{") {
                self.block("the actor")?
            } else {
                let mut statements = Vec::new();
                self.deeper(|parser| parser.statement_into(&mut statements))?;
                statements
            };
            lanes.push(Lane { actor, body, span: self.since(start) });
        }
        self.expect("}", "at the end of `together`")?;
        Ok(StatementKind::Together(lanes))
    }

    fn refuse(&mut self) -> Parsed<StatementKind> {
        self.next();
        let call = self.expression()?;
        let until = if self.accept("until") { Some(self.expression()?) } else { None };
        if !self.accept("unless") {
            return self.fail(
                "`refuse CALL [until SYNC] unless { checks }` needs `unless`: what must hold if the call succeeds",
            );
        }
        let unless = self.block("`unless`")?;
        Ok(StatementKind::Refuse { call, until, unless })
    }

    /// True if a declaration starts here: a type followed by a name, possibly with `*`s in between.
    fn type_follows(&self) -> bool {
        if matches!(self.peek(), Kind::Name(name) if name == "const") {
            return true;
        }
        let Some((_, mut distance)) = self.type_words(0) else { return false };
        while *self.peek_after(distance) == Kind::Symbol("*") {
            distance += 1;
        }
        matches!(self.peek_after(distance), Kind::Name(_))
    }

    /// The name of a type that starts some tokens after this one, with its number of words; `None` without a type.
    pub(super) fn type_words(&self, from: usize) -> Option<(String, usize)> {
        let mut name = String::new();
        let (mut found, mut words) = (None, 0);
        // The longest type counts: `unsigned` is a type, and so is `unsigned long long`.
        while let (Kind::Name(word), 0..3) = (self.peek_after(from + words), words) {
            if words > 0 {
                name.push(' ');
            }
            name.push_str(word);
            words += 1;
            if (self.names.is_type)(&name) {
                found = Some((name.clone(), words));
            }
        }
        found
    }

    pub(super) fn type_name(&mut self) -> Parsed<(TypeName, usize)> {
        let start = self.span();
        let mut constant = false;
        while self.accept("const") {
            constant = true;
        }
        let Some((name, words)) = self.type_words(0) else {
            let mut name = self.name("a type")?.name;
            if name == "unsigned" && matches!(self.peek(), Kind::Name(_)) {
                name = format!("unsigned {}", self.name("a type")?.name);
            }
            let message = format!("`{name}` is not a type in the header");
            return Err(ParseError { span: self.since(start), message });
        };
        (0..words).for_each(|_| drop(self.next()));
        let mut pointers = 0;
        while self.accept("*") {
            pointers += 1;
        }
        Ok((TypeName { name, constant, span: self.since(start) }, pointers))
    }

    fn declaration(&mut self) -> Parsed<StatementKind> {
        let (ty, pointers) = self.type_name()?;
        let first = self.declarator(ty.clone(), pointers)?;
        while self.accept(",") {
            let start = self.span();
            let mut pointers = 0;
            while self.accept("*") {
                pointers += 1;
            }
            let further = self.declarator(ty.clone(), pointers)?;
            self.declared.push((further, self.since(start)));
        }
        self.expect(";", "after the declaration")?;
        Ok(StatementKind::Declaration(first))
    }

    /// Parses a variable of a given type, with its length and value.
    fn declarator(&mut self, ty: TypeName, pointers: usize) -> Parsed<Declaration> {
        let name = self.name("the variable's name")?;
        self.is_new(&name)?;
        let length = if self.accept("[") {
            let length = self.expression()?;
            self.expect("]", "after the array's length")?;
            Some(length)
        } else {
            None
        };
        let value = if self.accept("=") { Some(self.initializer()?) } else { None };
        Ok(Declaration { ty, pointers, name, length, value })
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        if !self.is("{") {
            return Ok(Initializer::Expression(self.expression()?));
        }
        let start = self.span();
        let mut fields = Vec::new();
        self.fields(&mut Vec::new(), &mut fields)?;
        Ok(Initializer::Fields { fields, span: self.since(start) })
    }

    fn fields(&mut self, path: &mut Vec<String>, fields: &mut Vec<(Vec<String>, Expression)>) -> Parsed<()> {
        self.expect("{", "at the start of an initializer")?;
        if matches!(self.peek(), Kind::Integer(0)) && *self.peek_after(1) == Kind::Symbol("}") {
            self.next();
            return self.expect("}", "after `{0`");
        }
        while !self.is("}") {
            self.expect(".", "before a field: initializers are `{0}` or `{.field = value}`")?;
            path.push(self.name("a field")?.name);
            self.expect("=", "after the field")?;
            if self.is("{") {
                self.deeper(|parser| parser.fields(path, fields))?;
            } else {
                let value = self.expression()?;
                fields.push((path.clone(), value));
            }
            path.pop();
            if !self.accept(",") {
                break;
            }
        }
        self.expect("}", "at the end of the initializer")
    }

    fn expression_statement(&mut self) -> Parsed<StatementKind> {
        let expression = self.expression()?;
        if let Kind::Symbol(symbol) = *self.peek() {
            let operator = match symbol {
                "=" => Some(None),
                "+=" => Some(Some(BinaryOperator::Add)),
                "-=" => Some(Some(BinaryOperator::Subtract)),
                "^=" => Some(Some(BinaryOperator::BitXor)),
                "|=" => Some(Some(BinaryOperator::BitOr)),
                "&=" => Some(Some(BinaryOperator::BitAnd)),
                "*=" | "/=" | "%=" | "<<=" | ">>=" => {
                    return self.fail(&format!("the step language has no `{symbol}`; write it as a longer expression"));
                }
                _ => None,
            };
            if let Some(operator) = operator {
                self.next();
                let value = self.expression()?;
                self.expect(";", "after the assignment")?;
                return Ok(StatementKind::Assignment { target: expression, operator, value });
            }
        }
        let expect = if self.is("fails") { Some(self.fails()?) } else { None };
        self.expect(";", "after the statement")?;
        Ok(StatementKind::Expression { expression, expect, info: false })
    }

    fn fails(&mut self) -> Parsed<Expect> {
        self.next();
        let mut usually = false;
        if self.accept(",") {
            let Identifier { name, span } = self.name("`usually`")?;
            if name != "usually" {
                return Err(ParseError { span, message: "expected `usually` after `fails,`".to_owned() });
            }
            usually = true;
        }
        let set = self.is("{") || matches!(self.peek(), Kind::Name(_));
        let codes = if set { self.set()? } else { Vec::new() };
        if usually && codes.is_empty() {
            return self.fail("`fails, usually` needs the usual codes: `fails, usually {107002}`");
        }
        Ok(Expect { codes, usually })
    }
}
