//! Everything known about a rule's result, as labeled facts. Text reports and pages differ only in the layout of the
//! facts.

use std::collections::BTreeMap;

use messages::{comma, message};
use record::{
    Conclusion, Confirmation, Failure, LogFile, Picture, Rounds, RuleLogs, RuleResult, RunHeader, Stack, Verdict,
    on_which,
};

use super::layout::Detail;
use super::steps;
use super::target::library_line;
use super::text::{duration, one_line};
use crate::causes::{boundary_lines, difference_text};
use crate::names::verdict_text;

/// A fact and its label.
pub(super) struct Fact<'a> {
    pub label: &'static str,
    pub role: Role,
    pub content: Content<'a>,
}

/// The facts that a page treats in a special way. Labels depend on the language, so they identify nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Reason,
    Library,
    Documents,
    Replay,
    Other,
}

/// The content of a fact. The text is raw; the code that prints the text also cleans it.
pub(super) enum Content<'a> {
    /// Prose.
    Text(String),
    /// A list of entries.
    List(Vec<String>),
    /// Text for copying, which is never broken into lines.
    Exact(String),
    /// Names and values.
    Values(&'a [(String, String)]),
    /// The steps around the failed statement, with their calls.
    Steps(&'a Failure),
    /// Calls in order; the last calls matter most.
    Calls(&'a [String]),
    /// Earlier cases in order; the last cases matter most.
    Cases(Vec<String>),
    /// Lines of output; the last lines matter most.
    Output(&'a str),
    /// The lines of a stack.
    Stack(Vec<String>),
    /// Calls of several actors for which no order is allowed.
    History(&'a Picture),
}

/// All nonempty facts, in reading order. Without details, facts that a reader of the failure rarely needs are omitted.
pub(super) fn facts<'a>(result: &'a RuleResult, header: &'a RunHeader, detail: Detail) -> Vec<Fact<'a>> {
    let brief = detail == Detail::Brief && result.failure.as_ref().is_some_and(|failure| failure.steps.is_some());
    let detail = if brief { Detail::Brief } else { Detail::Full };
    let failure = result.failure.as_deref();
    let mut facts = Facts::default();
    match failure {
        Some(failure) => {
            facts.text(message!("label-seen"), &failure.message);
            let difference = failure.difference.as_ref().map(difference_text);
            facts.text(message!("label-difference"), &difference.unwrap_or_default());
            // If there is a confirmation, the reason repeats the message and the conclusion. The exception is a blocked
            // rule, whose reason names the owner of the function that failed.
            let repeats = failure.confirmation.is_some() && result.verdict != Verdict::Blocked;
            if !repeats && one_line(&failure.message) != one_line(&result.reason) {
                facts.reason(&result.reason);
            }
            describe(&mut facts, result, failure, header, detail);
        }
        None => facts.reason(&result.reason),
    }
    remarks(&mut facts, result, detail);
    let work = message!(
        "work",
        cases = message!("count-cases", count = result.cases),
        checks = message!("count-checks", count = result.checks),
        time = duration(result.nanoseconds),
        seed = result.seed.to_string()
    );
    if detail == Detail::Full {
        facts.text(message!("label-work"), &work);
        facts.add_as(Role::Library, message!("label-library"), Content::Text(library_line(header)));
    }
    if let Some(failure) = failure {
        facts.add(message!("label-output"), Content::Output(&failure.output));
        facts.add(message!("label-last-error"), Content::Output(&failure.recent_error));
        facts.add_as(Role::Replay, message!("label-replay"), Content::Exact(failure.replay.clone()));
    }
    let kept = result.logs.as_ref().filter(|logs| detail == Detail::Full || !logs.files.is_empty());
    facts.add(message!("label-logs"), Content::Exact(kept.map(logs).unwrap_or_default()));
    facts.0
}

/// A result's findings, observations and doubts, as notes on a passing rule; may be empty.
pub(super) fn notes(result: &RuleResult) -> Vec<Fact<'_>> {
    let mut facts = Facts::default();
    let explanation = match result.verdict {
        Verdict::Exceeds => Some(message!("verdict-exceeds")),
        Verdict::Observed => Some(message!("verdict-observed")),
        _ => None,
    };
    if let Some(explanation) = explanation {
        facts.text(verdict_text(result.verdict), explanation);
        facts.reason(&result.reason);
    }
    remarks(&mut facts, result, Detail::Full);
    facts.0
}

#[derive(Default)]
struct Facts<'a>(Vec<Fact<'a>>);

impl<'a> Facts<'a> {
    fn text(&mut self, label: &'static str, text: &str) {
        self.add(label, Content::Text(text.to_owned()));
    }

    fn list(&mut self, label: &'static str, entries: impl IntoIterator<Item = String>) {
        self.add(label, Content::List(entries.into_iter().collect()));
    }

    fn reason(&mut self, reason: &str) {
        self.add_as(Role::Reason, message!("label-reason"), Content::Text(reason.to_owned()));
    }

    fn add(&mut self, label: &'static str, content: Content<'a>) {
        self.add_as(Role::Other, label, content);
    }

    /// Adds a fact, unless it is empty.
    fn add_as(&mut self, role: Role, label: &'static str, content: Content<'a>) {
        let empty = match &content {
            Content::Text(text) | Content::Exact(text) => text.trim().is_empty(),
            Content::Output(text) => text.trim().is_empty(),
            Content::List(entries) | Content::Cases(entries) | Content::Stack(entries) => entries.is_empty(),
            Content::Values(values) => values.is_empty(),
            Content::Calls(calls) => calls.is_empty(),
            Content::Steps(failure) => failure.steps.is_none(),
            Content::History(picture) => picture.bars.is_empty(),
        };
        if !empty {
            self.0.push(Fact { label, role, content });
        }
    }
}

fn describe<'a>(
    facts: &mut Facts<'a>,
    result: &RuleResult,
    failure: &'a Failure,
    header: &'a RunHeader,
    detail: Detail,
) {
    let brief = detail == Detail::Brief;
    if !steps::shows_statement(failure) {
        facts.text(message!("label-statement"), &failure.statement);
    }
    facts.add(message!("label-place"), Content::Exact(failure.place.clone()));
    facts.add(message!("label-steps"), Content::Steps(failure));
    if let Some(picture) = &failure.history {
        facts.add(message!("label-history"), Content::History(picture));
    }
    let devices = if result.devices.is_empty() { &failure.devices } else { &result.devices };
    let label = if devices.len() == 1 { message!("label-device") } else { message!("label-devices") };
    facts.text(label, &devices.join(comma()));
    facts.text(message!("label-by-device"), &on_which(&result.each).unwrap_or_default());
    match brief {
        true => facts.text(message!("label-values"), &on_one_line(&failure.values)),
        false => facts.add(message!("label-values"), Content::Values(&failure.values)),
    }
    facts.list(message!("label-boundary"), boundary_lines(&failure.boundary));
    if failure.case > 0 {
        let found = match failure.shrinks {
            0 => message!("case-found", case = failure.case),
            times => message!("case-shrunk", case = failure.case, count = times),
        };
        let found = if failure.cut { message!("case-shrinking-cut", found = found) } else { found };
        facts.text(message!("label-case"), &found);
    }
    if let Some(confirmation) = &failure.confirmation {
        confirm(facts, confirmation);
    }
    facts.text(message!("label-rounds"), &result.rounds.as_ref().map(Rounds::clause).unwrap_or_default());
    facts.add(message!("label-stack"), Content::Stack(failure.stack.as_deref().map(stack).unwrap_or_default()));
    if brief {
        facts.list(message!("label-last-call"), steps::last_call(failure));
        promised(facts, failure);
        return;
    }
    facts.add(message!("label-calls"), Content::Calls(&failure.trace));
    facts.text(message!("label-rule"), &failure.rule_statement);
    facts.list(message!("label-promised"), failure.clauses.iter().cloned());
    let documents = cited(header, std::iter::once(failure));
    facts.add_as(Role::Documents, message!("label-documents"), Content::List(documents));
    if failure.clauses.is_empty() {
        facts.list(message!("label-sources"), failure.sources.iter().cloned());
    }
}

/// Adds the first clause that the statement rests on, and the names of the others.
fn promised(facts: &mut Facts<'_>, failure: &Failure) {
    let (first, others) = match failure.clauses.split_first() {
        Some((first, others)) => (first, others),
        None => return facts.list(message!("label-sources"), failure.sources.iter().cloned()),
    };
    let names: Vec<&str> = others.iter().map(|clause| clause.split(": ").next().unwrap_or(clause)).collect();
    let others = (!names.is_empty()).then(|| message!("also-rests-on", clauses = names.join(comma())));
    facts.list(message!("label-promised"), std::iter::once(first.clone()).chain(others));
}

/// The titles of the documents that the clauses of failures cite by their ids.
pub(super) fn cited<'a>(header: &RunHeader, failures: impl Iterator<Item = &'a Failure>) -> Vec<String> {
    let clauses: Vec<&String> = failures.flat_map(|failure| &failure.clauses).collect();
    let cites = |id: &str| clauses.iter().any(|clause| clause.contains(&format!("([{id}] ")));
    let cited = header.documents.iter().filter(|(id, _)| cites(id));
    cited.map(|(id, title)| format!("[{id}] {title}")).collect()
}

/// Names and values as one text.
fn on_one_line(values: &[(String, String)]) -> String {
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// Adds the results of rerunning the case.
fn confirm(facts: &mut Facts<'_>, confirmation: &Confirmation) {
    let clause = confirmation.clause();
    let found = match confirmation.conclusion {
        Conclusion::Flaky => message!("again-flaky", clause = clause, verdict = verdict_text(confirmation.found)),
        Conclusion::After if confirmation.alone.runs > 0 => {
            message!("again-after-others", clause = clause, repeats = confirmation.alone.to_string())
        }
        _ => clause,
    };
    let remark = if confirmation.remark.is_empty() { String::new() } else { format!(" ({})", confirmation.remark) };
    facts.text(message!("label-run-again"), &format!("{found}{remark}"));
    let case = |values: &Vec<(String, String)>| {
        if values.is_empty() { message!("case-without-values").to_owned() } else { on_one_line(values) }
    };
    facts.add(message!("label-only-after"), Content::Cases(confirmation.after.iter().map(case).collect()));
}

fn remarks(facts: &mut Facts<'_>, result: &RuleResult, detail: Detail) {
    let full = detail == Detail::Full;
    facts.list(message!("label-findings"), result.findings.iter().cloned());
    let observed = |(name, classes): (&String, &BTreeMap<String, u64>)| {
        let class =
            |(class, cases): (&String, &u64)| message!("observed-class", class = one_line(class), count = *cases);
        format!("{}: {}", one_line(name), classes.iter().map(class).collect::<Vec<_>>().join(comma()))
    };
    facts.list(message!("label-observed"), result.observations.iter().filter(|_| full).map(observed));
    let coverage = result.coverage.as_ref().and_then(|coverage| coverage.remark.as_deref());
    facts.text(message!("label-coverage"), coverage.unwrap_or_default());
    if full {
        facts.text(message!("label-left-out"), &result.left_out.join(comma()));
    }
    facts.list(message!("label-not-judged"), result.observed_only.iter().filter(|_| full).cloned());
    facts.text(message!("label-doubt"), result.doubt.as_deref().unwrap_or_default());
    if result.interrupted > 0 {
        facts.text(message!("label-resumed"), &message!("rule-resumed", count = result.interrupted));
    }
}

/// The number of frames shown from the inner end of a stack.
const FRAMES: usize = 10;

/// The event, and the inner frames of the thread that matters.
fn stack(stack: &Stack) -> Vec<String> {
    let mut lines = vec![one_line(&stack.reason)];
    if let Some(thread) = stack.threads.first() {
        if !thread.wait.is_empty() {
            let (name, wait) = (one_line(&thread.name), one_line(&thread.wait));
            lines.push(message!("stack-thread", name = name, wait = wait));
        }
        lines.extend(thread.frames.iter().take(FRAMES).map(|frame| one_line(frame)));
    }
    let frames = stack.threads.first().map_or(0, |thread| thread.frames.len().saturating_sub(FRAMES));
    if frames > 0 {
        lines.push(message!("stack-more-frames", count = frames));
    }
    let threads = stack.threads.len().saturating_sub(1);
    if threads > 0 {
        lines.push(message!("stack-more-threads", count = threads));
    }
    lines.extend(stack.remarks.iter().map(|remark| one_line(remark)));
    lines.retain(|line| !line.is_empty());
    lines
}

/// A rule's logs, on one line.
fn logs(logs: &RuleLogs) -> String {
    if logs.files.is_empty() {
        let why = logs.nothing.iter().map(|why| one_line(why)).collect::<Vec<_>>().join("; ");
        return message!("logs-none", why = if why.is_empty() { message!("logs-no-lines").to_owned() } else { why });
    }
    let file = |file: &LogFile| match (one_line(&file.name), file.lines, file.left_out) {
        (name, lines, 0) => message!("logs-file", name = name, count = lines),
        (name, lines, omitted) => message!("logs-file-end", name = name, count = lines, omitted = omitted),
    };
    logs.files.iter().map(file).collect::<Vec<_>>().join(comma())
}
