//! Repetition on the toy: a descriptor that is left open once in ten cycles is found, and the faithful toy is steady.

use record::{Quantity, RuleResult};

use crate::toy::runs::run_one;

/// A rule after 6,000 cycles on the library with these defects.
fn repeated(defects: &[&str]) -> RuleResult {
    run_one(defects, &["--profile", "soak", "--for", "6000x"], "toy.block.aligned")
}

#[test]
fn a_descriptor_that_stays_open_is_found_by_cycles() {
    let result = repeated(&["WEAR"]);
    let found = result.repetition.expect("the rule was repeated");
    assert_eq!(found.cycles, 6000);
    let growth = found.grew.iter().find(|growth| growth.quantity == Quantity::Descriptors);
    let alone = growth.expect("the descriptors grew").alone.as_ref().expect("alone, too");
    assert_eq!(alone.every, Some(10));
    // The rule promises no steadiness.
    assert!(result.verdict.passes() && result.findings.iter().any(|finding| finding.contains("descriptors grew by")));
    assert!(result.findings.iter().any(|finding| finding.contains("--library") && finding.contains("--for 6000x")));
}

#[test]
fn a_faithful_library_is_steady() {
    let result = repeated(&[]);
    assert!(result.verdict.passes() && result.findings.is_empty(), "{:?}", result.findings);
    assert!(result.repetition.is_some_and(|found| found.grew.is_empty()));
}
