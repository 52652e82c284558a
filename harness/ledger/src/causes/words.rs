//! Causes and differences in words.

use std::collections::BTreeMap;

use messages::{bracketed, comma, message};
use record::{Boundary, Content, Difference, FailingValues, RuleResult, Shape, Symptom, Untried, Verdict};

use super::{Cause, Likeness};
use crate::names::verdict_text;

/// A difference in words, for example `the last 31 of 65567 bytes: never written`.
pub fn difference_text(difference: &Difference) -> String {
    let Difference { shape, content, length, count, first, .. } = *difference;
    let place = match shape {
        Shape::All => message!("bytes-all", count = length),
        Shape::OneByte => message!("bytes-one-byte", first = first, length = length),
        Shape::Head => message!("bytes-head", count = count, length = length),
        Shape::Tail => message!("bytes-tail", count = count, length = length),
        Shape::Block => message!("bytes-block", count = count, first = first, length = length),
        Shape::EveryNth => {
            message!("bytes-every-nth", count = count, step = difference.step.unwrap_or(0), length = length)
        }
        Shape::Scattered => message!("bytes-scattered", count = count, length = length),
    };
    let content = content_text(content, difference.shift);
    format!("{place}: {content}")
}

/// A content in words. The distance of shifted content is left out if it is unknown.
fn content_text(content: Content, shift: Option<i64>) -> String {
    match (content, shift) {
        (Content::NeverWritten, _) => message!("content-never-written").to_owned(),
        (Content::Zero, _) => message!("content-zero").to_owned(),
        (Content::OtherPattern, _) => message!("content-other-pattern").to_owned(),
        (Content::Shifted, None) => message!("content-shifted").to_owned(),
        (Content::Shifted, Some(shift)) if shift < 0 => message!("content-early", count = shift.unsigned_abs()),
        (Content::Shifted, Some(shift)) => message!("content-late", count = shift.unsigned_abs()),
        (Content::Constant, _) => message!("content-constant").to_owned(),
        (Content::Unknown, _) => message!("content-unknown").to_owned(),
    }
}

/// The boundaries of a failure in words, one line each. Axes whose value does not matter share the last line.
pub fn boundary_lines(boundary: &[Boundary]) -> Vec<String> {
    let (any, bound): (Vec<&Boundary>, Vec<&Boundary>) =
        boundary.iter().partition(|boundary| boundary.fails == FailingValues::Any && !boundary.cut);
    let line = |boundary: &&Boundary| {
        let fails = match &boundary.fails {
            FailingValues::Only(_) | FailingValues::Irregular(_) => format!("{} = {}", boundary.axis, boundary.fails),
            FailingValues::Any | FailingValues::Range { .. } => format!("{} {}", boundary.axis, boundary.fails),
        };
        let passes = boundary.passes.as_ref().map(|value| message!("boundary-passes", value = value.as_str()));
        let cut = boundary.cut.then(|| message!("boundary-cut", count = boundary.tried));
        let untried = boundary.untried.as_ref().map(untried_text);
        [Some(fails), passes, cut, untried].into_iter().flatten().collect::<Vec<_>>().join("; ")
    };
    let mut lines: Vec<String> = bound.iter().map(line).collect();
    if !any.is_empty() {
        let axis =
            |boundary: &&Boundary| message!("boundary-any-axis", axis = boundary.axis.as_str(), count = boundary.tried);
        let axes: Vec<String> = any.iter().map(axis).collect();
        lines.push(message!("boundary-any", axes = axes.join(comma())));
    }
    lines
}

/// The values that could not be tried, in words.
fn untried_text(untried: &Untried) -> String {
    let (values, axes) = (untried.values.join(comma()), untried.with.join(comma()));
    match untried.with.is_empty() {
        true => message!("boundary-untried", values = values),
        false => message!("boundary-untried-with", values = values, axes = axes),
    }
}

impl<'a> Cause<'a> {
    /// The common feature in words, for example `the last bytes (1 to 31) never written`.
    pub fn title(&self) -> String {
        match &self.likeness {
            Likeness::Bytes { shape, .. } => self.bytes(*shape),
            Likeness::Answer { function, .. } => {
                let code = Symptom::of(self.first).code.map(|code| code.to_string()).unwrap_or_default();
                message!("cause-answer", function = function.as_str(), code = code)
            }
            Likeness::Lost { verdict: Verdict::Timeout, function } => {
                message!("cause-hang", function = function.as_str())
            }
            Likeness::Lost { function, .. } => message!("cause-crash", function = function.as_str()),
            Likeness::Value { function } => message!("cause-value", function = function.as_str()),
            Likeness::Verdict(verdict) => verdict_text(*verdict).to_owned(),
        }
    }

    /// The call to which the failures lead, with their share; `None` if the title names the call.
    pub fn lead(&self) -> Option<String> {
        let (call, number) = self.call.as_ref().filter(|_| matches!(self.likeness, Likeness::Bytes { .. }))?;
        Some(message!("cause-after", call = call.to_string(), some = *number, all = self.len()))
    }

    /// The title, the lead and the advice.
    pub fn sentence(&self) -> String {
        [Some(self.title()), self.lead(), Some(self.advice())].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// The rule to read first, with the reason.
    pub fn advice(&self) -> String {
        let rule = self.first.id.as_str();
        match &self.call {
            Some((call, _)) if self.owner => {
                message!("cause-first-owner", rule = rule, function = call.function.as_str())
            }
            _ if self.others.is_empty() => rule.to_owned(),
            _ => message!("cause-first-smallest", rule = rule),
        }
    }

    fn bytes(&self, shape: Shape) -> String {
        let place = match shape {
            Shape::All => message!("group-all"),
            Shape::OneByte => message!("group-one-byte"),
            Shape::Head => message!("group-head"),
            Shape::Tail => message!("group-tail"),
            Shape::Block => message!("group-block"),
            Shape::EveryNth => message!("group-every-nth"),
            Shape::Scattered => message!("group-scattered"),
        };
        let differences = || self.results().filter_map(|result| result.failure.as_ref()?.difference);
        let mut contents: BTreeMap<Content, usize> = BTreeMap::new();
        differences().for_each(|difference| *contents.entry(difference.content).or_default() += 1);
        let content = contents.into_iter().max_by_key(|(_, number)| *number);
        let content = content.map_or(String::new(), |(content, _)| content_text(content, None));
        let counts = || differences().map(|difference| difference.count);
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        let sizes = match least == most {
            true => message!("count-bytes", count = most),
            false => message!("group-bytes", least = least, most = most),
        };
        if shape == Shape::All && least == most {
            return format!("{}: {content}", message!("group-all-alike", count = most));
        }
        format!("{place}{}: {content}", bracketed(&sizes))
    }

    /// All rules of the cause, the first one first.
    pub fn results(&self) -> impl Iterator<Item = &'a RuleResult> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}
