//! The summary of a run in few lines, for `--quiet`.

use messages::message;
use record::{Meaning, Recorded, RuleResult, SortedResult};

use super::advice::brief;
use super::expected::sorted_line;
use super::layout::Layout;
use super::summary::{field, group_by_reason, outcome, verdicts};
use super::text::{Paint, elide, one_line};
use crate::causes::{causes, counting, findings};

/// A run's end: the results that break it by cause, the number of results by verdict, remarks about devices and
/// processes, the outcome, and the folder with the reports.
pub fn brief_summary(run: &Recorded, layout: Layout) -> String {
    let paint = Paint(layout);
    let mut text = String::new();
    let counts = counting(&run.results, run.end.as_ref());
    let strict = run.header.settings.strict;
    let findings = if strict { findings(counts.iter().copied()) } else { Vec::new() };
    for cause in causes(counts.iter().copied()).iter().chain(&findings) {
        let expected = cause.results().filter_map(|result| Some((result, entry(run, result)?)));
        let expected = expected.map(|(result, sorted)| match result.id == cause.first.id {
            true => sorted_line(sorted),
            false => format!("{}: {}", one_line(&result.id), sorted_line(sorted)),
        });
        let replay = cause.first.failure.as_deref().map(|failure| one_line(&failure.replay));
        let lines = [describe_failure(cause.first, layout)].into_iter().chain(expected).chain(replay);
        brief(&mut text, cause, lines.filter(|line| !line.is_empty()), layout);
    }
    let unknown: Vec<&RuleResult> = counts.into_iter().filter(|result| result.hides(strict)).collect();
    group_by_reason(&mut text, message!("meaning-unknown"), &unknown, Meaning::Unknown, paint);
    field(&mut text, message!("label-verdicts"), &verdicts(&run.results), paint);
    for remark in run.end.iter().flat_map(|end| end.told()) {
        field(&mut text, message!("label-remark"), &one_line(&remark), paint);
    }
    outcome(&mut text, &run.header, &run.results, run.end.as_ref(), paint);
    text
}

/// The failure or the reason of a result, on one line.
fn describe_failure(result: &RuleResult, layout: Layout) -> String {
    let message = result.failure.as_deref().map_or("", |failure| &failure.message);
    elide(if result.reason.trim().is_empty() { message } else { &result.reason }, layout.width - 2)
}

/// The known failure that a result does not match.
fn entry<'a>(run: &'a Recorded, result: &RuleResult) -> Option<&'a SortedResult> {
    let expected = run.end.as_ref()?.expectations.as_ref()?;
    expected.results.iter().find(|sorted| sorted.rule == result.id && sorted.entry.is_some())
}
