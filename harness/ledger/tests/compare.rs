//! Comparisons of made-up runs that differ in one thing each.

use std::collections::BTreeMap;

use crate::reports::page::rules_of;
use crate::sample::{asked, confirmation, end, failure, header, header_of, result};
use ledger::compare::{
    Change, CompareOptions, Condition, CoverageKind, Difference, DriftKind, compare, html, markdown, text,
};
use record::{Answers, AnswersByQuestion, Conclusion, Level, OnDevice, Recorded, Repeats, RuleResult, Verdict};
use rstest::rstest;

const RULE: &str = "toy.copy.exact-count";

/// A run with these results.
fn run(results: Vec<RuleResult>) -> Recorded {
    let end = Some(end(&results, 0));
    Recorded { header: header(), results, in_flight: BTreeMap::new(), end }
}

fn compared(old: Vec<RuleResult>, new: Vec<RuleResult>) -> Difference {
    compare(["old", "new"], &run(old), &run(new), &CompareOptions::default())
}

fn of(verdict: Verdict) -> RuleResult {
    let mut result = result(RULE, verdict, "the reason");
    if matches!(verdict, Verdict::Fail | Verdict::WrongCode | Verdict::Crash | Verdict::Timeout | Verdict::Flaky) {
        result.failure = Some(Box::new(failure()));
    }
    result
}

fn failing(statement: &str, message: &str) -> RuleResult {
    let mut result = of(Verdict::Fail);
    let failure = result.failure.as_mut().unwrap();
    (failure.statement, failure.message) = (statement.to_owned(), message.to_owned());
    result
}

/// A rule that failed in `failed` of `runs` runs of its case alone.
fn flaky(failed: u32, runs: u32) -> RuleResult {
    let mut result = of(Verdict::Flaky);
    let alone = Repeats { failed, runs };
    let confirmation = record::Confirmation { alone, found: Verdict::Fail, ..confirmation(Conclusion::Flaky) };
    result.failure.as_mut().unwrap().confirmation = Some(confirmation);
    result
}

fn answering(calls: AnswersByQuestion, exact: bool, cases: u64) -> RuleResult {
    let answers = Answers { calls, exact, ..Answers::default() };
    RuleResult { answers: Some(Box::new(answers)), cases, ..of(Verdict::Pass) }
}

#[rstest]
#[case(Verdict::Pass, Verdict::Fail, Some(Change::Regression))]
#[case(Verdict::Observed, Verdict::Crash, Some(Change::Regression))]
#[case(Verdict::Fail, Verdict::Pass, Some(Change::Fix))]
#[case(Verdict::Fail, Verdict::Fail, None)]
#[case(Verdict::Fail, Verdict::Crash, Some(Change::OtherSymptom))]
#[case(Verdict::Fail, Verdict::Flaky, Some(Change::Flake))]
#[case(Verdict::Skipped, Verdict::Fail, Some(Change::NewFailure))]
#[case(Verdict::Blocked, Verdict::Timeout, Some(Change::NewFailure))]
#[case(Verdict::Blocked, Verdict::DeviceLost, Some(Change::OtherSymptom))]
#[case(Verdict::Pass, Verdict::Skipped, None)]
#[case(Verdict::Pass, Verdict::Pass, None)]
fn a_verdict_that_changed_means(#[case] old: Verdict, #[case] new: Verdict, #[case] change: Option<Change>) {
    let found = compared(vec![of(old)], vec![of(new)]);
    assert_eq!(found.changes.iter().map(|change| change.change).collect::<Vec<_>>(), Vec::from_iter(change));
    assert!(found.drift.is_empty());
}

#[rstest]
#[case::whose_owner_did_not_run("f returned 7, expected success", "f is owned by toy.copy.owner", None, true)]
#[case::whose_owner_holds(
    "f returned 7, expected success",
    "f is owned by toy.copy.owner; fails in 3 of 3 runs",
    Some(Verdict::Pass),
    true
)]
#[case::whose_owner_is_broken_itself(
    "f returned 7, expected success",
    "f is owned by toy.copy.owner",
    Some(Verdict::Fail),
    false
)]
#[case::whose_owner_sees_the_same(
    "f returned 7, expected success",
    "toy.copy.owner, which owns f, sees the same",
    Some(Verdict::Fail),
    false
)]
#[case::without_an_owner("f returned 7, expected success", "", None, true)]
#[case::or_by_too_little_memory("`need <= left` does not hold: left is 2, right is 1", "", None, false)]
fn a_rule_that_is_blocked_by_a_function(
    #[case] message: &str,
    #[case] owned_by: &str,
    #[case] owner: Option<Verdict>,
    #[case] drifts: bool,
) {
    let of_owner = |verdict| result("toy.copy.owner", verdict, "");
    let blocked = RuleResult {
        verdict: Verdict::Blocked,
        reason: format!("set-up failed: {message}; {owned_by}"),
        ..failing("f(0);", message)
    };
    let old = owner.map(|_| of_owner(Verdict::Pass)).into_iter().chain([of(Verdict::Pass)]).collect();
    let new = owner.map(of_owner).into_iter().chain([blocked]).collect();
    let found = compared(old, new);
    assert!(!found.changes.iter().any(|change| change.rule == RULE), "no promise is broken: {found:?}");
    assert_eq!(found.drift.iter().any(|drift| drift.rule == RULE), drifts, "{found:?}");
    assert!(found.coverage.iter().any(|change| change.rule == RULE), "the missing answer is reported: {found:?}");
}

#[rstest]
#[case::another_check(failing("a == 1", "`a == 1` does not hold"), true)]
#[case::another_code(failing("f(0);", "f returned 9 (OTHER), expected success"), true)]
#[case::another_call(failing("f(0);", "g returned 7 (BAD), expected success"), true)]
#[case::other_values(failing("f(0);", "f returned 7 (BAD), expected success"), false)]
fn a_symptom_is_verdict_check_code_and_call(#[case] new: RuleResult, #[case] other: bool) {
    let old = failing("f(0);", "f returned 7 (BAD), expected success");
    let found = compared(vec![old], vec![new]);
    assert_eq!(found.changes.iter().any(|change| change.change == Change::OtherSymptom), other);
}

/// A rule that failed alone each time it was run again.
fn confirmed(runs: u32) -> RuleResult {
    let mut result = of(Verdict::Fail);
    let alone = Repeats { failed: runs, runs };
    let confirmation = record::Confirmation { alone, found: Verdict::Fail, ..confirmation(Conclusion::Alone) };
    result.failure.as_mut().unwrap().confirmation = Some(confirmation);
    result
}

fn of_level(level: Level, result: RuleResult) -> RuleResult {
    RuleResult { level, ..result }
}

#[rstest]
#[case::always_twice(flaky(7, 10), confirmed(2), false)]
#[case::the_other_way(confirmed(2), flaky(7, 10), false)]
#[case::rarely_and_then_always(flaky(1, 20), confirmed(20), true)]
#[case::never_and_then_sometimes(RuleResult { cases: 100, ..of(Verdict::Pass) }, flaky(7, 10), false)]
#[case::sometimes_and_then_much_more_often(flaky(1, 40), flaky(39, 40), true)]
fn a_rule_of_level_info_drifts_if_chance_does_not_explain_its_rate(
    #[case] old: RuleResult,
    #[case] new: RuleResult,
    #[case] drifts: bool,
) {
    let found = compared(vec![of_level(Level::Info, old)], vec![of_level(Level::Info, new)]);
    assert_eq!(found.drift.len(), usize::from(drifts), "{found:?}");
    assert!(found.drift.iter().all(|drift| drift.p.is_some()) && found.changes.is_empty());
}

#[test]
fn a_failure_that_now_always_occurs_has_the_symptom_of_one_that_often_occurred() {
    let found = compared(vec![flaky(4, 10)], vec![confirmed(2)]);
    assert_eq!(found.changes[0].change, Change::Flake, "{found:?}");
    let found = compared(vec![flaky(1, 40)], vec![confirmed(40)]);
    assert_eq!(found.changes[0].change, Change::OtherSymptom, "{found:?}");
}

fn on(device: &str, result: RuleResult) -> RuleResult {
    RuleResult { devices: vec![device.to_owned()], ..result }
}

/// A rule that ran on each of these devices.
fn on_each(verdicts: &[(&str, Verdict)]) -> RuleResult {
    let each: Vec<OnDevice> = verdicts
        .iter()
        .map(|(device, verdict)| OnDevice {
            device: (*device).to_owned(),
            verdict: *verdict,
            reason: String::new(),
            cases: 1,
            nanoseconds: 1,
        })
        .collect();
    let counts = record::worst(&each).unwrap();
    RuleResult { each: each.clone(), ..on(&each[counts].device, of(each[counts].verdict)) }
}

#[test]
fn verdicts_on_different_devices_are_not_compared() {
    for level in [Level::Must, Level::Info] {
        let old = on("0", of_level(level, of(Verdict::Pass)));
        let new = on("1", of_level(level, of(Verdict::Fail)));
        let found = compared(vec![old], vec![new]);
        assert!(found.changes.is_empty() && found.drift.is_empty(), "{found:?}");
        assert_eq!(found.coverage[0].kind, CoverageKind::OtherDevice);
        assert_eq!(found.coverage[0].why, "pass on device 0 before, fail on device 1 now");
        assert!(
            found.remarks.iter().any(|remark| remark.contains("on different devices in the two runs: 1;")),
            "{found:?}"
        );
    }
}

#[rstest]
#[case::an_older_journal(of(Verdict::Pass), on("1", of(Verdict::Fail)), Some(Change::Regression))]
#[case::the_same_device(on("1", of(Verdict::Pass)), on("1", of(Verdict::Fail)), Some(Change::Regression))]
#[case::one_of_several(on("0", of(Verdict::Pass)), on_each(&[("0", Verdict::Pass), ("1", Verdict::Fail)]), None)]
#[case::the_one_of_several(
    on("1", of(Verdict::Pass)),
    on_each(&[("0", Verdict::Pass), ("1", Verdict::Fail)]),
    Some(Change::Regression)
)]
#[case::each_of_them(
    on_each(&[("0", Verdict::Pass), ("1", Verdict::Pass)]),
    on_each(&[("0", Verdict::Pass), ("1", Verdict::Fail)]),
    Some(Change::Regression)
)]
#[case::an_added_one(
    on_each(&[("0", Verdict::Pass), ("1", Verdict::Fail)]),
    on_each(&[("0", Verdict::Pass), ("1", Verdict::Fail), ("2", Verdict::Pass)]),
    None
)]
fn runs_are_compared_on_their_common_devices(
    #[case] old: RuleResult,
    #[case] new: RuleResult,
    #[case] change: Option<Change>,
) {
    let found = compared(vec![old], vec![new]);
    assert_eq!(found.changes.iter().map(|change| change.change).collect::<Vec<_>>(), Vec::from_iter(change));
}

#[rstest]
#[case::not_significant((1, 20), (3, 20), Change::Flake)]
#[case::not_significant_either((10, 20), (3, 20), Change::Flake)]
#[case::worse((1, 20), (15, 20), Change::Regression)]
#[case::better((15, 20), (1, 20), Change::Fix)]
fn a_rate_changed_if_chance_does_not_explain_it(
    #[case] old: (u32, u32),
    #[case] new: (u32, u32),
    #[case] change: Change,
) {
    let found = compared(vec![flaky(old.0, old.1)], vec![flaky(new.0, new.1)]);
    assert_eq!(found.changes[0].change, change);
    assert!(found.changes[0].p.is_some());
}

#[rstest]
#[case::the_same("f(0);", false)]
#[case::another_check("a == 1", true)]
fn a_flake_that_fails_in_another_way_has_another_symptom(#[case] statement: &str, #[case] other: bool) {
    let of = |statement: &str| {
        let mut result = flaky(3, 10);
        result.failure.as_mut().unwrap().statement = statement.to_owned();
        result
    };
    let found = compared(vec![of("f(0);")], vec![of(statement)]);
    assert_eq!(found.changes.iter().any(|change| change.change == Change::OtherSymptom), other, "{found:?}");
    assert!(found.changes.iter().any(|change| change.change == Change::Flake), "{found:?}");
}

#[test]
fn a_rule_of_level_info_that_changed_is_drift() {
    let info = |verdict| RuleResult { level: Level::Info, ..of(verdict) };
    let found = compared(vec![info(Verdict::Pass)], vec![info(Verdict::Fail)]);
    assert!(found.changes.is_empty());
    assert_eq!(found.drift.iter().map(|drift| drift.kind).collect::<Vec<_>>(), [DriftKind::Verdict]);
}

#[rstest]
#[case::the_same(&[("7", 50)], &[("7", 50)], false, false)]
#[case::all_other(&[("7", 50)], &[("8", 50)], false, true)]
#[case::a_little_other(&[("7", 25), ("8", 25)], &[("7", 27), ("8", 23)], false, false)]
#[case::much_other(&[("7", 48), ("8", 2)], &[("7", 2), ("8", 48)], false, true)]
#[case::of_three(&[("7", 30), ("8", 10), ("9", 10)], &[("7", 5), ("8", 10), ("9", 35)], false, true)]
#[case::too_few(&[("7", 3)], &[("8", 3)], false, false)]
#[case::few_of_the_same_question(&[("7", 3)], &[("8", 3)], true, true)]
#[case::mixed_answers_of_the_same_question(&[("7", 2), ("8", 1)], &[("8", 3)], true, false)]
fn answers_drift_if_chance_does_not_explain_them(
    #[case] old: &[(&str, u64)],
    #[case] new: &[(&str, u64)],
    #[case] exact: bool,
    #[case] drifts: bool,
) {
    // Different seeds, because equal ones mean the same cases.
    let side = |answers, seed| {
        let mut run = run(vec![answering(asked("f(NULL) [p: NULL]", answers), exact, 50)]);
        run.header.seed = seed;
        run
    };
    let found = compare(["old", "new"], &side(old, 1), &side(new, 2), &CompareOptions::default());
    assert_eq!(found.drift.len(), usize::from(drifts), "{found:?}");
    if let Some(drift) = found.drift.first() {
        assert_eq!(drift.kind, DriftKind::Code);
        assert!(drift.old[0].example.is_some() && drift.new[0].example.is_some());
    }
}

#[test]
fn the_stronger_drift_comes_first() {
    let calls = |weak: &[(&str, u64)], strong: &[(&str, u64)]| {
        let mut calls = asked("a()", weak);
        calls.extend(asked("b()", strong));
        vec![answering(calls, false, 100)]
    };
    let old = calls(&[("7", 100)], &[("7", 100)]);
    let new = calls(&[("7", 60), ("8", 40)], &[("8", 100)]);
    let found = compared(old, new);
    assert_eq!(found.drift.iter().map(|drift| drift.what.as_str()).collect::<Vec<_>>(), ["b()", "a()"]);
    assert!((found.drift[1].strength - 0.4).abs() < 1e-9);
}

#[test]
fn shares_of_another_number_of_cases_are_not_compared_but_remarked() {
    let old = vec![answering(asked("f()", &[("7", 100)]), false, 100)];
    let new = vec![answering(asked("f()", &[("7", 300), ("8", 200)]), false, 500)];
    let found = compared(old, new);
    assert!(found.drift.is_empty());
    assert!(found.remarks.iter().any(|remark| remark.contains("that are not compared: 1;")), "{:?}", found.remarks);
}

#[test]
fn a_rule_that_ran_in_one_run_only_is_listed_with_the_reason() {
    let skipped = |id: &str| result(id, Verdict::Skipped, "needs 3 devices");
    let mut old = run(vec![of(Verdict::Pass), result("toy.copy.left", Verdict::Pass, ""), skipped("toy.copy.far")]);
    let mut new = run(vec![skipped(RULE), result("toy.copy.new", Verdict::Pass, "")]);
    old.header.selected = header_of(&old.results).selected;
    old.header.rules = old.results.len();
    new.header.selected = header_of(&new.results).selected;
    new.header.rules = old.results.len();
    new.header.catalog_digest = "other".to_owned();
    let found = compare(["old", "new"], &old, &new, &CompareOptions::default());
    let shown: Vec<_> =
        found.coverage.iter().map(|known| (known.rule.as_str(), known.kind, known.why.as_str())).collect();
    assert_eq!(
        shown,
        [
            (RULE, CoverageKind::OnlyOld, "skipped: needs 3 devices"),
            ("toy.copy.left", CoverageKind::OnlyOld, "the rule was not selected"),
            ("toy.copy.new", CoverageKind::New, "the run's catalog lacks the rule"),
        ]
    );
    let fields: Vec<&str> = found.fields.iter().map(|field| field.field.as_str()).collect();
    assert_eq!(fields, ["catalog_digest", "selected"]);
    assert_eq!(found.unchanged, 0, "a rule that lost its answer is not as before");
}

#[test]
fn the_name_and_the_start_of_a_run_are_not_differences() {
    let mut new = run(vec![of(Verdict::Pass)]);
    (new.header.run, new.header.started) = ("another".to_owned(), "2027-01-01T00:00:00Z".to_owned());
    let found = compare(["old", "new"], &run(vec![of(Verdict::Pass)]), &new, &CompareOptions::default());
    assert!(!found.fields.is_empty() && !Condition::Field.holds(&found), "{:?}", found.fields);
    new.header.host = None;
    new.header.product = "b".to_owned();
    let found = compare(["old", "new"], &run(vec![of(Verdict::Pass)]), &new, &CompareOptions::default());
    assert!(Condition::Field.holds(&found));
}

#[test]
fn times_are_information_without_a_budget() {
    let timed = |nanoseconds: u64| -> Vec<RuleResult> {
        (0..40u64)
            .map(|number| {
                let time = if number == 7 { nanoseconds * 20 } else { nanoseconds + number };
                RuleResult { nanoseconds: time * 64, ..result(&format!("toy.copy.r{number}"), Verdict::Pass, "") }
            })
            .collect()
    };
    let (mut old, new) = (timed(1000), timed(1500));
    old[7].nanoseconds = 1000 * 64;
    let with = |budget| compare(["old", "new"], &run(old.clone()), &run(new.clone()), &CompareOptions { budget });
    let timing = with(None).timing.unwrap();
    assert!((timing.median - 1.5).abs() < 0.02 && timing.interval.is_some_and(|[low, _]| low > 1.4), "{timing:?}");
    assert_eq!(timing.outliers.iter().map(|rule| rule.rule.as_str()).collect::<Vec<_>>(), ["toy.copy.r7"]);
    assert!(!Condition::Timing.holds(&with(None)));
    assert!(Condition::Timing.holds(&with(Some(20.0))));
    assert_eq!(with(Some(100.0)).timing.unwrap().exceeded.len(), 1, "one rule still exceeds it");
}

#[test]
fn every_form_shows_the_findings_and_no_journal_writes_markup() {
    let hostile = "<script>alert(1)</script> [x](http://example.org) \u{1b}[31m";
    let mut new = of(Verdict::Fail);
    new.reason = hostile.to_owned();
    let found = compared(vec![of(Verdict::Pass)], vec![new]);
    for form in [text(&found), markdown(&found), html(&found)] {
        assert!(form.contains("Regressions"), "{form}");
        assert!(!form.contains('\u{1b}'), "{form}");
    }
    rules_of(&html(&found), |_| false);
    assert!(!html(&found).contains("<script") && !markdown(&found).contains("<script"));
    assert!(!markdown(&found).contains("[x]("));
}

#[rstest]
#[case::a_promise_broke(Verdict::Pass, Verdict::Fail, "NEW is worse in one place (1 rule broke). Do not roll out.")]
#[case::another_symptom(
    Verdict::Fail,
    Verdict::Crash,
    "No further rule broke, but 1 broken rule fails in another way: read it before you roll out."
)]
#[case::an_answer_is_gone(
    Verdict::Pass,
    Verdict::Skipped,
    "No rule broke, but 1 rule has no answer from NEW: nothing is known about it."
)]
#[case::fixed(Verdict::Fail, Verdict::Pass, "NEW is better in 1 rule and worse in none.")]
#[case::the_same(Verdict::Pass, Verdict::Pass, "NEW is as good as OLD: 1 rule behaves as before.")]
fn the_first_line_says(#[case] old: Verdict, #[case] new: Verdict, #[case] sentence: &str) {
    let found = compared(vec![of(old)], vec![of(new)]);
    assert_eq!(text(&found).lines().next(), Some(sentence));
    assert!(markdown(&found).contains(&format!("**{}**", sentence.replace('!', "\\!"))), "{}", markdown(&found));
    assert!(html(&found).contains(sentence));
    let breaks = ["regression", "new-failure"].map(|name| name.parse::<Condition>().unwrap());
    let breaks = breaks.into_iter().any(|condition| condition.holds(&found));
    assert_eq!(sentence.contains("Do not roll out"), breaks, "the sentence agrees with --fail-on");
}

#[test]
fn a_failure_of_an_info_rule_is_a_finding_and_not_drift_without_a_broken_rule() {
    let info = |verdict| RuleResult { level: Level::Info, ..of(verdict) };
    let found = compared(vec![info(Verdict::Pass)], vec![info(Verdict::Fail)]);
    let shown = text(&found);
    assert!(shown.contains("Findings that are new") && !shown.contains("Behavior drift"), "{shown}");
    assert!("drift:verdict".parse::<Condition>().unwrap().holds(&found), "conditions see it as before");
    let back = text(&compared(vec![info(Verdict::Fail)], vec![info(Verdict::Pass)]));
    assert!(back.contains("Behavior drift") && !back.contains("Findings that are new"), "{back}");
}
