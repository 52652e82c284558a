//! The engine on a runtime that no vendor ships: what it does with a rule is shown by rules that hold, by rules that do
//! not, and by libraries that are wrong in one way each. This also proves that the engine knows no runtime by name: it
//! runs another one with nothing but a header, a catalog and generated tables.
//!
//! The workers of the runs are this executable, so it has a `main` of its own.

#[rustfmt::skip]
#[path = "toy/bindings.rs"]
mod bindings;
#[path = "toy/details.rs"]
mod details;
#[path = "toy/runs.rs"]
mod runs;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use record::Verdict;

/// Libraries that are wrong in one way: the rules that notice stand in the snapshot of that name.
const DEFECTS: &[&str] = &[
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
    "TWICE",
];

fn main() -> ExitCode {
    engine::worker::run_if_asked(&[&runs::TOY]);
    // SAFETY: no other thread runs yet. Locks of devices that are none need not stand where those of real ones do.
    unsafe { std::env::set_var("ATLAS_CTS_LOCKS", concat!(env!("CARGO_TARGET_TMPDIR"), "/locks")) };
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut trial = |kind: &str, name: &str, run: Box<dyn FnOnce() + Send>| {
        let run = move || {
            run();
            Ok(())
        };
        trials.push(Trial::test(name, run).with_kind(kind));
    };
    for id in runs::rules_that_hold() {
        let name = id.clone();
        trial("holds", &name, Box::new(move || holds(&id)));
    }
    let broken_chapters =
        ["broken.forms", "broken.builtins", "broken.domains", "broken.actors", "broken.handles", "broken.callbacks"];
    for chapter in broken_chapters {
        trial("broken", chapter, Box::new(move || broken(chapter)));
    }
    for defect in DEFECTS {
        trial("defect", &defect.to_lowercase(), Box::new(move || notices(defect)));
    }
    for (name, run) in details::TRIALS {
        trial("detail", name, Box::new(run));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A rule that holds passes on the faithful library, and is not vacuous.
fn holds(id: &str) {
    let result = runs::faithful(id);
    let expected = match id {
        "toy.block.other-product" | "toy.block.many-devices" | "toy.block.undefined" => Verdict::Skipped,
        _ => Verdict::Pass,
    };
    assert_eq!(result.verdict, expected, "{}\n{:#?}", result.reason, result.failure);
    assert!(result.verdict == Verdict::Skipped || (result.cases > 0 && result.checks > 0), "{result:?}");
}

/// What is said of each rule of a chapter that does not hold.
fn broken(chapter: &str) {
    let mut text = String::new();
    for result in runs::all_faithful().iter().filter(|result| result.chapter == chapter) {
        assert_ne!(result.verdict, Verdict::Pass, "{} passes", result.id);
        text.push_str(&runs::describe(result));
    }
    insta::assert_snapshot!(chapter.replace('.', "-"), text);
}

/// Which rules notice a defect, and what they say. The others pass.
fn notices(defect: &str) {
    let results = runs::run(&[defect], &[], |id| !id.starts_with("toy.broken."));
    let mut text = String::new();
    for result in results.iter().filter(|result| !matches!(result.verdict, Verdict::Pass | Verdict::Skipped)) {
        text.push_str(&runs::describe(result));
    }
    insta::assert_snapshot!(format!("defect-{}", defect.to_lowercase()), text);
}
