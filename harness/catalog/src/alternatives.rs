//! Alternatives of `choose` and axis values that use functions or values a product does not offer. Only these
//! alternatives and axis values are left out; the rest of the rule still runs.

use abi::Function;
use steps::AxisId;
use steps::program::{Call, Domain, Program, Statement, StatementKind};
use steps::walk::Node;

/// An axis of a program, and the position of one of its alternatives or values.
pub type Alternative = (AxisId, usize);

/// The alternatives and axis values that use functions or values the product does not offer.
///
/// # Errors
/// Fails if the program cannot run without a function or value that is not offered. The error is the name of that
/// function or value.
pub(super) fn left_out<'a>(
    program: &'a Program,
    names_values: bool,
    offered: &impl Fn(&str) -> bool,
    possible: Option<Possible<'_>>,
) -> Result<Vec<Alternative>, &'a str> {
    let needs = Needs { program, names_values, offered, possible };
    let mut without = Vec::new();
    let mut observed = None;
    for (_, expression, _) in &program.observe {
        expression.walk(&mut |node| needs.note(node, &mut observed));
    }
    let lacking = observed.or_else(|| needs.axes(&mut without));
    match lacking.or_else(|| needs.block(&program.statements, &mut without)) {
        Some(name) => Err(name),
        None => Ok(without),
    }
}

/// True if a program's axes, or the arguments of its calls, name one of these values.
pub(super) fn mentions(program: &Program, value: &impl Fn(&str) -> bool) -> bool {
    let written = program.axes.iter().filter_map(|axis| match &axis.domain {
        Domain::OneOf { written, .. } => Some(written),
        _ => None,
    });
    if written.flatten().any(|text| identifiers(text).any(value)) {
        return true;
    }
    let calls = program.sites().into_iter().flatten();
    let mut texts = calls.filter_map(|call| program.source.get(call.span.start..call.span.end));
    texts.any(|text| identifiers(text).any(value))
}

/// The identifiers in a text.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_').filter(|name| !name.is_empty())
}

/// True if a run can make a call.
pub(super) type Possible<'o> = &'o dyn Fn(&'static Function, &Call) -> bool;

/// A program, and the tests that tell whether the product offers a function or value, and whether a call is possible.
struct Needs<'a, 'o, O: Fn(&str) -> bool> {
    program: &'a Program,
    names_values: bool,
    offered: &'o O,
    possible: Option<Possible<'o>>,
}

impl<'a, O: Fn(&str) -> bool> Needs<'a, '_, O> {
    /// Records a call's function, or a value in the call's arguments, if the product does not offer that function or
    /// value, or if the call is impossible.
    fn note(&self, node: Node<'_>, found: &mut Option<&'a str>) {
        let (Node::Call(call), None) = (node, &found) else { return };
        let missing = |name: &&'a str| !(self.offered)(name);
        let function = self.program.functions[call.function];
        let impossible = self.possible.is_some_and(|possible| !possible(function, call));
        *found = Some(function.name).filter(|name| impossible || missing(name));
        if found.is_none() && self.names_values {
            let text = self.program.source.get(call.span.start..call.span.end).unwrap_or_default();
            *found = identifiers(text).find(missing);
        }
    }

    /// Adds to `without` the axis values that are not offered. If none of an axis's values is offered, returns one of
    /// them.
    fn axes(&self, without: &mut Vec<Alternative>) -> Option<&'a str> {
        for (axis, declared) in self.program.axes.entries().filter(|_| self.names_values) {
            let Domain::OneOf { written, .. } = &declared.domain else { continue };
            let missing = |text: &'a String| identifiers(text).find(|name| !(self.offered)(name));
            let lacks: Vec<_> = written.iter().map(missing).collect();
            if lacks.iter().all(Option::is_some) {
                return lacks[0];
            }
            let gone = lacks.iter().enumerate().filter(|(_, lack)| lack.is_some());
            without.extend(gone.map(|(position, _)| (axis, position)));
        }
        None
    }

    /// The first function or value that a block always uses although the product does not offer it.
    fn block(&self, statements: &'a [Statement], without: &mut Vec<Alternative>) -> Option<&'a str> {
        for statement in statements {
            let mut found = None;
            statement.kind.walk(&mut |node| self.note(node, &mut found));
            let inside = match &statement.kind {
                StatementKind::Choose { axis, alternatives } => {
                    let mut inner = Vec::new();
                    let lacks: Vec<_> = alternatives.iter().map(|body| self.block(body, &mut inner)).collect();
                    if lacks.iter().all(Option::is_some) {
                        lacks[0]
                    } else {
                        let gone = lacks.iter().enumerate().filter(|(_, lack)| lack.is_some());
                        without.extend(inner.into_iter().chain(gone.map(|(position, _)| (*axis, position))));
                        None
                    }
                }
                other => other.blocks().into_iter().find_map(|body| self.block(body, without)),
            };
            if let Some(name) = found.or(inside) {
                return Some(name);
            }
        }
        None
    }
}

/// The name of an alternative in reports: `choose: cached`.
pub fn named(program: &Program, (axis, position): Alternative) -> String {
    let axis = &program.axes[axis];
    match &axis.domain {
        Domain::Choice(names) | Domain::OneOf { written: names, .. } => format!("{}: {}", axis.name, names[position]),
        _ => axis.name.clone(),
    }
}
