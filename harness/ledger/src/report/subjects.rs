//! What the suite was asked for, subject by subject: what was judged, what was only observed, and what was seen.

use super::text::{count, elide, one_line};
use catalog::Level;
use record::{Meaning, RuleResult, Subject, Verdict};

/// Columns of a line that tells what was seen.
const SEEN: usize = 88;

/// The lines of a subject; the first one names it.
pub(super) fn lines(subject: &Subject, results: &[RuleResult]) -> Vec<String> {
    let of_subject = |result: &&RuleResult| subject.rules.contains(&result.id);
    let ran = |result: &&RuleResult| of_subject(result) && result.verdict != Verdict::Skipped;
    let (judged, observed): (Vec<&RuleResult>, Vec<&RuleResult>) = results.iter().filter(ran).partition(|result| {
        result.level == Level::Must && result.verdict != Verdict::Observed && result.observed_only.is_empty()
    });
    let number = |meaning| judged.iter().filter(|result| result.meaning() == meaning).count();
    let skipped = results.iter().filter(of_subject).count() - judged.len() - observed.len();
    let parts: Vec<String> = [
        (number(Meaning::Good), "hold"),
        (number(Meaning::Broken), "broken"),
        (number(Meaning::Unknown), "not known"),
        (observed.len(), "only observed"),
        (skipped, "skipped"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!("{number} {what}"))
    .collect();
    let rules = count((judged.len() + observed.len() + skipped) as u64, "rule");
    let mut lines =
        vec![format!("{}: {rules}, {} judged: {}", one_line(&subject.name), judged.len(), parts.join(", "))];
    for result in observed.iter().chain(&judged) {
        let outcomes = result.observations.get("outcome").into_iter().flat_map(|seen| seen.keys());
        let seen = (!result.reason.is_empty()).then_some(&result.reason).into_iter().chain(outcomes);
        if let Some(seen) = seen.chain(&result.findings).next() {
            lines.push(elide(&format!("  {}: {}", one_line(&result.id), one_line(seen)), SEEN));
        }
    }
    lines
}
