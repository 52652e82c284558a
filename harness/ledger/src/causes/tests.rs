//! Tests of the groups.

use proptest::prelude::*;
use record::{Content, Difference, Failure, RuleResult, Shape, Verdict};

use super::*;

/// A failing rule with the last calls of its case.
pub(super) fn broken_rule(
    id: &str,
    message: &str,
    calls: &[&str],
    owns: &[&str],
    difference: Option<Difference>,
) -> RuleResult {
    let text = format!(
        r#"{{"id": "{id}", "chapter": "copy", "title": "", "level": "must", "verdict": "fail", "reason": "",
        "nanoseconds": 1, "cases": 1, "checks": 1, "seed": 1, "failure": null, "findings": [], "observations": {{}},
        "interrupted": 0, "doubt": null}}"#
    );
    let blank: RuleResult = serde_json::from_str(&text).expect("it is a result");
    let failure = Failure {
        message: message.to_owned(),
        trace: calls.iter().map(|call| (*call).to_owned()).collect(),
        owns: owns.iter().map(|name| (*name).to_owned()).collect(),
        difference,
        ..Failure::default()
    };
    RuleResult { failure: Some(Box::new(failure)), ..blank }
}

fn tail(count: u64, content: Content) -> Option<Difference> {
    let (length, first) = (100, 100 - count);
    Some(Difference { shape: Shape::Tail, content, length, count, first, last: 99, step: None, shift: None })
}

const DOWN: &str = "copy(dst=0x10, kind=DEVICE_TO_HOST) = success";
const UP: &str = "copy(dst=0x10, kind=HOST_TO_DEVICE) = success";
const FREE: &str = "free(p=0x10) = success  (automatic release)";
const WRONG: &str = "`same(a, b, n)` does not hold: 1 of 100 bytes differ";

#[test]
fn failures_with_one_shape_are_one_cause_and_the_owner_of_the_last_call_is_read_first() {
    let results = [
        broken_rule("toy.a", WRONG, &[UP, DOWN, FREE], &[], tail(1, Content::NeverWritten)),
        broken_rule("toy.b", WRONG, &[UP], &["alloc"], tail(31, Content::Zero)),
        broken_rule("toy.c", WRONG, &[UP, UP, UP, DOWN], &["copy"], tail(7, Content::NeverWritten)),
    ];
    let causes = causes(&results);
    let [cause] = &causes[..] else { panic!("{causes:?}") };
    assert_eq!(cause.title(), "the last bytes (1 to 31 bytes): never written");
    assert_eq!(cause.lead().as_deref(), Some("in 2 of the 3 rules after copy(…DEVICE_TO_HOST)"));
    assert_eq!(cause.advice(), "begin with toy.c, which owns copy");
    assert_eq!(cause.others.iter().map(|rule| rule.id.as_str()).collect::<Vec<_>>(), ["toy.a", "toy.b"]);
}

#[test]
fn a_code_of_one_function_is_a_cause_of_its_own() {
    let refused = "alloc returned 7 (NO_MEMORY), expected success";
    let results = [
        broken_rule("toy.a", refused, &["alloc(p=&p) = 7 (NO_MEMORY)"], &[], None),
        broken_rule("toy.b", refused, &["alloc(p=&p) = 7 (NO_MEMORY)"], &[], None),
        broken_rule("toy.c", WRONG, &[DOWN], &[], tail(1, Content::Unknown)),
    ];
    let causes = causes(&results);
    assert_eq!(causes.iter().map(Cause::len).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(causes[0].title(), "alloc returned NO_MEMORY");
    assert_eq!(causes[0].advice(), "begin with toy.a, the failure with the fewest calls");
}

#[test]
fn what_holds_is_in_no_cause() {
    let held = RuleResult { verdict: Verdict::Pass, ..broken_rule("toy.a", WRONG, &[DOWN], &[], None) };
    assert!(causes(&[held]).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_broken_rule_is_in_one_cause_in_any_order(shapes in proptest::collection::vec(0usize..7, 1..30), seed in any::<u64>()) {
        let of = |(number, shape): (usize, &usize)| {
            let difference = tail(1, Content::Unknown).map(|tail| Difference { shape: Shape::EACH[*shape], ..tail });
            broken_rule(&format!("toy.r{number:02}"), WRONG, &[[DOWN, UP][number % 2]], &[], difference)
        };
        let results: Vec<RuleResult> = shapes.iter().enumerate().map(of).collect();
        let mut turned = results.clone();
        turned.rotate_left((seed % shapes.len() as u64) as usize);
        let ids = |cause: &Cause<'_>| cause.results().map(|result| result.id.clone()).collect::<Vec<_>>();
        let (one, other): (Vec<_>, Vec<_>) = (causes(&results).iter().map(ids).collect(), causes(&turned).iter().map(ids).collect());
        prop_assert_eq!(&one, &other);
        let mut all = one.concat();
        all.sort();
        prop_assert_eq!(all, results.iter().map(|result| result.id.clone()).collect::<Vec<_>>());
    }
}
