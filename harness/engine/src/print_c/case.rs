//! The case in a printed program: values of the axes, and their declarations.

use std::collections::HashSet;

use crate::case::{Budget, CaseError, Plan, Scope, Value, first_value};
use abi::Type;
use steps::program::{Domain, Program};
use steps::sequence::Part;
use steps::types::is_integer;
use steps::{AxisId, Id};

use super::printer::Printer;
use super::text::{c_name, c_text, c_type, number};

/// The smallest case. Every axis is at its low end or, if the rule's condition excludes that case, the case is drawn.
pub(super) fn smallest(program: &Program, scope: &Scope) -> Result<Vec<Value>, CaseError> {
    let mut values = Vec::with_capacity(program.axes.len());
    for id in program.axes.ids() {
        values.push(first_value(program, scope, id, &values)?);
    }
    if scope.accepts(program, &values)? {
        return Ok(values);
    }
    let budget =
        Budget { cases: 64, repeats: 1, calls: u64::MAX, sequences: 64, sequence_calls: u64::MAX, ..Budget::default() };
    match Plan::new(program, scope, 0, &budget)?.next_case() {
        Some(case) => Ok(case?.values),
        None => Err(CaseError::NoneDrawn),
    }
}

impl Printer<'_> {
    /// The alternative of a `choose` that every case takes.
    pub(super) fn chosen(&self, axis: AxisId) -> Option<usize> {
        let mut chosen = self.cases.iter().map(|case| case.values.get(axis.index()).map(|value| value.integer()));
        let first = chosen.next()??;
        if chosen.all(|other| other == Some(first)) { usize::try_from(first).ok() } else { None }
    }

    /// The declarations of the axes in use. With several cases, the number of the current case selects the values.
    pub(super) fn axes(&self, read: &HashSet<&str>) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, axis) in self.program.axes.iter().enumerate() {
            let name = c_name(&axis.name);
            if !read.contains(name.as_str()) {
                continue;
            }
            let values: Vec<&Value> = self.cases.iter().filter_map(|case| case.values.get(index)).collect();
            lines.extend(match &axis.domain {
                Domain::Choice(names) => {
                    let names: Vec<String> = names.iter().map(|alternative| format!("{name}_{alternative}")).collect();
                    let value = |value: &Value| {
                        let chosen = usize::try_from(value.integer()).ok().and_then(|at| names.get(at));
                        chosen.unwrap_or(&names[0]).clone()
                    };
                    let values = values.iter().map(|of| value(of)).collect();
                    vec![
                        format!("enum {name} {{ {} }};", names.join(", ")),
                        declared(&format!("const enum {name} {name}"), &format!("enum {name}"), values),
                    ]
                }
                Domain::Column { part: Part::Operation, .. } => {
                    let operations = self.program.sequence().map_or(&[][..], |(_, sequence)| &sequence.operations);
                    let names: Vec<String> =
                        operations.iter().map(|operation| format!("{name}_{}", operation.name)).collect();
                    let list = |value: &Value| match value {
                        Value::List(items) => {
                            let named = items.iter().filter_map(|item| names.get(usize::try_from(*item).ok()?));
                            named.map(String::as_str).collect::<Vec<_>>().join(", ")
                        }
                        Value::Integer(_) => String::new(),
                    };
                    let mut lines = vec![format!("enum {name} {{ {} }};", names.join(", "))];
                    lines.push(match values.as_slice() {
                        [only] => format!("static const enum {name} {name}[] = {{{}}};", list(only)),
                        values => {
                            let lists: Vec<String> = values
                                .iter()
                                .map(|value| format!("(const enum {name}[]){{{}}}", list(value)))
                                .collect();
                            let lists = lists.join(", ");
                            format!("const enum {name} *const {name} = ((const enum {name} *[]){{{lists}}})[run];")
                        }
                    });
                    lines
                }
                Domain::Text(texts) => {
                    let value = |value: &Value| {
                        let text = usize::try_from(value.integer()).ok().and_then(|at| texts.get(at));
                        let bytes = text.map_or(&[0u8][..], |at| &self.program.texts[*at]);
                        c_text(&bytes[..bytes.len() - 1])
                    };
                    match values.as_slice() {
                        [only] => vec![format!("static char {name}[] = {};", value(only))],
                        values => {
                            let texts: Vec<String> =
                                values.iter().map(|of| format!("(char[]){{{}}}", value(of))).collect();
                            vec![format!("char *const {name} = ((char *[]){{{}}})[run];", texts.join(", "))]
                        }
                    }
                }
                _ => {
                    let item = c_type(axis.ty, "");
                    let list = |value: &Value| match value {
                        Value::List(items) if items.is_empty() => Some("0".to_owned()),
                        Value::List(items) => {
                            Some(items.iter().map(|item| number(*item)).collect::<Vec<_>>().join(", "))
                        }
                        Value::Integer(_) => None,
                    };
                    let lists: Vec<String> = values.iter().filter_map(|value| list(value)).collect();
                    vec![match lists.as_slice() {
                        [] => {
                            let values = values.iter().map(|value| self.constant(axis.ty, value.integer())).collect();
                            declared(&format!("const {}", c_type(axis.ty, &name)), &item, values)
                        }
                        [only] => format!("static const {} = {{{only}}};", c_type(axis.ty, &format!("{name}[]"))),
                        lists => {
                            let lists: Vec<String> =
                                lists.iter().map(|list| format!("(const {item}[]){{{list}}}")).collect();
                            format!("const {item} *const {name} = ((const {item} *[]){{{}}})[run];", lists.join(", "))
                        }
                    }]
                }
            });
        }
        lines
    }

    /// A value as a constant of a type: the enumerator with this value, if there is one.
    fn constant(&self, ty: Type, value: i128) -> String {
        if let Type::Enumeration { name, .. } = ty {
            let known = self.rules.environment.declarations.codes(ty, None);
            return match known.iter().find(|(code, _)| *code == value) {
                Some((_, constant)) => (*constant).to_owned(),
                None => format!("({name}){}", number(value)),
            };
        }
        if is_integer(ty) {
            return number(value);
        }
        let casts = self.rules.environment.declarations.bindings.casts;
        match casts.iter().find(|cast| cast.ty == ty && cast.value == value) {
            Some(cast) => cast.name.to_owned(),
            None if value == 0 => "NULL".to_owned(),
            None => format!("({})(uintptr_t){}", c_type(ty, ""), number(value)),
        }
    }
}

/// The declaration of a constant with a single value, or with one value per case.
fn declared(constant: &str, ty: &str, mut values: Vec<String>) -> String {
    match values.len() {
        1 => format!("static {constant} = {};", values.remove(0)),
        _ => format!("{constant} = ((const {ty}[]){{{}}})[run];", values.join(", ")),
    }
}
