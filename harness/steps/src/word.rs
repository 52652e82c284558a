//! Words that a runtime defines: one statement of a rule that stands for several.

use super::Span;
use super::builtins::{Use, builtin};
use super::parse::{Names, ParseError, Parsed, Parser, parse_steps};
use super::syntax::{Expect, Expression, ExpressionKind, Statement, StatementKind};

/// What a word stands for, with names for what a rule passes.
#[derive(Debug)]
pub struct Word {
    pub parameters: Vec<String>,
    /// Calls, built-ins and one check.
    statements: Vec<(Expression, Option<Expect>)>,
}

impl Word {
    /// Reads the statements of a word.
    ///
    /// # Errors
    /// The text does not follow the grammar, or has a statement that a word may not have.
    pub fn parse(parameters: Vec<String>, text: &str, names: &Names<'_>) -> Result<Word, ParseError> {
        let wrong = |span, message: &str| Err(ParseError { span, message: message.to_owned() });
        let mut statements = Vec::new();
        let mut judged = 0;
        for statement in parse_steps(text, names)?.statements {
            let StatementKind::Expression { expression, expect, info: false } = statement.kind else {
                let message = "a word is made of calls, built-ins and one check; write this in the rule";
                return wrong(statement.span, message);
            };
            judged += usize::from(expect.is_some() || is_check(&expression));
            if judged > 1 {
                let message = "a word has one check, so that a failure says which; make two words of it";
                return wrong(statement.span, message);
            }
            statements.push((expression, expect));
        }
        Ok(Word { parameters, statements })
    }

    /// Every expression of the word, the outer ones first.
    pub fn expressions(&self) -> Vec<&Expression> {
        let mut found = Vec::new();
        for (expression, expect) in &self.statements {
            let codes = expect.iter().flat_map(|expect| &expect.codes);
            std::iter::once(expression).chain(codes).for_each(|of| collect(of, &mut found));
        }
        found
    }

    /// What the word stands for with these arguments. All of it is at the place where the word is used, but the
    /// arguments, which keep theirs.
    fn expand(&self, arguments: &[Expression], used: &Statement, word: Span) -> Vec<Statement> {
        let mut begins_word = true;
        let statement = |(mut expression, mut expect): (Expression, Option<Expect>)| {
            let codes = expect.iter_mut().flat_map(|expect| &mut expect.codes);
            std::iter::once(&mut expression).chain(codes).for_each(|of| self.fill(of, arguments, word));
            let kind = StatementKind::Expression { expression, expect, info: false };
            let begins_word = std::mem::take(&mut begins_word);
            let (actor, rests_on) = (used.actor.clone(), used.rests_on.clone());
            Statement { actor, rests_on, kind, span: used.span, begins_word }
        };
        self.statements.iter().cloned().map(statement).collect()
    }

    /// Puts the arguments in the place of the parameters.
    fn fill(&self, of: &mut Expression, arguments: &[Expression], word: Span) {
        if let ExpressionKind::Name(name) = &of.kind
            && let Some(position) = self.parameters.iter().position(|parameter| parameter == name)
        {
            *of = arguments[position].clone();
            return;
        }
        of.span = word;
        of.parts_mut().into_iter().for_each(|part| self.fill(part, arguments, word));
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
pub(super) fn changing_call(argument: &Expression) -> Option<&Expression> {
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
