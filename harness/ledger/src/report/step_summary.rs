//! `summary.md`: a short report for step summaries and merge requests.

use std::collections::BTreeMap;
use std::fmt::Write;

use messages::{comma, message};
use record::{EntryReference, Meaning, Recorded, RuleResult, RunEnd, Sort, SortedResult, Verdict};

use super::conclusion::{Conclusion, Tone, conclusion};
use super::target::{device, library_line, mark, reality};
use super::text::{duration, elide, markdown_line, one_line};
use crate::causes::{Cause, causes, counting};
use crate::names::verdict_text;

/// The report's name in a run's folder.
pub const STEP_SUMMARY_FILE: &str = "summary.md";

/// The largest number of entries in a list, because comments have a size limit.
const MOST: usize = 20;
/// The longest reason, in characters.
const REASON: usize = 200;

/// The run as Markdown. Untrusted text is escaped, so it cannot start a tag or a link, or mention a user.
pub(super) fn step_summary(run: &Recorded) -> String {
    let (header, results) = (&run.header, &run.results);
    let Conclusion { tone, text: sentence } = conclusion(header, results, run.end.as_ref());
    let sign = match tone {
        Tone::Good => "✅",
        Tone::Empty => "⚠️",
        Tone::Bad => "❌",
    };
    let mut text = format!("## {sign} Atlas CTS: {}{}\n\n", markdown_line(&sentence), mark(header));
    let time = run.end.as_ref().map(|end| comma().to_owned() + &duration(end.nanoseconds)).unwrap_or_default();
    let about = message!(
        "tested-line",
        device = reality(header) + &device(header),
        product = header.product.as_str(),
        library = library_line(header),
        profile = header.profile.as_str(),
        seed = header.seed.to_string()
    );
    let _ = writeln!(text, "{}{time}\n", markdown_line(&about));
    numbers(&mut text, run);
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref());
    let counts = counting(results, run.end.as_ref());
    let counting = |meaning: Meaning| -> Vec<&RuleResult> {
        let mut rules: Vec<&RuleResult> = counts.iter().copied().filter(|result| result.meaning() == meaning).collect();
        rules.sort_by(|a, b| a.id.cmp(&b.id));
        rules
    };
    let causes = causes(counting(Meaning::Broken));
    section(&mut text, message!("heading-causes-of-broken"), causes.iter().map(cause));
    section(&mut text, message!("heading-unknown"), counting(Meaning::Unknown).iter().map(|result| rule(result)));
    section(&mut text, message!("heading-findings"), counting(Meaning::Finding).iter().map(|result| rule(result)));
    for (sort, heading) in [
        (Sort::Unlike, message!("known-unlike")),
        (Sort::TooOften, message!("known-too-often")),
        (Sort::Fixed, message!("heading-fixed")),
        (Sort::Expired, message!("heading-expired")),
        (Sort::Known, message!("heading-known")),
    ] {
        let sorted = expected.iter().flat_map(|expected| &expected.results).filter(|sorted| sorted.sort == sort);
        section(&mut text, heading, sorted.map(entry_line));
    }
    let remarks = run.end.iter().flat_map(RunEnd::told);
    section(&mut text, message!("heading-remarks"), remarks.map(|remark| markdown_line(&elide(&remark, REASON))));
    let run = markdown_line(&one_line(&header.run));
    let _ = writeln!(text, "\n{}", message!("full-reports", run = run));
    text
}

/// A table of verdicts.
fn numbers(text: &mut String, run: &Recorded) {
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    run.results.iter().for_each(|result| *verdicts.entry(result.verdict).or_default() += 1);
    if verdicts.is_empty() {
        let _ = writeln!(text, "{}", message!("no-results"));
        return;
    }
    let names: String = verdicts.keys().map(|verdict| format!(" {} |", verdict_text(*verdict))).collect();
    let line: String = verdicts.keys().map(|_| " ---: |").collect();
    let numbers: String = verdicts.values().map(|number| format!(" {number} |")).collect();
    let _ = writeln!(text, "| {} |{names}", message!("column-rules"));
    let _ = writeln!(text, "| ---: |{line}\n| {} |{numbers}", run.results.len());
}

/// Adds a list under a heading with the number of entries. An empty list adds nothing.
fn section(text: &mut String, heading: &str, entries: impl Iterator<Item = String>) {
    let entries: Vec<String> = entries.collect();
    if entries.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n### {heading} ({})\n", entries.len());
    for entry in entries.iter().take(MOST) {
        let _ = writeln!(text, "- {entry}");
    }
    if let Some(rest) = entries.len().checked_sub(MOST).filter(|rest| *rest > 0) {
        let _ = writeln!(text, "- … {}", message!("and-others", count = rest));
    }
}

/// A cause with several rules: its feature, the rule to read first, and a few of the others. A single rule as such.
fn cause(cause: &Cause<'_>) -> String {
    const OTHERS: usize = 5;
    if cause.others.is_empty() {
        return rule(cause.first);
    }
    let named = cause.others.iter().take(OTHERS).map(|result| result.id.as_str()).collect::<Vec<_>>().join(", ");
    let more = cause.others.len().saturating_sub(OTHERS);
    let more = if more > 0 { format!(" … {}", message!("and-others", count = more)) } else { String::new() };
    let head = markdown_line(&elide(&cause.sentence(), 2 * REASON));
    let number = message!("count-rules", count = cause.len());
    format!("**{number}**: {head}; {} {}{more}", message!("also-broken"), markdown_line(&elide(&named, 2 * REASON)))
}

fn rule(result: &RuleResult) -> String {
    let message = result.failure.as_ref().map_or("", |failure| &failure.message);
    let seen = if result.reason.trim().is_empty() { message } else { &result.reason };
    let seen = markdown_line(&elide(seen, REASON));
    let seen = if seen.is_empty() { seen } else { format!(": {seen}") };
    format!("**{}** {}{seen}", verdict_text(result.verdict), markdown_line(&elide(&result.id, REASON)))
}

fn entry_line(sorted: &SortedResult) -> String {
    let named = |entry: &EntryReference| format!(" ({}, {})", link(&entry.tracker), markdown_line(&entry.place));
    let tracker = sorted.entry.as_ref().map(named).unwrap_or_default();
    format!("{}: {}{tracker}", markdown_line(&elide(&sorted.rule, REASON)), markdown_line(&elide(&sorted.why, REASON)))
}

/// A tracker's address, as a link if the address is a plain URL.
fn link(address: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#=&%+,;".contains(c);
    let safe = address.starts_with("https://") && address.chars().all(fits) && address.len() <= 300;
    if safe { format!("<{address}>") } else { markdown_line(&elide(address, REASON)) }
}
