//! All sequences up to a length over a small domain: the first two values of each parameter.

use steps::sequence::Sequence;

/// The number of values of a parameter in the small domain.
const VALUES: u64 = 2;
/// The largest number of sequences that are tried.
const MOST_SEQUENCES: u64 = 20_000_000;

/// All sequences of 1 to `longest` steps over the small domain, the shortest first.
#[derive(Debug)]
pub struct Exhaustive {
    /// The steps of the small domain.
    steps: Vec<i128>,
    longest: usize,
    /// The positions of the next sequence's steps; `None` at the end.
    next: Option<Vec<usize>>,
}

impl Exhaustive {
    /// The sequences of a rule. `None` if there are more than twenty million.
    pub fn new(sequence: &Sequence, longest: u32) -> Option<Exhaustive> {
        let longest = u64::from(longest).min(sequence.most);
        let small = |code: &i128| {
            sequence.decode(*code).is_some_and(|(_, positions)| positions.iter().all(|position| *position < VALUES))
        };
        let steps: Vec<i128> = (0..i128::from(sequence.codes())).filter(small).collect();
        let all = Exhaustive { steps, longest: longest as usize, next: Some(vec![0]) };
        (all.total() <= MOST_SEQUENCES).then_some(all)
    }

    /// The number of sequences.
    pub fn total(&self) -> u64 {
        let steps = self.steps.len() as u64;
        (1..=self.longest as u32).fold(0, |sum: u64, length| sum.saturating_add(steps.saturating_pow(length)))
    }
}

impl Iterator for Exhaustive {
    type Item = Vec<i128>;

    fn next(&mut self) -> Option<Vec<i128>> {
        let positions = self.next.take().filter(|positions| positions.len() <= self.longest)?;
        let codes = positions.iter().map(|position| self.steps.get(*position).copied()).collect::<Option<Vec<_>>>()?;
        let mut following = positions;
        let advanced = following.iter_mut().rev().any(|position| {
            *position = (*position + 1) % self.steps.len();
            *position != 0
        });
        if !advanced {
            following.push(0);
        }
        self.next = Some(following);
        Some(codes)
    }
}
