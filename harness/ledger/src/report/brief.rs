//! Results in few lines, for `--quiet`.

use messages::message;
use record::{Recorded, RuleResult, SortedResult};

use super::expected::sorted_line;
use super::layout::Layout;
use super::summary::{field, outcome, verdicts};
use super::text::{Paint, elide, one_line};
use crate::names::verdict_text;

/// A result that breaks a run, in a few lines: the rule, what was seen, why a known failure does not excuse it, and the
/// command that replays the case.
pub fn brief_failure(result: &RuleResult, sorted: Option<&SortedResult>, layout: Layout) -> String {
    let failure = result.failure.as_deref();
    let reason =
        if result.reason.trim().is_empty() { failure.map_or("", |failure| &failure.message) } else { &result.reason };
    let replay = failure.map(|failure| one_line(&failure.replay)).filter(|replay| !replay.is_empty());
    let lines = [elide(reason, layout.width - 2)].into_iter().filter(|reason| !reason.is_empty());
    let lines = lines.chain(sorted.filter(|sorted| sorted.entry.is_some()).map(sorted_line)).chain(replay);
    let title = format!("{}  {}", verdict_text(result.verdict).to_uppercase(), one_line(&result.id));
    std::iter::once(title).chain(lines.map(|line| format!("  {line}"))).collect::<Vec<_>>().join("\n")
}

/// The end of a run's summary: the number of results by verdict, remarks about devices and processes, the outcome, and
/// the folder with the reports.
pub fn brief_summary(run: &Recorded, layout: Layout) -> String {
    let paint = Paint(layout);
    let mut text = String::new();
    field(&mut text, message!("label-verdicts"), &verdicts(&run.results), paint);
    for remark in run.end.iter().flat_map(|end| end.told()) {
        field(&mut text, message!("label-remark"), &one_line(&remark), paint);
    }
    outcome(&mut text, &run.header, &run.results, run.end.as_ref(), paint);
    text
}
