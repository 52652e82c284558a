//! Descriptors that pass between processes, in whole runs on the depot: rules of the chapter `share`, changed.

use std::sync::Arc;

use engine::run::{Campaign, load_rules, plan};
use record::{RuleResult, Verdict};
use rstest::rstest;

use crate::depot::catalog::changed;
use crate::depot::device::depot;
use crate::depot::runs::options;

const SHARE: &str = "rules/share.yaml";
const SAME: &str = "depot.share.same-pages";

/// Runs a rule of the chapter, with replacements in the chapter, on the simulated device with a defect or a variant.
fn run(id: &str, defect: Option<&str>, changes: &[(&str, &str)]) -> RuleResult {
    // Some changes leave out the calls that the rule owns.
    let owned = ("    owns: [depot_export, depot_import]\n", "");
    let changes: Vec<_> = changes.iter().chain([&owned]).map(|(before, after)| (SHARE, *before, *after)).collect();
    let specs = changed(&changes);
    let defect = defect.map(|name| format!("--defect={name}"));
    let words: Vec<&str> = ["--backend", "simulator"].into_iter().chain(defect.as_deref()).collect();
    let options = options(specs.path(), &words);
    let rules = Arc::new(load_rules(&options.catalog, depot()).unwrap_or_else(|error| panic!("{error}")));
    let campaign = Campaign::open(&options, depot(), rules).unwrap_or_else(|error| panic!("{error}"));
    let planned = plan(&campaign.target.rules);
    let result = campaign.execute(planned.iter().find(|planned| planned.id == id).expect("the rule exists"));
    campaign.finish();
    result
}

#[track_caller]
fn expect(result: &RuleResult, verdict: Verdict, said: &str) {
    assert_eq!(result.verdict, verdict, "{result:#?}");
    assert!(result.reason.contains(said), "{}", result.reason);
}

/// Pooled processes are tested with the other rules of the depot.
#[rstest]
#[case::one_rule_alone("own")]
#[case::rules_apart("apart")]
#[case::one_case_alone("isolated")]
fn a_descriptor_passes_between_processes_of_every_kind(#[case] sharing: &str) {
    let actors = format!("A: process(device 0), {sharing};\n      B: process(device 0), {sharing};");
    let result = run(SAME, None, &[("A: process(device 0);\n      B: process(device 0);", &actors)]);
    expect(&result, Verdict::Pass, "");
    assert!(result.cases > 1 && result.findings.is_empty(), "{result:#?}");
}

#[test]
fn what_a_rule_leaves_open_is_a_remark() {
    let result = run(SAME, None, &[("        shut(fd);\n", ""), ("        shut(got);\n", "")]);
    expect(&result, Verdict::Pass, "");
    let left = |process: &str, name: &str| {
        format!(
            "in process {process}: descriptor leak: `{name}` (memfd:lot) was open at the end and was closed; use `shut`"
        )
    };
    assert_eq!(result.findings, [left("A", "fd"), left("B", "got")]);
}

#[test]
fn what_a_library_keeps_open_is_a_remark() {
    let result = run(SAME, Some("variant.import-keeps"), &[]);
    expect(&result, Verdict::Pass, "");
    let kept = "in process B: descriptor leak: the library opened memfd:lot during the case and keeps it open";
    assert_eq!(result.findings, [kept]);
}

#[test]
fn a_rule_of_one_process_closes_what_it_opened() {
    let alone = "A: {\n        depot_reserve(&lot, bytes);\n        depot_put(lot, 0, pattern(bytes, 1), bytes);\n        \
                 int fd;\n        depot_export(lot, &fd);\n      }\n";
    let closing = alone.replace("      }\n", "        shut(fd);\n      }\n");
    let rule = |steps: &str| {
        let text = include_str!("specs/depot/rules/share.yaml");
        let actors = "    actors: |\n      A: process(device 0);\n      B: process(device 0);\n";
        let rest =
            &text[text.find("      B: {\n").expect("B acts")..text.find("\n\n").expect("another rule follows") + 1];
        let steps = format!("{steps}      depot_take(lot, 0, host(bytes, 1), bytes);\n");
        run(SAME, None, &[(actors, "    actors: |\n      A: process(device 0);\n"), (alone, &steps), (rest, "")])
    };
    let left = rule(alone);
    expect(&left, Verdict::Pass, "");
    let remark = "descriptor leak: `fd` (memfd:lot) was open at the end and was closed; use `shut`";
    assert_eq!(left.findings, [remark]);
    assert!(rule(&closing).findings.is_empty());
}

#[test]
fn a_descriptor_of_the_library_that_is_not_open_is_a_failure() {
    let result = run(SAME, Some("export.closed"), &[]);
    expect(&result, Verdict::Fail, "`fd` of A is ");
    expect(&result, Verdict::Fail, ", which is not an open descriptor");
    let result = run(SAME, Some("bad.zeros"), &[]);
    assert_eq!(result.verdict, Verdict::Fail, "{result:#?}");
}

#[test]
fn a_number_that_the_rule_made_up_is_a_mistake_of_the_rule() {
    let result = run(SAME, None, &[("depot_export(lot, &fd);", "fd = 100000;")]);
    let said =
        "`fd` of A is 100000, which is not an open descriptor; use the number that a call or `handed` has opened";
    expect(&result, Verdict::Error, said);
    let result = run(SAME, None, &[("        shut(fd);\n", "        shut(0);\n")]);
    let said =
        "the argument of `shut` is 0, which was open before the case; `shut` only closes what the case has opened";
    expect(&result, Verdict::Error, said);
    let result = run(SAME, None, &[("        shut(fd);\n", "        shut(fd);\n        shut(fd);\n")]);
    expect(&result, Verdict::Fail, ", which is not an open descriptor");
}

#[test]
fn a_process_that_has_ended_hands_nothing_over() {
    let result = run(SAME, None, &[("      B: {\n        int got", "      B: {\n        kill A;\n        int got")]);
    expect(&result, Verdict::Error, "A has ended, and its descriptors with it; hand `fd` over before A ends");
}
