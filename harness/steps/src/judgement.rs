//! What a rule judges: the checks that a proof leaves out one at a time, to see whether they are needed.

use serde::{Deserialize, Serialize};

use super::Span;
use super::program::{Expect, Program, Statement, StatementKind};

/// One thing that a rule judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The condition of a statement, by the statement's id.
    Condition(usize),
    /// That the call of a statement fails.
    Failure(usize),
    /// With which code the call of a statement fails.
    Code(usize),
    /// That the bare calls of the rule succeed and write their out-variables: all of them together.
    Success,
}

/// A judgement and the statement that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    pub judgement: Judgement,
    /// The whole statement; empty for [`Judgement::Success`].
    pub statement: Span,
    /// The place that a failure names.
    pub reported: Span,
}

/// Everything that the steps judge, in their order: not what set-up does, and nothing that is only reported. That bare
/// calls succeed is a judgement of its own only where the steps judge nothing else: elsewhere it belongs to the call, and
/// what is judged after it would be empty without it.
pub fn judgements(program: &Program) -> Vec<Judged> {
    let mut found = Vec::new();
    collect(&program.statements, &mut found);
    if found.is_empty() {
        let none = Span::default();
        found.push(Judged { judgement: Judgement::Success, statement: none, reported: none });
    }
    found
}

impl Program {
    /// Whether every call of a function in the steps must fail: such a rule cannot say that the function is denied.
    pub fn only_refused(&self, function: &str) -> bool {
        let failing = judgements(self).into_iter().filter(|judged| matches!(judged.judgement, Judgement::Failure(_)));
        let refused: Vec<Span> = failing.map(|judged| judged.reported).collect();
        let calls = self.sites().into_iter().flatten();
        let mut calls = calls.filter(|call| self.functions[call.function].name == function).peekable();
        calls.peek().is_some() && calls.all(|call| refused.contains(&call.span))
    }

    /// What is judged, as a report and the catalog name it: the statement on one line.
    pub fn judged(&self, judged: &Judged) -> String {
        match judged.judgement {
            Judgement::Success => "its calls succeed".to_owned(),
            _ => self.text(judged.statement).trim_end_matches(';').to_owned(),
        }
    }
}

fn collect(statements: &[Statement], found: &mut Vec<Judged>) {
    for statement in statements.iter().filter(|statement| !statement.setup) {
        let mut judged = |judgement: Judgement, reported: Span| {
            found.push(Judged { judgement, statement: statement.span, reported });
        };
        match &statement.kind {
            StatementKind::Check { info: false, .. } => {
                judged(Judgement::Condition(statement.id), statement.span);
            }
            StatementKind::Call { call, expect: Expect::Failure { codes, usually } } => {
                judged(Judgement::Failure(statement.id), call.span);
                if !codes.is_empty() && !usually {
                    judged(Judgement::Code(statement.id), call.span);
                }
            }
            other => other.blocks().into_iter().for_each(|block| collect(block, found)),
        }
    }
}
