//! The steps around a failed statement, for the journal.

use catalog::Rule;
use record::Steps;
use steps::Span;

/// The number of lines kept before the failed statement.
const BEFORE: usize = 9;
/// The number of lines kept after the line in which the failed statement begins.
const AFTER: usize = 3;

/// The steps around a statement, with the lines of calls that are given by their offsets in the program's text. `None`
/// for a failure that has no place in the steps.
pub(super) fn steps(rule: &Rule, span: Span, calls: &[Option<usize>]) -> Option<Steps> {
    if span == Span::default() {
        return None;
    }
    let text = &rule.steps();
    let written = rule.program.written(span);
    let line_of = |offset: usize| text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
    let number = |line: usize| u32::try_from(rule.steps_line() + line).unwrap_or_default();
    let failed = line_of(written.start);
    let (first, last) = (failed.saturating_sub(BEFORE), failed + AFTER);
    let ends =
        std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
    let starts: Vec<usize> = ends.collect();
    let start = *starts.get(first)?;
    let end = starts.get(last + 1).copied().unwrap_or(text.len());
    let shown = text.get(start..end)?.trim_end();
    let within = |offset: usize| offset.saturating_sub(start).min(shown.len()) as u32;
    let line_of_call = |place: &Option<usize>| match place {
        Some(offset) => number(line_of(rule.program.written(Span { start: *offset, end: *offset }).start)),
        None => 0,
    };
    Some(Steps {
        first: number(first),
        text: shown.to_owned(),
        start: within(written.start),
        end: within(written.end),
        calls: calls.iter().map(line_of_call).collect(),
    })
}
