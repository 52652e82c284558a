//! A denied function is one failure, that of its owner. Rules of the catalog run on simulated devices that deny a
//! function.

use crate::support;

use record::{Level, Verdict};
use rstest::rstest;
use support::Bench;

/// Runs the rules whose ids contain one of the filters, on a device with a defect.
fn run(bench: &Bench, defect: &str, filters: &[&str]) -> support::Answer {
    let words = ["run", "--backend", "simulator", "--product", "a2", "--report-dir", "report", "--defect", defect];
    bench.run(words.iter().chain(filters))
}

#[rstest]
#[case::under_test("aclrtMemcpy2d", "acl.copy2d.rows", &["acl.copy2d."])]
#[case::needed_everywhere("aclrtMalloc", "acl.malloc.extent-roundtrip", &["acl.malloc.", "acl.set.b"])]
#[case::automatic_release("aclrtFree", "acl.malloc.extent-roundtrip", &["acl.malloc.extent", "acl.set.b"])]
#[case::kept_answer("aclrtSynchronizeStreamWithTimeout", "acl.stream.sync-timeout-expire", &["acl.stream.sync", "acl.value."])]
#[case::in_its_own_set_up("aclrtGetMemcpyDescSize", "acl.copydesc.roundtrip", &["acl.copydesc."])]
#[case::start_of_the_device("aclrtSetDevice", "acl.dev.set-valid", &["acl.dev.set", "acl.set.b", "acl.support."])]
// A rule whose second thread gets the error fails too: its condition names no call to blame.
#[case::last_error("aclrtGetLastError", "acl.err.get-clears", &["acl.err.get-", "acl.err.last-", "acl.err.starts-", "acl.dev.set-i"])]
#[case::between_cases("aclrtSetCurrentContext", "acl.ctx.set-last-wins", &["acl.ctx.", "acl.set.b"])]
fn a_denied_function_fails_its_owner_and_blocks_or_spares_the_others(
    #[case] function: &str,
    #[case] owner: &str,
    #[case] filters: &[&str],
) {
    let bench = Bench::new();
    let answer = run(&bench, &format!("deny.{function}"), filters);
    let report = bench.report("report");
    let failed: Vec<&str> = report
        .results
        .iter()
        .filter(|result| !matches!(result.verdict, Verdict::Pass | Verdict::Skipped | Verdict::Blocked))
        .map(|result| result.id.as_str())
        .collect();
    assert_eq!(failed, [owner], "{}", answer.text);
    assert_eq!(answer.status, 1, "{}", answer.text);
    let blocked: Vec<_> = report.results.iter().filter(|result| result.verdict == Verdict::Blocked).collect();
    for result in blocked {
        assert!(result.reason.contains(function) && result.reason.contains(owner), "{}: {}", result.id, result.reason);
    }
}

#[test]
fn a_must_fail_rule_is_stopped_by_its_positive_control() {
    let bench = Bench::new();
    run(&bench, "deny.aclrtMallocCached", &["acl.malloc.null-out"]);
    let report = bench.report("report");
    let result = report.result("acl.malloc.null-out");
    assert_eq!(result.verdict, Verdict::Blocked, "{}", result.reason);
    assert!(result.reason.contains("in the positive control"), "{}", result.reason);
}

#[test]
fn an_unselected_owner_runs_but_is_not_reported() {
    let bench = Bench::new();
    run(&bench, "deny.aclrtMemcpy2d", &["acl.copy2d.null"]).says(3, &["acl.copy2d.rows"]);
    let report = bench.report("report");
    assert_eq!(report.results.len(), 1);
    assert_eq!(report.results[0].verdict, Verdict::Blocked);
}

#[rstest]
#[case::a_flag("malloc.config-flags-refused", "acl.malloc.withcfg-combos")]
#[case::a_family_of_blocks("free.refuses-config-blocks", "acl.free.all-sources")]
fn a_function_broken_for_some_arguments_fails_the_rules_that_pass_them(#[case] defect: &str, #[case] rule: &str) {
    let bench = Bench::new();
    run(&bench, defect, &[rule]);
    let report = bench.report("report");
    let result = report.result(rule);
    assert_eq!((result.verdict, result.level), (Verdict::Fail, Level::Must), "{}", result.reason);
}

#[test]
fn a_function_that_does_not_exist_cannot_be_denied() {
    let bench = Bench::new();
    run(&bench, "deny.aclrtMemcpy3d", &[]).says(2, &["aclrtMemcpy3d", "unknown function", "aclrtMemcpy2d"]);
    run(&bench, "deny.aclrtGetSocName", &[]).says(2, &["aclrtGetSocName", "returns no code"]);
    bench.run(["simulator", "--list"]).says(0, &["deny.<function>"]);
}

#[test]
fn every_supported_function_that_rules_call_has_an_owner() {
    Bench::new().run(["catalog", "lint"]).says(0, &["no mistakes"]);
}
