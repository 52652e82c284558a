//! What was loaded, and how a run went.

use std::collections::BTreeMap;

use super::text::{Paint, WIDTH, clean, count, duration, elide, one_line, short, wrap};
use record::{MappedLibrary, Meaning, RuleResult, RunEnd, RunHeader, Subject, Verdict, Word};

use super::conclusion::{Conclusion, Tone, conclusion};
use super::expected::{numbers, retries, sections};
use super::fingerprint::fingerprint_line;
use super::host::{host_line, left_out_lines};
use super::parts::{merged_line, part_line, worth_a_line};
use super::subjects;

/// The mark of every report that was not made with a real device.
const SIMULATED: &str = "SIMULATED DEVICE";

/// The mark behind a name or a result.
pub(super) fn mark(header: &RunHeader) -> String {
    if header.library.simulated { format!(" ({SIMULATED})") } else { String::new() }
}

/// The words in front of a library's name where reports must not be mistaken for each other.
pub(super) fn reality(header: &RunHeader) -> &'static str {
    // The library's line says only that a device is simulated: elsewhere in the reports a mark says so.
    if header.library.simulated { "" } else { "NOT SIMULATED, " }
}

/// Groups of skips, of unanswered rules: as many as fit a screen.
const GROUPS: usize = 12;

/// What was loaded, on one line, before anything runs: whether it is simulated, library, digest, version, device,
/// product, seed, profile.
pub fn first_line(header: &RunHeader) -> String {
    loaded(header, reality(header))
}

/// The same for `junit.xml`, where a property says what is not simulated: reports of older runs are written again as
/// they were.
pub(super) fn loaded_line(header: &RunHeader) -> String {
    loaded(header, "")
}

fn loaded(header: &RunHeader, real: &str) -> String {
    let defects = match header.defects.len() {
        0 => String::new(),
        _ => format!("; defects {}", one_line(&header.defects.join(", "))),
    };
    let version = header.library.version_note.as_deref();
    let version = version.map_or(String::new(), |note| format!("; {}", one_line(note)));
    format!(
        "atlas-cts {}: {real}{}; {}, product {}; seed {}; profile {}{defects}{version}",
        one_line(&header.suite),
        library_line(header),
        device(header),
        one_line(&header.product),
        header.seed,
        one_line(&header.profile),
    )
}

/// The library under test, on one line.
pub(super) fn library_line(header: &RunHeader) -> String {
    let library = &header.library;
    let version =
        library.version.as_deref().map_or("version not reported".into(), |v| format!("version {}", one_line(v)));
    format!(
        "{}{} (sha256 {}, {version}; chosen: {})",
        if library.simulated { format!("{SIMULATED}, ") } else { String::new() },
        one_line(&library.path),
        short(&library.sha256),
        one_line(&library.chosen_by)
    )
}

/// The devices that were tested.
pub(super) fn device(header: &RunHeader) -> String {
    let name = match (header.reported_name.as_deref().map(one_line), header.library.simulated) {
        (Some(name), true) => format!("simulated {name}"),
        (Some(name), false) => name,
        (None, true) => "a simulated device that reports no name".to_owned(),
        (None, false) => "a device that reports no name".to_owned(),
    };
    let number = if header.devices == 1 { name } else { format!("{} × {name}", header.devices) };
    let out: Vec<&str> = header.devices_out.iter().map(|out| out.device.as_str()).collect();
    if out.is_empty() { number } else { format!("{number} (out: {})", one_line(&out.join(", "))) }
}

/// How a run went, for a terminal: marks, counts by chapter, what is broken, what is not known, what was skipped and
/// why, where the report is.
pub fn summary(header: &RunHeader, results: &[RuleResult], end: Option<&RunEnd>, color: bool) -> String {
    let paint = Paint(color);
    let mut text = String::new();
    opening(&mut text, header, paint);
    chapters(&mut text, results, paint);
    let expected = end.and_then(|end| end.expectations.as_ref());
    let counts = |result: &&RuleResult| !expected.is_some_and(|expected| expected.excuses(&result.id));
    let counting: Vec<&RuleResult> = results.iter().filter(counts).collect();
    listed(&mut text, "broken rules", &counting, Meaning::Broken, paint);
    listed(&mut text, "findings: rules of level info that do not hold", &counting, Meaning::Finding, paint);
    grouped(&mut text, "not known", &counting, Meaning::Unknown, paint);
    text.push_str(&expected.map(|expected| sections(expected, paint)).unwrap_or_default());
    ran_away(&mut text, results, paint);
    grouped(&mut text, "skipped", &counting, Meaning::Skipped, paint);
    would_add(&mut text, results, Word::Dedicated, paint);
    asked_for(&mut text, header, results, paint);
    interrupted(&mut text, results, paint);
    cut(&mut text, results, paint);
    text.push('\n');
    closing(&mut text, header, results, end, paint);
    text
}

fn opening(text: &mut String, header: &RunHeader, paint: Paint) {
    let edition = header.edition.as_deref().map_or("unknown".into(), one_line);
    line(text, &paint.bold(&format!("Atlas CTS {}, {}", one_line(&header.suite), one_line(&header.runtime))));
    if header.library.simulated {
        line(text, &paint.yellow(&format!("{SIMULATED}: this run says nothing about hardware")));
        for defect in &header.defects {
            line(text, &paint.yellow(&format!("  with the seeded defect {}", one_line(defect))));
        }
    }
    field(text, "library", &library_line(header));
    for library in &header.further_libraries {
        let (id, path) = (one_line(&library.id), one_line(&library.path));
        field(text, "", &format!("{id}: {path} (sha256 {})", short(&library.sha256)));
    }
    field(text, "version", &one_line(header.library.version_note.as_deref().unwrap_or_default()));
    mapped(text, header);
    let mode = match header.run_mode.as_str() {
        "" => String::new(),
        mode => format!(", programs on the {}", one_line(mode)),
    };
    let product = one_line(&header.product);
    field(text, "device", &format!("{}, product {product}, edition {edition}{mode}", device(header)));
    for out in &header.devices_out {
        field(text, "out", &format!("device {}: {}", one_line(&out.device), one_line(&out.reason)));
    }
    if let Some(fingerprint) = &header.fingerprint {
        field(text, "identity", &fingerprint_line(fingerprint));
        fingerprint.unknown.iter().for_each(|why| field(text, "not known", &one_line(why)));
    }
    field(text, "host", &header.host.as_ref().map(host_line).unwrap_or_default());
    for (index, told) in header.host.iter().flat_map(left_out_lines).enumerate() {
        field(text, if index == 0 { "left out" } else { "" }, &told);
    }
    let resumed: String = header.resumed.iter().map(|time| format!(", resumed {}", one_line(time))).collect();
    let (profile, started) = (one_line(&header.profile), one_line(&header.started));
    field(text, "parts", &part_line(header));
    for run in worth_a_line(header) {
        field(text, "", &merged_line(run));
    }
    let patience = header.settings.patience.map(|patience| format!(", patience {patience} ms")).unwrap_or_default();
    field(text, "run", &format!("profile {profile}, seed {}{patience}, started {started}{resumed}", header.seed));
}

/// What stands behind the library: a forwarder has no behavior of its own.
fn mapped(text: &mut String, header: &RunHeader) {
    let further = header.further_libraries.iter().map(|library| &library.sha256);
    let named: Vec<&String> = further.chain([&header.library.sha256]).collect();
    let others =
        header.mapped.iter().filter(|library| !library.sha256.as_ref().is_some_and(|sha| named.contains(&sha)));
    let others: Vec<String> = others.map(mapped_line).collect();
    for (index, other) in others.iter().take(GROUPS).enumerate() {
        field(text, if index == 0 { "behind it" } else { "" }, other);
    }
    if let Some(rest) = others.get(GROUPS..).filter(|rest| !rest.is_empty()) {
        field(text, "", &format!("and {} more that the journal names", rest.len()));
    }
}

/// A mapped library with what identifies it.
pub(super) fn mapped_line(library: &MappedLibrary) -> String {
    let sha256 = library.sha256.as_deref().map_or("unreadable".to_owned(), |sha| format!("sha256 {}", short(sha)));
    let build_id = library.build_id.as_deref().map_or(String::new(), |id| format!(", build id {}", short(id)));
    format!("{} ({sha256}{build_id})", one_line(&library.path))
}

/// The table of chapters. A column without a number is left out.
fn chapters(text: &mut String, results: &[RuleResult], paint: Paint) {
    const COLUMNS: [(&str, Meaning); 5] = [
        ("hold", Meaning::Good),
        ("broken", Meaning::Broken),
        ("finding", Meaning::Finding),
        ("unknown", Meaning::Unknown),
        ("skipped", Meaning::Skipped),
    ];
    let mut chapters: BTreeMap<String, Vec<&RuleResult>> = BTreeMap::new();
    for result in results {
        chapters.entry(elide(&result.chapter, 40)).or_default().push(result);
    }
    if results.is_empty() {
        line(text, "\nNo rule has a result.");
        return;
    }
    let width = chapters.keys().map(|name| name.chars().count()).max().unwrap_or(0).max("chapter".len());
    let mut columns = COLUMNS.to_vec();
    columns.retain(|(_, meaning)| results.iter().any(|result| result.meaning() == *meaning));
    let mut head = format!("\n{:<width$}  {:>6}", "chapter", "rules");
    for (name, _) in &columns {
        head.push_str(&format!("  {name:>7}"));
    }
    line(text, &paint.bold(&format!("{head}  {:>12}", "time")));
    let all: Vec<&RuleResult> = results.iter().collect();
    let total = (chapters.len() > 1).then_some(("all", &all));
    for (name, rules) in chapters.iter().map(|(name, rules)| (name.as_str(), rules)).chain(total) {
        let mut row = format!("{name:<width$}  {:>6}", rules.len());
        for (_, meaning) in &columns {
            let number = rules.iter().filter(|rule| rule.meaning() == *meaning).count();
            let cell = format!("  {:>7}", if number == 0 { "-".to_owned() } else { number.to_string() });
            row.push_str(&if number > 0 { colored(paint, *meaning, &cell) } else { cell });
        }
        let time = rules.iter().map(|rule| rule.nanoseconds).fold(0, u64::saturating_add);
        line(text, &format!("{row}  {:>12}", duration(time)));
    }
}

/// One line for each rule of a meaning.
fn listed(text: &mut String, heading: &str, results: &[&RuleResult], meaning: Meaning, paint: Paint) {
    let mut rules: Vec<&RuleResult> = results.iter().copied().filter(|result| result.meaning() == meaning).collect();
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    title(text, heading, rules.len(), paint);
    for rule in rules {
        let start = format!("  {:<10}  {}", rule.verdict.name(), one_line(&rule.id));
        let room = WIDTH.saturating_sub(start.chars().count() + 2);
        let message = rule.failure.as_ref().map_or("", |failure| &failure.message);
        let seen = if rule.reason.trim().is_empty() { message } else { &rule.reason };
        let start = colored(paint, meaning, &start);
        line(text, &if room < 20 { start } else { format!("{start}  {}", elide(seen, room)) });
    }
}

/// The reasons of a meaning, each with its number of rules; the verdict too where it says more than the meaning.
fn grouped(text: &mut String, heading: &str, results: &[&RuleResult], meaning: Meaning, paint: Paint) {
    let mut reasons: BTreeMap<(Verdict, String), Vec<&str>> = BTreeMap::new();
    for result in results.iter().copied().filter(|result| result.meaning() == meaning) {
        let reason =
            if result.reason.trim().is_empty() { "no reason given".to_owned() } else { one_line(&result.reason) };
        reasons.entry((result.verdict, reason)).or_default().push(&result.id);
    }
    title(text, heading, reasons.values().map(Vec::len).sum(), paint);
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, rules)| std::cmp::Reverse(rules.len()));
    for ((verdict, reason), rules) in reasons.iter().take(GROUPS) {
        let verdict = if *verdict == Verdict::Skipped { String::new() } else { format!("{verdict}: ") };
        let reason = match rules[..] {
            [rule] => format!("{verdict}{reason} ({})", one_line(rule)),
            _ => format!("{verdict}{reason}"),
        };
        for (index, part) in wrap(&reason, WIDTH - 8).iter().enumerate() {
            let number = if index == 0 { rules.len().to_string() } else { String::new() };
            line(text, &format!("{number:>6}  {part}"));
        }
    }
    if let Some(rest) = reasons.get(GROUPS..).filter(|rest| !rest.is_empty()) {
        let rules: usize = rest.iter().map(|(_, rules)| rules.len()).sum();
        line(text, &format!("{rules:>6}  for {} that the journal names", count(rest.len() as u64, "other reason")));
    }
}

/// The names of the rules that a word of the user would add.
fn would_add(text: &mut String, results: &[RuleResult], word: Word, paint: Paint) {
    let mut rules: Vec<String> = results
        .iter()
        .filter(|result| result.skipped_without == Some(word))
        .map(|result| one_line(&result.id))
        .collect();
    rules.sort();
    title(text, &format!("{} would add", word.option()), rules.len(), paint);
    wrap(&rules.join(", "), WIDTH - 2)
        .iter()
        .filter(|_| !rules.is_empty())
        .for_each(|part| line(text, &format!("  {part}")));
}

/// What the suite was asked for.
fn asked_for(text: &mut String, header: &RunHeader, results: &[RuleResult], paint: Paint) {
    let ran = |subject: &&Subject| {
        results.iter().any(|result| subject.rules.contains(&result.id) && result.verdict != Verdict::Skipped)
    };
    let subjects: Vec<&Subject> = header.subjects.iter().filter(ran).collect();
    title(text, "subjects", subjects.len(), paint);
    for told in subjects.iter().flat_map(|subject| subjects::lines(subject, results)) {
        line(text, &format!("  {told}"));
    }
}

/// The rules that ran when the run was killed, with what came out when they were run again.
fn interrupted(text: &mut String, results: &[RuleResult], paint: Paint) {
    let mut rules: Vec<&RuleResult> = results.iter().filter(|result| result.interrupted > 0).collect();
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    title(text, "interrupted: the run ended while they ran, and was resumed", rules.len(), paint);
    for rule in rules {
        let times = count(rule.interrupted, "time");
        line(text, &format!("  {:<10}  {}  interrupted {times}", rule.verdict.name(), one_line(&rule.id)));
    }
}

/// The rules in which a process reached its memory limit: without a limit it would have used up the machine's memory.
fn ran_away(text: &mut String, results: &[RuleResult], paint: Paint) {
    let limit = |result: &'_ RuleResult| Some((one_line(&result.id), result.verdict, result.memory_limit.clone()?));
    let mut rules: Vec<_> = results.iter().filter_map(limit).collect();
    rules.sort_by(|a, b| a.0.cmp(&b.0));
    title(text, "findings: a process took all the memory that it may have", rules.len(), paint);
    for (id, verdict, limit) in rules {
        let call = limit.call.map_or(String::new(), |call| format!("in {}: ", one_line(&call)));
        let told = format!("  {:<10}  {id}  {call}{} MiB beside what it held", verdict.name(), limit.mebibytes);
        line(text, &paint.yellow(&told));
    }
}

/// The rules that tried fewer cases than planned, and why.
fn cut(text: &mut String, results: &[RuleResult], paint: Paint) {
    let remark = |result: &RuleResult| Some(one_line(result.coverage.as_ref()?.remark.as_deref()?));
    let mut rules: Vec<(&str, String)> =
        results.iter().filter_map(|result| Some((result.id.as_str(), remark(result)?))).collect();
    rules.sort();
    title(text, "fewer cases than planned", rules.len(), paint);
    for (id, remark) in rules.iter().take(GROUPS) {
        line(text, &format!("  {}  {remark}", one_line(id)));
    }
    if let Some(rest) = rules.get(GROUPS..).filter(|rest| !rest.is_empty()) {
        line(text, &format!("  {} that the journal names", count(rest.len() as u64, "other rule")));
    }
}

fn closing(text: &mut String, header: &RunHeader, results: &[RuleResult], end: Option<&RunEnd>, paint: Paint) {
    let mut verdicts: BTreeMap<Verdict, u64> = BTreeMap::new();
    for result in results {
        *verdicts.entry(result.verdict).or_default() += 1;
    }
    let verdicts: Vec<String> = verdicts.iter().map(|(verdict, number)| format!("{number} {verdict}")).collect();
    let remarks: usize = results.iter().map(|result| result.findings.len()).sum();
    let number = |meaning| results.iter().filter(|result| result.meaning() == meaning).count();
    let findings = number(Meaning::Finding) + remarks;
    let observed = results.iter().filter(|result| !result.observations.is_empty()).count();
    let doubtful = results.iter().filter(|result| result.doubt.is_some()).count();
    let notes: Vec<String> = [
        (findings, "finding", ""),
        (observed, "rule", " with observations"),
        (doubtful, "rule", " on contradictory documents"),
    ]
    .into_iter()
    .filter(|(number, ..)| *number > 0)
    .map(|(number, noun, more)| format!("{}{more}", count(number as u64, noun)))
    .collect();
    field(text, "verdicts", &verdicts.join(", "));
    field(text, "notes", &notes.join(", "));
    if results.len() < header.rules {
        field(text, "rules", &format!("{} of the catalog's {} have a result", results.len(), header.rules));
    }
    if let Some(end) = end {
        let start_up = duration(end.start_up_nanoseconds);
        let runtimes = match end.starts.values().map(|starts| starts.runtimes).sum::<u64>() {
            0 => String::new(),
            runtimes => format!(", the runtime in {runtimes}"),
        };
        field(text, "workers", &format!("{} started{runtimes}, {start_up} of start-up in total", end.workers_started));
        let reasons: Vec<String> =
            end.starts.iter().map(|(reason, starts)| format!("{} {reason}", starts.processes)).collect();
        if !reasons.is_empty() {
            field(text, "started", &reasons.join(", "));
        }
        let since = if header.resumed.is_empty() { "" } else { " since the run was resumed" };
        field(text, "time", &format!("{}{since}", duration(end.nanoseconds)));
        field(text, "retries", &retries(&end.retries));
        end.told().for_each(|remark| field(text, "remark", &one_line(&remark)));
    }
    let expected = end.and_then(|end| end.expectations.as_ref());
    if let Some(expected) = expected {
        field(text, "expected", &numbers(expected));
        expected.open.iter().for_each(|open| field(text, "open", &one_line(open)));
    }
    let Conclusion { tone, text: told } = conclusion(header, results, end);
    let result = match tone {
        Tone::Good => paint.green(&told),
        Tone::Empty => paint.yellow(&told),
        Tone::Bad => paint.red(&told),
    };
    line(text, &format!("{:<9} {result}{}", "result", mark(header)));
    let folder = if header.run.contains('/') { "" } else { "reports/out/" };
    line(text, &format!("{:<9} {folder}{}", "report", clean(&header.run).trim()));
}

fn colored(paint: Paint, meaning: Meaning, text: &str) -> String {
    match meaning {
        Meaning::Good => paint.green(text),
        Meaning::Broken | Meaning::Unknown => paint.red(text),
        Meaning::Finding => paint.yellow(text),
        Meaning::Skipped => text.to_owned(),
    }
}

/// A heading with its number; nothing for nothing.
fn title(text: &mut String, heading: &str, number: usize, paint: Paint) {
    if number > 0 {
        line(text, &format!("\n{} ({number})", paint.bold(heading)));
    }
}

fn field(text: &mut String, label: &str, value: &str) {
    if !value.is_empty() {
        for (index, part) in wrap(value, WIDTH - 10).iter().enumerate() {
            line(text, &format!("{:<9} {part}", if index == 0 { label } else { "" }));
        }
    }
}

fn line(text: &mut String, line: &str) {
    text.push_str(line.trim_end_matches(' '));
    text.push('\n');
}
