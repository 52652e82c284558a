//! What a rule may ask for: values that a profile runs completely, lists that are drawn whole, loops that end.

use std::collections::HashMap;

use abi::Type;

use super::check::as_written;
use super::evaluate::{EvaluationError, Memory, Scope, Value, evaluate};
use super::ids::{AxisId, VariableId};
use super::program::{Domain, Place, Program, Root, Statement, StatementKind};
use super::{Problem, RulePart, Span};

/// So many values of an axis run in every profile: each of `every`, `text` and `choose`.
pub const MOST_VALUES: u64 = 512;
/// So many items a list or permutation may have.
pub const LONGEST_LIST: usize = 4096;
/// So many rounds a loop may make, whatever a device reports as its bound.
pub const MOST_ROUNDS: i128 = 65536;
/// So many statements a case may perform: some seconds without a call.
const MOST_STATEMENTS: u64 = 10_000_000;
/// While a case runs, the rounds of its loops are counted with its statements: what loads is never cut.
pub const MOST_STEPS: u64 = 2 * MOST_STATEMENTS;

impl Program {
    /// What the rule asks for beyond the limits on a product, with its place. What is only known when a case runs is not
    /// counted.
    pub fn excess(&self, scope: &Scope) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut values = Vec::with_capacity(self.axes.len());
        for axis in self.axes.ids() {
            let (value, message) = self.axis_excess(scope, axis, &values);
            let (part, span) = match self.axes[axis].domain {
                Domain::Choice(_) => (RulePart::Steps, self.choice(axis)),
                _ => (RulePart::Axis(axis), Span::default()),
            };
            problems.extend(message.map(|message| Problem { part, span, message }));
            values.push(value);
        }
        let mut estimate = Estimate::new(scope, &values);
        if let Err((span, statements)) = estimate.block(&self.statements, 1) {
            let message = format!(
                "up to {statements} statements in one case; a case may perform {MOST_STATEMENTS}: lower the bounds of the \
                 loops"
            );
            problems.push(Problem { part: RulePart::Steps, span, message });
        }
        as_written(problems, &self.givens)
    }

    /// The greatest value of an axis after those before it, and what is wrong with its domain.
    fn axis_excess(&self, scope: &Scope, axis: AxisId, values: &[Value]) -> (Value, Option<String>) {
        let domain = &self.axes[axis].domain;
        let listed = matches!(domain, Domain::List { .. } | Domain::Permutation(_));
        // Whatever the items are: a length that is too long is drawn before them.
        let longest = match scope.length_bounds(self, axis, values) {
            Ok(lengths) if listed => lengths.high(),
            Err(EvaluationError::TooManyValues) => i128::MAX,
            _ => 0,
        };
        let too_long = (longest > LONGEST_LIST as i128).then(|| {
            format!("a list of {longest} items; lists and permutations have at most {LONGEST_LIST}: lower the length")
        });
        let bounds = match scope.bounds(self, axis, values) {
            Ok(bounds) => bounds,
            Err(EvaluationError::TooManyValues) => {
                return (Value::Integer(0), Some("this domain has more than 2^64 values; narrow it".to_owned()));
            }
            // Whether a domain is empty depends on what is drawn.
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
                "each of {} values would run in every profile, which is for at most {MOST_VALUES}; narrow the domain, or \
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

    /// Where the `choose` of an axis stands.
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

/// The known facts about a case before it runs.
pub(super) struct Estimate<'a> {
    scope: &'a Scope,
    pub(super) values: &'a [Value],
    /// Variables with a value that is known before anything runs.
    pub(super) variables: HashMap<VariableId, i128>,
}

impl<'a> Estimate<'a> {
    /// The facts about a case with these values.
    pub(super) fn new(scope: &'a Scope, values: &'a [Value]) -> Estimate<'a> {
        Estimate { scope, values, variables: HashMap::new() }
    }

    /// The statements of a block that is performed so many times; else the first place where there are too many, with
    /// their number.
    fn block(&mut self, block: &[Statement], times: u64) -> Result<u64, (Span, u64)> {
        let mut sum = 0u64;
        for statement in block {
            let inside = match &statement.kind {
                StatementKind::For { variable, bound, body } => {
                    let rounds = evaluate(self, bound).unwrap_or(1).clamp(0, MOST_ROUNDS);
                    self.variables.insert(*variable, (rounds - 1).max(0));
                    // A round costs something even where nothing stands in it.
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

/// The variable that a place is, if it is all of one.
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
