//! What a program's expressions name, found in one walk.

use std::collections::{BTreeSet, HashSet};

use steps::program::{Argument, Call, Expect, Expression, Place, Program, Root, Statement, StatementKind};

/// What a program reads.
#[derive(Debug, Default)]
pub(super) struct Reads {
    pub variables: HashSet<usize>,
    pub axes: HashSet<usize>,
    pub facts: BTreeSet<String>,
    pub devices: bool,
    pub own_device: bool,
}

impl Reads {
    /// What the statements and the observations of a program read.
    pub(super) fn of(program: &Program) -> Reads {
        let mut reads = Reads::default();
        let mut note = |expression: &Expression| match expression {
            Expression::Axis(axis) | Expression::AxisItem { axis, .. } => {
                reads.axes.insert(*axis);
            }
            Expression::Fact(name) => {
                reads.facts.insert(name.clone());
            }
            Expression::Devices => reads.devices = true,
            Expression::OwnDevice => reads.own_device = true,
            Expression::Load { place: Place { root: Root::Variable(variable), .. }, .. }
            | Expression::AddressOf(Place { root: Root::Variable(variable), .. }) => {
                reads.variables.insert(*variable);
            }
            _ => {}
        };
        statements(&program.statements, &mut note);
        program.observe.iter().for_each(|(_, observed, _)| expression(observed, &mut note));
        reads
    }
}

type Note<'n, 'e> = &'n mut dyn FnMut(&'e Expression);

fn statements<'e>(list: &'e [Statement], note: Note<'_, 'e>) {
    for statement in list {
        own_expressions(&statement.kind, &mut |own| expression(own, note));
        match &statement.kind {
            StatementKind::For { body, .. }
            | StatementKind::Block { body, .. }
            | StatementKind::Refuse { unless: body, .. } => statements(body, note),
            StatementKind::Choose { alternatives, .. } => {
                alternatives.iter().for_each(|body| statements(body, note));
            }
            _ => {}
        }
    }
}

/// The expressions of a statement itself, not of the blocks inside it.
fn own_expressions<'e>(kind: &'e StatementKind, note: Note<'_, 'e>) {
    match kind {
        StatementKind::Call { call, expect } => {
            arguments(call, note);
            if let Expect::Failure { codes, .. } = expect {
                codes.iter().for_each(note);
            }
        }
        StatementKind::Effect(own) | StatementKind::Check { condition: own, .. } => note(own),
        StatementKind::Declare { length, values, .. } => {
            length.iter().for_each(&mut *note);
            values.iter().for_each(|(_, _, value)| note(value));
        }
        StatementKind::Assign { target, value, .. } => {
            place(target, note);
            note(value);
        }
        StatementKind::For { bound, .. } => note(bound),
        StatementKind::Defer(call) => arguments(call, note),
        StatementKind::Refuse { call, until, .. } => {
            arguments(call, note);
            until.iter().for_each(|call| arguments(call, note));
        }
        StatementKind::Choose { .. }
        | StatementKind::Block { .. }
        | StatementKind::Exit { .. }
        | StatementKind::Kill { .. } => {}
    }
}

fn arguments<'e>(call: &'e Call, note: Note<'_, 'e>) {
    for argument in &call.arguments {
        match argument {
            Argument::Value { value, .. } => note(value),
            Argument::Out { place: out, .. } => place(out, note),
        }
    }
}

fn place<'e>(of: &'e Place, note: Note<'_, 'e>) {
    if let Root::Pointer(pointer) = &of.root {
        note(pointer);
    }
    of.indices.iter().for_each(|(index, _, _)| note(index));
}

/// The expression and every one inside it, the outer ones first.
fn expression<'e>(of: &'e Expression, note: Note<'_, 'e>) {
    note(of);
    children(of, &mut |child| expression(child, note));
}

fn children<'e>(of: &'e Expression, note: Note<'_, 'e>) {
    match of {
        Expression::AxisItem { index: inner, .. } | Expression::Unary(_, inner) | Expression::Cast(_, inner) => {
            note(inner);
        }
        Expression::Load { place: of, .. } | Expression::AddressOf(of) => place(of, note),
        Expression::Advance { pointer: left, index: right, .. }
        | Expression::Distance { left, right, .. }
        | Expression::Binary(_, left, right) => {
            note(left);
            note(right);
        }
        Expression::Conditional(condition, then, otherwise) => {
            note(condition);
            note(then);
            note(otherwise);
        }
        Expression::In(of, values) => {
            note(of);
            values.iter().for_each(note);
        }
        Expression::Builtin(_, values) => values.iter().for_each(note),
        Expression::Call(call, _) => arguments(call, note),
        Expression::Constant(_)
        | Expression::Text(_)
        | Expression::Axis(_)
        | Expression::Fact(_)
        | Expression::Devices
        | Expression::OwnDevice => {}
    }
}

/// The calls that a statement itself makes, in the order of the text.
pub(super) fn calls(kind: &StatementKind) -> Vec<&Call> {
    fn inside<'e>(of: &'e Expression, found: &mut Vec<&'e Call>) {
        if let Expression::Call(call, _) = of {
            found.push(call);
        }
        children(of, &mut |child| inside(child, found));
    }
    fn made<'e>(call: &'e Call, found: &mut Vec<&'e Call>) {
        found.push(call);
        for argument in &call.arguments {
            if let Argument::Value { value, .. } = argument {
                inside(value, found);
            }
        }
    }
    let mut found = Vec::new();
    match kind {
        StatementKind::Call { call, .. } | StatementKind::Defer(call) => made(call, &mut found),
        StatementKind::Effect(own) | StatementKind::Check { condition: own, .. } => inside(own, &mut found),
        StatementKind::Declare { values, .. } => values.iter().for_each(|(_, _, value)| inside(value, &mut found)),
        StatementKind::Assign { value, .. } => inside(value, &mut found),
        StatementKind::Refuse { call, until, .. } => {
            made(call, &mut found);
            until.iter().for_each(|call| made(call, &mut found));
        }
        _ => {}
    }
    found
}
