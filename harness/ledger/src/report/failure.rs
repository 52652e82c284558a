//! A rule's full result, as text.

use super::actors;
use super::facts::{self, Content, Fact, facts};
use super::layout::Layout;
use super::steps::frame;
use super::text::{Paint, Sheet, clean, columns, one_line, pad, wrap};
use crate::names::verdict_title;
use catalog::Level;
use messages::{bracketed, message};
use record::{RuleResult, RunHeader};

/// The number of calls shown from the end of the trace.
const CALLS: usize = 30;
/// The number of earlier cases shown from the end of their list.
const CASES: usize = 10;
/// The number of lines shown from the end of the library's output.
const OUTPUT_LINES: usize = 20;

/// A rule's result, as a block of text: the message, the failed statement with its calls, the values, the promise and
/// the command that replays the case; in full detail, everything known about it.
pub fn failure_text(result: &RuleResult, header: &RunHeader, layout: Layout) -> String {
    let facts = facts(result, header, layout.detail);
    format!("{}\n{}", title(result, layout), sheet(&facts, layout))
}

/// A result's findings, observations and doubts, as notes on a passing rule.
pub(super) fn notes(result: &RuleResult) -> Option<String> {
    Some(sheet(&facts::notes(result), Layout::FILE)).filter(|text| !text.is_empty())
}

/// The verdict, and the rule's id and title.
fn title(result: &RuleResult, layout: Layout) -> String {
    let level = match result.level {
        Level::Must => String::new(),
        Level::Info => bracketed(message!("level-info")),
    };
    let paint = Paint(layout);
    let verdict = paint.verdict(result.meaning(), &verdict_title(result.verdict));
    let once = if result.unconfirmed() { bracketed(message!("unconfirmed")) } else { String::new() };
    let mut text = format!("{verdict}{once}  {}{level}\n", paint.bold(&one_line(&result.id)));
    for line in wrap(&one_line(&result.title), layout.width - 2).iter().filter(|line| !line.is_empty()) {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

fn sheet(facts: &[Fact<'_>], layout: Layout) -> String {
    let mut sheet = Sheet::new(layout.width);
    let room = sheet.room;
    for Fact { label, content, .. } in facts {
        match content {
            Content::Text(text) => sheet.add(label, text),
            Content::Exact(text) => sheet.add_lines(label, [one_line(text)]),
            Content::List(entries) | Content::Stack(entries) => {
                sheet.add_lines(label, entries.iter().flat_map(|entry| hang(&one_line(entry), room)));
            }
            Content::Values(values) => sheet.add_lines(label, lines_of_values(values, room)),
            Content::Steps(failure) => sheet.add_block(&frame(failure, layout).unwrap_or_default()),
            Content::Calls(calls) => sheet.add_lines(label, trace(calls, room)),
            Content::Cases(cases) => sheet.add_lines(label, lines_of_cases(cases, room)),
            Content::Output(output) => sheet.add_lines(label, lines_of_output(output, room)),
            Content::History(picture) => sheet.add_lines(label, actors::lines(picture, room)),
        }
    }
    sheet.text
}

fn lines_of_values(values: &[(String, String)], room: usize) -> impl Iterator<Item = String> {
    let width = values.iter().map(|(name, _)| columns(&one_line(name))).max().unwrap_or(0).min(40);
    values.iter().flat_map(move |(name, value)| {
        let mut lines = wrap(&one_line(value), room - width - 3).into_iter();
        let first = format!("{} = {}", pad(&one_line(name), width), lines.next().unwrap_or_default());
        let indent = " ".repeat(width + 3);
        std::iter::once(first).chain(lines.map(move |line| format!("{indent}{line}")))
    })
}

/// The trace's last calls, with their numbers in the whole trace.
fn trace(calls: &[String], room: usize) -> Vec<String> {
    let hidden = calls.len().saturating_sub(CALLS);
    let width = calls.len().to_string().len();
    let mut lines = Vec::new();
    if hidden > 0 {
        lines.push(message!("omitted-calls", count = hidden));
    }
    for (index, call) in calls.iter().enumerate().skip(hidden) {
        let mut label = format!("{:>width$}  ", index + 1);
        for line in wrap(&one_line(call), room - width - 4) {
            lines.push(format!("{label}{line}"));
            label = " ".repeat(width + 4);
        }
    }
    lines
}

fn lines_of_cases(cases: &[String], room: usize) -> impl Iterator<Item = String> {
    let hidden = cases.len().saturating_sub(CASES);
    let note = (hidden > 0).then(|| message!("omitted-cases", count = hidden));
    note.into_iter().chain(cases.iter().skip(hidden).flat_map(move |case| hang(&one_line(case), room)))
}

fn lines_of_output(output: &str, room: usize) -> impl Iterator<Item = String> {
    let lines: Vec<String> = clean(output).trim_end().split('\n').flat_map(|line| wrap(line, room)).collect();
    let hidden = lines.len().saturating_sub(OUTPUT_LINES);
    let note = (hidden > 0).then(|| message!("omitted-lines", count = hidden));
    note.into_iter().chain(lines.into_iter().skip(hidden))
}

/// Wraps a list entry, and indents all lines except the first.
fn hang(text: &str, room: usize) -> Vec<String> {
    let mut lines = wrap(text, room - 2);
    lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, "  "));
    lines
}
