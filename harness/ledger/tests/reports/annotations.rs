//! Annotations, read as GitHub's runner reads the output of a step.

use std::collections::BTreeMap;

use ledger::causes::causes;
use ledger::report::{Annotation, Severity, annotations, workflow_commands};
use proptest::prelude::*;
use record::{Recorded, RuleResult, Sort, Verdict};
use rstest::rstest;

use crate::sample::{broken, device_header, end, expected, header, result};

/// A workflow command.
#[derive(Debug, PartialEq)]
struct Command {
    name: String,
    properties: BTreeMap<String, String>,
    data: String,
}

/// The commands in an output: a line that begins with `::` after white space, up to the next `::`.
fn commands(output: &str) -> Vec<Command> {
    let unescaped = |text: &str, more: &[(&str, &str)]| {
        let marks = [("%0D", "\r"), ("%0A", "\n")].iter().chain(more).chain(&[("%25", "%")]);
        marks.fold(text.to_owned(), |text, (mark, meant)| text.replace(mark, meant))
    };
    let command = |line: &str| -> Option<Command> {
        let (info, data) = line.trim_start().strip_prefix("::")?.split_once("::")?;
        let (name, properties) = info.split_once(' ').unwrap_or((info, ""));
        let pairs = properties.split(',').filter_map(|pair| pair.split_once('='));
        let property = |text: &str| unescaped(text, &[("%3A", ":"), ("%2C", ",")]);
        let properties = pairs.map(|(name, text)| (name.to_owned(), property(text))).collect();
        Some(Command { name: name.to_owned(), properties, data: unescaped(data, &[]) })
    };
    output.split(['\r', '\n']).filter_map(command).collect()
}

fn run(results: Vec<RuleResult>, exit: Option<u8>) -> Recorded {
    let end = exit.map(|exit| end(&results, exit));
    Recorded { header: device_header(), results, in_flight: BTreeMap::new(), end }
}

#[test]
fn a_broken_rule_is_an_error_at_its_statement() {
    let text = workflow_commands(&annotations(&run(vec![broken()], Some(1))));
    insta::assert_snapshot!("annotations_broken", text);
    let [command] = &commands(&text)[..] else { panic!("there is one command:\n{text}") };
    assert_eq!(command.name, "error");
    let properties = &command.properties;
    assert_eq!((&*properties["file"], &*properties["line"]), ("specs/toy/copy.yaml", "41"));
    assert!(properties["title"].starts_with("toy.copy.exact-count: fail"), "{properties:?}");
}

/// A broken rule after a call of this function.
fn broken_after(rule: &str, function: &str) -> RuleResult {
    let mut result = broken();
    result.id = rule.to_owned();
    if let Some(failure) = &mut result.failure {
        failure.trace = vec![format!("{function}() = 0 (TOY_SUCCESS)")];
        failure.difference = None;
    }
    result
}

#[test]
fn broken_rules_with_one_cause_have_one_annotation() {
    let alike = ["toy.copy.a", "toy.copy.b", "toy.copy.c"].map(|rule| broken_after(rule, "toy_dv_copy"));
    let mut all = alike.to_vec();
    all.push(broken_after("toy.copy.other", "toy_dv_take"));
    let made = annotations(&run(all, Some(1)));
    let titles: Vec<&str> = made.iter().map(|annotation| annotation.title.as_str()).collect();
    assert_eq!(titles, ["toy.copy.a: fail, and 2 rules that look alike", "toy.copy.other: fail"]);
    assert!(made[0].text.contains("toy_dv_copy") && made[0].text.ends_with("\ntoy.copy.b, toy.copy.c"), "{made:?}");
}

#[test]
fn every_cause_and_every_rule_without_an_answer_has_an_annotation_and_no_other_rule() {
    let all = Verdict::ALL.map(|verdict| result(&format!("toy.copy.{verdict}"), verdict, "seen"));
    let run = run(all.to_vec(), Some(1));
    let named: Vec<(Severity, String)> =
        annotations(&run).into_iter().map(|annotation| (annotation.severity, annotation.title)).collect();
    let number = |severity| named.iter().filter(|(known, _)| *known == severity).count();
    assert!(causes(&run.results).len() > 2, "the verdicts are causes");
    assert_eq!(number(Severity::Error), causes(&run.results).len(), "{named:?}");
    let warned = ["toy.copy.blocked", "toy.copy.error", "toy.copy.device-lost", "toy.copy.cut"];
    assert_eq!(number(Severity::Warning), warned.len(), "{named:?}");
    for rule in warned {
        assert!(named.iter().any(|(severity, title)| *severity == Severity::Warning && title.starts_with(rule)));
    }
}

#[test]
fn a_known_failure_has_no_annotation() {
    let known = expected().results.into_iter().find(|sorted| sorted.sort == Sort::Known).unwrap();
    let all = [result(&known.rule, Verdict::Fail, "known"), result("toy.copy.other", Verdict::Fail, "new")];
    let mut run = run(all.to_vec(), Some(1));
    run.end.as_mut().unwrap().expectations = Some(expected());
    let titles: Vec<String> = annotations(&run).into_iter().map(|annotation| annotation.title).collect();
    assert_eq!(titles, ["toy.copy.other: fail"]);
}

#[rstest]
#[case::ten(10, 10, 0)]
#[case::eleven(11, 10, 2)]
#[case::eighty(80, 10, 71)]
fn no_more_than_ten_are_printed_and_the_last_counts_the_others(
    #[case] rules: usize,
    #[case] printed: usize,
    #[case] left_out: usize,
) {
    let all = (0..rules).map(|number| broken_after(&format!("toy.copy.r{number:03}"), &format!("toy_dv_f{number}")));
    let commands = commands(&workflow_commands(&annotations(&run(all.collect(), Some(1)))));
    assert_eq!(commands.len(), printed);
    let last = &commands[printed - 1].data;
    assert_eq!(last.starts_with(&format!("{left_out} more rules are broken")), left_out > 0, "{last}");
}

#[rstest]
#[case::conformant(vec![result("toy.copy.a", Verdict::Pass, "")], Some(0), None)]
#[case::too_few(vec![result("toy.copy.a", Verdict::Pass, "")], Some(3), Some("unknown"))]
#[case::unfinished(vec![result("toy.copy.a", Verdict::Pass, "")], None, Some("did not"))]
fn a_run_that_fails_without_a_broken_rule_has_one_annotation(
    #[case] results: Vec<RuleResult>,
    #[case] exit: Option<u8>,
    #[case] says: Option<&str>,
) {
    let texts: Vec<String> = annotations(&run(results, exit)).into_iter().map(|annotation| annotation.text).collect();
    assert_eq!(texts.len(), usize::from(says.is_some()), "{texts:?}");
    assert!(texts.iter().all(|text| text.contains(says.unwrap_or_default())), "{texts:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_of_a_library_ends_a_command_or_begins_another(
        odd in prop::collection::vec("(::|%0A|%25|%|\r|\n|,|=| |##\\[error\\]|stop-commands|add-mask|[a-z:]|\u{1b}|\u{2028}){0,24}", 4)
    ) {
        let mut result = broken();
        result.title.clone_from(&odd[0]);
        result.reason.clone_from(&odd[1]);
        result.id.clone_from(&odd[2]);
        if let Some(failure) = &mut result.failure {
            failure.place = format!("f{}:3:4", odd[3]);
            failure.replay.clone_from(&odd[1]);
        }
        let mut run = run(vec![result], Some(1));
        run.header = header();
        let made = annotations(&run);
        let text = workflow_commands(&made);
        let read = commands(&text);
        prop_assert_eq!(text.lines().count(), 1);
        let [command] = &read[..] else { return Err(TestCaseError::fail(text)) };
        let [Annotation { title, text: body, .. }] = &made[..] else { return Err(TestCaseError::fail("one result")) };
        prop_assert_eq!(&*command.name, "error");
        prop_assert_eq!(&command.properties["line"], "3");
        prop_assert_eq!(command.properties.len(), 4);
        prop_assert_eq!(command.properties["title"].trim(), title.trim());
        prop_assert_eq!(command.data.lines().count(), body.lines().count());
    }
}
