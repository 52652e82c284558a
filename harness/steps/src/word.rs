//! Words that a runtime defines. A rule uses a word as one statement, which stands for several statements.

use super::Span;
use super::builtins::builtin;
use super::syntax::{Expect, Expression, ExpressionKind, Statement, StatementKind};

/// A word's statements and parameters.
#[derive(Debug)]
pub struct Word {
    pub parameters: Vec<String>,
    /// The statements as written.
    pub(super) text: String,
    /// Calls, built-ins and at most one check.
    pub(super) statements: Vec<(Expression, Option<Expect>)>,
}

impl Word {
    /// The word's expressions, outer expressions first.
    pub fn expressions(&self) -> Vec<&Expression> {
        let mut found = Vec::new();
        for (expression, expect) in &self.statements {
            let codes = expect.iter().flat_map(|expect| &expect.codes);
            std::iter::once(expression).chain(codes).for_each(|of| collect(of, &mut found));
        }
        found
    }

    /// The word's statements with these arguments. The statements have the place where the word is used; the arguments
    /// keep their own places.
    pub(super) fn expand(&self, arguments: &[Expression], used: &Statement, word: Span) -> Vec<Statement> {
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

    /// Replaces parameters with arguments.
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

/// A call in the argument that would have a further effect or a different result if the argument were evaluated twice.
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
