//! Statements.

use steps::program::{Call, Expect, Expression, Statement, StatementKind};
use steps::{Id, VariableId};

use super::call::Made;
use super::{Formless, Printer, quoted};

impl Printer<'_> {
    /// Prints the statements of a block.
    pub(super) fn block(&mut self, statements: &[Statement]) -> Result<(), Formless> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    /// Prints an indented block.
    fn nested(&mut self, statements: &[Statement]) -> Result<(), Formless> {
        self.depth += 1;
        let before = self.out.len();
        self.block(statements)?;
        if self.out.len() == before {
            self.line("pass");
        }
        self.depth -= 1;
        Ok(())
    }

    /// Prints a statement.
    pub(super) fn statement(&mut self, statement: &Statement) -> Result<(), Formless> {
        let status = if statement.setup && self.status == 1 { 3 } else { self.status };
        match &statement.kind {
            StatementKind::Call { call, expect } => self.expected(call, expect, status),
            StatementKind::Effect(expression) => {
                let text = self.expression(expression)?;
                self.line(&text);
                Ok(())
            }
            StatementKind::Check { condition, info } => {
                let holds = self.expression(condition)?;
                let text = quoted(self.program.text(statement.span).trim_end_matches(';'));
                match (*info, status) {
                    (true, _) => self.line(&format!("note({holds}, {text})")),
                    (false, 1) => self.line(&format!("check({holds}, {text})")),
                    (false, _) => self.line(&format!("check({holds}, {text}, {status})")),
                }
                Ok(())
            }
            StatementKind::Declare { variable, length, values, .. } => self.declare(*variable, length.as_ref(), values),
            StatementKind::Assign { target, ty, value } => {
                let (bytes, _) = self.integer(*ty)?;
                let value = self.expression(value)?;
                let line = self.stored(target, bytes, &value)?;
                self.line(&line);
                Ok(())
            }
            StatementKind::For { variable, bound, body } => {
                let bound = self.expression(bound)?;
                let name = self.name(*variable);
                self.line(&format!("for {name} in range({bound}):"));
                self.nested(body)
            }
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.expression(condition)?;
                self.line(&format!("if {condition}:"));
                self.nested(then)?;
                if !otherwise.is_empty() {
                    self.line("else:");
                    self.nested(otherwise)?;
                }
                Ok(())
            }
            StatementKind::Choose { axis, alternatives } => {
                let taken = self.case.values.get(axis.index()).map(|value| value.integer());
                let taken = taken.and_then(|taken| usize::try_from(taken).ok());
                match taken.and_then(|taken| alternatives.get(taken)) {
                    Some(body) => self.block(body),
                    None => Err(Formless("a choice without a value".to_owned())),
                }
            }
            StatementKind::Block { body, .. } => self.block(body),
            StatementKind::Defer(call) => self.defer(call),
            StatementKind::Refuse { call, until, unless } => self.refuse(call, until.as_ref(), unless),
            StatementKind::Begin { .. } | StatementKind::End { .. } => {
                Err(Formless("a call that runs while others act".to_owned()))
            }
            StatementKind::Together { .. } => Err(Formless("a block of lanes that run at once".to_owned())),
            StatementKind::Exit { .. } | StatementKind::Kill { .. } => Err(Formless("the end of a process".to_owned())),
        }
    }

    fn expected(&mut self, call: &Call, expect: &Expect, status: u8) -> Result<(), Formless> {
        let mut codes = Vec::new();
        if let Expect::Failure { codes: wanted, usually: false, .. } = expect {
            for code in wanted {
                codes.push(self.expression(code)?);
            }
        }
        let text = self.call_text(call);
        let made = self.call(call)?;
        let (code, success) = (&made.code, made.success);
        match (expect, success) {
            (_, None) => self.then(&made),
            (Expect::Success, Some(success)) => {
                if status != 0 {
                    let status = if status == 1 { String::new() } else { format!(", {status}") };
                    self.line(&format!("expect({code}, {success}, {text}{status})"));
                }
                self.then(&made);
            }
            (Expect::Failure { info: true, .. }, Some(success)) => {
                self.line(&format!("note({code} != {success}, {text})"));
            }
            (Expect::Failure { .. }, Some(success)) => {
                self.line(&format!("must_fail({code}, {success}, [{}], {text})", codes.join(", ")));
            }
        }
        Ok(())
    }

    /// Prints what follows a successful call.
    fn then(&mut self, made: &Made) {
        for line in &made.then {
            self.line(line);
        }
    }

    /// Prints what follows a call that may be refused.
    pub(super) fn after(&mut self, made: &Made) {
        match made.success {
            Some(success) if !made.then.is_empty() => {
                self.line(&format!("if {} == {success}:", made.code));
                self.depth += 1;
                self.then(made);
                self.depth -= 1;
            }
            _ => self.then(made),
        }
    }

    fn declare(
        &mut self,
        variable: VariableId,
        length: Option<&Expression>,
        values: &[(usize, abi::Type, Expression)],
    ) -> Result<(), Formless> {
        let known = &self.program.variables[variable];
        let name = self.name(variable);
        if let Some(length) = length {
            let size = self.rules.environment.declarations.size(known.ty);
            let length = self.expression(length)?;
            self.line(&format!("{name} = array({length} * {size})"));
            return Ok(());
        }
        self.integer(known.ty)?;
        let value = match values {
            [] => "0".to_owned(),
            [(0, _, value)] => self.expression(value)?,
            _ => return Err(Formless(format!("the struct `{}`", known.name))),
        };
        self.line(&format!("{name} = {value}"));
        Ok(())
    }

    /// Prints a deferred call. Its arguments are evaluated when it is made.
    fn defer(&mut self, call: &Call) -> Result<(), Formless> {
        self.results += 1;
        let name = format!("deferred_{}", self.results);
        self.line(&format!("def {name}():"));
        self.depth += 1;
        let made = self.call(call)?;
        self.after(&made);
        self.depth -= 1;
        self.line(&format!("deferred.append({name})"));
        Ok(())
    }

    fn refuse(&mut self, call: &Call, until: Option<&Call>, unless: &[Statement]) -> Result<(), Formless> {
        let depth = self.depth;
        for call in [Some(call), until].into_iter().flatten() {
            let made = self.call(call)?;
            if let Some(success) = made.success {
                self.line(&format!("if {} == {success}:", made.code));
                self.depth += 1;
            }
            self.then(&made);
        }
        let before = self.out.len();
        self.block(unless)?;
        if self.out.len() == before {
            self.line("pass");
        }
        self.depth = depth;
        Ok(())
    }
}
