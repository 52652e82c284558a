//! A rule's judgments. A proof leaves out one judgment at a time to see if that judgment is needed.

use serde::{Deserialize, Serialize};

use super::Span;
use super::ids::StatementId;
use super::program::{Call, Expect, Expression, Program, Statement, StatementKind};

/// A single judgment of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgment {
    /// The condition of a statement, by the statement's id.
    Condition(StatementId),
    /// The failure of a statement's call.
    Failure(StatementId),
    /// The code with which a statement's call fails.
    Code(StatementId),
    /// The success of all bare calls in the rule together, and the writing of their out-variables.
    Success,
}

impl Judgment {
    /// The id of the judgment's statement, if it has one.
    pub fn statement(self) -> Option<StatementId> {
        match self {
            Judgment::Condition(id) | Judgment::Failure(id) | Judgment::Code(id) => Some(id),
            Judgment::Success => None,
        }
    }
}

/// A judgment, with its places in the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    pub judgment: Judgment,
    /// The whole statement; empty for [`Judgment::Success`].
    pub statement: Span,
    /// The place that a failure message names.
    pub reported: Span,
    /// The judgment's ground, if a marker names one, by its position in [`Program::grounds`].
    pub rests_on: Option<usize>,
    /// True inside `refuse`, in the block that runs if a call that is documented as unsupported succeeds.
    pub refused: bool,
}

/// A call without a check, which must succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BareCall {
    /// The id of the call's statement.
    pub id: StatementId,
    /// The function's name.
    pub function: &'static str,
    /// The ground for the call's success, if a marker names one, by its position in [`Program::grounds`].
    pub rests_on: Option<usize>,
}

/// The judgments in the steps, in order. Judgments in the set-up and checks that are only reported are left out. The
/// success of bare calls is a separate judgment only if the steps judge nothing else. Otherwise, the success belongs to
/// the calls, because the judgments after the calls would be meaningless if a call failed.
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

/// The checks marked `[info]`, which are only reported, in step order.
pub fn reported(program: &Program) -> Vec<Judged> {
    let mut found = Vec::new();
    collect(&program.statements, true, false, &mut found);
    found
}

impl Program {
    /// True if every call to a function in the steps must fail. Such a rule cannot show that the function is denied.
    pub fn only_refused(&self, function: &str) -> bool {
        let mut refused = Vec::new();
        self.each_statement(&mut |statement| {
            if let StatementKind::Call { call, expect: Expect::Failure { .. } } = &statement.kind {
                refused.push(call.span);
            }
            if let StatementKind::End { call, expect: Expect::Failure { .. }, .. } = &statement.kind {
                refused.push(*call);
            }
        });
        let calls = self.sites().into_iter().flatten();
        let mut calls = calls.filter(|call| self.functions[call.function].name == function).peekable();
        calls.peek().is_some() && calls.all(|call| refused.contains(&call.span))
    }

    /// The codes with which a call must fail, by its statement's id.
    pub fn codes(&self, id: StatementId) -> Vec<i128> {
        let mut found = Vec::new();
        self.each_statement(&mut |statement| {
            if let StatementKind::Call { expect: Expect::Failure { codes, .. }, .. }
            | StatementKind::End { expect: Expect::Failure { codes, .. }, .. } = &statement.kind
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

    /// The bare calls in order, except those in the set-up.
    pub fn bare_calls(&self) -> Vec<BareCall> {
        let mut found = Vec::new();
        self.each_statement(&mut |statement| {
            let function = match &statement.kind {
                StatementKind::Call { call, expect: Expect::Success } => Some(call.function),
                StatementKind::End { function, expect: Expect::Success, .. } => Some(*function),
                _ => None,
            };
            if let Some(function) = function.filter(|_| !statement.setup) {
                let function = self.functions[function].name;
                found.push(BareCall { id: statement.id, function, rests_on: statement.rests_on });
            }
        });
        found
    }

    pub(crate) fn each_statement<'a>(&'a self, see: &mut impl FnMut(&'a Statement)) {
        fn walk<'a>(statements: &'a [Statement], see: &mut impl FnMut(&'a Statement)) {
            for statement in statements {
                see(statement);
                statement.kind.blocks().into_iter().for_each(|block| walk(block, see));
            }
        }
        walk(&self.statements, see);
    }

    /// The name of a judgment in reports and in the catalog: the text of its statement on one line.
    pub fn judged(&self, judged: &Judged) -> String {
        match judged.judgment {
            Judgment::Success => "its calls succeed".to_owned(),
            _ => self.text(judged.statement).trim_end_matches(';').to_owned(),
        }
    }
}

/// Collects either the judged or the reported checks in a block.
fn collect(statements: &[Statement], wanted: bool, refused: bool, found: &mut Vec<Judged>) {
    for statement in statements.iter().filter(|statement| !statement.setup) {
        let mut judged = |judgment: Judgment, reported: Span| {
            found.push(Judged { judgment, statement: statement.span, reported, rests_on: statement.rests_on, refused });
        };
        match &statement.kind {
            StatementKind::Check { info, .. } if *info == wanted => {
                judged(Judgment::Condition(statement.id), statement.span);
            }
            StatementKind::Call {
                call: Call { span: reported, .. },
                expect: Expect::Failure { codes, usually, info },
            }
            | StatementKind::End { call: reported, expect: Expect::Failure { codes, usually, info }, .. }
                if *info == wanted =>
            {
                judged(Judgment::Failure(statement.id), *reported);
                if !codes.is_empty() && !usually {
                    judged(Judgment::Code(statement.id), *reported);
                }
            }
            other => {
                let refused = refused || matches!(other, StatementKind::Refuse { .. });
                other.blocks().into_iter().for_each(|block| collect(block, wanted, refused, found));
            }
        }
    }
}
