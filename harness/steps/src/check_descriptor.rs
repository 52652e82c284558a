//! Checks descriptors: which variables hold one, and how a process gets one from another process.

use abi::{Function, Type};

use super::Span;
use super::builtins::Builtin;
use super::check::{Begun, Checker, Typed};
use super::check_expression::value;
use super::ids::VariableId;
use super::program::{Argument, Export, Expression, Place, Root, Space};
use super::syntax::{Expression as Tree, ExpressionKind};
use super::types::{INT, c_name, is_integer};
use super::walk::Node;

impl Checker<'_> {
    /// Checks the value of a declaration or an assignment, which may be a descriptor of another process.
    pub(super) fn whole_value(&mut self, tree: &Tree) -> Option<Typed> {
        match &tree.kind {
            ExpressionKind::Call { function, arguments } if function == "handed" => self.handed(arguments, tree.span),
            _ => self.expression(tree),
        }
    }

    fn handed(&mut self, arguments: &[Tree], span: Span) -> Option<Typed> {
        let [argument] = arguments else {
            return self.wrong(span, format!("`handed` takes 1 argument, got {}", arguments.len()));
        };
        if self.in_lane {
            let message = "lanes run at once, so no process waits for a descriptor here; write `handed` before or \
                           after `together`";
            return self.wrong(span, message);
        }
        self.handing = true;
        let place = self.place(argument);
        self.handing = false;
        let place = place?;
        let Some(variable) = place.variable else {
            return self.wrong(argument.span, "`handed` takes a variable of another process; write `handed(A.fd)`");
        };
        if place.array || !is_integer(place.ty) {
            let is = if place.array { "an array".to_owned() } else { format!("a {}", c_name(place.ty)) };
            return self.wrong(argument.span, format!("`handed` takes the number of a descriptor, but this is {is}"));
        }
        let owner = self.program.variables[variable].actor;
        let process = self.program.actors[owner].process;
        if process == self.program.actors[self.actor].process {
            let name = &self.program.variables[variable].name;
            let message = format!("`{name}` is valid in this process; use it without `handed`");
            return self.wrong(argument.span, message);
        }
        let busy = |begun: &Begun| {
            let main = self.program.actors[begun.actor].thread.is_none();
            begun.actor == owner || (main && self.program.actors[begun.actor].process == process)
        };
        if let Some(begun) = self.begun.iter().find(|begun| busy(begun)) {
            let name = &self.program.actors[begun.actor].name;
            let message = format!(
                "the call of `{name}` runs, so its process hands nothing over; write `{name}: end;` before this"
            );
            return self.wrong(span, message);
        }
        if !place.place.indices.iter().all(|(index, _)| self.is_known_everywhere(index)) {
            let message = "an index in `handed` is a constant, an axis or a loop variable; use one of these";
            return self.wrong(argument.span, message);
        }
        self.program.opens_descriptors = true;
        let load = Expression::Load { place: place.place, ty: place.ty };
        let descriptor = Expression::Builtin(Builtin::Handed, vec![load]);
        Some(Typed { space: Some(Space::Descriptor), ..value(descriptor, INT) })
    }

    /// True if all processes give an expression the same value at any time.
    fn is_known_everywhere(&self, of: &Expression) -> bool {
        let mut known = true;
        of.walk(&mut |node| {
            known &= match node {
                Node::Expression(Expression::Load { place: Place { root: Root::Variable(read), .. }, .. }) => {
                    self.loops.iter().any(|(_, variable)| variable == read)
                }
                Node::Expression(
                    Expression::Load { .. }
                    | Expression::AddressOf(_)
                    | Expression::OwnDevice
                    | Expression::Builtin(..)
                    | Expression::Call(..),
                )
                | Node::Call(_) => false,
                Node::Expression(_) => true,
            };
        });
        known
    }

    /// Reports a descriptor whose number passes to another process.
    pub(super) fn crosses(&mut self, variable: VariableId, span: Span) {
        let known = &self.program.variables[variable];
        // In control flow, all processes compare the number, and none uses the descriptor.
        if known.space == Some(Space::Descriptor) && !self.handing && !self.in_all_processes {
            let (actor, name) = (&self.program.actors[known.actor].name, &known.name);
            let message = format!(
                "`{name}` is a descriptor, and its number means nothing in another process; write \
                 `int fd = handed({actor}.{name});`"
            );
            self.problem(span, message);
        }
    }

    /// Records the variables in which a call stores descriptors.
    pub(super) fn exports(&mut self, function: &Function, trees: &[Tree], checked: &[Argument]) {
        for (position, ((parameter, tree), argument)) in function.parameters.iter().zip(trees).zip(checked).enumerate()
        {
            if !matches!(tree.kind, ExpressionKind::AddressOf(_)) {
                continue;
            }
            let key = (function.name.to_owned(), parameter.name.to_owned());
            if self.environment.spaces.get(&key) != Some(&Space::Descriptor) {
                continue;
            }
            let place = match argument {
                Argument::Out { place, .. } | Argument::Value { value: Expression::AddressOf(place), .. } => place,
                Argument::Value { .. } => continue,
            };
            if let Root::Variable(variable) = place.root
                && matches!(self.program.variables[variable].ty, Type::Integer { bytes: 4, .. })
            {
                self.program.variables[variable].space = Some(Space::Descriptor);
                self.program.exports.push(Export { site: self.program.calls - 1, argument: position, variable });
                self.program.opens_descriptors = true;
            }
        }
    }
}
