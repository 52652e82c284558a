//! Parses `sequence`, and replaces it with a loop over drawn steps.
//!
//! `sequence (step < 8) { release(slot < 3) when (live[slot]): { … } always: { … } }` becomes
//! `for (step < steps) { if (operation[step] == operation_release) { if (live[slot[step]]) { … } } … }`, where `steps`,
//! `operation` and `slot` are axes that the checker adds.

use super::Span;
use super::parse::{Parsed, Parser, describe};
use super::syntax::{
    BinaryOperator, Expression, ExpressionKind, Identifier, OperationSyntax, ParameterSyntax, ParameterValues,
    SequenceSyntax, Statement, StatementKind,
};
use super::token::Kind;

/// The axis with the number of steps.
pub(super) const STEPS: &str = "steps";
/// The axis with the operation of each step. With `_` and a name, the constant of an operation.
pub(super) const OPERATION: &str = "operation";

/// The operation that the parser is in: its parameters mean those of the current step.
#[derive(Debug)]
pub(super) struct Inside {
    /// The variable of the sequence's loop.
    step: String,
    parameters: Vec<String>,
}

impl Parser<'_> {
    pub(super) fn sequence(&mut self) -> Parsed<StatementKind> {
        let start = self.span();
        if !self.is_top() {
            return self.fail("`sequence` must be at the top level of the steps, not inside a block");
        }
        if self.sequence.is_some() {
            return self
                .fail("a rule has one `sequence`; make the operations of both one sequence, or write two rules");
        }
        self.next();
        self.expect("(", "after `sequence`")?;
        let step = self.name("the name of the step")?.name;
        if !self.accept("<") {
            return self.fail("write a sequence as `sequence (step < N) { … }`: at most N steps");
        }
        let most = self.expression()?;
        self.expect(")", "after the number of steps")?;
        self.expect("{", "after `sequence (…)`")?;
        let (mut operations, mut body) = (Vec::new(), Vec::new());
        while !self.is("}") {
            if self.is("always") {
                self.next();
                self.expect(":", "after `always`")?;
                body.extend(self.operation_block()?);
                break;
            }
            let (operation, performed) = self.operation(&step)?;
            operations.push(operation);
            body.push(performed);
        }
        self.expect("}", "at the end of `sequence`; `always: { … }` is its last part")?;
        if operations.is_empty() {
            return self.fail("`sequence` needs an operation: `name(slot < 4) when (e): { … }`");
        }
        let span = self.since(start);
        self.sequence = Some(SequenceSyntax { span, most, operations });
        let bound = name(STEPS, span);
        Ok(StatementKind::For { variable: step, bound, body })
    }

    /// Parses `name(parameters) when (e): { … }`.
    fn operation(&mut self, step: &str) -> Parsed<(OperationSyntax, Statement)> {
        let start = self.span();
        let operation = self.name("the name of an operation")?;
        let mut parameters: Vec<ParameterSyntax> = Vec::new();
        self.expect("(", "after the name of an operation; without parameters write `name(): { … }`")?;
        while !self.is(")") {
            let parameter = self.parameter()?;
            if parameters.iter().any(|known| known.name.name == parameter.name.name) {
                let message = format!("`{}` is a parameter twice; rename one", parameter.name.name);
                return Err(super::ParseError { span: parameter.name.span, message });
            }
            parameters.push(parameter);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")", "after the parameters")?;
        let names = parameters.iter().map(|parameter| parameter.name.name.clone()).collect();
        self.inside = Some(Inside { step: step.to_owned(), parameters: names });
        let condition = if self.accept("when") {
            self.expect("(", "after `when`")?;
            let condition = self.expression()?;
            self.expect(")", "after the condition")?;
            Some(condition)
        } else {
            None
        };
        self.expect(":", "before the block of an operation")?;
        let then = self.operation_block()?;
        self.inside = None;
        let span = operation.span;
        let is_this = binary(
            BinaryOperator::Equal,
            index(name(OPERATION, span), name(step, span)),
            name(&format!("{OPERATION}_{}", operation.name), span),
        );
        let span = self.since(start);
        let only_if = |condition, then| {
            let kind = StatementKind::If { condition, then, otherwise: Vec::new() };
            Statement { actor: None, rests_on: None, kind, span, begins_word: false }
        };
        // Nested, because every process knows the operation: only the inner condition may need another process.
        let then = match condition {
            None => then,
            Some(condition) => vec![only_if(condition, then)],
        };
        Ok((OperationSyntax { name: operation, parameters }, only_if(is_this, then)))
    }

    fn operation_block(&mut self) -> Parsed<Vec<Statement>> {
        self.block("`:`")
    }

    fn parameter(&mut self) -> Parsed<ParameterSyntax> {
        let name = self.name("a parameter")?;
        let values = if self.accept("<") {
            ParameterValues::Below(self.expression()?)
        } else if self.accept("in") {
            ParameterValues::In(self.set()?)
        } else {
            return self.fail(&format!(
                "expected `< N` or `in {{values}}` after the parameter, found {}",
                describe(self.peek())
            ));
        };
        Ok(ParameterSyntax { name, values })
    }

    /// Refuses a variable with the name of a parameter of the operation around it.
    pub(super) fn is_new(&self, variable: &Identifier) -> Parsed<()> {
        match &self.inside {
            Some(inside) if inside.parameters.contains(&variable.name) => {
                let message = format!("`{}` is a parameter of this operation; choose another name", variable.name);
                Err(super::ParseError { span: variable.span, message })
            }
            _ => Ok(()),
        }
    }

    /// The value of a name: an item of a column if the name is a parameter of the operation around it.
    pub(super) fn parameter_or_name(&self, name_: String, span: Span) -> ExpressionKind {
        match &self.inside {
            Some(inside) if inside.parameters.contains(&name_) => {
                index(name(&name_, span), name(&inside.step, span)).kind
            }
            _ => ExpressionKind::Name(name_),
        }
    }

    /// True if a `sequence` starts here.
    pub(super) fn sequence_follows(&self) -> bool {
        self.is("sequence") && *self.peek_after(1) == Kind::Symbol("(")
    }
}

fn name(text: &str, span: Span) -> Expression {
    Expression { kind: ExpressionKind::Name(text.to_owned()), span }
}

fn index(of: Expression, index: Expression) -> Expression {
    let span = of.span;
    Expression { kind: ExpressionKind::Index { of: Box::new(of), index: Box::new(index) }, span }
}

fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    let span = Span { start: left.span.start, end: right.span.end.max(left.span.end) };
    Expression { kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)), span }
}

/// The name of an operation's constant: `operation_release` → `release`.
pub(super) fn operation_of(name: &str) -> Option<&str> {
    name.strip_prefix(OPERATION)?.strip_prefix('_')
}
