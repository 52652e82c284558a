//! The target `journal`: reads a journal's bytes, and returns a run, or an error with its place.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ledger::report::{Layout, summary, write_junit};
use record::{JournalError, Meaning, Recorded, RuleResult, RunSettings, Verdict, read_run};

use crate::catalog::is_rule_id;

/// The maximum deadline for a call in seconds. No run writes a journal with a longer deadline.
const LONGEST_DEADLINE: u64 = 30 * 24 * 3600;

/// Texts that have a meaning in a journal but are missing from the corpus.
pub const WORDS: &[&str] = &[
    "\"verdict\":\"fail\"",
    "\"verdict\":\"pass\"",
    "\"verdict\":\"error\"",
    "\"exit\":0",
    "\"exit\":200",
    "\"strict\":true",
    "\"deadline\":9",
    "\"min_executed\":9",
    "\"rules\":null",
    "\"level\":\"info\"",
    "../",
    "\\u001b[31m",
    "\\u202e",
    "\\u0000",
    "{\"begin\":{\"id\":\"acl.a.b\"}}\n",
    "{\"resume\":{\"started\":\"x\"}}\n",
    "null",
    "{}",
    "[]",
];

thread_local! {
    static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// Checks that the error for a rejected journal has a place and a reason, and that a run could have written an accepted
/// journal.
pub fn law(bytes: &[u8]) {
    let folder = FOLDER.with_borrow_mut(Option::take);
    let folder = folder.unwrap_or_else(|| tempfile::tempdir().expect("the folder for temporary files can be written"));
    let path = folder.path().join("results.jsonl");
    std::fs::write(&path, bytes).expect("this process owns the folder");
    match read_run(&path) {
        Err(error) => errors_have_places(&error, &path, bytes),
        Ok(run) => {
            results_are_of_the_selection(&run);
            ids_are_rule_ids(&run);
            counts_are_those_of_the_results(&run);
            the_exit_status_is_that_of_the_results(&run);
            the_deadline_is_one_that_can_be_given(&run.header.settings);
            reports_can_be_written(&run, folder.path());
        }
    }
    FOLDER.set(Some(folder));
}

fn errors_have_places(error: &JournalError, path: &Path, bytes: &[u8]) {
    let text = error.to_string();
    assert!(text.contains(&*path.to_string_lossy()), "an error does not name its file: {text}");
    if let JournalError::Broken { line, .. } = error {
        let lines = bytes.split(|byte| *byte == b'\n').count();
        assert!((1..=lines).contains(line), "an error does not name a line in the file: {text}");
    }
}

fn ids_are_rule_ids(run: &Recorded) {
    let results = run.results.iter().map(|result| result.id.as_str());
    for id in results.chain(run.in_flight.keys().map(String::as_str)).chain(run.header.own_rules()) {
        assert!(is_rule_id(id), "an accepted id is not valid: {id:?}");
    }
}

fn results_are_of_the_selection(run: &Recorded) {
    let selected: BTreeSet<&str> = run.header.own_rules().collect();
    for id in run.results.iter().map(|result| &result.id).chain(run.in_flight.keys()) {
        assert!(selected.contains(id.as_str()), "a rule was not selected: {id}");
    }
}

fn counts_are_those_of_the_results(run: &Recorded) {
    let Some(end) = &run.end else { return };
    let mut counts: BTreeMap<Verdict, u64> = BTreeMap::new();
    for result in &run.results {
        *counts.entry(result.verdict).or_default() += 1;
    }
    assert_eq!(end.counts, counts, "the counts do not match the results: as written, as computed");
}

fn the_exit_status_is_that_of_the_results(run: &Recorded) {
    let Some(end) = &run.end else { return };
    assert_eq!(end.exit, exit_status(run), "the exit status does not match the results: as written, as computed");
}

/// 0: conformant, 1: a rule is broken, 3: the answer is unknown.
fn exit_status(run: &Recorded) -> u8 {
    let settings = &run.header.settings;
    let any = |meaning| run.results.iter().any(|result| result.meaning() == meaning);
    let executed = run.results.iter().filter(|result| result.verdict != Verdict::Skipped).count() as u64;
    let missing = run.results.len() < run.header.own_rules().count();
    if any(Meaning::Broken) || (settings.strict && any(Meaning::Finding)) {
        1
    } else {
        let edges_ran = |result: &RuleResult| {
            let cut = result.coverage.as_ref().and_then(|coverage| coverage.cut);
            result.verdict == Verdict::Cut && cut.is_some_and(|cut| cut.edges_left == 0)
        };
        let unknown = run.results.iter().filter(|result| result.meaning() == Meaning::Unknown);
        let hidden = unknown.filter(|result| settings.strict || !edges_ran(result)).count() > 0;
        let unusable = settings.strict && run.end.as_ref().is_some_and(|end| end.unusable_cases > 0);
        let unknown = hidden || missing || unusable || settings.min_executed.is_some_and(|least| executed < least);
        if unknown { 3 } else { 0 }
    }
}

/// Checks that the deadline is within the bounds of the key `deadline`. A journal without settings has no deadline.
fn the_deadline_is_one_that_can_be_given(settings: &RunSettings) {
    let given = *settings != RunSettings::default();
    assert!(
        !given || (1..=LONGEST_DEADLINE).contains(&settings.deadline),
        "a deadline that cannot be given is accepted: {} s",
        settings.deadline
    );
}

fn reports_can_be_written(run: &Recorded, folder: &Path) {
    let text = summary(&run.header, &run.results, run.end.as_ref(), Layout::FILE);
    let odd = text.chars().find(|letter| letter.is_control() && *letter != '\n');
    assert_eq!(odd, None, "a summary controls the terminal: {text:?}");
    let written = write_junit(folder, &run.header, &run.results, run.end.as_ref());
    assert!(written.is_ok(), "the JUnit report cannot be written: {written:?}");
}
