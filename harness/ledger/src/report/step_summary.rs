//! `summary.md`: the run for step summaries and merge requests, short.

use std::collections::BTreeMap;
use std::fmt::Write;

use record::{Meaning, Recorded, RuleResult, RunEnd, Sort, SortedResult, Verdict};

use super::conclusion::{Conclusion, Tone, conclusion};
use super::summary::{device, library_line, mark, reality};
use super::text::{count, duration, elide, markdown_line, one_line};

/// The report's name in a run's folder.
pub const STEP_SUMMARY_FILE: &str = "summary.md";

/// Entries of a list: a comment has an end.
const MOST: usize = 20;
/// Characters of a reason.
const REASON: usize = 200;

/// The run as Markdown. What comes from outside is escaped: it can open neither a tag nor a link, nor call anybody.
pub(super) fn step_summary(run: &Recorded) -> String {
    let (header, results) = (&run.header, &run.results);
    let Conclusion { tone, text: told } = conclusion(header, results, run.end.as_ref());
    let sign = match tone {
        Tone::Good => "✅",
        Tone::Empty => "⚠️",
        Tone::Bad => "❌",
    };
    let mut text = format!("## {sign} Atlas CTS: {}{}\n\n", markdown_line(&told), mark(header));
    let time = run.end.as_ref().map(|end| format!(", {}", duration(end.nanoseconds))).unwrap_or_default();
    let about = format!(
        "{}{}, product {}, {}; profile {}, seed {}{time}",
        reality(header),
        device(header),
        header.product,
        library_line(header),
        header.profile,
        header.seed
    );
    let _ = writeln!(text, "{}\n", markdown_line(&about));
    numbers(&mut text, run);
    let expected = run.end.as_ref().and_then(|end| end.expectations.as_ref());
    let counts = |result: &&RuleResult| !expected.is_some_and(|expected| expected.excuses(&result.id));
    let counting = |meaning: Meaning| -> Vec<&RuleResult> {
        let mut rules: Vec<&RuleResult> =
            results.iter().filter(counts).filter(|result| result.meaning() == meaning).collect();
        rules.sort_by(|a, b| a.id.cmp(&b.id));
        rules
    };
    section(&mut text, "Broken", counting(Meaning::Broken).iter().map(|result| rule(result)));
    section(&mut text, "Not known", counting(Meaning::Unknown).iter().map(|result| rule(result)));
    section(&mut text, "Findings", counting(Meaning::Finding).iter().map(|result| rule(result)));
    for (sort, heading) in [
        (Sort::Fixed, "Known failures that hold now"),
        (Sort::Expired, "Known failures whose entries have expired"),
        (Sort::Known, "Known failures"),
    ] {
        let sorted = expected.iter().flat_map(|expected| &expected.results).filter(|sorted| sorted.sort == sort);
        section(&mut text, heading, sorted.map(known));
    }
    let remarks = run.end.iter().flat_map(RunEnd::told);
    section(&mut text, "Remarks", remarks.map(|remark| markdown_line(&elide(&remark, REASON))));
    let _ = writeln!(
        text,
        "\nThe whole of it: `report.html` (one page), `junit.xml`, `results.jsonl` in the folder of the run, {}",
        markdown_line(&one_line(&header.run))
    );
    text
}

/// A table of verdicts.
fn numbers(text: &mut String, run: &Recorded) {
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    run.results.iter().for_each(|result| *verdicts.entry(result.verdict).or_default() += 1);
    if verdicts.is_empty() {
        let _ = writeln!(text, "No rule has a result.");
        return;
    }
    let names: String = verdicts.keys().map(|verdict| format!(" {verdict} |")).collect();
    let line: String = verdicts.keys().map(|_| " ---: |").collect();
    let numbers: String = verdicts.values().map(|number| format!(" {number} |")).collect();
    let _ = writeln!(text, "| rules |{names}\n| ---: |{line}\n| {} |{numbers}", run.results.len());
}

/// A list under a heading with its number; nothing for nothing.
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
        let _ = writeln!(text, "- … and {}", count(rest as u64, "other"));
    }
}

fn rule(result: &RuleResult) -> String {
    let message = result.failure.as_ref().map_or("", |failure| &failure.message);
    let seen = if result.reason.trim().is_empty() { message } else { &result.reason };
    let seen = markdown_line(&elide(seen, REASON));
    let seen = if seen.is_empty() { seen } else { format!(": {seen}") };
    format!("**{}** {}{seen}", result.verdict, markdown_line(&elide(&result.id, REASON)))
}

fn known(sorted: &SortedResult) -> String {
    let tracker = sorted.entry.as_ref().map(|entry| format!(" ({})", link(&entry.tracker))).unwrap_or_default();
    format!("{}: {}{tracker}", markdown_line(&elide(&sorted.rule, REASON)), markdown_line(&elide(&sorted.why, REASON)))
}

/// A tracker's address as a link, where it is one and nothing else.
fn link(address: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#=&%+,;".contains(c);
    let safe = address.starts_with("https://") && address.chars().all(fits) && address.len() <= 300;
    if safe { format!("<{address}>") } else { markdown_line(&elide(address, REASON)) }
}
