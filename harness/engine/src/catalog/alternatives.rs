//! Alternatives of `choose` that do not apply: where one calls a function that a product does not offer, that
//! alternative is left out, not the rule.

use steps::program::{Domain, Program, Statement, StatementKind};
use steps::walk::Node;

/// An axis of a program and one of its alternatives, by position.
pub type Alternative = (usize, usize);

/// The alternatives that call functions which are not offered.
///
/// # Errors
/// The function without which the program cannot run at all.
pub(super) fn left_out(program: &Program, offered: &impl Fn(&str) -> bool) -> Result<Vec<Alternative>, &'static str> {
    let missing = |function: usize| Some(program.functions[function].name).filter(|name| !offered(name));
    let mut without = Vec::new();
    if (0..program.functions.len()).all(|function| missing(function).is_none()) {
        return Ok(without);
    }
    let mut observed = None;
    for (_, expression, _) in &program.observe {
        expression.walk(&mut |node| note(node, &missing, &mut observed));
    }
    match observed.or_else(|| block(&program.statements, &missing, &mut without)) {
        Some(function) => Err(function),
        None => Ok(without),
    }
}

fn note(node: Node<'_>, missing: &impl Fn(usize) -> Option<&'static str>, found: &mut Option<&'static str>) {
    if let Node::Call(call) = node {
        *found = found.or_else(|| missing(call.function));
    }
}

/// The first function that a block calls in any case and that is missing.
fn block(
    statements: &[Statement],
    missing: &impl Fn(usize) -> Option<&'static str>,
    without: &mut Vec<Alternative>,
) -> Option<&'static str> {
    for statement in statements {
        let mut found = None;
        statement.kind.walk(&mut |node| note(node, missing, &mut found));
        let inside = match &statement.kind {
            StatementKind::Choose { axis, alternatives } => {
                let mut inner = Vec::new();
                let lacks: Vec<_> = alternatives.iter().map(|body| block(body, missing, &mut inner)).collect();
                if lacks.iter().all(Option::is_some) {
                    lacks[0]
                } else {
                    let gone = lacks.iter().enumerate().filter(|(_, lack)| lack.is_some());
                    without.extend(inner.into_iter().chain(gone.map(|(position, _)| (*axis, position))));
                    None
                }
            }
            other => other.blocks().into_iter().find_map(|body| block(body, missing, without)),
        };
        if let Some(function) = found.or(inside) {
            return Some(function);
        }
    }
    None
}

/// An alternative as a report names it: `choose: cached`.
pub fn named(program: &Program, (axis, position): Alternative) -> String {
    let axis = &program.axes[axis];
    match &axis.domain {
        Domain::Choice(names) => format!("{}: {}", axis.name, names[position]),
        _ => axis.name.clone(),
    }
}
