//! The shape of a difference between bytes: the positions of the bytes that differ, and what these bytes contain.

use record::{Content, Difference, Shape};
use steps::builtins::Builtin;
use steps::program::Expression;
use steps::syntax::BinaryOperator;

use super::execution::Execution;
use super::memory::write_poison;

/// The largest distance at which shifted content is searched, in bytes.
const FARTHEST_SHIFT: usize = 64 << 10;
/// The number of bytes that must agree before content counts as shifted. Fewer bytes may agree by accident.
const LEAST_SHIFTED: usize = 8;
/// The largest number of equal bytes that are ignored between two bytes that differ: a wrong byte may have the expected
/// value by accident.
const ACCIDENT: usize = 2;

/// Bytes that may explain the found bytes, position by position.
pub(super) struct Known<'a> {
    /// The bytes that the buffer contained before the expected write, from the start of the comparison; one entry for
    /// each possible start of the poison.
    pub poison: Vec<Vec<u8>>,
    /// The case's other patterns, from the same position as the expected bytes.
    pub patterns: Vec<&'a [u8]>,
}

impl<'a> Execution<'a> {
    /// The difference between the bytes that a failed condition compared; `None` if it compared no bytes.
    pub(super) fn compared(&mut self, condition: &'a Expression) -> Option<Difference> {
        match condition {
            Expression::Binary(BinaryOperator::And, left, right) => {
                let failed = if self.quiet(left).is_some_and(|value| value != 0) { right } else { left };
                self.compared(failed)
            }
            // Each side of `or` failed; the first that compared bytes is described.
            Expression::Binary(BinaryOperator::Or, left, right) => self.compared(left).or_else(|| self.compared(right)),
            Expression::Builtin(Builtin::Same, arguments) => {
                let length = self.size(&arguments[2]).ok()?;
                let (left, right) = (self.quiet(&arguments[0])?, self.quiet(&arguments[1])?);
                // The expected bytes are a pattern; if neither or both are, the found bytes come first.
                let swapped = self.memory.is_pattern(left) && !self.memory.is_pattern(right);
                let (found, expected) = if swapped { (1, 0) } else { (0, 1) };
                let bytes =
                    [self.bytes(&arguments[found], length).ok()?, self.bytes(&arguments[expected], length).ok()?];
                let (at, of) = if swapped { (right, left) } else { (left, right) };
                difference(bytes[0], bytes[1], &self.memory.known(at, of, length))
            }
            Expression::Builtin(Builtin::AllBytes, arguments) => {
                let length = self.size(&arguments[1]).ok()?;
                let expected = vec![self.quiet(&arguments[2])? as u8; length];
                let at = self.quiet(&arguments[0])?;
                let found = self.bytes(&arguments[0], length).ok()?;
                difference(found, &expected, &self.memory.known(at, 0, length))
            }
            Expression::Builtin(Builtin::Poisoned, arguments) => {
                let length = self.size(&arguments[1]).ok()?;
                let mut expected = vec![0; length];
                write_poison(&mut expected, self.memory.salt);
                let at = self.quiet(&arguments[0])?;
                let found = self.bytes(&arguments[0], length).ok()?;
                difference(found, &expected, &Known { poison: Vec::new(), ..self.memory.known(at, 0, length) })
            }
            _ => None,
        }
    }
}

/// Describes the difference of equally long byte ranges. `None` if the ranges are equal.
fn difference(found: &[u8], expected: &[u8], known: &Known<'_>) -> Option<Difference> {
    let wrong: Vec<usize> = (0..found.len().min(expected.len())).filter(|at| found[*at] != expected[*at]).collect();
    let (first, last) = (*wrong.first()?, *wrong.last()?);
    let (shape, step) = shape(&wrong, found.len());
    let (content, shift) = content(found, expected, &wrong, known);
    Some(Difference {
        shape,
        content,
        length: found.len() as u64,
        count: wrong.len() as u64,
        first: first as u64,
        last: last as u64,
        step: step.map(|step| step as u64),
        shift: shift.map(|shift| shift as i64),
    })
}

/// The shape of the positions, and the distance between its parts if the shape repeats.
fn shape(wrong: &[usize], length: usize) -> (Shape, Option<usize>) {
    let (first, last) = (wrong[0], wrong[wrong.len() - 1]);
    let parts = parts(wrong);
    let at_start = first <= ACCIDENT;
    let at_end = length - 1 - last <= ACCIDENT;
    let one = wrong.len() == 1;
    let shape = match parts.len() {
        1 if one && first == 0 && length > 1 => Shape::Head,
        1 if one && last == length - 1 && length > 1 => Shape::Tail,
        1 if one && length > 1 => Shape::OneByte,
        1 if at_start && at_end => Shape::All,
        1 if at_start => Shape::Head,
        1 if at_end => Shape::Tail,
        1 => Shape::Block,
        _ => match equal_distance(&parts) {
            Some(step) => return (Shape::EveryNth, Some(step)),
            None => Shape::Scattered,
        },
    };
    (shape, None)
}

/// The starts of the parts of bytes that differ.
fn parts(wrong: &[usize]) -> Vec<usize> {
    let starts = wrong.windows(2).filter(|pair| pair[1] - pair[0] > ACCIDENT + 1).map(|pair| pair[1]);
    std::iter::once(wrong[0]).chain(starts).collect()
}

/// The distance between the parts, if at least three parts begin at multiples of one distance and at most a tenth of
/// the multiples is missing.
fn equal_distance(starts: &[usize]) -> Option<usize> {
    let step = starts.windows(2).map(|pair| pair[1] - pair[0]).min()?;
    let regular = starts.iter().all(|start| (start - starts[0]).is_multiple_of(step));
    let expected = (starts[starts.len() - 1] - starts[0]) / step + 1;
    (starts.len() >= 3 && regular && starts.len() * 10 >= expected * 9).then_some(step)
}

/// The content of the bytes at these positions, and its shift.
fn content(found: &[u8], expected: &[u8], wrong: &[usize], known: &Known<'_>) -> (Content, Option<isize>) {
    let is = |other: &[u8]| wrong.iter().all(|at| other.get(*at) == Some(&found[*at]));
    if known.poison.iter().any(|poison| is(poison)) {
        return (Content::NeverWritten, None);
    }
    if wrong.iter().all(|at| found[*at] == 0) {
        return (Content::Zero, None);
    }
    if known.patterns.iter().any(|pattern| is(pattern)) {
        return (Content::OtherPattern, None);
    }
    if wrong.len() >= 4 && wrong.iter().all(|at| found[*at] == found[wrong[0]]) {
        return (Content::Constant, None);
    }
    match shift(found, expected, wrong) {
        Some(shift) => (Content::Shifted, Some(shift)),
        None => (Content::Unknown, None),
    }
}

/// The number of bytes by which the bytes at these positions lie too late.
fn shift(found: &[u8], expected: &[u8], wrong: &[usize]) -> Option<isize> {
    // Near the ends, bytes from outside the comparison may have been shifted in.
    let middle = wrong[wrong.len() / 2];
    let sample = found.get(middle..middle + LEAST_SHIFTED)?;
    let low = middle.saturating_sub(FARTHEST_SHIFT);
    let high = (middle + FARTHEST_SHIFT).min(expected.len());
    let starts = expected.get(low..high)?.windows(LEAST_SHIFTED).enumerate();
    let mut shifts = starts.filter(|(_, bytes)| *bytes == sample).map(|(at, _)| middle as isize - (low + at) as isize);
    shifts.find(|shift| {
        wrong.iter().all(|at| {
            let from = usize::try_from(*at as isize - shift).ok();
            from.is_none_or(|from| from >= expected.len() || expected[from] == found[*at])
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::worker::memory::write_pattern;

    const SALT: u64 = 7;

    fn pattern(length: usize, tag: i128) -> Vec<u8> {
        let mut bytes = vec![0; length];
        write_pattern(&mut bytes, SALT, tag);
        bytes
    }

    fn poison(length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        write_poison(&mut bytes, SALT);
        bytes
    }

    /// The difference after the bytes at `positions` were replaced.
    fn replaced(length: usize, with: &[u8], positions: impl IntoIterator<Item = usize>) -> Difference {
        let expected = pattern(length, 1);
        let other = pattern(length, 2);
        let mut found = expected.clone();
        positions.into_iter().for_each(|at| found[at] = with[at]);
        difference(&found, &expected, &Known { poison: vec![poison(length)], patterns: vec![&other] }).unwrap()
    }

    #[rstest]
    #[case::tail((992..1000).collect(), Shape::Tail)]
    #[case::last(vec![999], Shape::Tail)]
    #[case::head((0..64).collect(), Shape::Head)]
    #[case::first(vec![0], Shape::Head)]
    #[case::one(vec![500], Shape::OneByte)]
    #[case::block((300..400).collect(), Shape::Block)]
    #[case::all((0..1000).collect(), Shape::All)]
    #[case::every((7..1000).step_by(64).collect(), Shape::EveryNth)]
    #[case::pages((0..1000).filter(|at| at % 256 < 8).collect(), Shape::EveryNth)]
    #[case::scattered(vec![3, 77, 401, 402, 990], Shape::Scattered)]
    fn the_positions_give_the_shape(#[case] positions: Vec<usize>, #[case] shape: Shape) {
        let found = replaced(1000, &poison(1000), positions);
        assert_eq!((found.shape, found.content), (shape, Content::NeverWritten));
    }

    #[rstest]
    #[case::poison(poison(512), Content::NeverWritten)]
    #[case::zero(vec![0; 512], Content::Zero)]
    #[case::other(pattern(512, 2), Content::OtherPattern)]
    #[case::constant(vec![0x5A; 512], Content::Constant)]
    #[case::a_third_pattern(pattern(512, 3), Content::Unknown)]
    fn the_bytes_give_the_content(#[case] with: Vec<u8>, #[case] content: Content) {
        // Zeros and constants may equal the expected byte by accident.
        assert_eq!(replaced(512, &with, 100..200).content, content);
    }

    #[rstest]
    #[case(3)]
    #[case(-5)]
    fn a_shift_is_measured(#[case] by: isize) {
        let expected = pattern(4096, 1);
        let found: Vec<u8> = (0..4096isize)
            .map(|at| usize::try_from(at - by).ok().and_then(|at| expected.get(at)).copied().unwrap_or(0))
            .collect();
        let none = Known { poison: Vec::new(), patterns: Vec::new() };
        let found = difference(&found, &expected, &none).unwrap();
        assert_eq!((found.content, found.shift), (Content::Shifted, Some(by as i64)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_lost_tail_is_a_tail_of_its_length(length in 2usize..3000, lost in 1usize..64) {
            prop_assume!(lost + ACCIDENT < length);
            let found = replaced(length, &poison(length), length - lost..length);
            prop_assert_eq!((found.shape, found.count as usize, found.last as usize), (Shape::Tail, lost, length - 1));
        }

        #[test]
        fn any_bytes_have_a_difference_or_are_equal(found in proptest::collection::vec(any::<u8>(), 0..200), other in any::<u64>()) {
            let mut expected = found.clone();
            write_pattern(&mut expected, other, 1);
            let none = Known { poison: Vec::new(), patterns: Vec::new() };
            let described = difference(&found, &expected, &none);
            prop_assert_eq!(described.is_none(), found == expected);
        }
    }
}
