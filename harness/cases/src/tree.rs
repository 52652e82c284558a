//! A drawn case that can be shrunk.

use proptest::num::u64::BinarySearch;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rand::RngExt;

use steps::bounds::Bounds;
use steps::evaluate::{Scope, Value};
use steps::limits::LONGEST_LIST;
use steps::program::{Domain, Program};
use steps::{AxisId, Id};

use super::error::CaseError;
use super::sequence::SequenceTree;

/// The positions drawn for a case, each in the range of its axis.
#[derive(Debug, Clone, Default)]
pub struct CaseTree {
    axes: Vec<AxisTree>,
    /// The part that was shrunk last, so that the step can be undone.
    last: Option<(usize, usize)>,
    /// The position in this pass: the parts before it cannot be shrunk further.
    next: (usize, usize),
    /// True if this pass has shrunk a part. Another pass follows, because axes depend on each other.
    improved: bool,
}

#[derive(Debug, Clone)]
enum AxisTree {
    Scalar(BinarySearch),
    List {
        /// The position in the range of possible lengths.
        length: BinarySearch,
        /// The shortest length.
        least: usize,
        items: Vec<BinarySearch>,
        /// The item that was left out last, and the previous length.
        left_out: Option<(usize, BinarySearch, BinarySearch)>,
    },
    /// The order in which the keys sort is the permutation.
    Permutation {
        length: BinarySearch,
        keys: Vec<u64>,
    },
    Sequence(SequenceTree),
    /// The axis has the values that an earlier axis determines.
    Derived,
}

impl CaseTree {
    /// Draws a case. `forced` fixes the position of one axis (for a list, the position of its length).
    pub fn draw(
        program: &Program,
        scope: &Scope,
        runner: &mut TestRunner,
        forced: Option<(AxisId, u64)>,
    ) -> Result<CaseTree, CaseError> {
        let mut axes = Vec::with_capacity(program.axes.len());
        let mut values = Vec::with_capacity(program.axes.len());
        for axis in program.axes.ids() {
            let forced = forced.filter(|(forced, _)| *forced == axis).map(|(_, position)| position);
            let bounds = scope.bounds(program, axis, &values)?;
            let tree = match &program.axes[axis].domain {
                Domain::List { logarithmic, .. } => {
                    let lengths = scope.length_bounds(program, axis, &values)?;
                    let length = forced.unwrap_or_else(|| uniform(lengths, runner));
                    let room = usize::try_from(lengths.at(length)).unwrap_or(0).min(LONGEST_LIST);
                    let items = (0..room).map(|_| search(draw(bounds, *logarithmic, runner))).collect();
                    let least = usize::try_from(lengths.low).unwrap_or(0);
                    AxisTree::List { length: search(length), least, items, left_out: None }
                }
                Domain::Permutation(_) => {
                    let length = forced.unwrap_or_else(|| uniform(bounds, runner));
                    let room = usize::try_from(bounds.at(length)).unwrap_or(0).min(LONGEST_LIST);
                    let keys = (0..room).map(|_| runner.rng().random()).collect();
                    AxisTree::Permutation { length: search(length), keys }
                }
                Domain::Sequence(sequence) => {
                    AxisTree::Sequence(SequenceTree::draw(sequence, forced.map(|position| position + 1), runner))
                }
                Domain::Column { .. } => AxisTree::Derived,
                Domain::Bytes(_) => AxisTree::Scalar(search(forced.unwrap_or_else(|| draw(bounds, true, runner)))),
                _ => AxisTree::Scalar(search(forced.unwrap_or_else(|| uniform(bounds, runner)))),
            };
            values.push(tree.value(program, scope, axis, bounds, &values)?);
            axes.push(tree);
        }
        Ok(CaseTree { axes, ..CaseTree::default() })
    }

    /// Builds a tree for given values, to shrink a case whose process was lost. Every search begins at the current
    /// value, because the earlier steps of the search are unknown.
    pub fn of(program: &Program, scope: &Scope, values: &[Value]) -> Result<CaseTree, CaseError> {
        if values.len() != program.axes.len() {
            return Err(CaseError::OtherAxes { values: values.len(), axes: program.axes.len() });
        }
        let axes =
            program.axes.ids().map(|axis| AxisTree::of(program, scope, axis, values)).collect::<Result<_, _>>()?;
        Ok(CaseTree { axes, ..CaseTree::default() })
    }

    /// Checks that the last of these values is in its axis's domain.
    pub(super) fn expect_value(
        program: &Program,
        scope: &Scope,
        axis: AxisId,
        values: &[Value],
    ) -> Result<(), CaseError> {
        AxisTree::of(program, scope, axis, values).map(drop)
    }

    /// The values that the steps receive.
    pub fn values(&self, program: &Program, scope: &Scope) -> Result<Vec<Value>, CaseError> {
        let mut values = Vec::with_capacity(self.axes.len());
        for (axis, tree) in program.axes.ids().zip(&self.axes) {
            let bounds = scope.bounds(program, axis, &values)?;
            values.push(tree.value(program, scope, axis, bounds, &values)?);
        }
        Ok(values)
    }

    /// Moves to the next attempt, given the outcome of the last one. Returns `false` if no attempts remain.
    pub fn next(&mut self, failed: bool) -> bool {
        if failed {
            self.improved |= self.last.is_some();
            return self.simplify();
        }
        self.complicate() || self.simplify()
    }

    /// Shrinks one part.
    fn simplify(&mut self) -> bool {
        loop {
            while self.next.0 < self.axes.len() {
                let (axis, part) = self.next;
                match self.axes[axis].simplify(part) {
                    None => self.next = (axis + 1, 0),
                    Some(true) => {
                        self.last = Some((axis, part));
                        return true;
                    }
                    Some(false) => self.next = (axis, part + 1),
                }
            }
            if !std::mem::take(&mut self.improved) {
                return false;
            }
            self.next = (0, 0);
            self.axes.iter_mut().for_each(AxisTree::search_again);
        }
    }

    /// Undoes half of the last step because the case no longer failed. Returns `false` if the part is back at its
    /// previous value.
    fn complicate(&mut self) -> bool {
        let Some((axis, part)) = self.last else { return false };
        let moved = self.axes[axis].complicate(part);
        if !moved {
            self.last = None;
            self.next = (axis, part + 1);
        }
        moved
    }
}

fn search(position: u64) -> BinarySearch {
    BinarySearch::new(position)
}

fn uniform(bounds: Bounds, runner: &mut TestRunner) -> u64 {
    if bounds.count == 1 { 0 } else { runner.rng().random_range(0..bounds.count) }
}

/// Draws a position. If `logarithmic`, all orders of magnitude are equally likely, with a bias toward powers of two and
/// their neighbors.
fn draw(bounds: Bounds, logarithmic: bool, runner: &mut TestRunner) -> u64 {
    if !logarithmic || bounds.count < 4 {
        return uniform(bounds, runner);
    }
    let (low, high) = (bounds.low.max(1) as u128, bounds.high().max(1) as u128);
    let (first, last) = (low.ilog2(), high.ilog2());
    let rng = runner.rng();
    let bits = rng.random_range(first..=last);
    let base = 1u128 << bits;
    let value = match rng.random_range(0..8u32) {
        0 => base,
        1 => base + 1,
        2 => base.saturating_sub(1),
        // `base` is a power of two, so a mask gives the remainder.
        _ => base + (u128::from(rng.random::<u64>()) & (base - 1)),
    };
    bounds.position(value.clamp(low, high) as i128)
}

/// The number of items present in a list, at most the number of drawn items.
fn present(least: usize, length: &BinarySearch, items: &[BinarySearch]) -> usize {
    usize::try_from(length.current()).map_or(items.len(), |more| least.saturating_add(more).min(items.len()))
}

/// The position of a value in its range.
fn position(bounds: Bounds, value: i128, name: &str) -> Result<u64, CaseError> {
    let position = bounds.position(value);
    if bounds.at(position) == value {
        return Ok(position);
    }
    Err(CaseError::OutsideDomain { value, axis: name.to_owned() })
}

impl AxisTree {
    /// The tree for an axis, starting at its given value.
    fn of(program: &Program, scope: &Scope, axis: AxisId, values: &[Value]) -> Result<AxisTree, CaseError> {
        let name = &program.axes[axis].name;
        let bounds = scope.bounds(program, axis, &values[..axis.index()])?;
        let at = |value: i128| position(bounds, value, name).map(search);
        Ok(match (&program.axes[axis].domain, &values[axis.index()]) {
            (Domain::List { .. }, Value::List(items)) => {
                let lengths = scope.length_bounds(program, axis, &values[..axis.index()])?;
                AxisTree::List {
                    length: search(position(lengths, items.len() as i128, name)?),
                    least: usize::try_from(lengths.low).unwrap_or(0),
                    items: items.iter().map(|item| at(*item)).collect::<Result<_, _>>()?,
                    left_out: None,
                }
            }
            (Domain::Permutation(_), Value::List(order)) => {
                let length = at(order.len() as i128)?;
                let mut keys = vec![None; order.len()];
                for (key, index) in order.iter().enumerate() {
                    let index = usize::try_from(*index).ok();
                    let slot = index.and_then(|index| keys.get_mut(index)).filter(|slot| slot.is_none());
                    *slot.ok_or_else(|| CaseError::NotAPermutation { axis: name.clone() })? = Some(key as u64);
                }
                AxisTree::Permutation { length, keys: keys.into_iter().flatten().collect() }
            }
            (Domain::Sequence(sequence), Value::List(codes)) => {
                let wrong = || CaseError::NotSteps { axis: name.clone() };
                AxisTree::Sequence(SequenceTree::of(sequence, codes).ok_or_else(wrong)?)
            }
            (Domain::Column { .. }, given @ Value::List(_)) => {
                if scope.value(program, axis, bounds, 0, &values[..axis.index()])? != *given {
                    return Err(CaseError::NotSteps { axis: name.clone() });
                }
                AxisTree::Derived
            }
            (Domain::OneOf { values: alternatives, .. }, Value::Integer(value)) => {
                for (index, position) in scope.alternatives(axis, alternatives.len()).enumerate() {
                    if scope.evaluate(&alternatives[position], &values[..axis.index()])? == *value {
                        return Ok(AxisTree::Scalar(search(index as u64)));
                    }
                }
                return Err(CaseError::OutsideDomain { value: *value, axis: name.clone() });
            }
            (Domain::Choice(names), Value::Integer(value)) => {
                let drawn = scope.alternatives(axis, names.len()).position(|known| known as i128 == *value);
                let outside = || CaseError::OutsideDomain { value: *value, axis: name.clone() };
                AxisTree::Scalar(search(drawn.ok_or_else(outside)? as u64))
            }
            (
                Domain::List { .. } | Domain::Permutation(_) | Domain::Sequence(_) | Domain::Column { .. },
                Value::Integer(_),
            )
            | (_, Value::List(_)) => {
                return Err(CaseError::OtherKind { axis: name.clone() });
            }
            (_, Value::Integer(value)) => AxisTree::Scalar(at(*value)?),
        })
    }

    /// The current value, from the axis's range.
    fn value(
        &self,
        program: &Program,
        scope: &Scope,
        axis: AxisId,
        bounds: Bounds,
        values: &[Value],
    ) -> Result<Value, CaseError> {
        Ok(match self {
            AxisTree::Scalar(search) => scope.value(program, axis, bounds, search.current(), values)?,
            AxisTree::List { length, items, .. } => {
                let lengths = scope.length_bounds(program, axis, values)?;
                let length = usize::try_from(lengths.at(length.current())).unwrap_or(0);
                Value::List(items.iter().take(length).map(|item| bounds.at(item.current())).collect())
            }
            AxisTree::Permutation { length, keys } => {
                let length = usize::try_from(bounds.at(length.current())).unwrap_or(0).min(keys.len());
                let mut order: Vec<usize> = (0..length).collect();
                order.sort_by_key(|index| keys[*index]);
                Value::List(order.into_iter().map(|index| index as i128).collect())
            }
            AxisTree::Sequence(steps) => match &program.axes[axis].domain {
                Domain::Sequence(sequence) => Value::List(steps.codes(sequence)),
                _ => return Err(CaseError::OtherKind { axis: program.axes[axis].name.clone() }),
            },
            AxisTree::Derived => scope.value(program, axis, bounds, 0, values)?,
        })
    }

    /// Shrinks a part. `None`: the part does not exist. `Some(false)`: the part cannot be shrunk. The parts of a list
    /// are its length, the presence of each item, and each item.
    fn simplify(&mut self, part: usize) -> Option<bool> {
        match self {
            AxisTree::Sequence(steps) => steps.simplify(part),
            AxisTree::Derived => None,
            AxisTree::Scalar(search) | AxisTree::Permutation { length: search, .. } => {
                (part == 0).then(|| search.simplify())
            }
            AxisTree::List { length, least, items, left_out } => {
                let present = present(*least, length, items);
                if part == 0 {
                    return Some(length.simplify());
                }
                if part <= present {
                    if length.current() == 0 {
                        return Some(false);
                    }
                    *left_out = Some((part - 1, items.remove(part - 1), *length));
                    *length = search(length.current() - 1);
                    return Some(true);
                }
                items[..present].get_mut(part - present - 1).map(BinarySearch::simplify)
            }
        }
    }

    /// Undoes half of the last step in a part.
    fn complicate(&mut self, part: usize) -> bool {
        match self {
            AxisTree::Sequence(steps) => steps.complicate(part),
            AxisTree::Derived => false,
            AxisTree::Scalar(search) | AxisTree::Permutation { length: search, .. } => search.complicate(),
            AxisTree::List { length, least, items, left_out } => {
                if part == 0 {
                    return length.complicate();
                }
                if let Some((at, item, before)) = left_out.take() {
                    items.insert(at, item);
                    *length = before;
                    return false;
                }
                let present = present(*least, length, items);
                part.checked_sub(present + 1).and_then(|at| items.get_mut(at)).is_some_and(ValueTree::complicate)
            }
        }
    }

    /// Restarts every search from its current value.
    fn search_again(&mut self) {
        let again = |part: &mut BinarySearch| *part = search(part.current());
        match self {
            AxisTree::Scalar(part) | AxisTree::Permutation { length: part, .. } => again(part),
            AxisTree::List { length, items, .. } => {
                again(length);
                items.iter_mut().for_each(again);
            }
            AxisTree::Sequence(steps) => steps.search_again(),
            AxisTree::Derived => {}
        }
    }
}
