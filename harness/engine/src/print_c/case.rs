//! The case that a program is printed for: values of the axes, and their declarations.

use crate::case::{Budget, CaseError, Plan, Scope, Value};
use abi::Type;
use steps::program::{Domain, Program};
use steps::types::{Declarations, is_integer};

use super::text::{c_text, c_type, number};

/// The smallest case: every axis at its low end. Where the rule's condition excludes that one, a drawn case.
pub(super) fn smallest(program: &Program, scope: &Scope) -> Result<Vec<Value>, CaseError> {
    let mut values = Vec::with_capacity(program.axes.len());
    for (index, axis) in program.axes.iter().enumerate() {
        let bounds = scope.bounds(program, index, &values)?;
        let value = match &axis.domain {
            Domain::OneOf { values: alternatives, .. } => {
                let first = alternatives.first().ok_or(CaseError::NoValues)?;
                Value::Integer(scope.evaluate(first, &values)?)
            }
            Domain::List { .. } => {
                let length = scope.length_bounds(program, index, &values)?.low;
                Value::List(vec![bounds.low; usize::try_from(length).unwrap_or(0)])
            }
            Domain::Permutation(_) => Value::List((0..bounds.low).collect()),
            _ => Value::Integer(bounds.low),
        };
        values.push(value);
    }
    let holds = match &program.condition {
        Some(condition) => scope.evaluate(condition, &values)? != 0,
        None => true,
    };
    if holds {
        return Ok(values);
    }
    let budget = Budget { cases: 64, repeats: 1, milliseconds: 0, shrinks: 0 };
    match Plan::new(program, scope, 0, &budget)?.next_case() {
        Some(case) => Ok(case?.values),
        None => Err(CaseError::NoneDrawn),
    }
}

/// The declarations of the axes, as C. `used` says which of them the steps read.
pub(super) fn axes(
    program: &Program,
    declarations: &Declarations,
    values: &[Value],
    used: impl Fn(usize) -> bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, (axis, value)) in program.axes.iter().zip(values).enumerate() {
        let name = super::text::c_name(&axis.name);
        let mut read = used(index);
        match (&axis.domain, value) {
            (Domain::Choice(names), value) => {
                let names: Vec<String> = names.iter().map(|alternative| format!("{name}_{alternative}")).collect();
                let chosen = usize::try_from(value.integer()).ok().and_then(|at| names.get(at)).unwrap_or(&names[0]);
                lines.push(format!("enum {name} {{ {} }};", names.join(", ")));
                lines.push(format!("static const enum {name} {name} = {chosen};"));
                read = true;
            }
            (Domain::Text(texts), value) => {
                let text = usize::try_from(value.integer()).ok().and_then(|at| texts.get(at));
                let bytes = text.map_or(&[0u8][..], |at| &program.texts[*at]);
                lines.push(format!("static char {name}[] = {};", c_text(&bytes[..bytes.len() - 1])));
            }
            (_, Value::List(items)) => {
                let items: Vec<String> = items.iter().map(|item| number(*item)).collect();
                let items = if items.is_empty() { "0".to_owned() } else { items.join(", ") };
                lines.push(format!("static const {} = {{{items}}};", c_type(axis.ty, &format!("{name}[]"))));
            }
            (_, Value::Integer(value)) => {
                let value = constant(declarations, axis.ty, *value);
                lines.push(format!("static const {} = {value};", c_type(axis.ty, &name)));
            }
        }
        if !read {
            lines.push(format!("(void){name};"));
        }
    }
    lines
}

/// A value of a type: an enumerator where there is one of that value.
fn constant(declarations: &Declarations, ty: Type, value: i128) -> String {
    if let Type::Enumeration { name, .. } = ty {
        let known = declarations.bindings.enums.iter().find(|known| known.name == name);
        if let Some(found) = known.and_then(|known| known.constants.iter().find(|constant| constant.value == value)) {
            return found.name.to_owned();
        }
        return format!("({name}){}", number(value));
    }
    if is_integer(ty) || value != 0 { number(value) } else { "NULL".to_owned() }
}
