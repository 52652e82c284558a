//! The share of a rule's domain that its cases cover.

use steps::evaluate::{Scope, Value};
use steps::program::{Domain, Program};
use steps::{AxisId, Id};

use super::effort::Budget;
use super::error::CaseError;
use super::plan::{Plan, runner};
use super::tree::CaseTree;

/// The maximum number of distinct cases to count; the longest runs draw millions.
const MOST_DISTINCT: usize = 1 << 20;

/// Counts distinct cases. A new case is only appended; duplicates are removed whenever the list has doubled in length,
/// and at the end.
#[derive(Debug, Default)]
pub struct Distinct {
    noted: Vec<u64>,
    /// The length of the prefix of `noted` that is sorted and has no duplicates.
    deduplicated: usize,
    /// True if a case without axes was added; only one such case exists.
    empty: bool,
}

impl Distinct {
    /// Records that a case was tried.
    pub fn note(&mut self, values: &[Value]) {
        if values.is_empty() {
            self.empty = true;
        } else if self.deduplicated < MOST_DISTINCT {
            self.noted.push(digest(values));
            if self.noted.len() >= 2 * MOST_DISTINCT {
                self.tell_apart();
            }
        }
    }

    /// The number of distinct cases.
    pub fn count(&mut self) -> u64 {
        self.tell_apart();
        self.deduplicated as u64 + u64::from(self.empty)
    }

    fn tell_apart(&mut self) {
        self.noted.sort_unstable();
        self.noted.dedup();
        self.noted.truncate(MOST_DISTINCT);
        self.deduplicated = self.noted.len();
    }
}

/// A 64-bit digest of a case. Within a run, collisions are unlikely.
fn digest(values: &[Value]) -> u64 {
    fn word(digest: u64, word: u64) -> u64 {
        let mixed = (digest.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 29)
    }
    let number = |digest, value: i128| word(word(digest, value as u64), (value >> 64) as u64);
    values.iter().fold(0, |digest, value| match value {
        Value::Integer(value) => number(digest, *value),
        Value::List(items) => items.iter().fold(word(digest, items.len() as u64), |digest, item| number(digest, *item)),
    })
}

/// True if the domain has at most `distinct` cases. Returns false for large domains and for domains with lists, which
/// are not counted.
pub fn exhausted(program: &Program, scope: &Scope, distinct: u64) -> bool {
    let mut room = 4096;
    let cases = count(program, scope, &mut Vec::new(), &mut room);
    cases.is_some_and(|cases| cases <= distinct)
}

/// The number of cases that begin with these values; `None` if there are too many cases, or if the cases cannot be
/// counted.
fn count(program: &Program, scope: &Scope, values: &mut Vec<Value>, room: &mut u64) -> Option<u64> {
    let axis = AxisId::new(values.len());
    if program.axes.get(axis).is_none() {
        *room = room.checked_sub(1)?;
        return scope.accepts(program, values).ok().map(u64::from);
    }
    if matches!(program.axes[axis].domain, Domain::List { .. } | Domain::Permutation(_) | Domain::Sequence(_)) {
        return None;
    }
    let bounds = scope.bounds(program, axis, values).ok()?;
    if bounds.count > *room {
        return None;
    }
    let mut cases = 0;
    for position in 0..bounds.count {
        let value = scope.value(program, axis, bounds, position, values).ok()?;
        values.push(value);
        cases += count(program, scope, values, room)?;
        values.pop();
    }
    Some(cases)
}

/// Cases for a rule, the same on every call: one for each edge of an axis, and samples up to the given number.
pub fn some_cases(program: &Program, scope: &Scope, cases: u32) -> Vec<Vec<Value>> {
    let budget =
        Budget { cases, repeats: 1, calls: u64::MAX, sequences: cases, sequence_calls: u64::MAX, ..Budget::default() };
    let Ok(mut plan) = Plan::new(program, scope, 0, &budget) else { return Vec::new() };
    std::iter::from_fn(|| plan.next_case()).flatten().map(|case| case.values).collect()
}

/// The number of draws, and the number of draws that `where` discards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Discarded {
    pub discarded: u32,
    pub drawn: u32,
}

impl Discarded {
    /// Draws cases, the same on every call.
    ///
    /// # Errors
    /// Fails if a domain is empty or the condition cannot be evaluated.
    pub fn measure(program: &Program, scope: &Scope, draws: u32) -> Result<Discarded, CaseError> {
        let mut runner = runner(0);
        let mut discarded = 0;
        for _ in 0..draws {
            let values = CaseTree::draw(program, scope, &mut runner, None)?.values(program, scope)?;
            discarded += u32::from(!scope.accepts(program, &values)?);
        }
        Ok(Discarded { discarded, drawn: draws })
    }

    /// True if the discarded share is larger than the language allows.
    pub fn too_many(self) -> bool {
        self.discarded * 2 > self.drawn
    }

    /// The discarded share in percent.
    pub fn percent(self) -> u32 {
        let (discarded, drawn) = (u64::from(self.discarded), u64::from(self.drawn.max(1)));
        ((discarded * 100 + drawn / 2) / drawn) as u32
    }
}
