//! All that is known about one rule's result, as labeled facts: text and pages lay them out in their own way.

use super::summary::library_line;
use super::text::{count, duration, one_line};
use record::{Conclusion, Confirmation, Failure, LogFile, RuleLogs, RuleResult, RunHeader, Verdict, on_which};

/// Something that is known.
pub(super) struct Fact<'a> {
    pub label: &'static str,
    pub content: Content<'a>,
}

/// How a fact reads. Texts are as they came: whoever shows them cleans them.
pub(super) enum Content<'a> {
    /// Prose.
    Text(String),
    /// Entries, one after the other.
    List(Vec<String>),
    /// A text that is never broken: it is there to be copied.
    Exact(String),
    /// Names and values.
    Values(&'a [(String, String)]),
    /// Calls in their order; the last ones matter most.
    Calls(&'a [String]),
    /// Cases that ran before; the last ones matter most.
    Cases(Vec<String>),
    /// Lines of an output; the last ones matter most.
    Output(&'a str),
}

/// What is known, in the order in which a person wants to read it. Nothing is empty.
pub(super) fn facts<'a>(result: &'a RuleResult, header: &RunHeader) -> Vec<Fact<'a>> {
    let failure = result.failure.as_deref();
    let mut facts = Facts::default();
    match failure {
        Some(failure) => {
            facts.text("seen", &failure.message);
            // With a confirmation the reason is the message and the conclusion, which has a row of its own. That of a
            // blocked rule names the owner of what failed.
            let told = failure.confirmation.is_some() && result.verdict != Verdict::Blocked;
            if !told && one_line(&failure.message) != one_line(&result.reason) {
                facts.text("reason", &result.reason);
            }
            describe(&mut facts, result, failure);
        }
        None => facts.text("reason", &result.reason),
    }
    remarks(&mut facts, result);
    let work = format!(
        "{}, {} in {}, seed {}",
        count(result.cases, "case"),
        count(result.checks, "check"),
        duration(result.nanoseconds),
        result.seed
    );
    facts.text("work", &work);
    facts.text("library", &library_line(header));
    if let Some(failure) = failure {
        facts.add("output", Content::Output(&failure.output));
        facts.add("it said", Content::Output(&failure.recent_error));
        facts.add("replay", Content::Exact(failure.replay.clone()));
    }
    facts.add("logs", Content::Exact(result.logs.as_ref().map(logs).unwrap_or_default()));
    facts.0
}

/// Findings, observations and doubt of a result: what a reader of a passing rule should know. Empty if there is nothing
/// to say.
pub(super) fn notes(result: &RuleResult) -> Vec<Fact<'_>> {
    let mut facts = Facts::default();
    let what = match result.verdict {
        Verdict::Exceeds => Some("a call that is documented as unsupported did its work"),
        Verdict::Observed => Some("undefined by the documents: recorded, not judged"),
        _ => None,
    };
    if let Some(what) = what {
        facts.text(result.verdict.name(), what);
        facts.text("reason", &result.reason);
    }
    remarks(&mut facts, result);
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

    /// Adds what is not empty.
    fn add(&mut self, label: &'static str, content: Content<'a>) {
        let empty = match &content {
            Content::Text(text) | Content::Exact(text) => text.trim().is_empty(),
            Content::Output(text) => text.trim().is_empty(),
            Content::List(entries) | Content::Cases(entries) => entries.is_empty(),
            Content::Values(values) => values.is_empty(),
            Content::Calls(calls) => calls.is_empty(),
        };
        if !empty {
            self.0.push(Fact { label, content });
        }
    }
}

fn describe<'a>(facts: &mut Facts<'a>, result: &RuleResult, failure: &'a Failure) {
    facts.text("statement", &failure.statement);
    facts.add("place", Content::Exact(failure.place.clone()));
    let devices = if result.devices.is_empty() { &failure.devices } else { &result.devices };
    facts.text(if devices.len() == 1 { "device" } else { "devices" }, &devices.join(", "));
    facts.text("elsewhere", &on_which(&result.each).unwrap_or_default());
    facts.add("values", Content::Values(&failure.values));
    let smaller = match failure.shrinks {
        0 => String::new(),
        times => format!(", then made smaller {}", count(times, "time")),
    };
    let cut = if failure.cut { "; the budget to make it smaller is used up, a larger --profile has more" } else { "" };
    if failure.case > 0 {
        facts.text("case", &format!("found in case {}{smaller}{cut}", failure.case));
    }
    if let Some(confirmation) = &failure.confirmation {
        confirm(facts, confirmation);
    }
    facts.add("calls", Content::Calls(&failure.trace));
    facts.text("rule", &failure.rule_statement);
    facts.list("promised", failure.clauses.iter().cloned());
    if failure.clauses.is_empty() {
        facts.list("sources", failure.sources.iter().cloned());
    }
}

/// What running the case again showed.
fn confirm(facts: &mut Facts<'_>, confirmation: &Confirmation) {
    let found = match confirmation.conclusion {
        Conclusion::Flaky => format!("{}, found as {}", confirmation.clause(), confirmation.found),
        Conclusion::After if confirmation.alone.runs > 0 => {
            format!("{}; alone it failed in {}", confirmation.clause(), confirmation.alone)
        }
        _ => confirmation.clause(),
    };
    let remark = if confirmation.remark.is_empty() { String::new() } else { format!(" ({})", confirmation.remark) };
    facts.text("run again", &format!("{found}{remark}"));
    let case = |values: &Vec<(String, String)>| {
        let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if values.is_empty() { "a case without values".to_owned() } else { values.join(", ") }
    };
    facts.add("only after", Content::Cases(confirmation.after.iter().map(case).collect()));
}

fn remarks(facts: &mut Facts<'_>, result: &RuleResult) {
    facts.list("findings", result.findings.iter().cloned());
    let observed = |(name, classes): (&String, &std::collections::BTreeMap<String, u64>)| {
        let classes: Vec<String> =
            classes.iter().map(|(class, cases)| format!("{} in {}", one_line(class), count(*cases, "case"))).collect();
        format!("{}: {}", one_line(name), classes.join(", "))
    };
    facts.list("observed", result.observations.iter().map(observed));
    let coverage = result.coverage.as_ref().and_then(|coverage| coverage.remark.as_deref());
    facts.text("coverage", coverage.unwrap_or_default());
    facts.text("left out", &result.left_out.join(", "));
    facts.list("only seen", result.observed_only.iter().cloned());
    facts.text("doubt", result.doubt.as_deref().unwrap_or_default());
    if result.interrupted > 0 {
        let times = count(result.interrupted, "time");
        facts.text("resumed", &format!("the run ended {times} while this rule ran, and was resumed"));
    }
}

/// What was kept of logs, on one line.
fn logs(logs: &RuleLogs) -> String {
    if logs.files.is_empty() {
        let why = logs.nothing.iter().map(|why| one_line(why)).collect::<Vec<_>>().join("; ");
        return format!("nothing ({})", if why.is_empty() { "no source had a line" } else { &why });
    }
    let file = |file: &LogFile| {
        let left_out = if file.left_out > 0 { format!(", {} left out", file.left_out) } else { String::new() };
        format!("{} ({}{left_out})", one_line(&file.name), count(file.lines, "line"))
    };
    logs.files.iter().map(file).collect::<Vec<_>>().join(", ")
}
