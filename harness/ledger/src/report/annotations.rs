//! Annotations: results that a CI system shows on the page of a job, as GitHub's workflow commands.

use std::fmt::Write;

use super::conclusion::conclusion;
use super::place::{Place, place_of};
use super::text::{elide, one_line};
use crate::causes::{Cause, causes};
use crate::names::verdict_text;
use messages::message;
use record::{Recorded, RuleResult, Verdict};

/// The largest number of annotations of one severity. GitHub drops the others in a step.
const MOST: usize = 10;
/// The largest number of further rules that an annotation names.
const OTHERS: usize = 5;
/// The longest line of a text, in characters.
const LINE: usize = 500;
/// The longest title, in characters.
const TITLE: usize = 200;

/// The severity of an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The device broke a promise, or the run failed.
    Error,
    /// There is no answer.
    Warning,
}

/// Text for the page of a job, with a place in the catalog if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    pub severity: Severity,
    /// The file, relative to the root of the repository that contains the catalog; empty for none.
    pub file: String,
    /// Line and column, counted from 1; `None` for the entire file.
    pub at: Option<(u32, u32)>,
    pub title: String,
    /// The text; several lines are allowed.
    pub text: String,
}

impl Annotation {
    /// An annotation without a place.
    fn plain(severity: Severity, text: String) -> Annotation {
        Annotation { severity, file: String::new(), at: None, title: "Atlas CTS".to_owned(), text }
    }

    /// The annotation for a rule's result.
    fn of(severity: Severity, result: &RuleResult, run: &Recorded) -> Annotation {
        let failure = result.failure.as_deref();
        let Place { file, line, column } = place_of(result, &run.header);
        let seen = failure.map_or("", |failure| &failure.message);
        let seen = if result.reason.trim().is_empty() { seen } else { &result.reason };
        let mut lines = vec![elide(&result.title, LINE), elide(seen, LINE)];
        // A shortened command would be a different command.
        let replay = failure.map(|failure| one_line(&failure.replay)).filter(|replay| replay.len() <= LINE);
        lines.extend(replay.filter(|replay| !replay.is_empty()));
        lines.retain(|line| !line.is_empty());
        Annotation {
            severity,
            file,
            at: line.zip(column),
            title: format!("{}: {}", one_line(&result.id), verdict_text(result.verdict)),
            text: lines.join("\n"),
        }
    }
}

/// The annotations for a run: an error for each [cause](crate::causes) of broken rules, at the rule to read first, and a
/// warning for each rule without an answer that changes the exit status. Known failures have none. If more of a severity
/// exist than GitHub shows, the last one counts the rules of the others. A run that failed for another reason has one
/// annotation with its conclusion.
pub fn annotations(run: &Recorded) -> Vec<Annotation> {
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref());
    let strict = run.header.settings.strict;
    let counts = |result: &&RuleResult| !expected.is_some_and(|expected| expected.excuses(&result.id));
    let causes = causes(run.results.iter().filter(counts));
    let broken = causes.iter().map(|cause| (of_cause(cause, run), cause.len())).collect();
    let hides = |result: &&RuleResult| result.hides(strict);
    let mut unknown: Vec<&RuleResult> = run.results.iter().filter(counts).filter(hides).collect();
    // A blocked rule only says that another one is broken, so it comes last.
    unknown.sort_by_key(|result| (result.verdict == Verdict::Blocked, &result.id));
    let unknown = unknown.iter().map(|result| (Annotation::of(Severity::Warning, result, run), 1)).collect();
    let mut all = bounded(broken);
    all.extend(bounded(unknown));
    let failed = run.end.as_ref().is_none_or(|end| end.exit != 0);
    if all.is_empty() && failed {
        let conclusion = conclusion(&run.header, &run.results, run.end.as_ref());
        all.push(Annotation::plain(Severity::Error, one_line(&conclusion.text)));
    }
    all
}

/// The annotation for the broken rules with one cause.
fn of_cause(cause: &Cause<'_>, run: &Recorded) -> Annotation {
    let mut annotation = Annotation::of(Severity::Error, cause.first, run);
    if cause.others.is_empty() {
        return annotation;
    }
    let others = cause.others.len();
    annotation.title = message!("annotation-alike", title = annotation.title.as_str(), count = others);
    let ids: Vec<&str> = cause.others.iter().take(OTHERS).map(|result| result.id.as_str()).collect();
    let more = if others > OTHERS { ", …" } else { "" };
    let lines = [Some(cause.title()), cause.lead(), Some(format!("{}{more}", ids.join(", ")))];
    for line in lines.into_iter().flatten() {
        annotation.text.push_str(&format!("\n{}", elide(&line, LINE)));
    }
    annotation
}

/// The first annotations of one severity, each with the number of its rules. If some are left out, the last annotation
/// counts their rules.
fn bounded(mut annotations: Vec<(Annotation, usize)>) -> Vec<Annotation> {
    let left_out = if annotations.len() > MOST { annotations.split_off(MOST - 1) } else { Vec::new() };
    let rules: usize = left_out.iter().map(|(_, rules)| rules).sum();
    let last = left_out.first().map(|(annotation, _)| {
        let text = match annotation.severity {
            Severity::Error => message!("annotation-more-broken", count = rules),
            Severity::Warning => message!("annotation-more-unknown", count = rules),
        };
        Annotation::plain(annotation.severity, text)
    });
    annotations.into_iter().map(|(annotation, _)| annotation).chain(last).collect()
}

/// Annotations as GitHub's workflow commands, one line each. Text from journals cannot end a command or begin another.
pub fn workflow_commands(annotations: &[Annotation]) -> String {
    let mut text = String::new();
    for Annotation { severity, file, at, title, text: body } in annotations {
        let command = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let mut properties = Vec::new();
        if !file.is_empty() {
            properties.push(format!("file={}", property(&one_line(file))));
            properties.extend(at.map(|(line, column)| format!("line={line},col={column}")));
        }
        properties.push(format!("title={}", property(&elide(title, TITLE))));
        let body: Vec<String> = body.split('\n').map(one_line).collect();
        let _ = writeln!(text, "::{command} {}::{}", properties.join(","), data(&body.join("\n")));
    }
    text
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
