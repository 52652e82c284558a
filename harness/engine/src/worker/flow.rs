//! Control flow: loops, conditions, alternatives, blocks, and ends of processes.

use record::Verdict;
use steps::Id;
use steps::limits::{MOST_ROUNDS, MOST_STEPS};
use steps::program::{Expression, Root, Statement, StatementKind};
use steps::walk::Node;

use super::execution::Execution;
use super::fault::{Fault, Stop};

impl<'a> Execution<'a> {
    pub(super) fn statements(&mut self, statements: &'a [Statement]) -> Result<(), Stop> {
        for statement in statements {
            self.statement(statement)?;
        }
        Ok(())
    }

    pub(super) fn statement(&mut self, statement: &'a Statement) -> Result<(), Stop> {
        match &mut self.lane {
            None => self.tick += 1,
            Some(lane) => {
                if !statement.kind.is_flow() {
                    lane.pause();
                }
                self.tick = lane.tick();
            }
        }
        self.steps += 1;
        let result = match &statement.kind {
            StatementKind::Together { jitter, lanes } => self.together(statement, *jitter, lanes),
            StatementKind::For { bound: of, .. } | StatementKind::If { condition: of, .. }
                if self.turns.is_some() && self.depends_on_processes(of) =>
            {
                self.synchronize().and_then(|()| self.flow(statement, Self::statement))
            }
            kind if kind.is_flow() => self.flow(statement, Self::statement),
            StatementKind::Exit { process } => self.leave(*process, None),
            StatementKind::Kill { process } => {
                let killer = self.actor(statement.actor).process;
                self.leave(killer, Some(*process))
            }
            _ => self.performed(statement),
        };
        result.map_err(|stop| self.at_statement(statement, stop))
    }

    /// True if the value of an expression in control flow can come from another process.
    fn depends_on_processes(&self, of: &Expression) -> bool {
        let mut depends = false;
        of.walk(&mut |node| {
            if let Node::Expression(expression) = node {
                depends |= match expression {
                    Expression::Load { place, .. } | Expression::AddressOf(place) => match place.root {
                        Root::Variable(variable) => self.prepared.program.variables[variable].shared,
                        Root::Pointer(_) => true,
                    },
                    Expression::Builtin(..) | Expression::Call(..) => true,
                    _ => false,
                };
            }
        });
        depends
    }

    /// Performs a nested statement, whose actor is already performing the enclosing statement.
    pub(super) fn nested(&mut self, statement: &'a Statement) -> Result<(), Stop> {
        self.steps += 1;
        let result = match statement.kind.is_flow() {
            true => self.flow(statement, Self::nested),
            false => self.perform(statement),
        };
        self.note_changed(statement);
        result.map_err(|stop| self.at_statement(statement, stop))
    }

    /// Records the variables that a statement changed and that other processes read.
    pub(super) fn note_changed(&mut self, statement: &'a Statement) {
        if let Some(turns) = &mut self.turns {
            turns.changed.extend(&statement.publishes);
        }
        if let Some(lane) = &mut self.lane {
            lane.changed.extend(&statement.publishes);
        }
    }

    /// Adds the statement to a fault that prevents the case from being judged.
    #[cold]
    fn at_statement(&mut self, statement: &'a Statement, stop: Stop) -> Stop {
        match stop {
            Stop::Fault(fault) => {
                let verdict = match fault.is_of_library() {
                    true if statement.setup => Verdict::Blocked,
                    true => Verdict::Fail,
                    false => Verdict::Error,
                };
                self.report.fail(verdict, statement.span, fault.to_string());
                Stop::Failed
            }
            other => other,
        }
    }

    /// Performs control flow. `run` runs the nested statements.
    fn flow(
        &mut self,
        statement: &'a Statement,
        run: fn(&mut Self, &'a Statement) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        match &statement.kind {
            StatementKind::For { variable, bound, body } => {
                let rounds = self.evaluate(bound)?;
                if rounds > MOST_ROUNDS {
                    return Err(Fault::Rounds { rounds, most: MOST_ROUNDS }.into());
                }
                let slot = self.slot(*variable).cast::<u64>();
                for round in 0..rounds {
                    self.steps += 1;
                    if self.steps > MOST_STEPS {
                        return Err(Fault::Steps(MOST_STEPS).into());
                    }
                    // SAFETY: a loop variable has 8 bytes in the frame.
                    unsafe { slot.write(round as u64) };
                    body.iter().try_for_each(|statement| run(self, statement))?;
                }
                Ok(())
            }
            StatementKind::If { condition, then, otherwise } => {
                let holds = self.evaluate(condition)? != 0;
                if self.report.checks == 0
                    && self.report.free_branch.is_none()
                    && self.prepared.free_branches.get(&statement.id).is_some_and(|branch| branch.taken_if == holds)
                {
                    self.report.free_branch = Some(statement.id);
                }
                let body = if holds { then } else { otherwise };
                body.iter().try_for_each(|statement| run(self, statement))
            }
            StatementKind::Choose { axis, alternatives } => {
                let chosen = usize::try_from(self.values[axis.index()].integer()).ok();
                let chosen = chosen.and_then(|chosen| alternatives.get(chosen)).ok_or(Fault::NoAlternative)?;
                chosen.iter().try_for_each(|statement| run(self, statement))
            }
            StatementKind::Block { control, body } => {
                let outer = self.control;
                self.control = outer || *control;
                let result = body.iter().try_for_each(|statement| run(self, statement));
                self.control = outer;
                result
            }
            _ => Err(Fault::Flow.into()),
        }
    }
}
