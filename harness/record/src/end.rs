//! The end of a run, and the exit status that follows from its results.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::expected::AppliedExpectations;
use crate::incident::Happened;
use crate::result::RuleResult;
use crate::retry::Retry;
use crate::settings::RunSettings;
use crate::starts::{StartReason, Starts};
use crate::verdict::{Meaning, Verdict};

/// The end of a run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunEnd {
    /// End time, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub finished: String,
    /// Wall time of the run in nanoseconds; in a resumed run, since the last resumption.
    pub nanoseconds: u64,
    /// Number of results by verdict.
    #[schemars(schema_with = "keyed::<Verdict, u64>")]
    pub counts: BTreeMap<Verdict, u64>,
    /// The number of started worker processes; in a resumed run, since the last resumption.
    pub workers_started: u64,
    /// The number of started worker processes by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "keyed::<StartReason, Starts>")]
    pub starts: BTreeMap<StartReason, Starts>,
    /// The total start-up time of the started workers, in nanoseconds.
    pub start_up_nanoseconds: u64,
    /// Device and process events; in a resumed run, since the last resumption. Before format 4, `remarks` has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Happened>,
    /// Remarks about the library's behavior while no rule ran: during set-up, or at the end of its process. They do not
    /// affect a verdict.
    pub remarks: Vec<String>,
    /// Kept counterexamples that could not be tried because their files are damaged. With `strict`, they make the
    /// answer unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unusable_cases: u64,
    /// Retries caused by the infrastructure; in a resumed run, since the last resumption.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<Retry>,
    /// The results compared with the known failures; `None` if none were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expectations: Option<AppliedExpectations>,
    /// The exit status: 0 if only known failures are broken, 1 if another rule is broken, 3 if the answer is unknown.
    /// It follows from the settings, the results and the known failures, see [`exit_code`]. A journal with a different
    /// status is rejected.
    pub exit: u8,
}

impl RunEnd {
    /// Remarks about the run as a whole.
    pub fn told(&self) -> impl Iterator<Item = String> + '_ {
        self.events.iter().map(ToString::to_string).chain(self.remarks.iter().cloned())
    }
}

/// The schema of an object with known keys.
pub(crate) fn keyed<K: JsonSchema, V: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let (keys, values) = (generator.subschema_for::<K>(), generator.subschema_for::<V>());
    json_schema!({"type": "object", "propertyNames": keys, "additionalProperties": values})
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The number of results by verdict.
pub fn counts(results: &[RuleResult]) -> BTreeMap<Verdict, u64> {
    let mut counts = BTreeMap::new();
    results.iter().for_each(|result| *counts.entry(result.verdict).or_default() += 1);
    counts
}

/// The exit status of a run with these results. The status is computed when the run ends, and again when its journal is
/// read.
pub fn exit_code(
    settings: &RunSettings,
    results: &[RuleResult],
    unusable_cases: u64,
    expected: Option<&AppliedExpectations>,
) -> u8 {
    let counts = |result: &&RuleResult| !expected.is_some_and(|expected| expected.excuses(&result.id));
    let any = |meaning: Meaning| results.iter().filter(counts).any(|result| result.meaning() == meaning);
    let executed = results.iter().filter(|result| result.verdict != Verdict::Skipped).count() as u64;
    // For a part, the merge checks the number of executed rules across all parts.
    let whole = settings.part.is_none();
    let too_few = whole && settings.min_executed.is_some_and(|least| executed < least);
    let unknown = results.iter().filter(counts).any(|result| result.hides(settings.strict));
    let found = any(Meaning::Finding) || results.iter().filter(counts).any(|result| !result.findings.is_empty());
    let fail_on = expected.is_some_and(AppliedExpectations::breaks);
    if any(Meaning::Broken) || fail_on || (settings.strict && found) {
        1
    } else if unknown || too_few || (settings.strict && unusable_cases > 0) {
        3
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    /// The exit status of a run with one rule. `failure` overrides fields of the failure, `coverage` those of the result.
    fn exit(level: &str, verdict: &str, failure: Value, coverage: Value, strict: bool) -> u8 {
        let confirmed = json!({
            "conclusion": "alone", "found": "fail", "alone": {"failed": 2, "runs": 2}, "rule": {"failed": 1, "runs": 1},
            "after": [], "remark": "",
        });
        let mut whole = json!({
            "statement": "", "place": "", "message": "", "rule_statement": "", "sources": [], "values": [],
            "replay_values": null, "case": 1, "shrinks": 0, "trace": [], "output": "", "replay": "", "owns": [],
            "confirmation": confirmed,
        });
        if let (Some(whole), Some(given)) = (whole.as_object_mut(), failure.as_object()) {
            whole.extend(given.clone());
        }
        let result = json!({
            "id": "a.b.c", "chapter": "b", "title": "", "level": level, "verdict": verdict, "reason": "", "nanoseconds": 0,
            "cases": 1, "checks": 1, "seed": 0, "failure": failure.is_object().then_some(whole), "findings": [],
            "observations": {}, "interrupted": 0, "doubt": null, "coverage": coverage,
        });
        let result: RuleResult = serde_json::from_value(result).expect("a result");
        exit_code(&RunSettings { strict, ..RunSettings::default() }, &[result], 0, None)
    }

    fn cut(edges_left: u64) -> Value {
        json!({"distinct": 3, "cut": {"ran": 3, "planned": 9, "edges_left": edges_left, "limit_milliseconds": 1000}})
    }

    fn found(verdict: &str, conclusion: &str) -> Value {
        json!({"confirmation": {
            "conclusion": conclusion, "found": verdict, "alone": {"failed": 0, "runs": 0},
            "rule": {"failed": 1, "runs": 1}, "after": [], "remark": "",
        }})
    }

    #[rstest]
    #[case::a_card_that_lacks_something("must", "skipped", Value::Null, 0)]
    #[case::a_limit_of_the_suite("must", "skipped", json!({}), 0)]
    #[case::a_set_up_call_that_failed("must", "blocked", json!({}), 3)]
    #[case::a_set_up_of_an_info_rule("info", "blocked", json!({}), 3)]
    #[case::a_lost_device("must", "device-lost", Value::Null, 3)]
    #[case::a_failure_of_a_promise("must", "fail", json!({}), 1)]
    #[case::a_failure_seen_once("must", "fail", found("fail", "unconfirmed"), 1)]
    #[case::a_failure_now_and_then("must", "flaky", found("fail", "flaky"), 1)]
    #[case::a_failure_that_nothing_promises("info", "fail", json!({}), 0)]
    #[case::a_crash("must", "crash", json!({}), 1)]
    #[case::a_crash_whatever_the_level("info", "crash", json!({}), 1)]
    #[case::a_crash_now_and_then_whatever_the_level("info", "flaky", found("crash", "flaky"), 1)]
    #[case::a_crash_in_a_hazard("info", "observed", json!({}), 0)]
    #[case::a_hang("must", "timeout", json!({}), 1)]
    #[case::a_hang_of_a_call_with_a_promised_outcome("info", "timeout", json!({"promised": true}), 1)]
    #[case::a_hang_of_a_call_without_one("info", "timeout", json!({}), 0)]
    #[case::another_failure_of_a_call_with_a_promised_outcome("info", "fail", json!({"promised": true}), 0)]
    fn each_kind_of_result_has_its_exit_status(
        #[case] level: &str,
        #[case] verdict: &str,
        #[case] failure: Value,
        #[case] status: u8,
    ) {
        assert_eq!(exit(level, verdict, failure, Value::Null, false), status);
    }

    #[rstest]
    #[case::before_every_edge_value_ran(1, false, 3)]
    #[case::among_the_drawn_cases(0, false, 0)]
    #[case::among_the_drawn_cases_of_a_strict_run(0, true, 3)]
    fn a_cut_rule_is_unknown_if_its_edge_values_did_not_run(
        #[case] left: u64,
        #[case] strict: bool,
        #[case] status: u8,
    ) {
        assert_eq!(exit("must", "cut", Value::Null, cut(left), strict), status);
    }
}
