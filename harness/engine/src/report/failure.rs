//! One rule's result, in full.

use super::summary::library_line;
use super::text::{ROOM, Sheet, WIDTH, clean, count, duration, one_line, wrap};
use crate::catalog::Level;
use crate::record::{Conclusion, Confirmation, Failure, LogFile, RuleLogs, RuleResult, RunHeader, Verdict};

/// Calls of the trace that are shown, counted from its end.
const CALLS: usize = 30;
/// Cases that must run before the failing one that are shown, counted from its end.
const CASES: usize = 10;
/// Lines of the library's output that are shown, counted from its end.
const OUTPUT_LINES: usize = 20;

/// Everything known about one rule's result, as a block of text for terminals and reports: what was seen, the rule, the
/// values, the calls that led there, and the command that repeats it.
pub fn failure_text(result: &RuleResult, header: &RunHeader) -> String {
    let failure = result.failure.as_deref();
    let mut sheet = Sheet::default();
    match failure {
        Some(failure) => {
            sheet.add("seen", &failure.message);
            // With a confirmation the reason is the message and the conclusion, which has a row of its own. That of a
            // blocked rule names the owner of what failed.
            let told = failure.confirmation.is_some() && result.verdict != Verdict::Blocked;
            if !told && one_line(&failure.message) != one_line(&result.reason) {
                sheet.add("reason", &result.reason);
            }
            describe(&mut sheet, failure);
        }
        None => sheet.add("reason", &result.reason),
    }
    remarks(&mut sheet, result);
    let work = format!(
        "{}, {} in {}, seed {}",
        count(result.cases, "case"),
        count(result.checks, "check"),
        duration(result.nanoseconds),
        result.seed
    );
    sheet.add("work", &work);
    sheet.add("library", &library_line(header));
    if let Some(failure) = failure {
        let output: Vec<String> =
            clean(&failure.output).trim_end().split('\n').flat_map(|line| wrap(line, ROOM)).collect();
        let hidden = output.len().saturating_sub(OUTPUT_LINES);
        if !failure.output.trim().is_empty() {
            let note = (hidden > 0).then(|| format!("({} before this left out)", count(hidden as u64, "line")));
            sheet.add_lines("output", note.into_iter().chain(output.into_iter().skip(hidden)));
        }
        let said: Vec<String> =
            clean(&failure.recent_error).trim_end().split('\n').flat_map(|line| wrap(line, ROOM)).collect();
        if !failure.recent_error.trim().is_empty() {
            let hidden = said.len().saturating_sub(OUTPUT_LINES);
            let note = (hidden > 0).then(|| format!("({} before this left out)", count(hidden as u64, "line")));
            sheet.add_lines("it said", note.into_iter().chain(said.into_iter().skip(hidden)));
        }
        // Never wrapped: it is there to be copied.
        if !failure.replay.trim().is_empty() {
            sheet.add_lines("replay", [one_line(&failure.replay)]);
        }
    }
    sheet.add_lines("logs", result.logs.iter().map(logs));
    format!("{}\n{}", title(result), sheet.0)
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

/// Findings, observations and doubt of a result: what a reader of a passing rule should know. `None` if there is
/// nothing to say.
pub(super) fn notes(result: &RuleResult) -> Option<String> {
    let mut sheet = Sheet::default();
    let what = match result.verdict {
        Verdict::Exceeds => Some("a call that is documented as unsupported did its work"),
        Verdict::Observed => Some("undefined by the documents: recorded, not judged"),
        _ => None,
    };
    if let Some(what) = what {
        sheet.add(result.verdict.name(), what);
        sheet.add("reason", &result.reason);
    }
    remarks(&mut sheet, result);
    Some(sheet.0).filter(|text| !text.is_empty())
}

/// The verdict, the rule and its title.
fn title(result: &RuleResult) -> String {
    let level = match result.level {
        Level::Must => "",
        Level::Info => " (level info)",
    };
    let mut text = format!("{}  {}{level}\n", result.verdict.name().to_uppercase(), one_line(&result.id));
    for line in wrap(&one_line(&result.title), WIDTH - 2).iter().filter(|line| !line.is_empty()) {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

fn describe(sheet: &mut Sheet, failure: &Failure) {
    sheet.add("statement", &failure.statement);
    sheet.add_lines("place", Some(one_line(&failure.place)).filter(|place| !place.is_empty()));
    let width = failure.values.iter().map(|(name, _)| one_line(name).chars().count()).max().unwrap_or(0).min(40);
    let values = failure.values.iter().flat_map(|(name, value)| {
        let mut lines = wrap(&one_line(value), ROOM - width - 3).into_iter();
        let first = format!("{:<width$} = {}", one_line(name), lines.next().unwrap_or_default());
        let indent = " ".repeat(width + 3);
        std::iter::once(first).chain(lines.map(move |line| format!("{indent}{line}")))
    });
    sheet.add_lines("values", values);
    let smaller = match failure.shrinks {
        0 => String::new(),
        times => format!(", then made smaller {}", count(times, "time")),
    };
    let cut = if failure.cut { "; the budget to make it smaller is used up, a larger --profile has more" } else { "" };
    if failure.case > 0 {
        sheet.add("case", &format!("found in case {}{smaller}{cut}", failure.case));
    }
    if let Some(confirmation) = &failure.confirmation {
        confirm(sheet, confirmation);
    }
    sheet.add_lines("calls", trace(&failure.trace));
    sheet.add("rule", &failure.rule_statement);
    sheet.add_lines("promised", failure.clauses.iter().flat_map(|clause| hang(&one_line(clause))));
    if failure.clauses.is_empty() {
        sheet.add_lines("sources", failure.sources.iter().flat_map(|source| hang(&one_line(source))));
    }
}

/// What running the case again showed.
fn confirm(sheet: &mut Sheet, confirmation: &Confirmation) {
    let found = match confirmation.conclusion {
        Conclusion::Flaky => format!("{}, found as {}", confirmation.clause(), confirmation.found),
        Conclusion::After if confirmation.alone.runs > 0 => {
            format!("{}; alone it failed in {}", confirmation.clause(), confirmation.alone)
        }
        _ => confirmation.clause(),
    };
    let remark = if confirmation.remark.is_empty() { String::new() } else { format!(" ({})", confirmation.remark) };
    sheet.add("run again", &format!("{found}{remark}"));
    let hidden = confirmation.after.len().saturating_sub(CASES);
    let cases = confirmation.after.iter().skip(hidden).flat_map(|values| {
        let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        hang(&one_line(&if values.is_empty() { "a case without values".to_owned() } else { values.join(", ") }))
    });
    let note = (hidden > 0).then(|| format!("({} before these left out)", count(hidden as u64, "case")));
    sheet.add_lines("only after", note.into_iter().chain(cases));
}

/// The last calls, numbered as in the whole trace.
fn trace(calls: &[String]) -> Vec<String> {
    let hidden = calls.len().saturating_sub(CALLS);
    let width = calls.len().to_string().len();
    let mut lines = Vec::new();
    if hidden > 0 {
        lines.push(format!("({} before these left out; the journal has all of them)", count(hidden as u64, "call")));
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

fn remarks(sheet: &mut Sheet, result: &RuleResult) {
    sheet.add_lines("findings", result.findings.iter().flat_map(|finding| hang(&one_line(finding))));
    let observations = result.observations.iter().flat_map(|(name, classes)| {
        let classes: Vec<String> =
            classes.iter().map(|(class, cases)| format!("{} in {}", one_line(class), count(*cases, "case"))).collect();
        hang(&format!("{}: {}", one_line(name), classes.join(", ")))
    });
    sheet.add_lines("observed", observations);
    let coverage = result.coverage.as_ref().and_then(|coverage| coverage.remark.as_deref());
    sheet.add("coverage", coverage.unwrap_or_default());
    sheet.add("left out", &result.left_out.join(", "));
    sheet.add_lines("only seen", result.observed_only.iter().flat_map(|why| hang(&one_line(why))));
    sheet.add("doubt", result.doubt.as_deref().unwrap_or_default());
    if result.interrupted > 0 {
        let times = count(result.interrupted.into(), "time");
        sheet.add("resumed", &format!("the run ended {times} while this rule ran, and was resumed"));
    }
}

/// Wraps one entry of a list; its second and later lines are indented.
fn hang(text: &str) -> Vec<String> {
    let mut lines = wrap(text, ROOM - 2);
    lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, "  "));
    lines
}
