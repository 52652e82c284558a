//! Collects the names in a program's expressions in a single pass.

use std::collections::{BTreeSet, HashSet};

use steps::VariableId;
use steps::builtins::Builtin;
use steps::program::{Call, Expression, Place, Program, Root, StatementKind};
use steps::walk::Node;

/// The names that a program reads.
#[derive(Debug, Default)]
pub(super) struct Reads {
    pub variables: HashSet<VariableId>,
    pub facts: BTreeSet<String>,
    pub devices: bool,
    pub patience: bool,
    pub own_device: bool,
    /// True if the statements use gates, or calls that wait at a gate.
    pub gates: bool,
    /// The callback types of the statements' hooks, by their positions in the header.
    pub hooks: BTreeSet<usize>,
}

impl Reads {
    /// Collects the names that a program's statements and observations read.
    pub(super) fn of(program: &Program) -> Reads {
        let mut reads = Reads::default();
        program.walk(&mut |node| match node {
            Node::Expression(Expression::Fact(name)) => {
                reads.facts.insert(name.clone());
            }
            Node::Expression(Expression::Devices) => reads.devices = true,
            Node::Expression(Expression::Patience) => reads.patience = true,
            Node::Expression(Expression::OwnDevice) => reads.own_device = true,
            Node::Expression(Expression::Builtin(Builtin::Gate, _)) => reads.gates = true,
            Node::Expression(Expression::Builtin(Builtin::Hook, arguments)) => {
                reads.gates = true;
                if let Some(Expression::Constant(position)) = arguments.first() {
                    reads.hooks.extend(usize::try_from(*position));
                }
            }
            Node::Expression(
                Expression::Load { place: Place { root: Root::Variable(variable), .. }, .. }
                | Expression::AddressOf(Place { root: Root::Variable(variable), .. }),
            ) => {
                reads.variables.insert(*variable);
            }
            _ => {}
        });
        reads
    }
}

/// A statement's direct calls, in text order.
pub(super) fn calls<'p>(kind: &'p StatementKind) -> Vec<&'p Call> {
    let mut found = Vec::new();
    let mut note = |node: Node<'p>| {
        if let Node::Call(call) = node {
            found.push(call);
        }
    };
    match kind {
        // The target of a compound assignment is also part of its value.
        StatementKind::Assign { value, .. } => value.walk(&mut note),
        other => other.walk(&mut note),
    }
    found
}
