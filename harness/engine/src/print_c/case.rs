//! The case that a program is printed for: values of the axes, and their declarations.

use crate::case::{Budget, CaseError, Plan, Scope, Value};
use abi::Type;
use steps::program::{Domain, Program};
use steps::types::is_integer;

use super::Printer;
use super::text::{c_name, c_text, c_type, number};

/// The smallest case: every axis at its low end. Where the rule's condition excludes that one, a drawn case.
pub(super) fn smallest(program: &Program, scope: &Scope) -> Result<Vec<Value>, CaseError> {
    let mut values = Vec::with_capacity(program.axes.len());
    for (index, axis) in program.axes.iter().enumerate() {
        let bounds = scope.bounds(program, index, &values)?;
        values.push(match &axis.domain {
            Domain::List { .. } => {
                let length = scope.length_bounds(program, index, &values)?.low;
                Value::List(vec![bounds.low; usize::try_from(length).unwrap_or(0)])
            }
            Domain::Permutation(_) => Value::List((0..bounds.low).collect()),
            _ => scope.value(program, index, bounds, 0, &values)?,
        });
    }
    if scope.accepts(program, &values)? {
        return Ok(values);
    }
    let budget = Budget { cases: 64, repeats: 1, milliseconds: 0, shrinks: 0, shrink_milliseconds: 0 };
    match Plan::new(program, scope, 0, &budget)?.next_case() {
        Some(case) => Ok(case?.values),
        None => Err(CaseError::NoneDrawn),
    }
}

impl Printer<'_> {
    /// The declarations of the axes.
    pub(super) fn axes(&self, values: &[Value]) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, (axis, value)) in self.program.axes.iter().zip(values).enumerate() {
            let name = c_name(&axis.name);
            let mut read = self.reads.axes.contains(&index);
            match (&axis.domain, value) {
                (Domain::Choice(names), value) => {
                    let names: Vec<String> = names.iter().map(|alternative| format!("{name}_{alternative}")).collect();
                    let chosen = usize::try_from(value.integer()).ok().and_then(|at| names.get(at));
                    let chosen = chosen.unwrap_or(&names[0]);
                    lines.push(format!("enum {name} {{ {} }};", names.join(", ")));
                    lines.push(format!("static const enum {name} {name} = {chosen};"));
                    read = true;
                }
                (Domain::Text(texts), value) => {
                    let text = usize::try_from(value.integer()).ok().and_then(|at| texts.get(at));
                    let bytes = text.map_or(&[0u8][..], |at| &self.program.texts[*at]);
                    lines.push(format!("static char {name}[] = {};", c_text(&bytes[..bytes.len() - 1])));
                }
                (_, Value::List(items)) => {
                    let items: Vec<String> = items.iter().map(|item| number(*item)).collect();
                    let items = if items.is_empty() { "0".to_owned() } else { items.join(", ") };
                    lines.push(format!("static const {} = {{{items}}};", c_type(axis.ty, &format!("{name}[]"))));
                }
                (_, Value::Integer(value)) => {
                    let value = self.constant(axis.ty, *value);
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
    fn constant(&self, ty: Type, value: i128) -> String {
        if let Type::Enumeration { name, .. } = ty {
            let known = self.rules.environment.declarations.codes(ty, None);
            return match known.iter().find(|(code, _)| *code == value) {
                Some((_, constant)) => (*constant).to_owned(),
                None => format!("({name}){}", number(value)),
            };
        }
        if is_integer(ty) || value != 0 { number(value) } else { "NULL".to_owned() }
    }
}
