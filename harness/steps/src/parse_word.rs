//! Parses words, and replaces them with their statements.

use super::ParseError;
use super::builtins::{Use, builtin};
use super::count::count;
use super::parse::{Names, Parsed, Parser, parse_steps};
use super::syntax::{Expression, ExpressionKind, Statement, StatementKind};
use super::word::{Word, changing_call};

impl Word {
    /// Parses the statements of a word.
    ///
    /// # Errors
    /// Fails if the text does not follow the grammar or has a statement that is not allowed in a word.
    pub fn parse(parameters: Vec<String>, text: &str, names: &Names<'_>) -> Result<Word, ParseError> {
        let wrong = |span, message: &str| Err(ParseError { span, message: message.to_owned() });
        let mut statements = Vec::new();
        let mut judged = 0;
        for statement in parse_steps(text, names)?.statements {
            let StatementKind::Expression { expression, expect, info: false } = statement.kind else {
                let message = "a word may only have calls, built-ins and one check; write this in the rule";
                return wrong(statement.span, message);
            };
            judged += usize::from(expect.is_some() || is_check(&expression));
            if judged > 1 {
                let message =
                    "a word may have only one check, so that a failure is unambiguous; split it into two words";
                return wrong(statement.span, message);
            }
            statements.push((expression, expect));
        }
        Ok(Word { parameters, text: text.to_owned(), statements })
    }
}

impl Parser<'_> {
    /// Parses a statement. A word that the runtime defines is replaced with its statements.
    pub(super) fn statement_into(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        let statement = self.statement()?;
        let StatementKind::Expression {
            expression: Expression { kind: ExpressionKind::Call { function, arguments }, span },
            expect,
            info,
        } = &statement.kind
        else {
            let Statement { actor, rests_on, .. } = &statement;
            let further = std::mem::take(&mut self.declared).into_iter().map(|(declaration, span)| Statement {
                actor: actor.clone(),
                rests_on: rests_on.clone(),
                kind: StatementKind::Declaration(declaration),
                span,
                begins_word: false,
            });
            let further: Vec<Statement> = further.collect();
            statements.push(statement);
            statements.extend(further);
            return Ok(());
        };
        let Some(word) = self.names.vocabulary.words.get(function) else {
            statements.push(statement);
            return Ok(());
        };
        let wrong = |span, message| Err(ParseError { span, message });
        if expect.is_some() || *info {
            let message =
                format!("`{function}` stands for several statements; `fails` and `[info]` cannot apply to all of them");
            return wrong(*span, message);
        }
        if arguments.len() != word.parameters.len() {
            let (wanted, names, given) =
                (count(word.parameters.len(), "argument"), word.parameters.join(", "), arguments.len());
            return wrong(*span, format!("`{function}` takes {wanted} ({names}), got {given}"));
        }
        if let Some(call) = arguments.iter().find_map(changing_call) {
            let message = format!("`{function}` uses its arguments more than once; store this in a variable first");
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
