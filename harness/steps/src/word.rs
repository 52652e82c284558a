//! Words that a runtime defines: one statement of a rule that stands for several.

use super::Span;
use super::builtins::{Use, builtin};
use super::parse::{Names, ParseError, Parsed, Parser, parse_steps};
use super::syntax::{Expect, Expression, ExpressionKind, Statement, StatementKind};

/// What a word stands for, with names for what a rule passes.
#[derive(Debug)]
pub struct Word {
    pub parameters: Vec<String>,
    statements: Vec<Statement>,
}

impl Word {
    /// Reads the statements of a word.
    ///
    /// # Errors
    /// The text does not follow the grammar, or has a statement that a word may not have.
    pub fn parse(parameters: Vec<String>, text: &str, names: &Names<'_>) -> Result<Word, ParseError> {
        let statements = parse_steps(text, names)?.block.statements;
        let mut judged = 0;
        for statement in &statements {
            let StatementKind::Expression { expression, expect, info: false } = &statement.kind else {
                let message = "a word is made of calls, built-ins and one check; write this in the rule".to_owned();
                return Err(ParseError { span: statement.span, message });
            };
            judged += usize::from(expect.is_some() || is_check(expression));
            if judged > 1 {
                let message = "a word has one check, so that a failure says which; make two words of it".to_owned();
                return Err(ParseError { span: statement.span, message });
            }
        }
        Ok(Word { parameters, statements })
    }

    /// Every expression of the word, the outer ones first.
    pub fn expressions(&self) -> Vec<&Expression> {
        let mut found = Vec::new();
        for statement in &self.statements {
            if let StatementKind::Expression { expression, expect, .. } = &statement.kind {
                collect(expression, &mut found);
                expect.iter().flat_map(|expect| &expect.codes).for_each(|code| collect(code, &mut found));
            }
        }
        found
    }

    /// What the word stands for with these arguments. All of it is at the place where the word is used, but the
    /// arguments, which keep theirs.
    fn expand(&self, arguments: &[Expression], used: &Statement, word: Span) -> Vec<Statement> {
        let filled = Filled { parameters: &self.parameters, arguments, word };
        let statement = |(index, statement): (usize, &Statement)| {
            let kind = match &statement.kind {
                StatementKind::Expression { expression, expect, info } => StatementKind::Expression {
                    expression: filled.expression(expression),
                    expect: expect
                        .as_ref()
                        .map(|expect| Expect { codes: filled.expressions(&expect.codes), usually: expect.usually }),
                    info: *info,
                },
                _ => StatementKind::Empty,
            };
            Statement { actor: used.actor.clone(), kind, span: used.span, begins_word: index == 0 }
        };
        self.statements.iter().enumerate().map(statement).collect()
    }
}

impl Parser<'_> {
    /// Reads a statement; a word of the runtime becomes what it stands for.
    pub(super) fn statement_into(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        let statement = self.statement()?;
        let StatementKind::Expression {
            expression: Expression { kind: ExpressionKind::Call { function, arguments }, span },
            expect,
            info,
        } = &statement.kind
        else {
            statements.push(statement);
            return Ok(());
        };
        let Some(word) = self.names.vocabulary.words.get(function) else {
            statements.push(statement);
            return Ok(());
        };
        let wrong = |span, message| Err(ParseError { span, message });
        if expect.is_some() || *info {
            let message = format!(
                "`{function}` stands for several statements; neither `fails` nor `[info]` is about all of them"
            );
            return wrong(*span, message);
        }
        if arguments.len() != word.parameters.len() {
            let (wanted, names, given) = (word.parameters.len(), word.parameters.join(", "), arguments.len());
            return wrong(*span, format!("`{function}` takes {wanted} arguments ({names}), here are {given}"));
        }
        if let Some(call) = arguments.iter().find_map(changing_call) {
            let message = format!("`{function}` uses its arguments more than once; keep this in a variable first");
            return wrong(call.span, message);
        }
        statements.extend(word.expand(arguments, &statement, *span));
        Ok(())
    }
}

fn is_check(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Call { function, .. } => builtin(function).is_some_and(|known| known.used_as == Use::Check),
        _ => true,
    }
}

/// A call whose second evaluation does more than the first one, or gives something else.
fn changing_call(argument: &Expression) -> Option<&Expression> {
    let mut found = Vec::new();
    collect(argument, &mut found);
    let changes = |expression: &&Expression| match &expression.kind {
        ExpressionKind::Call { function, .. } => builtin(function).is_none_or(|known| !known.builtin.repeats()),
        _ => false,
    };
    found.into_iter().find(changes)
}

fn collect<'t>(of: &'t Expression, found: &mut Vec<&'t Expression>) {
    found.push(of);
    of.parts().into_iter().for_each(|part| collect(part, found));
}

/// The arguments of a word in the place of its parameters.
struct Filled<'a> {
    parameters: &'a [String],
    arguments: &'a [Expression],
    word: Span,
}

impl Filled<'_> {
    fn expressions(&self, of: &[Expression]) -> Vec<Expression> {
        of.iter().map(|expression| self.expression(expression)).collect()
    }

    fn boxed(&self, of: &Expression) -> Box<Expression> {
        Box::new(self.expression(of))
    }

    fn expression(&self, of: &Expression) -> Expression {
        use ExpressionKind::*;
        let kind = match &of.kind {
            Name(name) => match self.parameters.iter().position(|parameter| parameter == name) {
                Some(position) => return self.arguments[position].clone(),
                None => Name(name.clone()),
            },
            Call { function, arguments } => Call { function: function.clone(), arguments: self.expressions(arguments) },
            Member { of, name } => Member { of: self.boxed(of), name: name.clone() },
            Index { of, index } => Index { of: self.boxed(of), index: self.boxed(index) },
            AddressOf(of) => AddressOf(self.boxed(of)),
            Dereference(of) => Dereference(self.boxed(of)),
            Unary(operator, of) => Unary(*operator, self.boxed(of)),
            Binary(operator, left, right) => Binary(*operator, self.boxed(left), self.boxed(right)),
            Conditional(condition, then, otherwise) => {
                Conditional(self.boxed(condition), self.boxed(then), self.boxed(otherwise))
            }
            Cast { ty, pointers, of } => Cast { ty: ty.clone(), pointers: *pointers, of: self.boxed(of) },
            In(of, values) => In(self.boxed(of), self.expressions(values)),
            Integer(_) | Text(_) | SizeOf { .. } => of.kind.clone(),
        };
        Expression { kind, span: self.word }
    }
}
