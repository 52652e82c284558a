//! Formats a run's known failures and retries for reports.

use std::collections::BTreeMap;

use messages::{comma, message};
use record::{AppliedExpectations, EntryReference, Retry, RetryCause, Sort, SortedResult};

use super::text::{Paint, one_line, wrap};
use crate::names::sort_text;

/// A sorted result on one line, for example `known: fail, call f; https://…, owner kernel-team, until 2027-03-31
/// (a2.yaml:3)`.
pub(super) fn sorted_line(sorted: &SortedResult) -> String {
    let entry = sorted.entry.as_ref().map(|entry| format!("; {}", reference(entry))).unwrap_or_default();
    one_line(&format!("{}: {}{entry}", sort_text(sorted.sort), sorted.why))
}

fn reference(entry: &EntryReference) -> String {
    let EntryReference { place, tracker, owner, expires } = entry.clone();
    one_line(&message!("known-entry", tracker = tracker, owner = owner, expires = expires, place = place))
}

/// The sorted results, worst sort first, except new failures, which are listed with the broken rules.
pub(super) fn sections(expected: &AppliedExpectations, paint: Paint) -> String {
    let headings = [
        (Sort::Unlike, message!("known-unlike")),
        (Sort::TooOften, message!("known-too-often")),
        (Sort::Expired, message!("known-expired")),
        (Sort::Fixed, message!("known-fixed")),
        (Sort::Known, message!("known-failures")),
    ];
    let mut text = String::new();
    for (sort, heading) in headings {
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
            for line in lines.flat_map(|line| wrap(&line, paint.width() - 6)) {
                text.push_str(&format!("      {line}\n"));
            }
        }
    }
    text
}

/// The number of results of each sort, and the files, for example `1 new, 3 known; 4 entries in a2.yaml, as of
/// 2027-03-01`.
pub(super) fn numbers(expected: &AppliedExpectations) -> String {
    let sorts = [Sort::New, Sort::Unlike, Sort::TooOften, Sort::Expired, Sort::Fixed, Sort::Known];
    let numbers = sorts.iter().map(|sort| (sort, expected.number(*sort))).filter(|(_, number)| *number > 0);
    let numbers: Vec<String> = numbers.map(|(sort, number)| format!("{number} {}", sort_text(*sort))).collect();
    let numbers = if numbers.is_empty() { message!("known-none-matched").to_owned() } else { numbers.join(comma()) };
    let (files, day) = (&expected.files, expected.on.as_str());
    let path = files.path.as_str();
    one_line(&message!("known-applied", numbers = numbers, count = files.entries, path = path, day = day))
}

/// The number of retries by cause, for example `2 lost-device, 1 start (never because of a verdict)`; empty if there
/// were none.
pub(super) fn retries(retries: &[Retry]) -> String {
    let mut causes: BTreeMap<RetryCause, u64> = BTreeMap::new();
    retries.iter().for_each(|retry| *causes.entry(retry.cause).or_default() += 1);
    let causes: Vec<String> = causes.iter().map(|(cause, number)| format!("{number} {cause}")).collect();
    if causes.is_empty() { String::new() } else { message!("retries", causes = causes.join(comma())) }
}

/// A retry and its reason.
pub(super) fn retry(retry: &Retry) -> String {
    let rule = retry.rule.as_ref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    one_line(&format!("{}{rule}: {}", retry.cause, retry.reason))
}

/// The outcome of a run in which every broken rule is a known failure.
pub(super) fn only_known(expected: &AppliedExpectations) -> Option<String> {
    let excused = expected.results.iter().filter(|sorted| expected.excuses(&sorted.rule)).count();
    (excused > 0).then(|| message!("result-only-known", count = excused))
}

fn colored(sort: Sort, text: &str, paint: Paint) -> String {
    match sort {
        Sort::New | Sort::Unlike | Sort::TooOften => paint.red(text),
        Sort::Expired => paint.yellow(text),
        Sort::Fixed => paint.green(text),
        Sort::Known => text.to_owned(),
    }
}
