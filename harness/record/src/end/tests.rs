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
        "observations": {}, "doubt": null, "coverage": coverage,
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
fn a_cut_rule_is_unknown_if_its_edge_values_did_not_run(#[case] left: u64, #[case] strict: bool, #[case] status: u8) {
    assert_eq!(exit("must", "cut", Value::Null, cut(left), strict), status);
}
