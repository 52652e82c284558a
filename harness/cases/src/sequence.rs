//! A drawn sequence of operations: how it is drawn, and how it is shrunk to the shortest one that fails.

use proptest::num::u64::BinarySearch;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rand::RngExt;

use steps::sequence::Sequence;

/// The drawn steps of a sequence. First, runs of steps are left out, from half of the sequence down to single steps;
/// then the parameters of the remaining steps move toward their first values.
#[derive(Debug, Clone)]
pub(super) struct SequenceTree {
    steps: Vec<Step>,
    /// The number of steps that are left out together at present; 0 if this pass has ended.
    run: usize,
    /// The first step of the next run.
    at: usize,
    /// The steps that were left out last.
    left_out: Vec<Step>,
}

#[derive(Debug, Clone)]
struct Step {
    operation: usize,
    parameters: Vec<BinarySearch>,
}

impl SequenceTree {
    /// Draws a sequence of a given length, or of a random one. In each sequence some operations and values are more
    /// frequent than others, because states that need one operation many times are rare otherwise.
    pub(super) fn draw(sequence: &Sequence, length: Option<u64>, runner: &mut TestRunner) -> SequenceTree {
        let rng = runner.rng();
        // The longer of two lengths: long sequences reach more, and failing ones become short.
        let drawn = rng.random_range(1..=sequence.most).max(rng.random_range(1..=sequence.most));
        let weights: Vec<u32> = sequence.operations.iter().map(|_| 1 << rng.random_range(0..3u32)).collect();
        let favored: Vec<Vec<u64>> = sequence
            .operations
            .iter()
            .map(|operation| {
                let parameters = operation.parameters.iter();
                parameters.map(|parameter| rng.random_range(0..parameter.values.len() as u64)).collect()
            })
            .collect();
        let total: u32 = weights.iter().sum();
        let steps = (0..length.unwrap_or(drawn)).map(|_| {
            let mut rest = rng.random_range(0..total);
            let passes = |weight: &u32| match rest.checked_sub(*weight) {
                Some(less) => {
                    rest = less;
                    false
                }
                None => true,
            };
            let operation = weights.iter().position(passes).unwrap_or(0);
            let parameters = sequence.operations[operation].parameters.iter().zip(&favored[operation]);
            let parameters = parameters.map(|(parameter, favored)| {
                let any = rng.random_range(0..parameter.values.len() as u64);
                BinarySearch::new(if rng.random_range(0..4u32) == 0 { *favored } else { any })
            });
            Step { operation, parameters: parameters.collect() }
        });
        SequenceTree::new(steps.collect())
    }

    /// The tree for given steps; `None` if one of them does not exist or their number is not allowed.
    pub(super) fn of(sequence: &Sequence, codes: &[i128]) -> Option<SequenceTree> {
        let step = |code: &i128| {
            let (operation, positions) = sequence.decode(*code)?;
            Some(Step { operation, parameters: positions.into_iter().map(BinarySearch::new).collect() })
        };
        let allowed = (1..=sequence.most).contains(&(codes.len() as u64));
        let steps: Option<Vec<Step>> = codes.iter().map(step).collect();
        steps.filter(|_| allowed).map(SequenceTree::new)
    }

    fn new(steps: Vec<Step>) -> SequenceTree {
        let run = steps.len() / 2;
        SequenceTree { steps, run, at: 0, left_out: Vec::new() }
    }

    /// The current steps as numbers.
    pub(super) fn codes(&self, sequence: &Sequence) -> Vec<i128> {
        let code = |step: &Step| {
            let positions: Vec<u64> = step.parameters.iter().map(ValueTree::current).collect();
            sequence.encode(step.operation, &positions)
        };
        self.steps.iter().map(code).collect()
    }

    /// Shrinks a part. `None`: the part does not exist. `Some(false)`: the part cannot be shrunk. Part 0 is the steps;
    /// the others are the parameters of all steps.
    pub(super) fn simplify(&mut self, part: usize) -> Option<bool> {
        match part.checked_sub(1) {
            None => Some(self.leave_out()),
            Some(index) => self.parameter(index).map(BinarySearch::simplify),
        }
    }

    /// Undoes the last step in a part, and takes the next one if the part is the steps. Returns `false` if the part is
    /// as it was.
    pub(super) fn complicate(&mut self, part: usize) -> bool {
        match part.checked_sub(1) {
            Some(index) => self.parameter(index).is_some_and(ValueTree::complicate),
            None => {
                let put_back = std::mem::take(&mut self.left_out);
                let length = put_back.len();
                self.steps.splice(self.at..self.at, put_back);
                self.at += length;
                self.leave_out()
            }
        }
    }

    /// Starts another pass.
    pub(super) fn search_again(&mut self) {
        *self = SequenceTree::new(std::mem::take(&mut self.steps));
        for parameter in self.steps.iter_mut().flat_map(|step| &mut step.parameters) {
            *parameter = BinarySearch::new(parameter.current());
        }
    }

    /// Leaves out the next run of steps. Returns `false` if each run was tried. One step always remains.
    fn leave_out(&mut self) -> bool {
        while self.run > 0 {
            let end = (self.at + self.run).min(self.steps.len());
            if self.at < end && end - self.at < self.steps.len() {
                self.left_out = self.steps.drain(self.at..end).collect();
                return true;
            }
            self.run = (self.run / 2).min(self.steps.len());
            self.at = 0;
        }
        false
    }

    fn parameter(&mut self, index: usize) -> Option<&mut BinarySearch> {
        self.steps.iter_mut().flat_map(|step| &mut step.parameters).nth(index)
    }
}
