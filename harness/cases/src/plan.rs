//! The plan of a rule's cases: every edge of every axis, then samples, within a budget.

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rand::RngExt;
use sha2::{Digest, Sha256};

use steps::AxisId;
use steps::evaluate::{Scope, Value};
use steps::limits::MOST_VALUES;
use steps::program::{Domain, Program};

use super::coverage::Discarded;
use super::effort::Budget;
use super::error::CaseError;
use super::exhaustive::Exhaustive;
use super::tree::CaseTree;

/// A case that can be run and shrunk.
#[derive(Debug, Clone)]
pub struct Case {
    pub values: Vec<Value>,
    /// The number that makes the case's data patterns unique.
    pub salt: u64,
    /// `None`: the case was given instead of drawn, so it is not shrunk.
    pub tree: Option<CaseTree>,
}

/// The cases planned for one rule.
pub struct Plan<'a> {
    program: &'a Program,
    scope: &'a Scope,
    runner: TestRunner,
    /// All short sequences, which run instead of edges and samples if the budget asks for them.
    exhaustive: Option<Exhaustive>,
    /// The number of remaining sequences of `exhaustive`.
    sequences: u64,
    /// The remaining edges.
    edges: std::vec::IntoIter<(AxisId, u64)>,
    samples: u32,
    rejected: u32,
    drawn: u32,
    /// The number of edges given up because `where` discarded all draws for them.
    lost_edges: u32,
    lost_samples: u32,
}

/// A rule's seed, derived from the run's seed and the rule's id. It does not depend on the order of rules.
pub fn rule_seed(run: u64, rule: &str) -> u64 {
    let mut digest = Sha256::new();
    digest.update(run.to_le_bytes());
    digest.update(rule.as_bytes());
    let bytes = digest.finalize();
    u64::from_le_bytes(bytes[..8].try_into().expect("a SHA-256 has 32 bytes"))
}

/// A random generator for a seed.
pub(super) fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    // Every setting is given here, because the defaults would read PROPTEST_* from the environment.
    let config = Config { cases: 1, failure_persistence: None, max_shrink_iters: 0, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// The approximate number of calls in a case: the mean of the estimates for a fixed set of cases.
///
/// # Errors
/// Fails if a domain is empty.
pub fn calls_of_a_case(program: &Program, scope: &Scope) -> Result<u64, CaseError> {
    const DRAWS: u64 = 32;
    let mut runner = runner(0);
    let mut calls = 0u64;
    for _ in 0..DRAWS {
        let values = CaseTree::draw(program, scope, &mut runner, None)?.values(program, scope)?;
        calls = calls.saturating_add(program.calls_in(scope, &values));
    }
    Ok(calls.div_ceil(DRAWS).max(1))
}

/// The first value of an axis, given the values of earlier axes. Lists are as short as possible.
pub fn first_value(program: &Program, scope: &Scope, axis: AxisId, values: &[Value]) -> Result<Value, CaseError> {
    let bounds = scope.bounds(program, axis, values)?;
    Ok(match &program.axes[axis].domain {
        Domain::List { .. } | Domain::Sequence(_) => {
            let length = scope.length_bounds(program, axis, values)?.low;
            Value::List(vec![bounds.low; usize::try_from(length).unwrap_or(0)])
        }
        Domain::Permutation(_) => Value::List((0..bounds.low).collect()),
        _ => scope.value(program, axis, bounds, 0, values)?,
    })
}

/// The smallest case of a rule: a drawn case, shrunk as if every smaller case failed. `None` if `where` discards the
/// draws, or a domain is empty.
pub fn smallest_case(program: &Program, scope: &Scope) -> Option<Case> {
    const MOST_STEPS: u32 = 100_000;
    let budget = Budget { repeats: 1, calls: u64::MAX, ..Budget::default() };
    let mut case = Plan::new(program, scope, 0, &budget).ok()?.next_case()?.ok()?;
    let mut tree = case.tree.take()?;
    let mut smaller = tree.next(false);
    for _ in 0..MOST_STEPS {
        if !smaller {
            break;
        }
        let accepted = |values: &Vec<Value>| scope.accepts(program, values).unwrap_or(false);
        let values = tree.values(program, scope).ok().filter(accepted);
        smaller = tree.next(values.is_some());
        case.values = values.unwrap_or(case.values);
    }
    Some(case)
}

impl<'a> Plan<'a> {
    pub fn new(program: &'a Program, scope: &'a Scope, seed: u64, budget: &Budget) -> Result<Plan<'a>, CaseError> {
        let mut plan = Plan {
            program,
            scope,
            runner: runner(seed),
            exhaustive: None,
            sequences: 0,
            edges: Vec::new().into_iter(),
            samples: budget.repeats.max(1),
            rejected: 0,
            drawn: 0,
            lost_edges: 0,
            lost_samples: 0,
        };
        if let (Some(longest), Some((_, sequence))) = (budget.exhaustive, program.sequence()) {
            let all = Exhaustive::new(sequence, longest).ok_or(CaseError::TooManySequences { longest })?;
            plan.sequences = all.total();
            plan.exhaustive = Some(all);
            plan.samples = 0;
            return Ok(plan);
        }
        let (cases, calls) = match program.sequence() {
            Some(_) => (budget.sequences, budget.sequence_calls),
            None => (budget.cases, budget.calls),
        };
        if !program.axes.is_empty() {
            plan.edges = plan.edges()?.into_iter();
            plan.samples = cases.saturating_sub(plan.edges.len() as u32);
        }
        let affordable = calls / calls_of_a_case(program, scope)?;
        plan.samples = plan.samples.min(u32::try_from(affordable).unwrap_or(u32::MAX));
        if plan.edges.len() == 0 {
            plan.samples = plan.samples.max(1);
        }
        if let Some(most) = budget.most {
            let edges = plan.edges.len().min(most as usize);
            plan.edges = plan.edges.take(edges).collect::<Vec<_>>().into_iter();
            plan.samples = plan.samples.min(most.saturating_sub(edges as u32));
        }
        Ok(plan)
    }

    /// The number of remaining edges, or of remaining sequences if all short ones are to run.
    pub fn edges_left(&self) -> u64 {
        self.edges.len() as u64 + self.sequences
    }

    /// The number of remaining cases if none of them is given up.
    pub fn planned(&self) -> u64 {
        self.edges.len() as u64 + u64::from(self.samples) + self.sequences
    }

    /// The number of draws that `where` discarded, if cases were given up for that reason. A lost edge does not count
    /// if `where` keeps most other draws, because the edge is then excluded on purpose.
    pub fn discarded(&self) -> Option<Discarded> {
        let discarded = Discarded { discarded: self.rejected, drawn: self.drawn };
        let cut = self.lost_samples > 0 || (self.lost_edges > 0 && discarded.too_many());
        cut.then_some(discarded)
    }

    /// The next case. `None`: the plan is complete. `Some(Err)`: a domain is empty.
    pub fn next_case(&mut self) -> Option<Result<Case, CaseError>> {
        if let Some(codes) = self.exhaustive.as_mut().and_then(Iterator::next) {
            self.sequences -= 1;
            return Some(self.case_with(codes));
        }
        loop {
            let forced = self.edges.next();
            if forced.is_none() {
                self.samples = self.samples.checked_sub(1)?;
            }
            // A discarded case is drawn again a few times. An edge that `where` excludes is given up.
            for _ in 0..8 {
                let tree = match CaseTree::draw(self.program, self.scope, &mut self.runner, forced) {
                    Ok(tree) => tree,
                    Err(error) => return Some(Err(error)),
                };
                self.drawn += 1;
                let values = tree.values(self.program, self.scope);
                match values.and_then(|values| Ok((self.scope.accepts(self.program, &values)?, values))) {
                    Ok((true, values)) => {
                        let salt = self.runner.rng().random();
                        return Some(Ok(Case { values, salt, tree: Some(tree) }));
                    }
                    Ok((false, _)) => self.rejected += 1,
                    Err(error) => return Some(Err(error)),
                }
            }
            match forced {
                Some(_) => self.lost_edges += 1,
                None => self.lost_samples += 1,
            }
        }
    }

    /// A case with these steps; its other axes have their first values.
    fn case_with(&mut self, codes: Vec<i128>) -> Result<Case, CaseError> {
        let mut values = Vec::with_capacity(self.program.axes.len());
        for (id, axis) in self.program.axes.entries() {
            values.push(match axis.domain {
                Domain::Sequence(_) => Value::List(codes.clone()),
                _ => first_value(self.program, self.scope, id, &values)?,
            });
        }
        let tree = CaseTree::of(self.program, self.scope, &values)?;
        Ok(Case { values, salt: self.runner.rng().random(), tree: Some(tree) })
    }

    /// Both ends of every axis, and all values of axes that enumerate their values.
    fn edges(&mut self) -> Result<Vec<(AxisId, u64)>, CaseError> {
        let tree = CaseTree::draw(self.program, self.scope, &mut self.runner, None)?;
        let values = tree.values(self.program, self.scope)?;
        let mut edges = Vec::new();
        for (id, axis) in self.program.axes.entries() {
            let bounds = match axis.domain {
                Domain::List { .. } | Domain::Permutation(_) | Domain::Sequence(_) => {
                    self.scope.length_bounds(self.program, id, &values)?
                }
                _ => self.scope.bounds(self.program, id, &values)?,
            };
            let all = matches!(
                axis.domain,
                Domain::EveryOf(_) | Domain::Text(_) | Domain::Choice(_) | Domain::OneOf { every: true, .. }
            );
            if all {
                edges.extend((0..bounds.count.min(MOST_VALUES)).map(|position| (id, position)));
            } else if !matches!(axis.domain, Domain::LengthOf(_) | Domain::Column { .. }) {
                edges.push((id, 0));
                if bounds.count > 1 {
                    edges.push((id, bounds.count - 1));
                }
            }
        }
        Ok(edges)
    }
}
