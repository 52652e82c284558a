//! Chooses among the results from several attempts at a part.

use record::{Meaning, RuleResult};

use super::parts::Parts;

/// The weight of a result. The result with the greatest weight counts: a rule that is broken in one attempt is broken,
/// and any answer outweighs no answer.
fn weight(result: &RuleResult) -> u8 {
    match result.meaning() {
        Meaning::Broken => 4,
        Meaning::Finding => 3,
        Meaning::Good => 2,
        Meaning::Skipped => 1,
        Meaning::Unknown => 0,
    }
}

/// Returns the chosen result and the position of the result's run, if any attempt has a result. Also returns a remark
/// if the attempts disagree. The attempts are ordered by time.
pub(super) fn choose<'a>(
    attempts: &[(usize, &'a RuleResult)],
    parts: &Parts,
) -> (Option<(usize, &'a RuleResult)>, Option<String>) {
    let Some((run, first)) = attempts.first() else { return (None, None) };
    let (mut best, mut from): (&RuleResult, usize) = (first, *run);
    for (run, result) in attempts {
        if weight(result) > weight(best) {
            (best, from) = (result, *run);
        }
    }
    let differ = attempts.iter().any(|(_, result)| result.verdict != first.verdict);
    let remark = differ.then(|| {
        let said =
            |(run, result): &(usize, &RuleResult)| format!("{} in {}", result.verdict, parts.runs[*run].header.run);
        let said: Vec<String> = attempts.iter().map(said).collect();
        format!("{}: the attempts at this part disagree: {}; the result is {}", best.id, said.join(", "), best.verdict)
    });
    (Some((from, best)), remark)
}
