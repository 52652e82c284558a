//! `junit.xml`: a test suite for each chapter, and a test case for each rule.
//!
//! Programs read it, so its text is the same in every language.
//!
//! The crate junit-report writes the document; [`super::markup`] adds the parts that the crate lacks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use junit_report::{Report, TestCase, TestResult, TestSuite};
use time::{Duration, OffsetDateTime};

use super::ReportError;
use super::expected::{retry, sorted_line};
use super::failure::{failure_text, notes};
use super::fingerprint::{device_line, installed_line};
use super::host::host_line;
use super::layout::Layout;
use super::markup::{Extra, OfRule, SPLIT, broken, complete};
use super::parts::{merged_line, part_line, worth_a_line};
use super::place::place_of;
use super::target::{capability_lines, loaded_line, mark};
use super::text::{clean, one_line};
use crate::causes::causes;
use catalog::files;
use messages::{Language, in_language, message};
use record::{
    AppliedExpectations, LogFile, MappedLibrary, Meaning, Recorded, RuleResult, RunEnd, RunHeader, Sort, Verdict,
    on_which,
};

/// The report's name in a run's folder.
pub const JUNIT_FILE: &str = "junit.xml";

/// Writes `junit.xml` to `dir`, replacing any older file, and returns its path.
///
/// A broken rule is a `failure`, and a rule without an answer is an `error`. Everything else passes. A broken rule with
/// level `info` also passes, and its details are in `system-out`. A known failure is skipped, with its tracker and
/// symptom as the message. An unfinished run has an additional test case, an `error`, so that no reader mistakes the
/// run for a run without failures. A run with remarks has an additional test case that passes and contains the remarks.
pub fn write_junit(
    dir: &Path,
    header: &RunHeader,
    results: &[RuleResult],
    end: Option<&RunEnd>,
) -> Result<PathBuf, ReportError> {
    let path = dir.join(JUNIT_FILE);
    let document = in_language(Language::English, || document(dir, header, results, end))?;
    files::replace(&path, document).map_err(|source| ReportError::Write { path: path.clone(), source })?;
    Ok(path)
}

/// The report for a run whose logs are in `folder`.
pub(super) fn junit(folder: &Path, run: &Recorded) -> Result<Vec<u8>, ReportError> {
    document(folder, &run.header, &run.results, run.end.as_ref())
}

fn document(
    folder: &Path,
    header: &RunHeader,
    results: &[RuleResult],
    end: Option<&RunEnd>,
) -> Result<Vec<u8>, ReportError> {
    let folder = &std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut chapters: BTreeMap<String, Vec<&RuleResult>> = BTreeMap::new();
    for result in results {
        chapters.entry(class_name(header, &result.chapter)).or_default().push(result);
    }
    let missing = missing(header, results, end);
    let expected = end.and_then(|end| end.expectations.as_ref());
    let mut suites = Vec::new();
    for (name, mut rules) in chapters {
        rules.sort_by(|a, b| a.id.cmp(&b.id));
        let cases = rules.into_iter().map(|rule| case(folder, &name, rule, header, expected)).collect();
        suites.push(suite(&name, cases, header, missing.as_deref()));
    }
    let remarks = end.is_some_and(|end| end.told().next().is_some());
    if end.is_none() || remarks || suites.is_empty() {
        let name = class_name(header, "run");
        let cases = match end {
            None => {
                let (type_, why) = (Verdict::Error.name(), missing.as_deref().unwrap_or_default());
                Some(TestCase::error(&format!("{name}.end"), Duration::ZERO, type_, why))
            }
            // This test case passes, because the library's behavior while no rule runs cannot break a rule.
            Some(end) => remarks.then(|| {
                let mut case = TestCase::success(&format!("{name}.end"), Duration::ZERO);
                case.system_out = Some(body(&end.told().collect::<Vec<_>>().join("\n")));
                case
            }),
        };
        let cases = cases.into_iter().map(|mut case| {
            case.set_classname(&name);
            case
        });
        suites.push(suite(&name, cases.collect(), header, missing.as_deref()));
    }
    let mut report = Report::new();
    let causes = causes_of(results);
    let rules = results.iter().map(|rule| (one_line(&rule.id), of_rule(rule, header, &causes))).collect();
    let extra = Extra {
        name: format!("atlas-cts{}", mark(header)),
        timestamp: one_line(&header.started),
        properties: properties(header, end),
        rules,
        skipped: suites.iter().map(TestSuite::skipped).collect(),
        tests: suites.iter().map(TestSuite::tests).sum(),
        failures: suites.iter().map(TestSuite::failures).sum(),
        errors: suites.iter().map(TestSuite::errors).sum(),
        time: end.map_or_else(
            || suites.iter().map(TestSuite::time).fold(Duration::ZERO, Duration::saturating_add),
            |end| duration(end.nanoseconds),
        ),
    };
    report.add_testsuites(suites);
    let mut xml = Vec::new();
    report.write_xml(&mut xml).map_err(broken)?;
    complete(&xml, &extra)
}

/// The full class name, for example `toy.copy` for the chapter `copy` and the runtime `toy`.
fn class_name(header: &RunHeader, chapter: &str) -> String {
    let (runtime, chapter) = (one_line(&header.runtime), one_line(chapter));
    if chapter.split('.').next() == Some(&runtime) { chapter } else { format!("{runtime}.{chapter}") }
}

/// Sentences about gaps in the report, if there are any.
fn missing(header: &RunHeader, results: &[RuleResult], end: Option<&RunEnd>) -> Option<String> {
    let (some, all) = (results.len(), header.rules);
    let rules = (some < all).then(|| message!("junit-some-results", some = some, all = all));
    let unfinished = end.is_none().then(|| message!("junit-unfinished").to_owned());
    let sentences: Vec<String> = unfinished.into_iter().chain(rules).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn suite(name: &str, cases: Vec<TestCase>, header: &RunHeader, missing: Option<&str>) -> TestSuite {
    let mut suite = TestSuite::new(name);
    suite.package = one_line(&header.runtime);
    // The crate junit-report requires a timestamp. `complete` replaces this placeholder with the header's text.
    suite.timestamp = OffsetDateTime::UNIX_EPOCH;
    suite.add_testcases(cases);
    suite.set_system_out(&body(&loaded_line(header)));
    if let Some(missing) = missing {
        suite.set_system_err(&body(missing));
    }
    suite
}

fn case(
    folder: &Path,
    class: &str,
    rule: &RuleResult,
    header: &RunHeader,
    expected: Option<&AppliedExpectations>,
) -> TestCase {
    let mut case = TestCase::success(&one_line(&rule.id), duration(rule.nanoseconds));
    case.set_classname(class);
    let type_ = rule.verdict.name().to_owned();
    let message = one_line(if rule.reason.trim().is_empty() {
        rule.failure.as_ref().map_or(rule.verdict.name(), |failure| &failure.message)
    } else {
        &rule.reason
    });
    let full = || body(&failure_text(rule, header, Layout::FILE));
    let sorted = expected.and_then(|expected| expected.of(&rule.id));
    let excused = sorted.filter(|_| expected.is_some_and(|expected| expected.excuses(&rule.id)));
    let type_ = excused.map_or(type_, |sorted| sorted.sort.name().to_owned());
    let message = excused.map_or(message, sorted_line);
    case.result = match rule.meaning() {
        _ if excused.is_some() => TestResult::SkippedWithCause { type_, message, cause: None },
        Meaning::Good | Meaning::Finding => TestResult::Success,
        Meaning::Skipped => TestResult::SkippedWithCause { type_, message, cause: None },
        // A rule without an answer counts as skipped if it does not affect the run's exit status.
        Meaning::Unknown if !rule.hides(header.settings.strict) => {
            TestResult::SkippedWithCause { type_, message, cause: None }
        }
        Meaning::Broken => TestResult::Failure { type_, message, cause: Some(full()) },
        Meaning::Unknown => TestResult::Error { type_, message, cause: Some(full()) },
    };
    case.system_out = match rule.meaning() {
        Meaning::Finding => Some(full()),
        Meaning::Broken | Meaning::Unknown if excused.is_some() => Some(full()),
        _ => notes(rule).as_deref().map(body),
    };
    // There is nothing to add for a new failure.
    if let Some(sorted) = sorted.filter(|sorted| sorted.sort != Sort::New) {
        case.system_out = Some(body(&sorted_line(sorted)) + "\n" + &case.system_out.unwrap_or_default());
    }
    let attached = attachments(folder, rule, header);
    if !attached.is_empty() {
        case.system_out = Some(case.system_out.unwrap_or_default() + &body(&attached));
    }
    case
}

/// For each broken rule, by id: the rule to read first, and the common feature of the failures.
fn causes_of(results: &[RuleResult]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for cause in causes(results) {
        let text = one_line(&format!("{}: {}", cause.first.id, cause.title()));
        found.extend(cause.results().map(|result| (result.id.clone(), text.clone())));
    }
    found
}

fn of_rule(rule: &RuleResult, header: &RunHeader, causes: &BTreeMap<String, String>) -> OfRule {
    let place = place_of(rule, header);
    let devices = on_devices(rule).map(|devices| ("devices", devices));
    let cause = causes.get(&rule.id).map(|cause| ("cause", cause.clone()));
    let once = rule.unconfirmed().then(|| ("unconfirmed", "seen once, not run again".to_owned()));
    OfRule { file: place.file, line: place.line, properties: devices.into_iter().chain(cause).chain(once).collect() }
}

/// A rule's devices. If the results on the devices differ, the text lists the result on each device.
fn on_devices(rule: &RuleResult) -> Option<String> {
    let each = rule.each.iter().map(|on| on.device.as_str()).collect::<Vec<_>>().join(",");
    let ran = on_which(&rule.each).unwrap_or(if each.is_empty() { rule.devices.join(",") } else { each });
    (!ran.is_empty()).then(|| one_line(&ran))
}

/// A rule's files, one line each, in the notation of Jenkins (plugin junit-attachments) and GitLab. Paths are absolute.
/// In a redacted run, paths are relative to the current folder if the current folder contains the run's folder, and
/// otherwise to the run's folder.
fn attachments(folder: &Path, rule: &RuleResult, header: &RunHeader) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    let folder = match header.settings.redact {
        true => folder.strip_prefix(&current).unwrap_or(Path::new("")),
        false => folder,
    };
    let files = rule.logs.iter().flat_map(|logs| &logs.files).filter(|file| file.is_sound());
    let line =
        |file: &LogFile| format!("[[ATTACHMENT|{}]]\n", one_line(&folder.join(&file.name).display().to_string()));
    files.map(line).collect()
}

fn properties(header: &RunHeader, end: Option<&RunEnd>) -> Vec<(&'static str, String)> {
    let optional = |value: &Option<String>| value.as_deref().map(one_line).unwrap_or_default();
    let library = &header.library;
    let mut properties = vec![
        ("suite.version", one_line(&header.suite)),
        ("run", one_line(&header.run)),
        ("runtime", one_line(&header.runtime)),
        ("product", one_line(&header.product)),
        ("reported_name", optional(&header.reported_name)),
        ("simulated", library.simulated.to_string()),
        ("library.path", one_line(&library.path)),
        ("library.sha256", one_line(&library.sha256)),
        ("library.version", optional(&library.version)),
        ("library.chosen_by", one_line(&library.chosen_by)),
        ("edition", optional(&header.edition)),
        ("run_mode", one_line(&header.run_mode)),
        ("devices", header.devices.to_string()),
        ("profile", one_line(&header.profile)),
        ("seed", header.seed.to_string()),
        ("catalog.digest", one_line(&header.catalog_digest)),
        ("catalog.rules", header.rules.to_string()),
        ("defects", one_line(&header.defects.join(" "))),
    ];
    properties.retain(|(name, value)| *name != "run_mode" || !value.is_empty());
    for library in &header.further_libraries {
        let identity = format!("{}: {} (sha256 {})", library.id, library.path, library.sha256);
        properties.push(("library.further", one_line(&identity)));
    }
    for library in &header.mapped {
        let MappedLibrary { path, sha256, build_id } = library;
        let of = |name: &str, value: &Option<String>| value.as_ref().map(|value| format!("{name} {value}"));
        let ids: Vec<String> = [of("sha256", sha256), of("build id", build_id)].into_iter().flatten().collect();
        properties.push(("library.mapped", one_line(&format!("{path} ({})", ids.join(", ")))));
    }
    for (id, found) in &header.further_versions {
        let edition = found.edition.as_deref().unwrap_or("unknown");
        properties.push(("library.edition", one_line(&format!("{id}: {edition}"))));
    }
    properties.extend(capability_lines(header).into_iter().map(|line| ("capability", line)));
    let out = header
        .devices_out
        .iter()
        .map(|out| message!("device-is", device = out.device.as_str(), what = out.reason.as_str()));
    properties.extend(out.map(|out| ("device.out", one_line(&out))));
    if let Some(fingerprint) = &header.fingerprint {
        properties.extend(fingerprint.devices.iter().map(|device| ("device.identity", device_line(device))));
        properties.extend(fingerprint.installed.iter().map(|version| ("installed", installed_line(version))));
        properties.extend(fingerprint.unknown.iter().map(|why| ("identity.unknown", one_line(why))));
    }
    if let Some(host) = &header.host {
        properties.push(("host", host_line(host)));
    }
    let parts = part_line(header);
    if !parts.is_empty() {
        properties.push(("parts", parts));
    }
    properties.extend(worth_a_line(header).map(|run| ("merged", merged_line(run))));
    if let Some(files) = end.and_then(|end| end.expectations.as_ref()).map(|expected| &expected.files) {
        properties.push(("expectations", one_line(&format!("{} (sha256 {})", files.path, files.digest))));
    }
    properties.extend(end.iter().flat_map(|end| &end.retries).map(|again| ("retry", retry(again))));
    if !header.resumed.is_empty() {
        properties.push(("resumed", one_line(&header.resumed.join(" "))));
    }
    properties
}

/// Text for a CDATA section. `]]>` would end the section, so a mark splits each `]]>`. [`complete`] removes the mark.
fn body(text: &str) -> String {
    clean(text).replace("]]>", &format!("]]{SPLIT}>"))
}

fn duration(nanoseconds: u64) -> Duration {
    Duration::new((nanoseconds / 1_000_000_000) as i64, (nanoseconds % 1_000_000_000) as i32)
}
