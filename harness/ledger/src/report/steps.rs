//! The steps around a failed statement, with the calls next to the lines that made them, in a frame like a compiler's.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use record::text::columns;

use super::layout::{Detail, Layout};
use super::text::{clean, elide, one_line};
use record::Failure;

/// In a short block, the number of lines before the line of the failed statement.
const BEFORE: usize = 5;
/// In a short block, the number of lines after the line of the failed statement.
const AFTER: usize = 1;
/// The number of columns between a line and its calls.
const GAP: usize = 3;

/// The frame, without a line feed at its end. `None` if the journal has no steps for the failure, or has steps that
/// cannot be shown.
pub(super) fn frame(failure: &Failure, layout: Layout) -> Option<String> {
    let steps = failure.steps.as_ref()?;
    let shown = Shown::of(failure, layout)?;
    let numbers = (steps.first as usize + shown.lines.end).to_string().len();
    // The frame has the numbers, a bar and two spaces on its left.
    let room = layout.width.saturating_sub(numbers + 3 + INDENT);
    let (source, mark, below) = shown.with_calls(failure, steps.first as usize, room);
    let mut snippet = Snippet::source(source).line_start(steps.first as usize + shown.lines.start).fold(false);
    snippet = snippet.annotation(AnnotationKind::Primary.span(mark));
    let labels = below.into_iter().map(|(span, calls)| AnnotationKind::Context.span(span).label(calls));
    let group = Group::with_level(Level::ERROR).element(snippet.annotations(labels));
    let renderer = if layout.color { Renderer::styled() } else { Renderer::plain() };
    let drawn = renderer.term_width(layout.width.saturating_sub(INDENT)).render(&[group]);
    // The first line and often the last line are bars without a number.
    let (_, lines) = drawn.trim_end().split_once('\n')?;
    let without_bar = lines.rsplit_once('\n').filter(|(_, last)| is_bar(last, numbers));
    Some(without_bar.map_or(lines, |(before, _)| before).to_owned())
}

/// True for a line of the frame that has neither a number nor text. Codes for colors may surround the bar.
fn is_bar(line: &str, numbers: usize) -> bool {
    line.starts_with(&" ".repeat(numbers)) && line.trim_end_matches("\u{1b}[0m").ends_with('|')
}

/// The number of columns before a frame.
const INDENT: usize = 2;

/// The lines to show, and the failed statement in them.
struct Shown<'a> {
    /// The positions of the lines among the recorded lines.
    lines: Range<usize>,
    texts: Vec<&'a str>,
    /// The line of the failed statement, by its position in `texts`, and the statement's columns in it, in bytes.
    at: usize,
    mark: Range<usize>,
}

/// A text and its place in the frame.
type Placed = (Range<usize>, String);

/// The least room for the calls of a line, in columns.
const SHORTEST: usize = 24;

impl<'a> Shown<'a> {
    fn of(failure: &'a Failure, layout: Layout) -> Option<Shown<'a>> {
        let steps = failure.steps.as_ref()?;
        let text = steps.text.as_str();
        // Places would be wrong in text that has to be changed before it is printed.
        if clean(text) != text {
            return None;
        }
        let statement = steps.start as usize..steps.end as usize;
        text.get(statement.clone()).filter(|statement| !statement.is_empty())?;
        let before = &text[..statement.start];
        let at = before.matches('\n').count();
        let start = statement.start - before.rfind('\n').map_or(0, |end| end + 1);
        let all: Vec<&str> = text.split('\n').collect();
        let lines = match layout.detail {
            Detail::Brief => at.saturating_sub(BEFORE)..(at + AFTER + 1).min(all.len()),
            Detail::Full => 0..all.len(),
        };
        let blank = |line: &&str| line.trim().is_empty();
        let indentation = |line: &&str| line.len() - line.trim_start_matches(' ').len();
        let shared = all[lines.clone()].iter().filter(|line| !blank(line)).map(indentation).min().unwrap_or(0);
        let texts: Vec<&str> = all[lines.clone()].iter().map(|line| line.get(shared..).unwrap_or_default()).collect();
        let at = at - lines.start;
        let line = texts.get(at)?.trim_end();
        // A statement of several lines is marked in its first line.
        let start = start.checked_sub(shared)?;
        let mark = start..(start + statement.len()).min(line.len());
        (!mark.is_empty()).then_some(Shown { lines, texts, at, mark })
    }

    /// The lines with their calls; the place of the failed statement; and calls without room next to their lines, each
    /// with the place in its line to which it belongs.
    fn with_calls(&self, failure: &Failure, first: usize, room: usize) -> (String, Range<usize>, Vec<Placed>) {
        let numbered = self.texts.iter().zip(first + self.lines.start..);
        let calls: Vec<String> = numbered.map(|(line, number)| calls_of(failure, number, line)).collect();
        let fits = |line: &str, calls: &str| columns(line) + GAP + columns(calls) <= room;
        let fitting = self.texts.iter().zip(&calls).filter(|(line, calls)| !calls.is_empty() && fits(line, calls));
        let column = fitting.map(|(line, _)| columns(line)).max().unwrap_or(0);
        let (mut source, mut below, mut mark) = (String::new(), Vec::new(), 0..0);
        for (position, (line, calls)) in self.texts.iter().zip(&calls).enumerate() {
            let start = source.len();
            if position == self.at {
                mark = start + self.mark.start..start + self.mark.end;
            }
            source += line;
            if calls.is_empty() {
            } else if fits(line, calls) {
                let gap = (column.saturating_sub(columns(line)) + GAP).min(room - columns(line) - columns(calls));
                source.extend(std::iter::repeat_n(' ', gap));
                source += calls;
            } else {
                let indentation = line.len() - line.trim_start().len();
                let word = line.find('(').filter(|end| *end > indentation).unwrap_or(line.len());
                let calls = elide(calls, room.saturating_sub(word + 1).max(SHORTEST));
                below.push((start + indentation..start + word, calls));
            }
            source.push('\n');
        }
        (source, mark, below)
    }
}

/// The calls that a line made, for example `3  toy_copy(…) -> success`, or `3  -> success` if the line names the
/// function. Of many different calls, the last are kept.
fn calls_of(failure: &Failure, number: usize, line: &str) -> String {
    const MOST: usize = 3;
    let lines = failure.steps.iter().flat_map(|steps| &steps.calls);
    let calls = lines.zip(&failure.trace).enumerate().filter(|(_, (at, _))| **at as usize == number);
    // Equal calls of a loop are shown once, with their numbers.
    let mut groups: Vec<(Vec<usize>, String)> = Vec::new();
    for (index, (_, call)) in calls {
        let (number, short) = (index + 1, short(call, line));
        match groups.last_mut() {
            Some((numbers, known)) if *known == short => numbers.push(number),
            _ => groups.push((vec![number], short)),
        }
    }
    let hidden = groups.len().saturating_sub(MOST);
    let shown = groups.iter().skip(hidden).map(|(numbers, call)| match numbers[..] {
        [first, .., last] if numbers.len() > 2 => format!("{first} … {last}  {call}"),
        [first, last] => format!("{first}, {last}  {call}"),
        _ => format!("{}  {call}", numbers[0]),
    });
    let earlier = (hidden > 0).then(|| "…".to_owned());
    earlier.into_iter().chain(shown).collect::<Vec<_>>().join("; ")
}

/// A recorded call without its arguments, and without the function's name if the line has it.
fn short(call: &str, line: &str) -> String {
    let call = one_line(call);
    let parts = call.split_once('(').and_then(|(name, rest)| Some((name, rest.rsplit_once(") = ")?)));
    match parts {
        Some((name, (_, result))) if line.contains(&format!("{name}(")) => format!("-> {result}"),
        Some((name, (arguments, result))) => {
            let arguments = if arguments.is_empty() { "" } else { "…" };
            format!("{name}({arguments}) -> {result}")
        }
        None => elide(&call, 40),
    }
}

/// The last call that the steps made, with its number in the trace and its arguments.
pub(super) fn last_call(failure: &Failure) -> Option<String> {
    let mut calls = failure.steps.as_ref()?.calls.iter().zip(&failure.trace).enumerate();
    let (index, (_, call)) = calls.rfind(|(_, (line, _))| **line > 0)?;
    Some(format!("{}  {call}", index + 1))
}

/// True if the frame shows the failed statement as the journal words it: not inside a set-up, and without named codes.
pub(super) fn shows_statement(failure: &Failure) -> bool {
    if Shown::of(failure, Layout::FILE).is_none() {
        return false;
    }
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let marked = failure.steps.as_ref().and_then(|steps| steps.text.get(steps.start as usize..steps.end as usize));
    marked.is_some_and(|marked| words(marked) == words(&failure.statement))
}
