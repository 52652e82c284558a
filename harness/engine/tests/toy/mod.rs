//! The engine on a runtime that no vendor ships, tested with rules that hold, rules that do not, and libraries with one
//! defect each. This also proves that the engine knows no runtime by name: it runs another one with nothing but a
//! header, a catalog and generated tables.

#[rustfmt::skip]
pub mod bindings;
mod details;
pub mod environment;
mod histories;
mod lanes;
pub mod runs;
mod stacks;

use record::Verdict;
use rstest::rstest;

/// A rule that holds passes on the faithful library, and is not vacuous.
#[test]
fn what_holds_passes() {
    for id in runs::rules_that_hold() {
        let result = runs::faithful(&id);
        let expected = match id.as_str() {
            "toy.block.other-product" | "toy.block.many-devices" | "toy.block.undefined" => Verdict::Skipped,
            _ => Verdict::Pass,
        };
        assert_eq!(result.verdict, expected, "{id}: {}\n{:#?}", result.reason, result.failure);
        assert!(result.verdict == Verdict::Skipped || (result.cases > 0 && result.checks > 0), "{result:?}");
    }
}

/// The messages of the rules of a chapter that do not hold.
#[rstest]
fn what_is_broken_does_not_pass(
    #[values("forms", "builtins", "domains", "actors", "handles", "callbacks")] chapter: &str,
) {
    let mut text = String::new();
    let whole = format!("broken.{chapter}");
    for result in runs::all_faithful().iter().filter(|result| result.chapter == whole) {
        assert_ne!(result.verdict, Verdict::Pass, "{} passes", result.id);
        text.push_str(&runs::describe(result));
    }
    insta::assert_snapshot!(format!("broken-{chapter}"), text);
}

/// The rules that notice a library with one defect, and their messages. The others pass.
#[rstest]
fn a_defect_is_noticed(
    #[values(
        "ZERO",
        "CODE",
        "FULL",
        "UNWRITTEN",
        "FREE",
        "SHORT",
        "BEYOND",
        "BACKWARDS",
        "BACKWARDS_WRONG",
        "LATER",
        "PRIVATE",
        "CRASH",
        "EXIT",
        "BROKEN",
        "SICK",
        "HASTY",
        "TWICE"
    )]
    defect: &str,
) {
    let results = runs::run(&[defect], &[], |id| !id.starts_with("toy.broken."));
    let mut text = String::new();
    for result in results.iter().filter(|result| !matches!(result.verdict, Verdict::Pass | Verdict::Skipped)) {
        text.push_str(&runs::describe(result));
    }
    insta::assert_snapshot!(format!("defect-{}", defect.to_lowercase()), text);
}
