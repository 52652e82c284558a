//! Walks through a program: all expressions and calls, in text order.

use std::collections::BTreeSet;

use super::builtins::Builtin;
use super::program::{
    Argument, Call, Domain, Expect, Expression, Place, Program, Range, Root, Statement, StatementKind,
};

/// An item visited during a walk.
pub enum Node<'p> {
    Expression(&'p Expression),
    /// A call, as a statement or as the value of the preceding expression.
    Call(&'p Call),
}

type Note<'n, 'p> = &'n mut dyn FnMut(Node<'p>);

impl Program {
    /// Walks through the steps and `observe`.
    pub fn walk<'p>(&'p self, note: Note<'_, 'p>) {
        walk_block(&self.statements, note);
        self.observe.iter().for_each(|(_, observed, _)| observed.walk(note));
    }

    /// The names of the product's quantities that the steps, `observe`, the condition or the domains read. Products
    /// that agree on them have the same cases.
    pub fn facts(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut note = |node| {
            if let Node::Expression(Expression::Fact(name)) = node {
                found.insert(name.as_str());
            }
        };
        self.walk(&mut note);
        self.condition.iter().for_each(|condition| condition.walk(&mut note));
        self.axes.iter().for_each(|axis| axis.domain.walk(&mut note));
        found
    }

    /// The calls in the steps and in `observe`, by call site.
    pub fn sites(&self) -> Vec<Option<&Call>> {
        let mut sites = vec![None; self.calls];
        self.walk(&mut |node| {
            if let Node::Call(call) = node
                && let Some(site) = sites.get_mut(call.site)
            {
                *site = Some(call);
            }
        });
        sites
    }

    /// The offset of each call site in the program's text; `None` for calls in `observe`, which has a separate text.
    pub fn places_of_calls(&self) -> Vec<Option<usize>> {
        let mut places = vec![None; self.calls];
        walk_block(&self.statements, &mut |node| {
            if let Node::Call(call) = node
                && let Some(place) = places.get_mut(call.site)
            {
                *place = Some(call.span.start);
            }
        });
        places
    }
}

fn walk_block<'p>(block: &'p [Statement], note: Note<'_, 'p>) {
    for statement in block {
        statement.kind.walk(note);
        statement.kind.blocks().into_iter().for_each(|block| walk_block(block, note));
    }
}

impl Domain {
    /// Walks through the bounds and values.
    fn walk<'p>(&'p self, note: Note<'_, 'p>) {
        use Domain::*;
        match self {
            Bytes(range) | Integer(range) | EveryOf(range) | Permutation(range) => range.walk(note),
            OneOf { values, .. } => values.iter().for_each(|value| value.walk(note)),
            Offset { below, multiple_of } => {
                [Some(below), multiple_of.as_ref()].into_iter().flatten().for_each(|of| of.walk(note));
            }
            List { item, length, .. } => [item, length].into_iter().for_each(|range| range.walk(note)),
            Text(_) | Sequence(_) | Column { .. } | LengthOf(_) | IndexOf(_) | Device | Choice(_) => {}
        }
    }
}

impl Range {
    fn walk<'p>(&'p self, note: Note<'_, 'p>) {
        [&self.low, &self.high].into_iter().chain(&self.multiple_of).for_each(|bound| bound.walk(note));
    }
}

impl StatementKind {
    /// The blocks inside the statement.
    pub fn blocks(&self) -> Vec<&[Statement]> {
        use StatementKind::*;
        match self {
            For { body, .. } | Block { body, .. } | Refuse { unless: body, .. } => vec![body],
            If { then, otherwise, .. } => vec![then, otherwise],
            Choose { alternatives, .. } => alternatives.iter().map(Vec::as_slice).collect(),
            Together { lanes, .. } => lanes.iter().map(|lane| lane.body.as_slice()).collect(),
            _ => Vec::new(),
        }
    }

    /// True if the statement only controls which of its inner statements run, how many times, and which at once.
    pub fn is_flow(&self) -> bool {
        use StatementKind::*;
        matches!(self, For { .. } | If { .. } | Choose { .. } | Block { .. } | Together { .. })
    }

    /// The load of the descriptor that another process hands over to the statement.
    pub fn handed(&self) -> Option<&Expression> {
        let value = match self {
            StatementKind::Declare { values, .. } => &values.first()?.2,
            StatementKind::Assign { value, .. } => value,
            _ => return None,
        };
        match value {
            Expression::Builtin(Builtin::Handed, arguments) => arguments.first(),
            _ => None,
        }
    }

    /// Walks through the statement itself, but not its blocks.
    pub fn walk<'p>(&'p self, note: Note<'_, 'p>) {
        match self {
            StatementKind::Call { call, expect } => {
                call.walk(note);
                if let Expect::Failure { codes, .. } = expect {
                    codes.iter().for_each(|code| code.walk(note));
                }
            }
            StatementKind::Defer(call) | StatementKind::Begin { call } => call.walk(note),
            StatementKind::End { expect, .. } => {
                if let Expect::Failure { codes, .. } = expect {
                    codes.iter().for_each(|code| code.walk(note));
                }
            }
            StatementKind::Effect(of)
            | StatementKind::Check { condition: of, .. }
            | StatementKind::If { condition: of, .. }
            | StatementKind::For { bound: of, .. } => of.walk(note),
            StatementKind::Declare { length, values, .. } => {
                length.iter().chain(values.iter().map(|(.., value)| value)).for_each(|of| of.walk(note));
            }
            StatementKind::Assign { target, value, .. } => {
                target.walk(note);
                value.walk(note);
            }
            StatementKind::Refuse { call, until, .. } => {
                std::iter::once(call).chain(until).for_each(|call| call.walk(note));
            }
            StatementKind::Choose { .. }
            | StatementKind::Block { .. }
            | StatementKind::Together { .. }
            | StatementKind::Exit { .. }
            | StatementKind::Kill { .. } => {}
        }
    }
}

impl Call {
    fn walk<'p>(&'p self, note: Note<'_, 'p>) {
        note(Node::Call(self));
        for argument in &self.arguments {
            match argument {
                Argument::Value { value, .. } => value.walk(note),
                Argument::Out { place, .. } => place.walk(note),
            }
        }
    }
}

impl Place {
    fn walk<'p>(&'p self, note: Note<'_, 'p>) {
        if let Root::Pointer(pointer) = &self.root {
            pointer.walk(note);
        }
        self.indices.iter().for_each(|(index, ..)| index.walk(note));
    }
}

impl Expression {
    /// Walks through the expression and its subexpressions, outer expressions first.
    pub fn walk<'p>(&'p self, note: Note<'_, 'p>) {
        use Expression::*;
        note(Node::Expression(self));
        match self {
            Call(call, _) => call.walk(note),
            Unary(_, of) | Cast(_, of) | AxisItem { index: of, .. } => of.walk(note),
            Binary(_, left, right) | Advance { pointer: left, index: right, .. } | Distance { left, right, .. } => {
                [left, right].into_iter().for_each(|of| of.walk(note))
            }
            Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|of| of.walk(note));
            }
            In(of, set) => {
                of.walk(note);
                set.iter().for_each(|of| of.walk(note));
            }
            Builtin(_, arguments) => arguments.iter().for_each(|of| of.walk(note)),
            Load { place, .. } | AddressOf(place) => place.walk(note),
            Constant(_) | Text(_) | Axis(_) | Fact(_) | Devices | Patience | OwnDevice => {}
        }
    }
}
