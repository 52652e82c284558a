//! The sides of a rule's `if` statements on which the rule judges nothing, because the documents leave the device's
//! answer free.

use std::collections::{BTreeMap, BTreeSet};

use super::Span;
use super::ids::{StatementId, VariableId};
use super::program::{Argument, Call, Expect, Expression, Place, Program, Root, Statement, StatementKind};
use super::walk::Node;

/// The side of an `if` on which nothing is judged, neither there nor before or after it. The other side judges, and the
/// device's answers decide between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeBranch {
    /// The whole statement.
    pub span: Span,
    /// The value of the condition that leads to this side.
    pub taken_if: bool,
}

impl Program {
    /// The sides on which a case may judge nothing, by the ids of their `if` statements.
    pub fn free_branches(&self) -> BTreeMap<StatementId, FreeBranch> {
        let mut found = BTreeMap::new();
        // A drawn sequence may consist of operations whose conditions do not hold.
        if self.sequence().is_none() {
            collect(&self.statements, &self.answers(), &mut found);
        }
        found
    }

    /// True if the steps judge something on at least one branch.
    pub fn judges(&self) -> bool {
        judges(&self.statements)
    }

    /// The condition that leads to a side, for example `` `answer != OK` is false ``.
    pub fn condition_of(&self, branch: &FreeBranch) -> String {
        let text = self.text(branch.span);
        let (mut open, mut end) = (0, text.len());
        for (at, letter) in text.char_indices() {
            open += i32::from(letter == '(') - i32::from(letter == ')');
            if letter == ')' && open == 0 {
                end = at;
                break;
            }
        }
        let condition = text[..end].split_once('(').map_or("", |(_, condition)| condition);
        format!("`{condition}` is {}", branch.taken_if)
    }

    /// The variables whose values come from the device, directly or by way of other variables.
    fn answers(&self) -> BTreeSet<VariableId> {
        let mut answers = BTreeSet::new();
        self.sites().into_iter().flatten().for_each(|call| answers.extend(written_by(call)));
        loop {
            let known = answers.len();
            self.each_statement(&mut |statement| match &statement.kind {
                StatementKind::Declare { variable, values, .. }
                    if values.iter().any(|(.., value)| reads(value, &answers)) =>
                {
                    answers.insert(*variable);
                }
                StatementKind::Assign { target, value, .. } if reads(value, &answers) => {
                    answers.extend(variable_of(target));
                }
                _ => {}
            });
            if answers.len() == known {
                return answers;
            }
        }
    }
}

/// Collects the sides in a block, if the block may run without judging anything.
fn collect(block: &[Statement], answers: &BTreeSet<VariableId>, found: &mut BTreeMap<StatementId, FreeBranch>) {
    if !may_judge_nothing(block) {
        return;
    }
    for statement in block.iter().filter(|statement| !statement.setup) {
        if let StatementKind::If { condition, then, otherwise } = &statement.kind
            && judges(then) != judges(otherwise)
            && reads(condition, answers)
        {
            found.insert(statement.id, FreeBranch { span: statement.span, taken_if: !judges(then) });
        }
        statement.kind.blocks().into_iter().for_each(|block| collect(block, answers, found));
    }
}

/// The variables to which a call writes.
fn written_by(call: &Call) -> impl Iterator<Item = VariableId> + '_ {
    call.arguments.iter().filter_map(|argument| match argument {
        Argument::Out { place, .. } | Argument::Value { value: Expression::AddressOf(place), .. } => variable_of(place),
        Argument::Value { .. } => None,
    })
}

fn variable_of(place: &Place) -> Option<VariableId> {
    match place.root {
        Root::Variable(variable) => Some(variable),
        Root::Pointer(_) => None,
    }
}

/// True if an expression is or reads an answer of the device.
fn reads(expression: &Expression, answers: &BTreeSet<VariableId>) -> bool {
    let mut found = false;
    expression.walk(&mut |node| {
        found |= match node {
            Node::Call(_) => true,
            Node::Expression(Expression::Load { place, .. }) => {
                variable_of(place).is_none_or(|variable| answers.contains(&variable))
            }
            Node::Expression(_) => false,
        };
    });
    found
}

/// True if a statement in the block is judged. The success of a bare call counts.
fn judges(block: &[Statement]) -> bool {
    block.iter().filter(|statement| !statement.setup).any(|statement| match &statement.kind {
        StatementKind::Check { info, .. } => !info,
        StatementKind::Call { expect, .. } | StatementKind::End { expect, .. } => {
            !matches!(expect, Expect::Failure { info: true, .. })
        }
        StatementKind::Refuse { .. } => true,
        kind => kind.blocks().into_iter().any(judges),
    })
}

/// True if a block can run without judging anything, although each of its loops makes a round.
fn may_judge_nothing(block: &[Statement]) -> bool {
    block.iter().filter(|statement| !statement.setup).all(|statement| match &statement.kind {
        StatementKind::If { .. } | StatementKind::Choose { .. } => {
            statement.kind.blocks().into_iter().any(may_judge_nothing)
        }
        kind if kind.is_flow() => kind.blocks().into_iter().all(may_judge_nothing),
        _ => !judges(std::slice::from_ref(statement)),
    })
}
