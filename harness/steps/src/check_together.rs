//! Checks lanes that run at once.

use std::collections::{BTreeSet, HashSet};
use std::ptr;

use super::Span;
use super::builtins::Builtin;
use super::check::Checker;
use super::ids::{ActorId, VariableId};
use super::limits::{MOST_JITTER, MOST_LANES};
use super::program::{Argument, Axis, Call, Domain, Expression, Lane, Place, Range, Root, Statement, StatementKind};
use super::syntax;
use super::types::SIZE;
use super::walk::Node;
use abi::Type;

impl Checker<'_> {
    pub(super) fn together(&mut self, lanes: &[syntax::Lane], span: Span) -> Option<StatementKind> {
        if self.in_lane {
            return self
                .wrong(span, "`together` inside a lane: lanes do not nest; write one `together` after the other");
        }
        if lanes.len() < 2 {
            return self.wrong(span, "`together` needs at least two lanes; with one, write the statements without it");
        }
        if self.program.actors.len() > MOST_LANES {
            let message = format!("a rule with `together` has at most {MOST_LANES} actors; remove some");
            return self.wrong(span, message);
        }
        let jitter = self.jitter(lanes.len());
        let before = self.bound.clone();
        let mut bound = before.clone();
        let mut checked: Vec<Lane> = Vec::new();
        for lane in lanes {
            let name = &lane.actor.name;
            let Some(actor) = self.program.actors.position(|actor| actor.name == *name) else {
                return self.wrong(lane.actor.span, format!("`{name}` is not an actor of this rule"));
            };
            if checked.iter().any(|known| known.actor == actor) {
                let message = format!("`{name}` has two lanes; an actor does one thing at a time: join them");
                self.problem(lane.actor.span, message);
            }
            if lane.body.is_empty() {
                self.problem(lane.span, format!("the lane of `{name}` is empty; remove it, or write its statements"));
            }
            self.bound.clone_from(&before);
            (self.in_lane, self.actor) = (true, actor);
            let body = self.block(&lane.body);
            self.in_lane = false;
            bound.extend(self.bound.drain());
            self.only_its_actor(&body, actor);
            checked.push(Lane { actor, body });
        }
        self.bound = bound;
        self.touched.clear();
        self.separate(&checked);
        Some(StatementKind::Together { jitter, lanes: checked })
    }

    /// The axis that draws how long lanes pause.
    fn jitter(&mut self, lanes: usize) -> super::ids::AxisId {
        let free = |name: &String| self.program.axes.iter().all(|axis| axis.name != *name);
        let mut names = (1..).map(|at| if at == 1 { "jitter".to_owned() } else { format!("jitter_{at}") });
        let name = names.find(free).unwrap_or_default();
        let fixed = |low: i128, high: i128| Range {
            low: Expression::Constant(low),
            high: Expression::Constant(high),
            multiple_of: None,
        };
        let length = fixed(lanes as i128, lanes as i128);
        let domain = Domain::List { item: fixed(0, MOST_JITTER), logarithmic: false, length };
        self.program.axes.push(Axis { name, domain, ty: SIZE })
    }

    /// Checks that a lane has only statements of its actor.
    fn only_its_actor(&mut self, statements: &[Statement], actor: ActorId) {
        for statement in statements {
            let name = self.program.actors[actor].name.clone();
            match &statement.kind {
                StatementKind::Exit { .. } | StatementKind::Kill { .. } => {
                    self.problem(statement.span, "a process cannot end in a lane; write this after `together`");
                }
                StatementKind::Begin { .. } | StatementKind::End { .. } => {
                    let message = "lanes run at once without `begin` and `end`; write the call alone";
                    self.problem(statement.span, message);
                }
                kind if !kind.is_flow() && statement.actor != actor => {
                    let message = format!("this is in the lane of `{name}`; a lane has only statements of its actor");
                    self.problem(statement.span, message);
                }
                kind => kind.blocks().into_iter().for_each(|body| self.only_its_actor(body, actor)),
            }
        }
    }

    /// The uses of variables in statements.
    pub(super) fn accesses(&self, statements: &[Statement]) -> Vec<Access> {
        let mut found = Accesses { checker: self, found: Vec::new(), only_read: HashSet::new() };
        found.block(statements);
        found.found
    }

    /// Checks that no lane uses a variable that another lane changes.
    fn separate(&mut self, lanes: &[Lane]) {
        let all: Vec<Vec<Access>> = lanes.iter().map(|lane| self.accesses(&lane.body)).collect();
        let mut reported = BTreeSet::new();
        for (index, accesses) in all.iter().enumerate() {
            for (earlier, others) in all[..index].iter().enumerate() {
                for (here, there) in accesses.iter().flat_map(|here| others.iter().map(move |there| (here, there))) {
                    if here.meets(there) && reported.insert((here.variable, earlier, index)) {
                        let name = &self.program.variables[here.variable].name;
                        let actor = &self.program.actors[lanes[earlier].actor].name;
                        let message = format!(
                            "`{name}` is {} here and {} in the lane of `{actor}`, which runs at the same time; use two \
                             variables (or elements with constant indices), or do this after `together`",
                            here.verb(),
                            there.verb()
                        );
                        self.problem(here.span, message);
                    }
                }
            }
        }
    }
}

/// The use of some bytes of a variable.
pub(super) struct Access {
    pub variable: VariableId,
    /// The first byte, and the first byte after the last one.
    bytes: (usize, usize),
    writes: bool,
    pub span: Span,
}

impl Access {
    /// True if the two uses may disturb each other.
    pub(super) fn meets(&self, other: &Access) -> bool {
        self.variable == other.variable
            && (self.writes || other.writes)
            && self.bytes.0 < other.bytes.1
            && other.bytes.0 < self.bytes.1
    }

    pub(super) fn verb(&self) -> &'static str {
        if self.writes { "changed" } else { "read" }
    }
}

/// The uses of variables in a lane.
struct Accesses<'c, 'e> {
    checker: &'c Checker<'e>,
    found: Vec<Access>,
    /// Places whose address is only passed to a reader.
    only_read: HashSet<*const Place>,
}

impl Accesses<'_, '_> {
    fn block(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.direct(&statement.kind, statement.span);
            statement.kind.blocks().into_iter().for_each(|block| self.block(block));
        }
    }

    /// Records what a statement uses, apart from its blocks.
    fn direct(&mut self, kind: &StatementKind, span: Span) {
        kind.walk(&mut |node| match node {
            Node::Call(call) => self.call(call, span),
            Node::Expression(Expression::Builtin(builtin, arguments)) => {
                let first = usize::from(matches!(builtin, Builtin::Fill | Builtin::SetBytes | Builtin::Poison));
                self.only_read.extend(arguments.iter().skip(first).filter_map(addressed).map(ptr::from_ref));
            }
            Node::Expression(Expression::Load { place, ty }) => {
                let bytes = self.checker.environment.declarations.size(*ty);
                self.note(place, Some(bytes), false, span);
            }
            Node::Expression(Expression::AddressOf(place)) => {
                let writes = !self.only_read.contains(&ptr::from_ref(place));
                self.note(place, None, writes, span);
            }
            Node::Expression(_) => {}
        });
        match kind {
            StatementKind::Declare { variable, .. } => {
                self.found.push(Access { variable: *variable, bytes: (0, usize::MAX), writes: true, span });
            }
            StatementKind::Assign { target, ty, .. } => {
                let bytes = self.checker.environment.declarations.size(*ty);
                self.note(target, Some(bytes), true, span);
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &Call, span: Span) {
        for argument in &call.arguments {
            match argument {
                Argument::Value { value, ty: Type::Pointer { constant: true, .. } } => {
                    self.only_read.extend(addressed(value).map(ptr::from_ref));
                }
                Argument::Value { .. } => {}
                Argument::Out { place, bytes } => self.note(place, Some(*bytes), true, span),
            }
        }
    }

    /// Records the use of a place with this many bytes, or of the element that it is.
    fn note(&mut self, place: &Place, bytes: Option<usize>, writes: bool, span: Span) {
        let Root::Variable(variable) = &place.root else { return };
        let mut start = Some(place.offset);
        for (index, stride) in &place.indices {
            let index = match index {
                Expression::Constant(index) => usize::try_from(*index).ok(),
                _ => None,
            };
            let distance = index.and_then(|index| index.checked_mul(*stride));
            start = start.zip(distance).and_then(|(start, distance)| start.checked_add(distance));
        }
        let length = bytes.or(place.indices.last().map(|(_, stride)| *stride));
        let bytes = match start.zip(length) {
            Some((start, length)) => (start, start.saturating_add(length)),
            None => (0, usize::MAX),
        };
        self.found.push(Access { variable: *variable, bytes, writes, span });
    }
}

/// The place whose address an expression is.
fn addressed(of: &Expression) -> Option<&Place> {
    match of {
        Expression::AddressOf(place) => Some(place),
        Expression::Cast(_, of) => addressed(of),
        Expression::Advance { pointer, .. } => addressed(pointer),
        _ => None,
    }
}
