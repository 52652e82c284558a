//! Estimates the number of runtime calls in a case before the case runs.

use super::evaluate::{Scope, Value, evaluate};
use super::ids::Id;
use super::limits::{Estimate, MOST_ROUNDS};
use super::program::{Program, Statement, StatementKind};
use super::walk::Node;

impl Program {
    /// The number of calls in a case with these values. A loop whose bound is known only at run time is counted as one
    /// iteration; for an `if` whose condition is known only at run time, the block with more calls counts. Calls that
    /// the executor adds, such as releases, do not count.
    pub fn calls_in(&self, scope: &Scope, values: &[Value]) -> u64 {
        Estimate::new(scope, values).calls(&self.statements)
    }
}

impl Estimate<'_> {
    fn calls(&mut self, block: &[Statement]) -> u64 {
        block.iter().fold(0, |sum: u64, statement| sum.saturating_add(self.calls_of(&statement.kind)))
    }

    fn calls_of(&mut self, kind: &StatementKind) -> u64 {
        let mut own = 0u64;
        kind.walk(&mut |node| own += u64::from(matches!(node, Node::Call(_))));
        self.note(kind);
        let inside = match kind {
            StatementKind::For { variable, bound, body } => {
                let rounds = evaluate(self, bound).unwrap_or(1).clamp(0, MOST_ROUNDS);
                // The mean, for inner loops whose bound is this loop's variable.
                self.variables.insert(*variable, rounds / 2);
                self.calls(body).saturating_mul(rounds as u64)
            }
            StatementKind::If { condition, then, otherwise } => match evaluate(self, condition) {
                Ok(0) => self.calls(otherwise),
                Ok(_) => self.calls(then),
                Err(_) => self.calls(then).max(self.calls(otherwise)),
            },
            StatementKind::Choose { axis, alternatives } => {
                let taken = self.values.get(axis.index()).and_then(|value| usize::try_from(value.integer()).ok());
                taken.and_then(|taken| alternatives.get(taken)).map_or(0, |block| self.calls(block))
            }
            other => other.blocks().into_iter().fold(0, |sum: u64, block| sum.saturating_add(self.calls(block))),
        };
        own.saturating_add(inside)
    }
}
