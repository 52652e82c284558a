//! What a rule judges: the checks that a proof leaves out one at a time, to see whether they are needed.

use serde::{Deserialize, Serialize};

use super::Span;
use super::ids::StatementId;
use super::program::{Expect, Expression, Program, Statement, StatementKind};

/// One thing that a rule judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgment {
    /// The condition of a statement, by the statement's id.
    Condition(StatementId),
    /// That the call of a statement fails.
    Failure(StatementId),
    /// With which code the call of a statement fails.
    Code(StatementId),
    /// That the bare calls of the rule succeed and write their out-variables: all of them together.
    Success,
}

impl Judgment {
    /// The id of the statement that it belongs to, if it is one.
    pub fn statement(self) -> Option<StatementId> {
        match self {
            Judgment::Condition(id) | Judgment::Failure(id) | Judgment::Code(id) => Some(id),
            Judgment::Success => None,
        }
    }
}

/// A judgment and the statement that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    pub judgment: Judgment,
    /// The whole statement; empty for [`Judgment::Success`].
    pub statement: Span,
    /// The place that a failure names.
    pub reported: Span,
    /// What it rests on, where a marker says so: position in [`Program::grounds`].
    pub rests_on: Option<usize>,
    /// In the block of `refuse`: it is looked at where a call did what is documented as unsupported.
    pub refused: bool,
}

/// A call that has to succeed, without a word about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BareCall {
    /// The id of its statement.
    pub id: StatementId,
    /// The name of the function.
    pub function: &'static str,
    /// What its success rests on, where a marker says so: position in [`Program::grounds`].
    pub rests_on: Option<usize>,
}

/// Everything that the steps judge, in their order: not what set-up does, and nothing that is only reported. That bare
/// calls succeed is a judgment of its own only where the steps judge nothing else: elsewhere it belongs to the call, and
/// what is judged after it would be empty without it.
pub fn judgments(program: &Program) -> Vec<Judged> {
    let mut found = Vec::new();
    collect(&program.statements, false, false, &mut found);
    if found.is_empty() {
        let none = Span::default();
        let judgment = Judgment::Success;
        found.push(Judged { judgment, statement: none, reported: none, rests_on: None, refused: false });
    }
    found
}

/// What is only reported: the checks that are marked `[info]`, in the order of the steps.
pub fn reported(program: &Program) -> Vec<Judged> {
    let mut found = Vec::new();
    collect(&program.statements, true, false, &mut found);
    found
}

impl Program {
    /// Whether every call of a function in the steps must fail: such a rule cannot say that the function is denied.
    pub fn only_refused(&self, function: &str) -> bool {
        let mut refused = Vec::new();
        self.each_statement(&mut |statement| {
            if let StatementKind::Call { call, expect: Expect::Failure { .. } } = &statement.kind {
                refused.push(call.span);
            }
        });
        let calls = self.sites().into_iter().flatten();
        let mut calls = calls.filter(|call| self.functions[call.function].name == function).peekable();
        calls.peek().is_some() && calls.all(|call| refused.contains(&call.span))
    }

    /// The codes that a call must fail with, by the id of its statement.
    pub fn codes(&self, id: StatementId) -> Vec<i128> {
        let mut found = Vec::new();
        self.each_statement(&mut |statement| {
            if let StatementKind::Call { expect: Expect::Failure { codes, .. }, .. } = &statement.kind
                && statement.id == id
            {
                found.extend(codes.iter().filter_map(|code| match code {
                    Expression::Constant(value) => Some(*value),
                    _ => None,
                }));
            }
        });
        found
    }

    /// The bare calls in their order; not those of set-up.
    pub fn bare_calls(&self) -> Vec<BareCall> {
        let mut found = Vec::new();
        self.each_statement(&mut |statement| {
            if let StatementKind::Call { call, expect: Expect::Success } = &statement.kind
                && !statement.setup
            {
                let function = self.functions[call.function].name;
                found.push(BareCall { id: statement.id, function, rests_on: statement.rests_on });
            }
        });
        found
    }

    fn each_statement<'a>(&'a self, see: &mut impl FnMut(&'a Statement)) {
        fn walk<'a>(statements: &'a [Statement], see: &mut impl FnMut(&'a Statement)) {
            for statement in statements {
                see(statement);
                statement.kind.blocks().into_iter().for_each(|block| walk(block, see));
            }
        }
        walk(&self.statements, see);
    }

    /// What is judged, as a report and the catalog name it: the statement on one line.
    pub fn judged(&self, judged: &Judged) -> String {
        match judged.judgment {
            Judgment::Success => "its calls succeed".to_owned(),
            _ => self.text(judged.statement).trim_end_matches(';').to_owned(),
        }
    }
}

/// The checks of a block: those that are judged, or those that are only reported.
fn collect(statements: &[Statement], wanted: bool, refused: bool, found: &mut Vec<Judged>) {
    for statement in statements.iter().filter(|statement| !statement.setup) {
        let mut judged = |judgment: Judgment, reported: Span| {
            found.push(Judged { judgment, statement: statement.span, reported, rests_on: statement.rests_on, refused });
        };
        match &statement.kind {
            StatementKind::Check { info, .. } if *info == wanted => {
                judged(Judgment::Condition(statement.id), statement.span);
            }
            StatementKind::Call { call, expect: Expect::Failure { codes, usually, info } } if *info == wanted => {
                judged(Judgment::Failure(statement.id), call.span);
                if !codes.is_empty() && !usually {
                    judged(Judgment::Code(statement.id), call.span);
                }
            }
            other => {
                let refused = refused || matches!(other, StatementKind::Refuse { .. });
                other.blocks().into_iter().for_each(|block| collect(block, wanted, refused, found));
            }
        }
    }
}
