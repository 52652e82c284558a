//! The summary of a run.

use std::collections::BTreeMap;

use super::advice::{advice, other_findings};
use super::layout::{Detail, Layout};
use super::text::{Paint, clean, columns, duration, elide, one_line, pad, pad_left, short, wrap};
use messages::{comma, message};
use record::{Meaning, RuleResult, RunEnd, RunHeader, Subject, Verdict, Word, counts};

use super::conclusion::{Conclusion, Tone, conclusion};
use super::expected::{numbers, retries, sections};
use super::facts::cited;
use super::fingerprint::fingerprint_line;
use super::host::{host_line, left_out_lines};
use super::parts::{merged_line, part_line, worth_a_line};
use super::subjects;
use super::target::{capability_lines, library_line, mapped_line, mark, target_line};
use crate::causes::{counting, rule_to_read};
use crate::names::{meaning_text, verdict_text};

/// The largest number of groups of rules in a list of the summary.
pub(super) const GROUPS: usize = 12;
/// The same for skipped rules in brief detail.
const SKIPPED: usize = 5;
/// The number of mapped libraries to list.
const MAPPED: usize = 3;

/// The summary of a run for a terminal: findings, unknown and skipped rules by reason, the outcome and the folder with
/// the reports, then causes and advice. Full detail adds what was tested, counts by chapter, and the suite's subjects.
pub fn summary(header: &RunHeader, results: &[RuleResult], end: Option<&RunEnd>, layout: Layout) -> String {
    let paint = Paint(layout);
    let full = layout.detail == Detail::Full;
    let mut text = String::new();
    opening(&mut text, header, paint);
    if full {
        chapters(&mut text, results, paint);
    } else if results.is_empty() {
        line(&mut text, &format!("\n{}", message!("no-results")));
    }
    let expected = end.and_then(|end| end.expectations.as_ref());
    let counting = counting(results, end);
    other_findings(&mut text, &counting, paint);
    group_by_reason(&mut text, message!("meaning-unknown"), &counting, Meaning::Unknown, paint);
    text.push_str(&expected.map(|expected| sections(expected, paint)).unwrap_or_default());
    ran_away(&mut text, results, paint);
    group_by_reason(&mut text, message!("meaning-skipped"), &counting, Meaning::Skipped, paint);
    would_add(&mut text, results, Word::Dedicated, paint);
    if full {
        subjects(&mut text, header, results, paint);
    }
    list_interrupted(&mut text, results, paint);
    cut(&mut text, results, paint);
    text.push('\n');
    closing(&mut text, header, results, end, paint);
    if let Some(first) = rule_to_read(header, results, end) {
        advice(&mut text, header, &counting, first, paint);
    }
    text
}

fn opening(text: &mut String, header: &RunHeader, paint: Paint) {
    let full = paint.0.detail == Detail::Full;
    if full {
        line(text, &paint.bold(&format!("Atlas CTS {}, {}", one_line(&header.suite), one_line(&header.runtime))));
    }
    if header.library.simulated {
        line(text, &paint.yellow(message!("simulated-warning")));
    }
    if full {
        write_tested(text, header, paint);
    }
    for out in &header.devices_out {
        let (device, reason) = (one_line(&out.device), one_line(&out.reason));
        field(text, message!("label-unusable"), &message!("device-is", device = device, what = reason), paint);
    }
    if let Some(fingerprint) = &header.fingerprint {
        field(text, message!("label-identity"), &fingerprint_line(fingerprint), paint);
        fingerprint.unknown.iter().for_each(|why| field(text, message!("label-unknown"), &one_line(why), paint));
    }
    for (index, line) in header.host.iter().flat_map(left_out_lines).enumerate() {
        field(text, if index == 0 { message!("label-left-out") } else { "" }, &line, paint);
    }
    field(text, message!("label-part"), &part_line(header), paint);
    for run in worth_a_line(header) {
        field(text, "", &merged_line(run), paint);
    }
}

/// The tested libraries and devices, and the conditions of the run.
fn write_tested(text: &mut String, header: &RunHeader, paint: Paint) {
    if header.library.simulated {
        for defect in &header.defects {
            let seeded = message!("with-seeded-defect", defect = one_line(defect));
            line(text, &paint.yellow(&format!("  {seeded}")));
        }
    }
    field(text, message!("label-library"), &library_line(header), paint);
    for library in &header.further_libraries {
        let (id, path) = (one_line(&library.id), one_line(&library.path));
        field(text, "", &format!("{id}: {path} (sha256 {})", short(&library.sha256)), paint);
    }
    field(
        text,
        message!("label-version"),
        &one_line(header.library.version_note.as_deref().unwrap_or_default()),
        paint,
    );
    write_mapped(text, header, paint);
    field(text, message!("label-device"), &target_line(header), paint);
    field(text, message!("label-capabilities"), &capability_lines(header).join(comma()), paint);
    field(text, message!("label-host"), &header.host.as_ref().map(host_line).unwrap_or_default(), paint);
    let (profile, seed) = (one_line(&header.profile), header.seed.to_string());
    let started = message!("started-at", time = one_line(&header.started));
    let resumed = header.resumed.iter().map(|time| message!("resumed-at", time = one_line(time)));
    let patience = header.settings.patience.map(|patience| message!("patience", milliseconds = patience));
    let first = [message!("profile-and-seed", profile = profile, seed = seed)];
    let run: Vec<String> = first.into_iter().chain(patience).chain([started]).chain(resumed).collect();
    field(text, message!("label-run"), &run.join(comma()), paint);
}

/// The libraries that the library under test loaded. If the library under test only forwards calls, the run tested the
/// behavior of the loaded libraries.
fn write_mapped(text: &mut String, header: &RunHeader, paint: Paint) {
    let further = header.further_libraries.iter().map(|library| &library.sha256);
    let named: Vec<&String> = further.chain([&header.library.sha256]).collect();
    let others =
        header.mapped.iter().filter(|library| !library.sha256.as_ref().is_some_and(|sha| named.contains(&sha)));
    let others: Vec<String> = others.map(mapped_line).collect();
    for (index, other) in others.iter().take(MAPPED).enumerate() {
        field(text, if index == 0 { message!("label-mapped") } else { "" }, other, paint);
    }
    if let Some(rest) = others.get(MAPPED..).filter(|rest| !rest.is_empty()) {
        field(text, "", &message!("and-more-in-journal", count = rest.len()), paint);
    }
}

/// The table of chapters, without empty columns.
fn chapters(text: &mut String, results: &[RuleResult], paint: Paint) {
    let mut chapters: BTreeMap<String, Vec<&RuleResult>> = BTreeMap::new();
    let mut meanings = MEANINGS.to_vec();
    meanings.retain(|meaning| results.iter().any(|result| result.meaning() == *meaning));
    let numbers = 8 + 9 * meanings.len() + 14;
    for result in results {
        chapters
            .entry(elide(&result.chapter, paint.width().saturating_sub(numbers).clamp(8, 40)))
            .or_default()
            .push(result);
    }
    if results.is_empty() {
        line(text, &format!("\n{}", message!("no-results")));
        return;
    }
    let names = chapters.keys().map(String::as_str).chain([message!("column-chapter")]);
    let width = names.map(columns).max().unwrap_or(0);
    let mut head = format!("\n{}  {}", pad(message!("column-chapter"), width), pad_left(message!("column-rules"), 6));
    for meaning in &meanings {
        head.push_str(&format!("  {}", pad_left(meaning_text(*meaning), 7)));
    }
    line(text, &paint.bold(&format!("{head}  {}", pad_left(message!("column-time"), 12))));
    let all: Vec<&RuleResult> = results.iter().collect();
    let total = (chapters.len() > 1).then_some((message!("all"), &all));
    for (name, rules) in chapters.iter().map(|(name, rules)| (name.as_str(), rules)).chain(total) {
        let mut row = format!("{}  {:>6}", pad(name, width), rules.len());
        for meaning in &meanings {
            let number = rules.iter().filter(|rule| rule.meaning() == *meaning).count();
            let cell = format!("  {:>7}", if number == 0 { "-".to_owned() } else { number.to_string() });
            row.push_str(&if number > 0 { paint.verdict(*meaning, &cell) } else { cell });
        }
        let time = rules.iter().map(|rule| rule.nanoseconds).fold(0, u64::saturating_add);
        line(text, &format!("{row}  {:>12}", duration(time)));
    }
}

/// A result on one line.
pub(super) fn row(rule: &RuleResult, paint: Paint) -> String {
    let start = format!("  {}  {}", pad(verdict_text(rule.verdict), 10), one_line(&rule.id));
    let room = paint.width().saturating_sub(columns(&start) + 2);
    let message = rule.failure.as_ref().map_or("", |failure| &failure.message);
    let seen = if rule.reason.trim().is_empty() { message } else { &rule.reason };
    let start = paint.verdict(rule.meaning(), &start);
    if room < 20 { start } else { format!("{start}  {}", elide(seen, room)) }
}

/// Lists the reasons for results with one meaning, each with the number of rules. The verdict is added unless it only
/// repeats the meaning.
pub(super) fn group_by_reason(
    text: &mut String,
    heading: &str,
    results: &[&RuleResult],
    meaning: Meaning,
    paint: Paint,
) {
    let mut reasons: BTreeMap<(Verdict, String), Vec<&str>> = BTreeMap::new();
    for result in results.iter().copied().filter(|result| result.meaning() == meaning) {
        let reason = match result.reason.trim() {
            "" => message!("no-reason").to_owned(),
            reason => one_line(reason),
        };
        reasons.entry((result.verdict, reason)).or_default().push(&result.id);
    }
    title(text, heading, reasons.values().map(Vec::len).sum(), paint);
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, rules)| std::cmp::Reverse(rules.len()));
    let most = if meaning == Meaning::Skipped && paint.0.detail == Detail::Brief { SKIPPED } else { GROUPS };
    for ((verdict, reason), rules) in reasons.iter().take(most) {
        let verdict =
            if *verdict == Verdict::Skipped { String::new() } else { format!("{}: ", verdict_text(*verdict)) };
        let reason = match rules[..] {
            [rule] => format!("{verdict}{reason} ({})", one_line(rule)),
            _ => format!("{verdict}{reason}"),
        };
        for (index, part) in wrap(&reason, paint.width() - 8).iter().enumerate() {
            let number = if index == 0 { rules.len().to_string() } else { String::new() };
            line(text, &format!("{number:>6}  {part}"));
        }
    }
    if let Some(rest) = reasons.get(most..).filter(|rest| !rest.is_empty()) {
        let rules: usize = rest.iter().map(|(_, rules)| rules.len()).sum();
        line(text, &format!("{rules:>6}  {}", message!("for-other-reasons", count = rest.len())));
    }
}

/// The rules that would run with an option; in brief detail, their number.
fn would_add(text: &mut String, results: &[RuleResult], word: Word, paint: Paint) {
    let mut rules: Vec<String> = results
        .iter()
        .filter(|result| result.skipped_without == Some(word))
        .map(|result| one_line(&result.id))
        .collect();
    rules.sort();
    title(text, &message!("option-would-add", option = word.option()), rules.len(), paint);
    wrap(&rules.join(comma()), paint.width() - 2)
        .iter()
        .filter(|_| !rules.is_empty() && paint.0.detail == Detail::Full)
        .for_each(|part| line(text, &format!("  {part}")));
}

/// The suite's subjects in this run.
fn subjects(text: &mut String, header: &RunHeader, results: &[RuleResult], paint: Paint) {
    let ran = |subject: &&Subject| {
        results.iter().any(|result| subject.rules.contains(&result.id) && result.verdict != Verdict::Skipped)
    };
    let subjects: Vec<&Subject> = header.subjects.iter().filter(ran).collect();
    title(text, message!("subjects"), subjects.len(), paint);
    for row in subjects.iter().flat_map(|subject| subjects::lines(subject, results, paint.width() - 2)) {
        wrap(&row, paint.width() - 2).iter().for_each(|part| line(text, &format!("  {part}")));
    }
}

/// The rules that were running when the run stopped, with their later verdicts.
fn list_interrupted(text: &mut String, results: &[RuleResult], paint: Paint) {
    let mut rules: Vec<&RuleResult> = results.iter().filter(|result| result.interrupted > 0).collect();
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    title(text, message!("interrupted-rules"), rules.len(), paint);
    for rule in rules {
        let interrupted = message!("interrupted", count = rule.interrupted);
        line(text, &format!("  {}  {}  {interrupted}", pad(verdict_text(rule.verdict), 10), one_line(&rule.id)));
    }
}

/// The rules in which a process reached its memory limit. Without the limit, the machine would have run out of memory.
fn ran_away(text: &mut String, results: &[RuleResult], paint: Paint) {
    let limit = |result: &'_ RuleResult| Some((one_line(&result.id), result.verdict, result.memory_limit.clone()?));
    let mut rules: Vec<_> = results.iter().filter_map(limit).collect();
    rules.sort_by(|a, b| a.0.cmp(&b.0));
    title(text, message!("memory-limit-findings"), rules.len(), paint);
    for (id, verdict, limit) in rules {
        let reached = match limit.call {
            Some(call) => message!("memory-limit-in-call", call = one_line(&call), mebibytes = limit.mebibytes),
            None => message!("memory-limit", mebibytes = limit.mebibytes),
        };
        line(text, &paint.yellow(&format!("  {}  {id}  {reached}", pad(verdict_text(verdict), 10))));
    }
}

/// The rules that ran fewer cases than planned, with the reasons.
fn cut(text: &mut String, results: &[RuleResult], paint: Paint) {
    let remark = |result: &RuleResult| Some(one_line(result.coverage.as_ref()?.remark.as_deref()?));
    let mut rules: Vec<(&str, String)> =
        results.iter().filter_map(|result| Some((result.id.as_str(), remark(result)?))).collect();
    rules.sort();
    title(text, message!("fewer-cases"), rules.len(), paint);
    for (id, remark) in rules.iter().take(GROUPS) {
        line(text, &format!("  {}  {remark}", one_line(id)));
    }
    if let Some(rest) = rules.get(GROUPS..).filter(|rest| !rest.is_empty()) {
        line(text, &format!("  {}", message!("other-rules-in-journal", count = rest.len())));
    }
}

fn closing(text: &mut String, header: &RunHeader, results: &[RuleResult], end: Option<&RunEnd>, paint: Paint) {
    let remarks: usize = results.iter().map(|result| result.findings.len()).sum();
    let number = |meaning| results.iter().filter(|result| result.meaning() == meaning).count();
    let findings = number(Meaning::Finding) + remarks;
    let observed = results.iter().filter(|result| !result.observations.is_empty()).count();
    let doubtful = results.iter().filter(|result| result.doubt.is_some()).count();
    let notes: Vec<String> = [
        (findings, message!("count-findings", count = findings)),
        (observed, message!("rules-with-observations", count = observed)),
        (doubtful, message!("rules-on-contradictory-documents", count = doubtful)),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(_, note)| note)
    .collect();
    field(text, message!("label-verdicts"), &verdicts(results), paint);
    field(text, message!("label-notes"), &notes.join(comma()), paint);
    if results.len() < header.rules {
        field(
            text,
            message!("label-rules"),
            &message!("some-results", some = results.len(), all = header.rules),
            paint,
        );
    }
    if let Some(end) = end {
        if paint.0.detail == Detail::Full {
            workers(text, end, paint);
        }
        field(text, message!("label-time"), &run_time(header, end), paint);
        field(text, message!("label-retries"), &retries(&end.retries), paint);
        end.told().for_each(|remark| field(text, message!("label-remark"), &one_line(&remark), paint));
    }
    let expected = end.and_then(|end| end.expectations.as_ref());
    if let Some(expected) = expected {
        field(text, message!("label-expected"), &numbers(expected), paint);
        expected.open.iter().for_each(|open| field(text, message!("label-open"), &one_line(open), paint));
    }
    // In brief detail, one block is printed, and the documents are those of its clauses.
    let of_block = rule_to_read(header, results, end).map(|first| &first.id);
    let printed = |result: &&RuleResult| paint.0.detail == Detail::Full || Some(&result.id) == of_block;
    let failures = results.iter().filter(printed).filter_map(|result| result.failure.as_deref());
    for (index, document) in cited(header, failures).iter().enumerate() {
        field(text, if index == 0 { message!("label-documents") } else { "" }, &one_line(document), paint);
    }
    outcome(text, header, results, end, paint);
}

/// The workers that were started, and why.
fn workers(text: &mut String, end: &RunEnd, paint: Paint) {
    let (started, time) = (end.workers_started, duration(end.start_up_nanoseconds));
    let workers = match end.starts.values().map(|starts| starts.runtimes).sum::<u64>() {
        0 => message!("workers", count = started, time = time),
        runtimes => message!("workers-with-runtime", count = started, runtimes = runtimes, time = time),
    };
    field(text, message!("label-workers"), &workers, paint);
    let reasons: Vec<String> =
        end.starts.iter().map(|(reason, starts)| format!("{} {reason}", starts.processes)).collect();
    if !reasons.is_empty() {
        field(text, message!("label-started"), &reasons.join(comma()), paint);
    }
}

/// The outcome, and the folder with the reports.
pub(super) fn outcome(
    text: &mut String,
    header: &RunHeader,
    results: &[RuleResult],
    end: Option<&RunEnd>,
    paint: Paint,
) {
    let Conclusion { tone, text: sentence } = conclusion(header, results, end);
    for (index, part) in wrap(&format!("{sentence}{}", mark(header)), paint.width() - 10).iter().enumerate() {
        let result = match tone {
            Tone::Good => paint.green(part),
            Tone::Empty => paint.yellow(part),
            Tone::Bad => paint.red(part),
        };
        line(text, &label(if index == 0 { message!("label-result") } else { "" }, &result));
    }
    line(text, &label(message!("label-report"), &folder(header)));
}

/// The folder with the reports.
pub(super) fn folder(header: &RunHeader) -> String {
    let parent = if header.run.contains('/') { "" } else { "reports/out/" };
    format!("{parent}{}", clean(&header.run).trim())
}

/// A label and a text that stays on one line.
pub(super) fn label(label: &str, text: &str) -> String {
    format!("{} {text}", pad(label, 9))
}

/// The number of results by verdict.
pub(super) fn verdicts(results: &[RuleResult]) -> String {
    let verdicts = counts(results).into_iter().map(|(verdict, number)| format!("{number} {}", verdict_text(verdict)));
    verdicts.collect::<Vec<_>>().join(comma())
}

/// The duration of a run; for a resumed run, the time since the last resumption.
pub(super) fn run_time(header: &RunHeader, end: &RunEnd) -> String {
    let time = duration(end.nanoseconds);
    if header.resumed.is_empty() { time } else { message!("time-since-resumed", time = time) }
}

/// The meanings, in column order.
pub(crate) const MEANINGS: [Meaning; 5] =
    [Meaning::Good, Meaning::Broken, Meaning::Finding, Meaning::Unknown, Meaning::Skipped];

/// Adds a heading with the number of entries, unless there are no entries.
pub(super) fn title(text: &mut String, heading: &str, number: usize, paint: Paint) {
    if number > 0 {
        line(text, &format!("\n{} ({number})", paint.bold(heading)));
    }
}

pub(super) fn field(text: &mut String, label: &str, value: &str, paint: Paint) {
    if !value.is_empty() {
        for (index, part) in wrap(value, paint.width() - 10).iter().enumerate() {
            line(text, &format!("{} {part}", pad(if index == 0 { label } else { "" }, 9)));
        }
    }
}

pub(super) fn line(text: &mut String, line: &str) {
    text.push_str(line.trim_end_matches(' '));
    text.push('\n');
}
