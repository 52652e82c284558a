//! Causes: groups of failures that look alike and lead to the same call. One broken function makes many rules fail; a
//! reader needs one of them.
//!
//! - [`causes`] groups broken results, the largest group first; [`findings`] those that break nothing.
//! - [`Cause::first`] is the rule to read in a group, and [`rule_to_read`] the one in a run, wherever it is named.
//! - [`Likeness`] is the feature by which results are grouped. It reads only the result, so a report can name a failure
//!   as one more of a group while the run continues.

mod calls;
mod likeness;
mod words;

use std::collections::BTreeMap;

use record::{Meaning, RuleResult, RunEnd, RunHeader, Verdict};

pub use calls::Called;
pub use likeness::Likeness;
pub use words::{boundary_lines, difference_text};

use calls::before_failure;

/// Failures with one feature.
#[derive(Debug, Clone)]
pub struct Cause<'a> {
    /// The feature of the largest part.
    pub likeness: Likeness,
    /// The call to which most of the failures lead, and their number; `None` if no failure recorded a call.
    pub call: Option<(Called, usize)>,
    /// The rule to read first: the broken owner of the call or else the failure with the fewest calls.
    pub first: &'a RuleResult,
    /// True if `first` owns the function of `call`.
    pub owner: bool,
    /// The other rules, by id.
    pub others: Vec<&'a RuleResult>,
}

impl Cause<'_> {
    /// The number of rules.
    pub fn len(&self) -> usize {
        1 + self.others.len()
    }

    /// Always false: a cause has at least one rule.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// The results that count: all except known failures.
pub fn counting<'a>(results: &'a [RuleResult], end: Option<&RunEnd>) -> Vec<&'a RuleResult> {
    let expected = end.and_then(|end| end.expectations.as_ref());
    results.iter().filter(|result| !expected.is_some_and(|expected| expected.excuses(&result.id))).collect()
}

/// The rule of a run to read first: the first rule of the largest cause. If no rule is broken, it is that of the findings
/// if they count, or else the first rule without an answer that is not blocked by another.
pub fn rule_to_read<'a>(header: &RunHeader, results: &'a [RuleResult], end: Option<&RunEnd>) -> Option<&'a RuleResult> {
    let strict = header.settings.strict;
    let counting = counting(results, end);
    let first = |causes: Vec<Cause<'a>>| causes.first().map(|cause| cause.first);
    let found = || first(findings(counting.iter().copied())).filter(|_| strict);
    let unknown = counting.iter().copied().filter(|result| result.hides(strict));
    let unknown = || unknown.min_by_key(|result| (result.verdict == Verdict::Blocked, &result.id));
    first(causes(counting.iter().copied())).or_else(found).or_else(unknown)
}

/// The causes of the broken results, largest first.
pub fn causes<'a>(results: impl IntoIterator<Item = &'a RuleResult>) -> Vec<Cause<'a>> {
    group(results, Meaning::Broken)
}

/// The groups of the findings, largest first.
pub fn findings<'a>(results: impl IntoIterator<Item = &'a RuleResult>) -> Vec<Cause<'a>> {
    group(results, Meaning::Finding)
}

fn group<'a>(results: impl IntoIterator<Item = &'a RuleResult>, meaning: Meaning) -> Vec<Cause<'a>> {
    let mut groups: BTreeMap<Likeness, Vec<&RuleResult>> = BTreeMap::new();
    for result in results.into_iter().filter(|result| result.meaning() == meaning) {
        groups.entry(Likeness::of(result)).or_default().push(result);
    }
    let groups = absorb(groups.into_iter().collect());
    let mut causes: Vec<Cause<'_>> = groups.into_iter().map(|(likeness, results)| cause(likeness, results)).collect();
    causes.sort_by(|a, b| (b.len(), &a.first.id).cmp(&(a.len(), &b.first.id)));
    causes
}

/// A group is part of another one that is at least this many times as large, if each of its failures made the other
/// group's call.
const STRAGGLERS: usize = 10;

/// Adds the stragglers of a large group to it. If a basic function is broken, a few rules notice it in their own way. A
/// group with a code is never a straggler: the code names its function.
fn absorb(mut groups: Vec<(Likeness, Vec<&RuleResult>)>) -> Vec<(Likeness, Vec<&RuleResult>)> {
    groups.sort_by_key(|(_, results)| results.len());
    let Some((likeness, largest)) = groups.last() else { return groups };
    let Some((call, _)) = suspect(likeness, largest) else { return groups };
    let most = largest.len() / STRAGGLERS;
    let called = |result: &RuleResult| before_failure(result).contains(&call);
    let part = |(likeness, results): &mut (Likeness, Vec<&RuleResult>)| {
        let weak = matches!(likeness, Likeness::Bytes { .. } | Likeness::Value { .. });
        weak && results.len() <= most && results.iter().all(|result| called(result))
    };
    let stragglers: Vec<_> = groups.extract_if(.., part).flat_map(|(_, results)| results).collect();
    if let Some((_, largest)) = groups.last_mut() {
        largest.extend(stragglers);
    }
    groups
}

fn cause(likeness: Likeness, mut results: Vec<&RuleResult>) -> Cause<'_> {
    let call = suspect(&likeness, &results);
    let owns = |result: &RuleResult| {
        let owned = result.failure.as_ref().map_or(&[][..], |failure| failure.owns.as_slice());
        call.as_ref().is_some_and(|(call, _)| owned.contains(&call.function))
    };
    // A failure that cannot be repeated at will is a poor start.
    let rank = |result: &RuleResult| (result.verdict == Verdict::Flaky, !owns(result), before_failure(result).len());
    results.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.id.cmp(&b.id)));
    let first = results.remove(0);
    results.sort_by(|a, b| a.id.cmp(&b.id));
    Cause { owner: owns(first), likeness, call, first, others: results }
}

/// The call to which most of the results lead, and their number: the call of a code, or else the last call before the
/// failed check.
fn suspect(likeness: &Likeness, results: &[&RuleResult]) -> Option<(Called, usize)> {
    if let Likeness::Answer { function, .. } | Likeness::Lost { function, .. } | Likeness::Value { function } = likeness
    {
        return Some((Called { function: function.clone(), names: Vec::new() }, results.len()));
    }
    let mut last: BTreeMap<Called, usize> = BTreeMap::new();
    for call in results.iter().filter_map(|result| before_failure(result).pop()) {
        *last.entry(call).or_default() += 1;
    }
    // Of equally frequent calls, the first by name.
    last.into_iter().rev().max_by_key(|(_, number)| *number)
}

#[cfg(test)]
mod tests;
