//! Devices that hang: in one call, in every call, sometimes, at their start.

use std::fs;

use record::{RuleResult, Verdict};

use crate::nights::{ALONE, copying_rules, paired_rules, rule, run, verdicts, waiting_rules};

#[test]
fn only_one_rule_and_the_owner_wait_for_a_function_that_hangs() {
    let (_, answer, report) = run(waiting_rules(), "HANGS_IN_ONE_CALL");
    answer.says(1, &["acl.night.first"]);
    let verdicts = verdicts(&report);
    assert_eq!(verdicts["acl.night.first"], Verdict::Timeout);
    assert_eq!(verdicts["acl.night.owner"], Verdict::Timeout);
    for number in 0..4 {
        let result = report.result(&format!("acl.night.stream{number}"));
        assert_eq!(result.verdict, Verdict::Blocked);
        let why = "aclrtSynchronizeStream does not return, as acl.night.first showed: rules that call it are blocked";
        assert!(result.reason.contains(why), "{}", result.reason);
        // One hanging function does not put the device into quarantine.
        for other in ["early", "late"] {
            assert_eq!(verdicts[&*format!("acl.night.{other}{number}")], Verdict::Pass);
        }
    }
    assert_eq!(verdicts["acl.night.timed0"], Verdict::Pass);
}

#[test]
fn a_hang_in_one_use_of_a_function_is_red_where_it_is_used_so_and_blocks_no_other_rule() {
    let (_, answer, report) = run(paired_rules(), "HANGS_WITH_TWO_STREAMS");
    answer.says(1, &["acl.night.pair0"]);
    for (id, verdict) in verdicts(&report) {
        let wanted = if id.starts_with("acl.night.pair") { Verdict::Timeout } else { Verdict::Pass };
        assert_eq!(verdict, wanted, "{id}");
    }
}

/// A wait of the set-up that is too short for the device says nothing about the rule.
#[test]
fn a_set_up_that_takes_longer_than_the_patience_is_skipped_with_the_option() {
    let waits =
        "      aclrtCreateStream(&stream);\n      aclrtSynchronizeStreamWithTimeout(stream, patience);\n      ---\n";
    let rules = rule("night.waits", "", waits).replacen("      ---\n", "", 1) + &rule("night.other", "", "");
    let (_, answer, report) = run(format!("title: Night\nrules:\n{rules}"), "IS_SLOW");
    answer.says(0, &["1 pass, 1 skipped"]);
    let result = report.result("acl.night.waits");
    assert_eq!(result.verdict, Verdict::Skipped);
    assert!(result.reason.contains("patience is 2000 ms (--tune patience=MS raises it)"), "{}", result.reason);
}

#[test]
fn a_device_with_two_hanging_functions_is_put_into_quarantine() {
    let (_, answer, report) = run(waiting_rules(), "HANGS_SYNCHRONISING");
    answer.says(1, &["the device is quarantined"]);
    let verdicts = verdicts(&report);
    let timeouts = verdicts.values().filter(|verdict| **verdict == Verdict::Timeout).count();
    assert_eq!(timeouts, 3, "the first function, its owner, and the second, already suspected: {verdicts:?}");
    for number in 0..4 {
        assert_eq!(verdicts[&*format!("acl.night.early{number}")], Verdict::Pass, "before the second function hung");
        let late = report.result(&format!("acl.night.late{number}"));
        assert_eq!(late.verdict, Verdict::DeviceLost);
        let why = "aclrtSynchronizeStream and aclrtSynchronizeStreamWithTimeout do not return; fix it";
        assert!(late.reason.contains(why), "{}", late.reason);
    }
    assert_eq!(report.results.len(), report.header.rules, "every rule is accounted for");
}

#[test]
fn occasional_hangs_are_their_rules_failures_and_block_no_other_rule() {
    let (_, answer, report) = run(copying_rules(), "HANGS_NOW_AND_THEN");
    answer.says(1, &[]);
    let hung = |result: &&RuleResult| matches!(result.verdict, Verdict::Timeout | Verdict::Flaky);
    let (hung, others): (Vec<_>, Vec<_>) = report.results.iter().partition(hung);
    assert!(hung.len() >= 3, "{:?}", report.verdicts());
    assert!(others.iter().all(|result| result.verdict == Verdict::Pass), "{:?}", report.verdicts());
    assert_eq!(report.results.len(), report.header.rules);
}

#[test]
fn a_device_whose_start_hangs_is_not_started_again() {
    let rules = (0..12).map(|number| rule(&format!("night.alone{number}"), "", ALONE)).collect::<String>();
    let (bench, answer, report) = run(format!("title: Night\nrules:\n{rules}"), "HANGS_AT_START");
    answer.says(3, &["the device is quarantined"]);
    let starts = fs::metadata(bench.path("count")).unwrap().len();
    assert_eq!(starts, 5, "four that work, and one that hangs");
    let passed = report.results.iter().take_while(|result| result.verdict == Verdict::Pass).count();
    assert!((1..=4).contains(&passed), "{:?}", report.verdicts());
    for result in &report.results[passed..] {
        assert_eq!(result.verdict, Verdict::DeviceLost, "{}", result.reason);
    }
    assert_eq!(report.results.len(), report.header.rules, "every rule is accounted for");
}
