//! What known failures made of a run, and what was done once more, as reports name it.

use std::collections::BTreeMap;

use record::{AppliedExpectations, EntryReference, Retry, RetryCause, Sort, SortedResult};

use super::text::{Paint, WIDTH, count, one_line, wrap};

/// Sorts with their headings in a summary, the worst first. What is new stands among the broken rules.
const HEADINGS: [(Sort, &str); 5] = [
    (Sort::Unlike, "unlike: another symptom than the known one"),
    (Sort::TooOften, "too often: flakes beyond their rates"),
    (Sort::Expired, "expired: as entries say that no longer hold"),
    (Sort::Fixed, "fixed: known failures that hold now"),
    (Sort::Known, "known failures"),
];

/// A sorted result on one line: `known: fail, call f; https://…, of owner, until 2027-03-31 (a2.yaml:3)`.
pub(super) fn told(sorted: &SortedResult) -> String {
    let entry = sorted.entry.as_ref().map(|entry| format!("; {}", reference(entry))).unwrap_or_default();
    one_line(&format!("{}: {}{entry}", sorted.sort, sorted.why))
}

fn reference(entry: &EntryReference) -> String {
    let EntryReference { place, tracker, owner, expires } = entry;
    one_line(&format!("{tracker}, of {owner}, until {expires} ({place})"))
}

/// The results that are sorted, sort by sort.
pub(super) fn sections(expected: &AppliedExpectations, paint: Paint) -> String {
    let mut text = String::new();
    for (sort, heading) in HEADINGS {
        let mut results: Vec<&SortedResult> = expected.results.iter().filter(|sorted| sorted.sort == sort).collect();
        results.sort_by(|a, b| a.rule.cmp(&b.rule));
        if results.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{} ({})\n", paint.bold(heading), results.len()));
        for sorted in results {
            text.push_str(&format!("  {}\n", colored(sort, &one_line(&sorted.rule), paint)));
            let entry = sorted.entry.as_ref().map(reference);
            let lines = [Some(one_line(&sorted.why)), entry].into_iter().flatten();
            for line in lines.flat_map(|line| wrap(&line, WIDTH - 6)) {
                text.push_str(&format!("      {line}\n"));
            }
        }
    }
    text
}

/// The number of results of each sort: `1 new, 3 known`.
pub(super) fn numbers(expected: &AppliedExpectations) -> String {
    let sorts = [Sort::New, Sort::Unlike, Sort::TooOften, Sort::Expired, Sort::Fixed, Sort::Known];
    let numbers = sorts.iter().map(|sort| (sort, expected.number(*sort))).filter(|(_, number)| *number > 0);
    let numbers: Vec<String> = numbers.map(|(sort, number)| format!("{number} {sort}")).collect();
    let numbers = if numbers.is_empty() { "no failure met an entry".to_owned() } else { numbers.join(", ") };
    let files = &expected.files;
    let entries = if files.entries == 1 { "entry".to_owned() } else { "entries".to_owned() };
    one_line(&format!("{numbers}; {} {entries} of {} on {}", files.entries, files.path, expected.on))
}

/// What was done once more: `2 lost-device, 1 start; never for a verdict`. Empty: nothing.
pub(super) fn retries(retries: &[Retry]) -> String {
    let mut causes: BTreeMap<RetryCause, u64> = BTreeMap::new();
    retries.iter().for_each(|retry| *causes.entry(retry.cause).or_default() += 1);
    let causes: Vec<String> = causes.iter().map(|(cause, number)| format!("{number} {cause}")).collect();
    if causes.is_empty() { String::new() } else { format!("{}; never for a verdict", causes.join(", ")) }
}

/// One of them with its reason.
pub(super) fn retry(retry: &Retry) -> String {
    let rule = retry.rule.as_ref().map(|rule| format!(" of {rule}")).unwrap_or_default();
    one_line(&format!("{}{rule}: {}", retry.cause, retry.reason))
}

/// The result of a run in which nothing is broken but what is known.
pub(super) fn only_known(expected: &AppliedExpectations) -> Option<String> {
    let excused = expected.results.iter().filter(|sorted| expected.excuses(&sorted.rule)).count();
    (excused > 0)
        .then(|| format!("nothing new: {}, no other rule that ran is broken", count(excused as u64, "known failure")))
}

fn colored(sort: Sort, text: &str, paint: Paint) -> String {
    match sort {
        Sort::New | Sort::Unlike | Sort::TooOften => paint.red(text),
        Sort::Expired => paint.yellow(text),
        Sort::Fixed => paint.green(text),
        Sort::Known => text.to_owned(),
    }
}
