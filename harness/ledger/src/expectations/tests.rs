//! Sorting of results by entries.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rstest::rstest;
use time::Date;

use super::expecting::Expecting;
use super::known_failure::{Fit, KnownFailure, Versions};
use super::model::Kind;
use super::read::Expectations;
use super::symptom::ExpectedSymptom;
use super::{Details, day, draft};
use crate::causes::causes;
use catalog::version::Range;
use record::{
    AppliedExpectations, Conclusion, Confirmation, Content, Difference, ExpectationFiles, Failure, Fingerprint,
    Installed, Level, Recorded, Repeats, RuleResult, RunHeader, Shape, Sort, Verdict, exit_code,
};

const RULE: &str = "toy.copy.peer";

fn on(text: &str) -> Date {
    day(text).expect("it is a day")
}

fn entry(kind: Kind, verdict: Verdict, expires: &str) -> KnownFailure {
    let symptom = ExpectedSymptom {
        verdict,
        check: Some("same(a,  b);".to_owned()),
        code: Some("SOME_NAME".to_owned()),
        call: Some("f".to_owned()),
        shape: None,
    };
    KnownFailure {
        patterns: vec!["toy.copy.*".to_owned()],
        kind,
        products: Vec::new(),
        versions: Vec::new(),
        symptom: (kind != Kind::Skip).then_some(symptom),
        rate: 0.2,
        danger: "hangs the machine".to_owned(),
        tracker: "https://tracker.example/1".to_owned(),
        owner: "copies".to_owned(),
        expires: on(expires),
        place: "toy.yaml:2".to_owned(),
    }
}

fn header() -> RunHeader {
    let text = r#"{"format": 5, "suite": "1", "run": "r", "started": "2027-03-01T08:30:00Z", "runtime": "toy",
        "product": "big", "reported_name": null, "library": {"path": "", "sha256": "", "version": "9.0.1", "version_note":
        null, "simulated": true, "chosen_by": ""}, "run_mode": "", "devices": 1, "edition": "8.5.0", "seed": 1, "profile":
        "smoke", "catalog_digest": "", "rules": 1, "selected": [], "defects": [],
        "settings": {"deadline": 5, "hazardous": false, "dedicated": false, "strict": false}}"#;
    serde_json::from_str(text).expect("it is a header")
}

fn expecting(entries: Vec<KnownFailure>, fail_on: &[Sort]) -> Expecting {
    let files = ExpectationFiles { entries: entries.len(), ..ExpectationFiles::default() };
    Expecting::new(Expectations { entries, files }, &header(), fail_on.to_vec(), on("2027-03-31"))
}

/// A result that failed in `failed` of ten runs of the case alone.
fn result(verdict: Verdict, message: &str, failed: u32) -> RuleResult {
    let confirmation = Confirmation {
        conclusion: if verdict == Verdict::Flaky { Conclusion::Flaky } else { Conclusion::Alone },
        found: if verdict == Verdict::Flaky { Verdict::Fail } else { verdict },
        alone: Repeats { failed, runs: 10 },
        rule: Repeats::default(),
        ..Confirmation::without_rerun(verdict, String::new())
    };
    let failure = Failure {
        statement: "same(a, b);".to_owned(),
        message: message.to_owned(),
        case: 1,
        confirmation: Some(confirmation),
        ..Failure::default()
    };
    let text = format!(
        r#"{{"id": "{RULE}", "chapter": "copy", "title": "", "level": "must", "verdict": "{verdict}", "reason": "{message}",
        "nanoseconds": 1, "cases": 1, "checks": 1, "seed": 1, "failure": null, "findings": [], "observations": {{}},
        "interrupted": 0, "doubt": null}}"#
    );
    let failed = !matches!(verdict, Verdict::Pass | Verdict::Skipped);
    let blank: RuleResult = serde_json::from_str(&text).expect("it is a result");
    RuleResult { failure: failed.then(|| Box::new(failure)), ..blank }
}

const AS_KNOWN: &str = "f returned 7 (SOME_NAME), expected success";
const OTHER_CODE: &str = "f returned 8 (OTHER_NAME), expected success";

#[rstest]
#[case::known(Kind::Fail, Verdict::Fail, "2027-03-31", Verdict::Fail, AS_KNOWN, 10, Some(Sort::Known))]
#[case::expired(Kind::Fail, Verdict::Fail, "2027-03-30", Verdict::Fail, AS_KNOWN, 10, Some(Sort::Expired))]
#[case::other_code(Kind::Fail, Verdict::Fail, "2027-03-31", Verdict::Fail, OTHER_CODE, 10, Some(Sort::Unlike))]
#[case::other_code_of_an_expired_one(
    Kind::Fail,
    Verdict::Fail,
    "2027-03-30",
    Verdict::Fail,
    OTHER_CODE,
    10,
    Some(Sort::Unlike)
)]
#[case::other_verdict(Kind::Fail, Verdict::Fail, "2027-03-31", Verdict::Crash, AS_KNOWN, 10, Some(Sort::Unlike))]
#[case::has_become_flaky(Kind::Fail, Verdict::Fail, "2027-03-31", Verdict::Flaky, AS_KNOWN, 3, Some(Sort::Unlike))]
#[case::fixed(Kind::Fail, Verdict::Fail, "2027-03-31", Verdict::Pass, "", 0, Some(Sort::Fixed))]
#[case::flake(Kind::Flake, Verdict::Fail, "2027-03-31", Verdict::Flaky, AS_KNOWN, 3, Some(Sort::Known))]
#[case::flake_too_often(Kind::Flake, Verdict::Fail, "2027-03-31", Verdict::Flaky, AS_KNOWN, 7, Some(Sort::TooOften))]
#[case::flake_each_time(Kind::Flake, Verdict::Fail, "2027-03-31", Verdict::Fail, AS_KNOWN, 10, Some(Sort::TooOften))]
#[case::flake_with_another_code(
    Kind::Flake,
    Verdict::Fail,
    "2027-03-31",
    Verdict::Flaky,
    OTHER_CODE,
    3,
    Some(Sort::Unlike)
)]
#[case::flake_that_passes(Kind::Flake, Verdict::Fail, "2027-03-31", Verdict::Pass, "", 0, None)]
#[case::no_answer_is_no_other_symptom(Kind::Fail, Verdict::Fail, "2027-03-31", Verdict::DeviceLost, "gone", 0, None)]
#[case::no_answer_as_known(
    Kind::Fail,
    Verdict::Blocked,
    "2027-03-31",
    Verdict::Blocked,
    AS_KNOWN,
    10,
    Some(Sort::Known)
)]
#[case::skipped_for_another_reason(
    Kind::Skip,
    Verdict::Fail,
    "2027-03-31",
    Verdict::Skipped,
    "needs 2 devices",
    0,
    None
)]
#[case::danger_that_ran_before(Kind::Skip, Verdict::Fail, "2027-03-31", Verdict::Fail, AS_KNOWN, 10, Some(Sort::New))]
fn an_entry_sorts_a_result(
    #[case] kind: Kind,
    #[case] expected: Verdict,
    #[case] expires: &str,
    #[case] verdict: Verdict,
    #[case] message: &str,
    #[case] failed: u32,
    #[case] sort: Option<Sort>,
) {
    let expecting = expecting(vec![entry(kind, expected, expires)], &[]);
    let sorted = expecting.sort(&result(verdict, message, failed), false);
    assert_eq!(sorted.as_ref().map(|sorted| sorted.sort), sort, "{sorted:?}");
    let referred = sorted.is_some_and(|sorted| sorted.entry.is_some_and(|entry| entry.place == "toy.yaml:2"));
    assert_eq!(referred, sort.is_some_and(|sort| sort != Sort::New));
}

#[rstest]
#[case::new(&[], Verdict::Fail, OTHER_CODE, &[], 1)]
#[case::known(&["2027-03-31"], Verdict::Fail, AS_KNOWN, &[], 0)]
#[case::known_without_an_answer(&["2027-03-31"], Verdict::Blocked, AS_KNOWN, &[], 3)]
#[case::unlike(&["2027-03-31"], Verdict::Fail, OTHER_CODE, &[], 1)]
#[case::expired(&["2027-03-01"], Verdict::Fail, AS_KNOWN, &[], 0)]
#[case::expired_by_flag(&["2027-03-01"], Verdict::Fail, AS_KNOWN, &[Sort::Expired], 1)]
#[case::expired_beside_one_that_holds(&["2027-03-01", "2027-03-31"], Verdict::Fail, AS_KNOWN, &[Sort::Expired], 0)]
#[case::fixed(&["2027-03-31"], Verdict::Pass, "", &[], 0)]
#[case::fixed_by_flag(&["2027-03-31"], Verdict::Pass, "", &[Sort::Fixed], 1)]
fn only_known_failures_end_with_0_and_flags_decide_the_rest(
    #[case] expires: &[&str],
    #[case] verdict: Verdict,
    #[case] message: &str,
    #[case] fail_on: &[Sort],
    #[case] exit: u8,
) {
    let entries = expires.iter().map(|expires| entry(Kind::Fail, Verdict::Fail, expires)).collect();
    let results = [result(verdict, message, 10)];
    let applied = expecting(entries, fail_on).applied(&results, false);
    assert_eq!(exit_code(&header().settings, &results, 0, Some(&applied)), exit, "{applied:?}");
}

#[test]
fn a_finding_is_new_only_where_findings_break_the_run() {
    let finding = RuleResult { level: Level::Info, ..result(Verdict::Fail, AS_KNOWN, 10) };
    let expecting = expecting(Vec::new(), &[]);
    assert_eq!(expecting.sort(&finding, false), None);
    assert_eq!(expecting.sort(&finding, true).map(|sorted| sorted.sort), Some(Sort::New));
}

#[rstest]
#[case::in_the_range(">=8.5 <9.0", "edition", Fit::Applies)]
#[case::outside(">=9.0", "edition", Fit::Elsewhere)]
#[case::of_the_runtime("==9.0.1", "runtime", Fit::Applies)]
fn an_entry_applies_where_the_versions_are_those(#[case] range: &str, #[case] name: &str, #[case] fit: Fit) {
    let range = Range::read(range).expect("it is a range");
    let versions = vec![(name.to_owned(), range)];
    let entry = KnownFailure { versions, ..entry(Kind::Fail, Verdict::Fail, "2027-03-31") };
    assert_eq!(entry.fit("big", &Versions::of(&header())), fit);
    let elsewhere = KnownFailure { products: vec!["small".to_owned()], ..entry };
    assert_eq!(elsewhere.fit("big", &Versions::of(&header())), Fit::Elsewhere);
}

#[rstest]
#[case::in_the_range("driver", ">=25.5 <26", &["25.5.1"], Fit::Applies)]
#[case::outside("driver", ">=25.5", &["25.3.rc1"], Fit::Elsewhere)]
#[case::sources_that_agree_about_the_range("driver", ">=25", &["25.5.1", "25.5.2"], Fit::Applies)]
#[case::sources_that_do_not(
    "driver", ">=25.5.2", &["25.5.1", "25.5.2"],
    Fit::Undecided("sources disagree about the version of driver: `25.5.1` and `25.5.2`".to_owned())
)]
#[case::no_version("firmware", ">=1", &["NA"], Fit::Undecided("firmware `NA` is not a comparable version".to_owned()))]
#[case::the_version_that_the_library_reports_goes_first("runtime", "==9.0.1", &["7.0"], Fit::Applies)]
fn an_entry_reads_what_is_installed_from_the_fingerprint(
    #[case] of: &str,
    #[case] range: &str,
    #[case] installed: &[&str],
    #[case] fit: Fit,
) {
    let installed = installed.iter().map(|version| Installed {
        of: of.to_owned(),
        version: (*version).to_owned(),
        source: String::new(),
    });
    let fingerprint = Fingerprint { installed: installed.collect(), ..Fingerprint::default() };
    let header = RunHeader { fingerprint: Some(fingerprint), ..header() };
    let versions = vec![(of.to_owned(), Range::read(range).expect("it is a range"))];
    let entry = KnownFailure { versions, ..entry(Kind::Fail, Verdict::Fail, "2027-03-31") };
    assert_eq!(entry.fit("big", &Versions::of(&header)), fit);
}

/// An entry for a chapter claims that some rule in it fails, not that every rule does.
#[test]
fn a_pattern_is_fixed_only_if_none_of_its_rules_fails_as_expected() {
    let holds = || RuleResult { id: "toy.copy.self".to_owned(), ..result(Verdict::Pass, "", 0) };
    let sorts = |results: &[RuleResult]| -> Vec<(String, Sort)> {
        let known = expecting(vec![entry(Kind::Fail, Verdict::Fail, "2027-03-31")], &[]);
        known.applied(results, false).results.into_iter().map(|sorted| (sorted.rule, sorted.sort)).collect()
    };
    assert_eq!(sorts(&[result(Verdict::Fail, AS_KNOWN, 10), holds()]), [(RULE.to_owned(), Sort::Known)]);
    let fixed = ("toy.copy.self".to_owned(), Sort::Fixed);
    let unlike = (RULE.to_owned(), Sort::Unlike);
    assert_eq!(sorts(&[result(Verdict::Fail, OTHER_CODE, 10), holds()]), [unlike, fixed.clone()]);
    assert_eq!(sorts(&[holds()]), [fixed]);
}

#[test]
fn an_unknown_version_excuses_nothing_and_runs_nothing_dangerous() {
    let range = || vec![("driver".to_owned(), Range::read(">=25.5").expect("it is a range"))];
    let fails = KnownFailure { versions: range(), ..entry(Kind::Fail, Verdict::Fail, "2027-03-31") };
    let hangs = KnownFailure { versions: range(), ..entry(Kind::Skip, Verdict::Fail, "2027-03-31") };
    let known = expecting(vec![fails], &[]);
    let failed = result(Verdict::Fail, AS_KNOWN, 10);
    assert_eq!(known.sort(&failed, false).map(|sorted| sorted.sort), Some(Sort::New));
    assert_eq!(known.skip(RULE), None);
    let open = known.applied(&[failed], false).open;
    assert!(open[0].contains("the version of driver is unknown; the entry excuses nothing"), "{open:?}");
    let dangerous = expecting(vec![hangs], &[]);
    let reason = dangerous.skip(RULE).expect("it is not run");
    assert_eq!(reason, "not run, a known danger: hangs the machine; https://tracker.example/1");
    let sorted = dangerous.sort(&RuleResult { reason, ..result(Verdict::Skipped, "", 0) }, false);
    assert_eq!(sorted.map(|sorted| sorted.sort), Some(Sort::Known));
    assert_eq!(dangerous.skip("toy.set.byte"), None, "another chapter");
}

#[test]
fn the_failures_of_a_run_become_entries_with_all_of_their_symptom() {
    let details = Details { owner: "me".to_owned(), tracker: "a\"b".to_owned(), expires: on("2027-06-30") };
    let run = |results| Recorded { header: header(), results, in_flight: BTreeMap::new(), end: None };
    assert_eq!(draft(&run(vec![result(Verdict::Pass, "", 0)]), &details), None);
    let flaky = result(Verdict::Flaky, AS_KNOWN, 3);
    let text = draft(&run(vec![flaky]), &details).expect("something failed");
    for told in
        ["kind: flake", "rate: 0.30", "verdict: fail", "code: \"SOME_NAME\"", "call: \"f\"", "tracker: \"a\\\"b\""]
    {
        assert!(text.contains(told), "{told}\n{text}");
    }
    let read: super::ExpectationsFile = serde_yaml::from_str(&text).expect("it is a file of entries");
    assert_eq!(read.expectations[0].symptom.as_ref().and_then(|symptom| symptom.check.as_deref()), Some("same(a, b);"));
}

fn details() -> Details {
    Details { owner: "me".to_owned(), tracker: "https://tracker.example/1".to_owned(), expires: on("2027-06-30") }
}

/// The entries of a drafted file, which needs no check against a catalog.
fn entries(text: &str) -> Vec<KnownFailure> {
    let file: super::ExpectationsFile = serde_yaml::from_str(text).expect("it is a file of entries");
    let of = |source: super::model::EntrySource| {
        let symptom = source.symptom.expect("a drafted entry has a symptom");
        let verdict = serde_json::from_value(symptom.verdict.value.clone().into());
        let shape = |named: &str| Shape::EACH.into_iter().find(|shape| shape.name() == named).expect("it is a shape");
        let symptom = ExpectedSymptom {
            verdict: verdict.expect("it is a verdict"),
            check: symptom.check,
            code: symptom.code,
            call: symptom.call,
            shape: symptom.shape.map(|named| shape(&named.value)),
        };
        let patterns = source.rule.iter().chain(&source.rules).map(|rule| rule.value.clone()).collect();
        let (kind, rate) = (source.kind.value, source.rate.map_or(0.0, |rate| rate.value));
        KnownFailure { patterns, kind, rate, symptom: Some(symptom), ..entry(Kind::Fail, Verdict::Fail, "2027-06-30") }
    };
    file.expectations.into_iter().map(of).collect()
}

/// The results of a run, sorted by the entries that are drafted from the same run.
fn sorted_by_draft(results: &[RuleResult]) -> (Vec<KnownFailure>, AppliedExpectations) {
    let run = Recorded { header: header(), results: results.to_vec(), in_flight: BTreeMap::new(), end: None };
    let entries = draft(&run, &details()).map_or(Vec::new(), |text| entries(&text));
    (entries.clone(), expecting(entries, &[]).applied(results, false))
}

/// A failure of a check of bytes after a call.
fn differing(id: &str, shape: Shape, call: &str) -> RuleResult {
    let mut result = RuleResult { id: id.to_owned(), ..result(Verdict::Fail, "", 10) };
    let failure = result.failure.as_mut().expect("it failed");
    failure.message = "`same(a, b)` does not hold: 1 of 100 bytes differ".to_owned();
    failure.trace = vec![format!("{call}(dst=0x10, kind=DEVICE_TO_HOST) = success")];
    let (length, content) = (100, Content::NeverWritten);
    let difference = Difference { shape, content, length, count: 1, first: 99, last: 99, step: None, shift: None };
    failure.difference = Some(difference);
    result
}

/// A cause adopts a few rules with another shape if they made its call.
#[test]
fn a_rule_of_a_cause_without_its_shape_has_a_separate_entry() {
    let tails = (0..20).map(|number| differing(&format!("toy.r{number:02}"), Shape::Tail, "copy"));
    let results: Vec<RuleResult> = tails.chain([differing("toy.whole", Shape::All, "copy")]).collect();
    assert_eq!(causes(&results).len(), 1, "the rule with another shape is adopted");
    let (entries, applied) = sorted_by_draft(&results);
    assert_eq!(entries.iter().map(|entry| entry.patterns.len()).collect::<Vec<_>>(), [20, 1]);
    assert_eq!(applied.number(Sort::Known), 21, "{applied:?}");
}

fn any_result() -> impl Strategy<Value = RuleResult> {
    let message = prop_oneof![
        Just(AS_KNOWN),
        Just(OTHER_CODE),
        Just("g did not return: a hang of 5 s"),
        Just("in process B: after f had returned: it ended with signal 11"),
        Just("`a == b` does not hold: left is 1, right is 2"),
    ];
    let verdict = prop_oneof![
        Just(Verdict::Pass),
        Just(Verdict::Fail),
        Just(Verdict::WrongCode),
        Just(Verdict::Crash),
        Just(Verdict::Timeout),
        Just(Verdict::Flaky),
        Just(Verdict::Blocked),
    ];
    let shape = prop_oneof![30 => Just(Shape::Tail), 1 => Just(Shape::All), 1 => Just(Shape::Head)];
    let call = prop_oneof![20 => Just("copy"), 1 => Just("set")];
    prop_oneof![
        8 => (shape, call).prop_map(|(shape, call)| differing("", shape, call)),
        2 => (verdict, message, 0u32..=10).prop_map(|(verdict, message, failed)| result(verdict, message, failed)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn entries_drafted_from_a_run_leave_nothing_new_in_it(
        drawn in proptest::collection::vec(any_result(), 1..60),
        infos in proptest::collection::vec(0usize..60, 0..3)
    ) {
        let level = |number: usize| if infos.contains(&number) { Level::Info } else { Level::Must };
        let named = |(number, result): (usize, RuleResult)| {
            RuleResult { id: format!("toy.r{number:02}"), level: level(number), ..result }
        };
        let results: Vec<RuleResult> = drawn.into_iter().enumerate().map(named).collect();
        let (entries, applied) = sorted_by_draft(&results);
        for sort in [Sort::New, Sort::Unlike, Sort::TooOften, Sort::Fixed, Sort::Expired] {
            prop_assert_eq!(applied.number(sort), 0, "{:?}\n{:?}", applied, entries);
        }
        for result in &results {
            let about = entries.iter().filter(|entry| entry.is_about(&result.id)).count();
            prop_assert_eq!(about, usize::from(result.verdict != Verdict::Pass), "one entry for {}", result.id);
        }
    }
}
