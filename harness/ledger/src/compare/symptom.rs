//! The symptoms of failures, for comparisons.

use record::{self, Meaning, RuleResult};

use super::difference::{RuleOutcome, Symptom};

/// A rule's result in a run.
pub(super) fn outcome(result: &RuleResult) -> RuleOutcome {
    let again = result.runs_again();
    RuleOutcome {
        verdict: result.verdict.name().to_owned(),
        reason: result.reason.clone(),
        symptom: symptom(result),
        rate: (again.runs > 0).then(|| [u64::from(again.failed), u64::from(again.runs)]),
    }
}

/// True if the failing runs of both results have the same symptom.
pub(super) fn same_in_a_run(old: &RuleResult, new: &RuleResult) -> bool {
    record::Symptom::of_single_run(old) == record::Symptom::of_single_run(new)
}

/// The symptom of a failure; `None` if the rule did not fail.
pub(super) fn symptom(result: &RuleResult) -> Option<Symptom> {
    if matches!(result.meaning(), Meaning::Good | Meaning::Skipped) {
        return None;
    }
    let seen = record::Symptom::of(result);
    let code = |code: record::Code| match code.name {
        Some(name) => format!("{} ({name})", code.value),
        None => code.value,
    };
    Some(Symptom {
        verdict: seen.verdict.name().to_owned(),
        check: seen.check.unwrap_or_default(),
        code: seen.code.map(code),
        call: seen.call,
    })
}
