//! Every call of a program, wherever it stands.

use super::program::{Argument, Call, Expect, Expression, Place, Program, Root, Statement, StatementKind};

impl Program {
    /// The calls of the steps and of `observe`, by call site.
    pub fn sites(&self) -> Vec<Option<&Call>> {
        let mut sites = vec![None; self.calls];
        for statement in &self.statements {
            visit(statement, &mut sites);
        }
        for (_, expression, _) in &self.observe {
            visit_expression(expression, &mut sites);
        }
        sites
    }
}

fn visit<'a>(statement: &'a Statement, sites: &mut Vec<Option<&'a Call>>) {
    match &statement.kind {
        StatementKind::Call { call, expect } => {
            visit_call(call, sites);
            if let Expect::Failure { codes, .. } = expect {
                codes.iter().for_each(|code| visit_expression(code, sites));
            }
        }
        StatementKind::Defer(call) => visit_call(call, sites),
        StatementKind::Effect(expression) | StatementKind::Check { condition: expression, .. } => {
            visit_expression(expression, sites)
        }
        StatementKind::Assign { target, value, .. } => {
            visit_place(target, sites);
            visit_expression(value, sites);
        }
        StatementKind::Declare { length, values, .. } => {
            length.iter().for_each(|length| visit_expression(length, sites));
            values.iter().for_each(|(_, _, value)| visit_expression(value, sites));
        }
        StatementKind::For { bound, body, .. } => {
            visit_expression(bound, sites);
            body.iter().for_each(|statement| visit(statement, sites));
        }
        StatementKind::Block { body, .. } => body.iter().for_each(|statement| visit(statement, sites)),
        StatementKind::Choose { alternatives, .. } => {
            alternatives.iter().flatten().for_each(|statement| visit(statement, sites))
        }
        StatementKind::Refuse { call, until, unless } => {
            visit_call(call, sites);
            until.iter().for_each(|call| visit_call(call, sites));
            unless.iter().for_each(|statement| visit(statement, sites));
        }
        StatementKind::Exit { .. } | StatementKind::Kill { .. } => {}
    }
}

fn visit_call<'a>(call: &'a Call, sites: &mut Vec<Option<&'a Call>>) {
    if let Some(site) = sites.get_mut(call.site) {
        *site = Some(call);
    }
    for argument in &call.arguments {
        match argument {
            Argument::Value { value, .. } => visit_expression(value, sites),
            Argument::Out { place, .. } => visit_place(place, sites),
        }
    }
}

fn visit_expression<'a>(expression: &'a Expression, sites: &mut Vec<Option<&'a Call>>) {
    use Expression::*;
    match expression {
        Call(call, _) => visit_call(call, sites),
        Unary(_, of) | Cast(_, of) => visit_expression(of, sites),
        Binary(_, left, right) => {
            visit_expression(left, sites);
            visit_expression(right, sites);
        }
        Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| visit_expression(part, sites))
        }
        In(of, set) => {
            visit_expression(of, sites);
            set.iter().for_each(|member| visit_expression(member, sites));
        }
        Builtin(_, arguments) => arguments.iter().for_each(|argument| visit_expression(argument, sites)),
        AxisItem { index, .. } => visit_expression(index, sites),
        Advance { pointer: left, index: right, .. } | Distance { left, right, .. } => {
            visit_expression(left, sites);
            visit_expression(right, sites);
        }
        Load { place, .. } | AddressOf(place) => visit_place(place, sites),
        Constant(_) | Text(_) | Axis(_) | Fact(_) | Devices | OwnDevice => {}
    }
}

fn visit_place<'a>(place: &'a Place, sites: &mut Vec<Option<&'a Call>>) {
    if let Root::Pointer(pointer) = &place.root {
        visit_expression(pointer, sites);
    }
    place.indices.iter().for_each(|(index, ..)| visit_expression(index, sites));
}
