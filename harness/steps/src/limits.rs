//! Limits on a rule: values that every profile runs, lengths of lists, iterations of loops.

use std::collections::HashMap;

use abi::Type;

use super::check::as_written;
use super::evaluate::{EvaluationError, Memory, Scope, Value, evaluate};
use super::ids::{AxisId, VariableId};
use super::program::{Domain, Place, Program, Root, Statement, StatementKind};
use super::{Problem, RulePart, Span};

/// The maximum number of values of `every`, `text` and `choose`. Every profile runs all of these values.
pub const MOST_VALUES: u64 = 512;
/// The maximum length of a list or permutation.
pub const LONGEST_LIST: usize = 4096;
/// The maximum number of iterations of a loop, regardless of the bound that a device reports.
pub const MOST_ROUNDS: i128 = 65536;
/// The maximum number of actors in a rule with `together`.
pub const MOST_LANES: usize = 16;
/// The greatest number that `jitter` draws for a lane. Its pauses are shorter than 2 to this power, in microseconds.
pub const MOST_JITTER: i128 = 8;
/// The maximum number of statements in a case. Ten million statements take several seconds even without calls.
const MOST_STATEMENTS: u64 = 10_000_000;
/// The maximum number of statements and loop iterations at run time. A rule that passed the checks never reaches this
/// limit.
pub const MOST_STEPS: u64 = 2 * MOST_STATEMENTS;

impl Program {
    /// The places where the rule, on the scope's product, exceeds the limits. Values known only at run time are
    /// ignored.
    pub fn excess(&self, scope: &Scope) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut values = Vec::with_capacity(self.axes.len());
        for axis in self.axes.ids() {
            let (value, message) = self.axis_excess(scope, axis, &values);
            let (part, span) = match self.axes[axis].domain {
                Domain::Choice(_) => (RulePart::Steps, self.choice(axis)),
                Domain::Sequence(_) | Domain::Column { .. } => (RulePart::Steps, Span::default()),
                _ => (RulePart::Axis(axis), Span::default()),
            };
            problems.extend(message.map(|message| Problem { part, span, message }));
            values.push(value);
        }
        let mut estimate = Estimate::new(scope, &values);
        if let Err((span, statements)) = estimate.block(&self.statements, 1) {
            let message = format!(
                "a case may perform {MOST_STATEMENTS} statements, but this rule needs up to {statements}: lower the \
                 bounds of the loops"
            );
            problems.push(Problem { part: RulePart::Steps, span, message });
        }
        as_written(problems, &self.givens)
    }

    /// The greatest value of an axis, given the values of the axes before it, and any problem with its domain.
    fn axis_excess(&self, scope: &Scope, axis: AxisId, values: &[Value]) -> (Value, Option<String>) {
        let domain = &self.axes[axis].domain;
        if let Domain::Column { sequence, part } = domain
            && let Domain::Sequence(steps) = &self.axes[*sequence].domain
        {
            return (Value::List(vec![steps.greatest(part); steps.most as usize]), None);
        }
        let listed = matches!(domain, Domain::List { .. } | Domain::Permutation(_) | Domain::Sequence(_));
        // The length is drawn first, so it is checked regardless of the items.
        let longest = match scope.length_bounds(self, axis, values) {
            Ok(lengths) if listed => lengths.high(),
            Err(EvaluationError::TooManyValues) => i128::MAX,
            _ => 0,
        };
        let too_long = (longest > LONGEST_LIST as i128)
            .then(|| format!("a list of {longest} items is too long: lower the length to at most {LONGEST_LIST}"));
        let bounds = match scope.bounds(self, axis, values) {
            Ok(bounds) => bounds,
            Err(EvaluationError::TooManyValues) => {
                return (Value::Integer(0), Some("this domain has more than 2^64 values; narrow it".to_owned()));
            }
            // The domain may be empty only for these drawn values, which is not an excess.
            Err(_) => return (Value::Integer(0), too_long),
        };
        if listed {
            let items = usize::try_from(longest).unwrap_or(0).min(LONGEST_LIST);
            return (Value::List(vec![bounds.high(); items]), too_long);
        }
        let enumerates = matches!(
            domain,
            Domain::EveryOf(_) | Domain::Text(_) | Domain::Choice(_) | Domain::OneOf { every: true, .. }
        );
        let message = (enumerates && bounds.count > MOST_VALUES).then(|| {
            format!(
                "each of {} values would run in every profile, but at most {MOST_VALUES} may; narrow the domain, or \
                 sample it with `int` or `one_of`",
                bounds.count
            )
        });
        let greatest = match domain {
            Domain::OneOf { values: all, .. } => {
                all.iter().filter_map(|value| scope.evaluate(value, values).ok()).max().unwrap_or(0)
            }
            _ => bounds.high(),
        };
        (Value::Integer(greatest), message)
    }

    /// The place of the `choose` that an axis belongs to.
    fn choice(&self, axis: AxisId) -> Span {
        fn find(block: &[Statement], wanted: AxisId) -> Option<Span> {
            block.iter().find_map(|statement| match &statement.kind {
                StatementKind::Choose { axis, .. } if *axis == wanted => Some(statement.span),
                kind => kind.blocks().into_iter().find_map(|block| find(block, wanted)),
            })
        }
        find(&self.statements, axis).unwrap_or_default()
    }
}

/// The facts about a case that are known before it runs.
pub(super) struct Estimate<'a> {
    scope: &'a Scope,
    pub(super) values: &'a [Value],
    /// Variables with known values.
    pub(super) variables: HashMap<VariableId, i128>,
}

impl<'a> Estimate<'a> {
    /// Starts an estimate for a case with these values.
    pub(super) fn new(scope: &'a Scope, values: &'a [Value]) -> Estimate<'a> {
        Estimate { scope, values, variables: HashMap::new() }
    }

    /// The number of statements performed if a block runs `times` times. If there are too many statements, the error
    /// contains the first place that exceeds the limit, and the number of statements.
    fn block(&mut self, block: &[Statement], times: u64) -> Result<u64, (Span, u64)> {
        let mut sum = 0u64;
        for statement in block {
            let inside = match &statement.kind {
                StatementKind::For { variable, bound, body } => {
                    let rounds = evaluate(self, bound).unwrap_or(1).clamp(0, MOST_ROUNDS);
                    self.variables.insert(*variable, (rounds - 1).max(0));
                    // Even an iteration of an empty loop counts as a statement.
                    let rounds = times.saturating_mul(rounds as u64);
                    self.block(body, rounds)?.max(rounds)
                }
                kind => {
                    self.note(kind);
                    let inside = kind.blocks().into_iter().map(|block| self.block(block, times));
                    inside.sum::<Result<u64, _>>()?
                }
            };
            sum = sum.saturating_add(times).saturating_add(inside);
            if sum > MOST_STATEMENTS {
                return Err((statement.span, sum));
            }
        }
        Ok(sum)
    }

    pub(super) fn note(&mut self, kind: &StatementKind) {
        let (variable, value) = match kind {
            StatementKind::Declare { variable, values, length: None, .. } => match values.as_slice() {
                [(0, _, value)] => (*variable, value),
                _ => return,
            },
            StatementKind::Assign { target, value, .. } => match whole(target) {
                Some(variable) => (variable, value),
                None => return,
            },
            _ => return,
        };
        match evaluate(self, value) {
            Ok(value) => self.variables.insert(variable, value),
            Err(_) => self.variables.remove(&variable),
        };
    }
}

/// The variable that a place consists of, if the place is a whole variable.
fn whole(place: &Place) -> Option<VariableId> {
    match place.root {
        Root::Variable(variable) if place.offset == 0 && place.indices.is_empty() => Some(variable),
        _ => None,
    }
}

impl<'p> Memory<'p> for Estimate<'_> {
    type Error = EvaluationError;

    fn scope(&self) -> &Scope {
        self.scope
    }

    fn values(&self) -> &[Value] {
        self.values
    }

    fn load(&mut self, place: &'p Place, _ty: Type) -> Result<i128, EvaluationError> {
        let known = whole(place).and_then(|variable| self.variables.get(&variable));
        known.copied().ok_or(EvaluationError::NotConstant)
    }
}
