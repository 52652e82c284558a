//! Evaluation of axis bounds, which may read earlier axes and known facts about the device.

use super::arithmetic::binary;
use super::evaluate::{Drawn, EmptyDomain, EvaluationError, Scope, Value, evaluate};
use super::ids::{AxisId, Id};
use super::program::{Domain, Expression, Program, Range};
use super::syntax::BinaryOperator;

/// The range of an axis: low, low + step, … up to high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub low: i128,
    pub step: i128,
    /// The number of values, at least 1.
    pub count: u64,
}

impl Bounds {
    #[inline]
    fn of(low: i128, high: i128, step: i128) -> Result<Bounds, EvaluationError> {
        let step = step.max(1);
        // 128-bit divisions are slow, and most axes have a step of 1.
        let beyond = if step == 1 { 0 } else { low.rem_euclid(step) };
        let low = if beyond == 0 { Some(low) } else { low.checked_add(step - beyond) };
        let low = low.ok_or(EvaluationError::TooManyValues)?;
        if high < low {
            return Err(EvaluationError::EmptyDomain(Box::new(EmptyDomain { low, high, step })));
        }
        let distance = high.checked_sub(low).ok_or(EvaluationError::TooManyValues)?;
        let steps = if step == 1 { distance } else { distance / step };
        // The count is one more than the number of steps.
        let steps = u64::try_from(steps).ok().and_then(|steps| steps.checked_add(1));
        Ok(Bounds { low, step, count: steps.ok_or(EvaluationError::TooManyValues)? })
    }

    /// The value at a position, or the last value if the position is past the end.
    pub fn at(&self, position: u64) -> i128 {
        self.low + i128::from(position.min(self.count - 1)) * self.step
    }

    /// The position of the largest value that does not exceed the given value.
    pub fn position(&self, value: i128) -> u64 {
        let distance = value.saturating_sub(self.low).max(0);
        let steps = if self.step == 1 { distance } else { distance / self.step };
        u64::try_from(steps).unwrap_or(u64::MAX).min(self.count - 1)
    }

    /// The last value.
    pub fn high(&self) -> i128 {
        self.at(self.count - 1)
    }
}

impl Scope {
    /// The range from which an axis draws, given the values of earlier axes. For a list, the range of its items.
    pub fn bounds(&self, program: &Program, axis: AxisId, values: &[Value]) -> Result<Bounds, EvaluationError> {
        let count = |count: usize| Bounds::of(0, count as i128 - 1, 1);
        let length = |list: AxisId| values.get(list.index()).map(Value::integer).ok_or(EvaluationError::NotDrawn);
        match &program.axes[axis].domain {
            Domain::Bytes(range) | Domain::Integer(range) | Domain::EveryOf(range) => self.range(range, values),
            Domain::OneOf { values, .. } => count(self.alternatives(axis, values.len()).count()),
            Domain::Text(texts) => count(texts.len()),
            Domain::Choice(names) => count(self.alternatives(axis, names.len()).count()),
            Domain::Offset { below, multiple_of } => {
                let step = self.step(multiple_of.as_ref(), values)?;
                let below = self.evaluate(below, values)?;
                Bounds::of(0, binary(BinaryOperator::Subtract, below, 1)?, step)
            }
            Domain::List { item, .. } => self.range(item, values),
            Domain::Permutation(length) => self.range(length, values),
            Domain::Sequence(sequence) => Bounds::of(0, i128::from(sequence.codes()) - 1, 1),
            Domain::Column { .. } => Bounds::of(0, 0, 1),
            Domain::LengthOf(list) => {
                let length = length(*list)?;
                Bounds::of(length, length, 1)
            }
            Domain::IndexOf(list) => Bounds::of(0, length(*list)?.saturating_sub(1), 1),
            Domain::Device => Bounds::of(0, i128::from(self.devices) - 1, 1),
        }
    }

    /// The value of a scalar axis at a position in its range.
    pub fn value(
        &self,
        program: &Program,
        axis: AxisId,
        bounds: Bounds,
        position: u64,
        values: &[Value],
    ) -> Result<Value, EvaluationError> {
        if let Some(column) = program.column(axis, values) {
            return Ok(Value::List(column));
        }
        Ok(Value::Integer(match &program.axes[axis].domain {
            Domain::OneOf { values: all, .. } => {
                let drawn = self.alternatives(axis, all.len()).nth(bounds.at(position) as usize);
                self.evaluate(&all[drawn.unwrap_or(0)], values)?
            }
            Domain::Choice(names) => {
                let drawn = self.alternatives(axis, names.len()).nth(bounds.at(position) as usize);
                drawn.map_or(0, |position| position as i128)
            }
            _ => bounds.at(position),
        }))
    }

    /// The range of a list's length.
    pub fn length_bounds(&self, program: &Program, axis: AxisId, values: &[Value]) -> Result<Bounds, EvaluationError> {
        match &program.axes[axis].domain {
            Domain::List { length, .. } | Domain::Permutation(length) => self.range(length, values),
            Domain::Sequence(sequence) => Bounds::of(1, i128::from(sequence.most), 1),
            _ => Bounds::of(1, 1, 1),
        }
    }

    fn range(&self, range: &Range, values: &[Value]) -> Result<Bounds, EvaluationError> {
        let step = self.step(range.multiple_of.as_ref(), values)?;
        Bounds::of(self.evaluate(&range.low, values)?, self.evaluate(&range.high, values)?, step)
    }

    fn step(&self, multiple_of: Option<&Expression>, values: &[Value]) -> Result<i128, EvaluationError> {
        multiple_of.map_or(Ok(1), |step| self.evaluate(step, values))
    }

    /// Evaluates `where`.
    pub fn accepts(&self, program: &Program, values: &[Value]) -> Result<bool, EvaluationError> {
        match &program.condition {
            Some(condition) => Ok(self.evaluate(condition, values)? != 0),
            None => Ok(true),
        }
    }

    /// Evaluates an expression that reads only axes, quantities and constants.
    pub fn evaluate(&self, expression: &Expression, values: &[Value]) -> Result<i128, EvaluationError> {
        evaluate(&mut Drawn { scope: self, values }, expression)
    }
}

#[cfg(test)]
mod tests {
    use super::Bounds;

    /// Catalogs, cases and journals may contain any number.
    #[test]
    fn any_numbers_give_a_range_or_an_error() {
        let numbers = [i128::MIN, i128::MIN + 1, -1, 0, 1, 7, i128::from(u64::MAX), i128::MAX - 1, i128::MAX];
        for low in numbers {
            for high in numbers {
                for step in numbers {
                    let Ok(bounds) = Bounds::of(low, high, step) else { continue };
                    assert!(bounds.count >= 1 && low <= bounds.low && bounds.high() <= high);
                    for value in numbers {
                        assert!(bounds.position(value) < bounds.count);
                    }
                    assert_eq!(bounds.at(u64::MAX), bounds.high());
                }
            }
        }
    }
}
