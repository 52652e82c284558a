//! The checker's part for control flow: loops, alternatives, refusals, ends of processes.

use super::Span;
use super::check::Checker;
use super::program::{Axis, Domain, Statement, StatementKind};
use super::syntax::{Expression as Tree, Identifier, Statement as Written};
use super::types::SIZE;

impl Checker<'_> {
    pub(super) fn repeat(&mut self, variable: &str, bound: &Tree, body: &[Written]) -> Option<StatementKind> {
        self.everybody = true;
        let bound = self.expression(bound);
        self.everybody = false;
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
                self.problem(span, format!("`choose` has two alternatives `{name}`"));
            }
        }
        let number = self.program.axes.iter().filter(|axis| matches!(axis.domain, Domain::Choice(_))).count();
        let name = if number == 0 { "choose".to_owned() } else { format!("choose_{}", number + 1) };
        self.program.axes.push(Axis { name, domain: Domain::Choice(names), ty: SIZE });
        let axis = self.program.axes.len() - 1;
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

    /// The checks of `refuse` follow the call at once: nobody else acts in between.
    fn one_actor(&mut self, statements: &[Statement], actor: usize) {
        for statement in statements {
            match &statement.kind {
                StatementKind::For { .. } | StatementKind::Block { .. } | StatementKind::Choose { .. } => {
                    statement.kind.blocks().into_iter().for_each(|body| self.one_actor(body, actor));
                }
                StatementKind::Exit { .. } | StatementKind::Kill { .. } => {
                    self.problem(statement.span, "no process ends inside `unless`; write it after `refuse`");
                }
                _ if statement.actor != actor => {
                    self.problem(statement.span, "the actor that makes the refused call also checks what it did");
                }
                _ => {}
            }
        }
    }

    /// The process that ends with this actor.
    pub(super) fn ending(&mut self, name: &Identifier) -> Option<usize> {
        let Some(target) = self.program.actors.iter().find(|actor| actor.name == name.name) else {
            return self.wrong(name.span, format!("`{}` is no actor of this rule", name.name));
        };
        let (process, thread) = (target.process, target.thread.is_some());
        if thread {
            self.problem(name.span, format!("`{}` is a thread; only processes end", name.name));
        }
        if !self.program.several_processes() {
            self.problem(name.span, "the only process of a rule cannot end: nobody would see what follows");
        }
        Some(process)
    }
}
