//! The suite's subjects, each with its results and its numbers of judged and observed rules.

use super::text::{elide, one_line};
use catalog::Level;
use messages::{comma, message};
use record::{Meaning, RuleResult, Subject, Verdict};

/// The lines about a subject; the first line names the subject. Lines about rules take at most `width` columns.
pub(super) fn lines(subject: &Subject, results: &[RuleResult], width: usize) -> Vec<String> {
    let of_subject = |result: &&RuleResult| subject.rules.contains(&result.id);
    let ran = |result: &&RuleResult| of_subject(result) && result.verdict != Verdict::Skipped;
    let (judged, observed): (Vec<&RuleResult>, Vec<&RuleResult>) = results.iter().filter(ran).partition(|result| {
        result.level == Level::Must && result.verdict != Verdict::Observed && result.observed_only.is_empty()
    });
    let number = |meaning| judged.iter().filter(|result| result.meaning() == meaning).count();
    let skipped = results.iter().filter(of_subject).count() - judged.len() - observed.len();
    let parts: Vec<String> = [
        (number(Meaning::Good), message!("meaning-good")),
        (number(Meaning::Broken), message!("meaning-broken")),
        (number(Meaning::Unknown), message!("meaning-unknown")),
        (observed.len(), message!("only-observed")),
        (skipped, message!("meaning-skipped")),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!("{number} {what}"))
    .collect();
    let (name, parts) = (one_line(&subject.name), parts.join(comma()));
    let rules = judged.len() + observed.len() + skipped;
    let mut lines = vec![message!("subject", name = name, count = rules, judged = judged.len(), parts = parts)];
    for result in observed.iter().chain(&judged) {
        let outcomes = result.observations.get("outcome").into_iter().flat_map(|seen| seen.keys());
        let seen = (!result.reason.is_empty()).then_some(&result.reason).into_iter().chain(outcomes);
        if let Some(seen) = seen.chain(&result.findings).next() {
            lines.push(elide(&format!("  {}: {}", one_line(&result.id), one_line(seen)), width));
        }
    }
    lines
}
