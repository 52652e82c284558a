//! A rule's full result, as text.

use super::facts::{self, Content, Fact, facts};
use super::names::verdict_title;
use super::text::{ROOM, Sheet, WIDTH, clean, one_line, wrap};
use catalog::Level;
use messages::{bracketed, message};
use record::{RuleResult, RunHeader};

/// The number of calls shown from the end of the trace.
const CALLS: usize = 30;
/// The number of earlier cases shown from the end of their list.
const CASES: usize = 10;
/// The number of lines shown from the end of the library's output.
const OUTPUT_LINES: usize = 20;

/// Everything known about a rule's result, as a block of text for terminals and reports: the message, the rule, the
/// values, the calls and the command that replays the case.
pub fn failure_text(result: &RuleResult, header: &RunHeader) -> String {
    format!("{}\n{}", title(result), sheet(&facts(result, header)))
}

/// A result's findings, observations and doubts, as notes on a passing rule.
pub(super) fn notes(result: &RuleResult) -> Option<String> {
    Some(sheet(&facts::notes(result))).filter(|text| !text.is_empty())
}

/// The verdict, and the rule's id and title.
fn title(result: &RuleResult) -> String {
    let level = match result.level {
        Level::Must => String::new(),
        Level::Info => bracketed(message!("level-info")),
    };
    let mut text = format!("{}  {}{level}\n", verdict_title(result.verdict), one_line(&result.id));
    for line in wrap(&one_line(&result.title), WIDTH - 2).iter().filter(|line| !line.is_empty()) {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

fn sheet(facts: &[Fact<'_>]) -> String {
    let mut sheet = Sheet::default();
    for Fact { label, content, .. } in facts {
        match content {
            Content::Text(text) => sheet.add(label, text),
            Content::Exact(text) => sheet.add_lines(label, [one_line(text)]),
            Content::List(entries) | Content::Stack(entries) => {
                sheet.add_lines(label, entries.iter().flat_map(|entry| hang(&one_line(entry))))
            }
            Content::Values(values) => sheet.add_lines(label, lines_of_values(values)),
            Content::Calls(calls) => sheet.add_lines(label, trace(calls)),
            Content::Cases(cases) => sheet.add_lines(label, lines_of_cases(cases)),
            Content::Output(output) => sheet.add_lines(label, lines_of_output(output)),
        }
    }
    sheet.0
}

fn lines_of_values(values: &[(String, String)]) -> impl Iterator<Item = String> {
    let width = values.iter().map(|(name, _)| one_line(name).chars().count()).max().unwrap_or(0).min(40);
    values.iter().flat_map(move |(name, value)| {
        let mut lines = wrap(&one_line(value), ROOM - width - 3).into_iter();
        let first = format!("{:<width$} = {}", one_line(name), lines.next().unwrap_or_default());
        let indent = " ".repeat(width + 3);
        std::iter::once(first).chain(lines.map(move |line| format!("{indent}{line}")))
    })
}

/// The trace's last calls, with their numbers in the whole trace.
fn trace(calls: &[String]) -> Vec<String> {
    let hidden = calls.len().saturating_sub(CALLS);
    let width = calls.len().to_string().len();
    let mut lines = Vec::new();
    if hidden > 0 {
        lines.push(message!("omitted-calls", count = hidden));
    }
    for (index, call) in calls.iter().enumerate().skip(hidden) {
        let mut label = format!("{:>width$}  ", index + 1);
        for line in wrap(&one_line(call), ROOM - width - 4) {
            lines.push(format!("{label}{line}"));
            label = " ".repeat(width + 4);
        }
    }
    lines
}

fn lines_of_cases(cases: &[String]) -> impl Iterator<Item = String> {
    let hidden = cases.len().saturating_sub(CASES);
    let note = (hidden > 0).then(|| message!("omitted-cases", count = hidden));
    note.into_iter().chain(cases.iter().skip(hidden).flat_map(|case| hang(&one_line(case))))
}

fn lines_of_output(output: &str) -> impl Iterator<Item = String> {
    let lines: Vec<String> = clean(output).trim_end().split('\n').flat_map(|line| wrap(line, ROOM)).collect();
    let hidden = lines.len().saturating_sub(OUTPUT_LINES);
    let note = (hidden > 0).then(|| message!("omitted-lines", count = hidden));
    note.into_iter().chain(lines.into_iter().skip(hidden))
}

/// Wraps a list entry, and indents all lines except the first.
fn hang(text: &str) -> Vec<String> {
    let mut lines = wrap(text, ROOM - 2);
    lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, "  "));
    lines
}
