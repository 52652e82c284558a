//! Checks control flow: loops, conditions, alternatives, refusals, and the ends of processes.

use super::Span;
use super::builtins::BUILTINS;
use super::check::{Checker, Typed};
use super::ids::ActorId;
use super::program::{Axis, Domain, Expression, Statement, StatementKind};
use super::syntax::{Expression as Tree, Identifier, Statement as Written};
use super::types::{SIZE, c_name, is_integer};
use super::walk::Node;

impl Checker<'_> {
    /// Checks an expression in control flow. Each process evaluates it separately, so all processes must know its
    /// value, except in a lane.
    fn known_to_all(&mut self, tree: &Tree) -> Option<Typed> {
        if self.in_lane {
            return self.expression(tree);
        }
        self.in_all_processes = true;
        let typed = self.expression(tree);
        self.in_all_processes = false;
        let typed = typed?;
        let mut own = None;
        typed.expression.walk(&mut |node| {
            if let Node::Expression(Expression::Builtin(builtin, _)) = node
                && builtin.is_of_its_process()
            {
                own = BUILTINS.iter().find(|signature| signature.builtin == *builtin);
            }
        });
        if let Some(own) = own.filter(|_| self.program.several_processes()) {
            let message = format!("`{}` differs from process to process; store it in a variable first", own.name);
            self.problem(tree.span, message);
        }
        Some(typed)
    }

    pub(super) fn branch(
        &mut self,
        condition: &Tree,
        then: &[Written],
        otherwise: &[Written],
    ) -> Option<StatementKind> {
        let condition = self.condition(condition);
        let before = self.bound.clone();
        let then = self.scope(then);
        let bound = std::mem::replace(&mut self.bound, before);
        let otherwise = self.scope(otherwise);
        // As after a loop, a variable is poisoned if the block that binds it did not run.
        self.bound.extend(bound);
        self.touched.clear();
        Some(StatementKind::If { condition: condition?, then, otherwise })
    }

    /// Checks the condition of an `if`.
    fn condition(&mut self, tree: &Tree) -> Option<Expression> {
        let calls = self.program.calls;
        let Typed { expression, ty, constant, .. } = self.known_to_all(tree)?;
        if self.program.calls > calls {
            let message =
                "a condition cannot call the runtime; store the result first: `r = f(..); if (r == CODE) { … }`";
            self.problem(tree.span, message);
        }
        if constant.is_some() {
            let message = "this condition is decided before anything runs; write the block without it, or remove both";
            self.problem(tree.span, message);
        }
        if !is_integer(ty) {
            let message = format!("a condition is a number or a comparison, but this is a {}; compare it", c_name(ty));
            self.problem(tree.span, message);
        }
        Some(expression)
    }

    pub(super) fn repeat(&mut self, variable: &str, bound: &Tree, body: &[Written]) -> Option<StatementKind> {
        let bound = self.known_to_all(bound);
        let loop_variable = self.add_variable(variable, SIZE, false);
        self.loops.push((variable.to_owned(), loop_variable));
        let body = self.scope(body);
        self.loops.pop();
        self.touched.clear();
        Some(StatementKind::For { variable: loop_variable, bound: bound?.expression, body })
    }

    pub(super) fn choose(&mut self, alternatives: &[(String, Vec<Written>)], span: Span) -> StatementKind {
        let names: Vec<String> = alternatives.iter().map(|(name, _)| name.clone()).collect();
        for (index, name) in names.iter().enumerate() {
            if names[..index].contains(name) {
                self.problem(span, format!("`choose` has two alternatives `{name}`; rename one"));
            }
        }
        let number = self.program.axes.iter().filter(|axis| matches!(axis.domain, Domain::Choice(_))).count();
        let name = if number == 0 { "choose".to_owned() } else { format!("choose_{}", number + 1) };
        let axis = self.program.axes.push(Axis { name, domain: Domain::Choice(names), ty: SIZE });
        let before = self.bound.clone();
        let mut alternatives_checked = Vec::new();
        for (_, body) in alternatives {
            self.bound = before.clone();
            alternatives_checked.push(self.scope(body));
        }
        self.bound = before;
        StatementKind::Choose { axis, alternatives: alternatives_checked }
    }

    pub(super) fn refuse(&mut self, call: &Tree, until: Option<&Tree>, unless: &[Written]) -> Option<StatementKind> {
        let (actor, before) = (self.actor, self.bound.clone());
        let call = self.judged_call(call)?;
        let until = match until {
            Some(until) => Some(self.judged_call(until)?),
            None => None,
        };
        let touched = std::mem::take(&mut self.touched);
        let unless = self.scope(unless);
        self.touched = touched;
        self.bound = before;
        self.one_actor(&unless, actor);
        Some(StatementKind::Refuse { call, until, unless })
    }

    /// Checks that the actor that performs the call of a `refuse` also performs the statements inside `unless`.
    fn one_actor(&mut self, statements: &[Statement], actor: ActorId) {
        for statement in statements {
            match &statement.kind {
                kind if kind.is_flow() => {
                    kind.blocks().into_iter().for_each(|body| self.one_actor(body, actor));
                }
                StatementKind::Exit { .. } | StatementKind::Kill { .. } => {
                    self.problem(statement.span, "a process cannot end inside `unless`; write this after `refuse`");
                }
                StatementKind::Begin { .. } | StatementKind::End { .. } => {
                    self.problem(statement.span, "a call cannot begin or end inside `unless`; make it without `begin`");
                }
                kind if kind.handed().is_some() => {
                    let message = "a descriptor cannot be handed over inside `unless`; do this before `refuse`";
                    self.problem(statement.span, message);
                }
                _ if statement.actor != actor => {
                    self.problem(statement.span, "the actor that makes the refused call must also check its effect");
                }
                _ => {}
            }
        }
    }

    /// The process whose main thread is this actor. The process ends together with the actor.
    pub(super) fn ending(&mut self, name: &Identifier) -> Option<usize> {
        let Some(target) = self.program.actors.iter().find(|actor| actor.name == name.name) else {
            return self.wrong(name.span, format!("`{}` is not an actor of this rule", name.name));
        };
        let (process, thread) = (target.process, target.thread.is_some());
        if thread {
            self.problem(name.span, format!("`{}` is a thread; only processes can end", name.name));
        }
        if !self.program.several_processes() {
            self.problem(name.span, "a rule's only process cannot end: nothing could observe what follows");
        }
        Some(process)
    }
}
