//! Checks calls that run while other actors act.

use super::Span;
use super::check::{Begun, Checker};
use super::ids::ActorId;
use super::limits::MOST_LANES;
use super::program::{Expect, Statement, StatementKind};
use super::syntax::{self, Expression as Tree};

impl Checker<'_> {
    pub(super) fn begin(&mut self, call: &Tree, span: Span) -> Option<StatementKind> {
        let call = self.judged_call(call)?;
        let actor = self.actor;
        if self.program.actors.len() > MOST_LANES {
            let message = format!("a rule with `begin` has at most {MOST_LANES} actors; remove some");
            self.problem(span, message);
        }
        if self.begun.iter().any(|begun| begun.actor == actor) {
            let name = &self.program.actors[actor].name;
            let message = format!("`{name}` has begun another call; write `{name}: end;` before this");
            self.problem(span, message);
        }
        let touched = std::mem::take(&mut self.touched);
        self.begun.push(Begun { actor, function: call.function, call: call.span, touched });
        Some(StatementKind::Begin { call })
    }

    pub(super) fn end(&mut self, expect: Option<&syntax::Expect>, span: Span) -> Option<StatementKind> {
        let actor = self.actor;
        let Some(at) = self.begun.iter().rposition(|begun| begun.actor == actor) else {
            let name = &self.program.actors[actor].name;
            let message = format!("`{name}` has begun no call; write `{name}: begin f(..);` before this");
            return self.wrong(span, message);
        };
        let Begun { function, call, touched, .. } = self.begun.remove(at);
        self.touched.extend(touched);
        let expect = match expect {
            None => Expect::Success,
            Some(expect) => self.failure(expect, false)?,
        };
        Some(StatementKind::End { function, call, expect })
    }

    /// Checks, for each call that begins in a block, that it ends there, and what happens meanwhile.
    pub(super) fn apart(&mut self, block: &[Statement]) {
        for (at, begin) in block.iter().enumerate() {
            if !matches!(begin.kind, StatementKind::Begin { .. }) {
                continue;
            }
            let ends =
                |other: &Statement| matches!(other.kind, StatementKind::End { .. }) && other.actor == begin.actor;
            let Some(end) = block[at + 1..].iter().position(ends) else {
                let name = self.program.actors[begin.actor].name.clone();
                self.begun.retain(|begun| begun.actor != begin.actor);
                let message = format!("this call does not end in its block; write `{name}: end;` after it");
                self.problem(begin.span, message);
                continue;
            };
            let between = &block[at + 1..=at + end];
            self.idle(between, begin.actor);
            let own = self.accesses(std::slice::from_ref(begin));
            for here in self.accesses(between) {
                if let Some(there) = own.iter().find(|there| here.meets(there)) {
                    let name = &self.program.variables[here.variable].name;
                    let message = format!(
                        "`{name}` is {} here and {} by the call that runs at the same time; do this after its `end`",
                        here.verb(),
                        there.verb()
                    );
                    self.problem(here.span, message);
                    break;
                }
            }
        }
    }

    /// Checks that an actor, or its whole process if the actor is the main thread, does nothing.
    fn idle(&mut self, statements: &[Statement], busy: ActorId) {
        let process = self.program.actors[busy].process;
        let main = self.program.actors[busy].thread.is_none();
        for statement in statements {
            let name = self.program.actors[busy].name.clone();
            match &statement.kind {
                StatementKind::Exit { process: ending } | StatementKind::Kill { process: ending }
                    if *ending == process =>
                {
                    let message = format!("the process ends while the call of `{name}` runs; end the call before");
                    self.problem(statement.span, message);
                }
                StatementKind::Exit { .. } | StatementKind::Kill { .. } => {}
                StatementKind::Together { lanes, .. } => lanes.iter().for_each(|lane| self.idle(&lane.body, busy)),
                kind if kind.is_flow() => kind.blocks().into_iter().for_each(|block| self.idle(block, busy)),
                _ if statement.actor == busy => {
                    let message =
                        format!("`{name}` does nothing until its call ends; write `{name}: end;` before this");
                    self.problem(statement.span, message);
                }
                _ if main && self.program.actors[statement.actor].process == process => {
                    let message = format!(
                        "the call of `{name}` holds the main thread of its process; begin the call in a thread, and do \
                         this in `{name}`"
                    );
                    self.problem(statement.span, message);
                }
                _ => {}
            }
        }
    }
}
