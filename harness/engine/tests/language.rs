//! The checker's messages about wrong texts, and its reading of a header.

use std::path::{Path, PathBuf};

use crate::pairs::{Change, LOADS};
use crate::toy::environment::environment;
use abi::Type;
use catalog::{CatalogPlace, load};
use rstest::rstest;
use serde::Deserialize;
use steps::Program;
use steps::domain::DomainSource;
use steps::judgment::judgments;
use steps::parse::{Names, parse_steps};
use steps::types::{Declarations, wrap};
use steps::{Problem, RulePart, RuleText, check};

/// Deep texts and long chains are reported as problems, and never overflow the stack.
#[test]
fn nesting_has_an_end() {
    let deep = [
        "(".repeat(100_000),
        "!".repeat(100_000) + "1;",
        "{".repeat(100_000),
        "1 + ".repeat(100_000) + "1;",
        format!("p{};", ".a".repeat(100_000)),
        format!("p{};", "[0]".repeat(100_000)),
        format!("toyPlace p = {};", "{.place = ".repeat(100_000)),
        "for (i < 2) {".repeat(100_000),
        "if (a) {".repeat(100_000),
        "if (a) { } else {".repeat(100_000),
        "1 ? ".repeat(100_000),
    ];
    for text in &deep {
        let problems = check(&RuleText { steps: text, ..RuleText::default() }, &environment()).err();
        assert!(problems.is_some_and(|problems| !problems.is_empty()), "{}", &text[..20]);
    }
    let longest = format!("uint64_t v = 0;\nv == {}1;", "1 + ".repeat(400));
    assert!(check(&RuleText { steps: &longest, ..RuleText::default() }, &environment()).is_ok());
}

#[rstest]
#[case::an_answer("r = toy_wait(); if (r == TOY_OK) { r == 0; }", &["`r == TOY_OK` is false"])]
#[case::the_other_side("r = toy_wait(); if (r in {1, 2}) { [info] r == 1; } else { r == 0; }", &["`r in {1, 2}` is true"])]
#[case::by_way_of_a_variable("r = toy_wait(); uint64_t v = (uint64_t)r; if (v == 0) { v == 0; }", &["`v == 0` is false"])]
#[case::inside_another("r = toy_wait(); if (r == 0) { if (r != 1) { r == 0; } } else { r == 1; }", &["`r != 1` is false"])]
#[case::judged_afterwards("r = toy_wait(); if (r == 0) { r == 0; } r < 9;", &[])]
#[case::a_call_is_judged("r = toy_wait(); if (r == 0) { r == 0; } else { toy_wait(); }", &[])]
#[case::no_answer("uint64_t v = 1; if (v == 0) { v == 1; }", &[])]
#[case::nothing_at_all("r = toy_wait(); if (r == 0) { [info] r == 0; }", &[])]
fn sides_on_which_a_case_may_judge_nothing(#[case] steps: &str, #[case] sides: &[&str]) {
    let program = check(&RuleText { steps, ..RuleText::default() }, &environment()).unwrap();
    let found: Vec<String> = program.free_branches().values().map(|side| program.condition_of(side)).collect();
    assert_eq!(found, sides);
}

/// Arithmetic beyond 128 bits is a problem or a fault of the rule, never of the engine.
#[test]
fn arithmetic_has_an_end() {
    let largest = "170141183460469231731687303715884105727";
    for text in [
        format!("-(0 - {largest} - 1) == 1;"),
        format!("{largest} + {largest} == 1;"),
        format!("{largest} * {largest} == 1;"),
        "1 << 64 == 1;".to_owned(),
        "1 / 0 == 1;".to_owned(),
    ] {
        let _ = check(&RuleText { steps: &text, ..RuleText::default() }, &environment());
    }
}

#[rstest]
#[case::the_end_of_a_text("b[0] == 0;")]
#[case::a_letter("'a' != b[0];")]
#[case::each_other("b[0] == b[1];")]
#[case::truth("!b[0] || b[1] && b[2];")]
#[case::cast_first("(unsigned char)b[0] > 127 || (int8_t)b[1] < 0;")]
#[case::one_byte("uint8_t v = b[0]; v == 200;")]
#[case::assigned("b[0] = 200; b[1] = -1; b[2] = b[0]; b[2] == b[0];")]
fn a_plain_char_is_used_where_its_sign_does_not_count(#[case] steps: &str) {
    let steps = &format!("char *b = host(8, 8); {steps}");
    let checked = check(&RuleText { steps, ..RuleText::default() }, &environment());
    assert!(checked.is_ok(), "{steps}: {:?}", checked.err());
}

/// A function's `char` is returned in a word that x86_64 fills with its sign and aarch64 with zeros.
#[test]
fn a_result_of_plain_char_is_one_value() {
    for byte in 0..=u8::MAX {
        let (signed, unsigned) = (byte as i8 as i64 as u64, u64::from(byte));
        assert_eq!(wrap(Type::Char, i128::from(signed)), wrap(Type::Char, i128::from(unsigned)), "{byte}");
    }
}

/// The codes of an enumeration are its enumerators, or those that match a pattern.
#[test]
fn the_codes_of_an_enumeration_are_its_own() {
    let toy = Declarations::new(&crate::toy::bindings::BINDINGS);
    let ty = toy.ty("toyResult").expect("the header has it");
    assert!(matches!(ty, Type::Enumeration { name: "toyResult", .. }));
    assert!(toy.codes(ty, None).contains(&(3, "TOY_FULL")));
    assert_eq!(toy.codes(ty, Some("TOY_BAD_*")).len(), 4);
}

/// The tables were generated from the current header.
#[test]
fn the_tables_are_those_of_the_header() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy/specs/toy/abi.h");
    let digest = catalog::digest::of_file(&header).expect("the header can be read");
    assert_eq!(digest, crate::toy::bindings::BINDINGS.header_digest, "run `cargo run -p bindings-generator`");
}

/// A named set means the same as its members written out, and is reported by name.
#[test]
fn a_set_is_named_or_written_out() {
    let named =
        "toy_wait() fails misuse;\ntoy_wait() fails, usually misuse;\nr = toy_wait();\n!(r in misuse) && r in misuse;";
    let written = named.replace("misuse", "{TOY_BAD_VALUE, TOY_BAD_STATE}");
    let judged = |steps: &str| -> Vec<String> {
        let program = check(&RuleText { steps, ..RuleText::default() }, &environment()).unwrap();
        judgments(&program).iter().map(|judged| program.judged(judged)).collect()
    };
    assert_eq!(judged(named), judged(&written));
    assert_eq!(judged(named)[0], "toy_wait() fails {TOY_BAD_VALUE, TOY_BAD_STATE}");
}

/// The blocks of an `if` are judged as if they were alone; its condition is not judged.
#[test]
fn a_condition_is_no_judgment() {
    let steps = "int n = 0;\nif (devices > 1) { n = 1; toy_wait() fails; } else { n == 0; }\nn < 2;";
    let program = check(&RuleText { steps, ..RuleText::default() }, &environment()).unwrap();
    let judged: Vec<String> = judgments(&program).iter().map(|judged| program.judged(judged)).collect();
    assert_eq!(judged, ["toy_wait() fails", "n == 0", "n < 2"]);
    let ids = |program: &Program| judgments(program).iter().map(|judged| judged.judgment).collect::<Vec<_>>();
    let looped = "int n = 0;\nfor (i < devices) { n = 1; toy_wait() fails; n == 0; }\nn < 2;";
    let looped = check(&RuleText { steps: looped, ..RuleText::default() }, &environment()).unwrap();
    assert_eq!((ids(&program), program.statement_count), (ids(&looped), looped.statement_count));
}

/// The statements of a word are judged and printed at the place where it is used.
#[test]
fn a_word_stands_for_its_statements() {
    let used = "char *to = host(8, 8); holds(NULL, pattern(8, 1), 8, to);";
    let written = "char *to = host(8, 8); poison(to, 8); toy_copy(to, NULL, 8, TOY_OUT); same(to, pattern(8, 1), 8);";
    let program = |steps| check(&RuleText { steps, ..RuleText::default() }, &environment()).unwrap();
    let (used, written) = (program(used), program(written));
    assert_eq!(
        (used.statement_count, used.calls, judgments(&used).len()),
        (written.statement_count, written.calls, judgments(&written).len())
    );
    let ids = |program: &Program| judgments(program).iter().map(|judged| judged.judgment).collect::<Vec<_>>();
    assert_eq!(ids(&used), ids(&written));
    assert_eq!(used.judged(&judgments(&used)[0]), "holds(NULL, pattern(8, 1), 8, to)");
}

/// The steps of a rule with a mistake, with its actors, or with an axis of this name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrongSteps {
    steps: String,
    actors: Option<String>,
    axis: Option<String>,
}

/// A declaration of several variables equals one declaration of each, for the actor that makes it.
#[rstest]
#[case::of_several("uint64_t a, *b, c[2];", "uint64_t a; uint64_t *b; uint64_t c[2];")]
#[case::with_values("int32_t a = 1, b = a;", "int32_t a = 1; int32_t b = a;")]
#[case::of_an_alternative("choose { one: int32_t a, b; two: ; }", "choose { one: int32_t a; int32_t b; two: ; }")]
fn variables_are_declared_together_or_one_by_one(#[case] together: &str, #[case] apart: &str) {
    let vocabulary = environment().vocabulary;
    let is_type = |name: &str| ["uint64_t", "int32_t"].contains(&name);
    let names = Names { is_type: &is_type, actors: &[], vocabulary: &vocabulary };
    let parsed = |text: &str| parse_steps(text, &names).unwrap().statements;
    assert_eq!(parsed(together), parsed(apart));
}

/// Steps with a mistake, each with its message and place.
#[test]
fn mistakes_are_found_before_anything_runs() {
    let axis = DomainSource { int: Some("1..2".to_owned()), ..DomainSource::default() };
    crate::pairs::check(&pairs_of("steps"), |text| {
        let wrong: WrongSteps = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
        let axes = wrong.axis.iter().map(|name| (name.as_str(), &axis)).collect();
        let text = RuleText { actors: wrong.actors.as_deref(), axes, steps: &wrong.steps, ..RuleText::default() };
        let problems = check(&text, &environment()).err().ok_or(LOADS)?;
        Ok(problems.iter().map(|problem| place_and_message(problem, &text)).collect())
    });
}

/// `steps:1:5: message`.
fn place_and_message(problem: &Problem, text: &RuleText<'_>) -> String {
    let (part, of) = match problem.part {
        RulePart::Steps => ("steps", text.steps),
        RulePart::Actors => ("actors", text.actors.unwrap_or_default()),
        RulePart::Axis(_) => return format!("axis: {}\n", problem.message),
        ref other => return format!("{other:?}: {}\n", problem.message),
    };
    let before = &of[..problem.span.start];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("{part}:{line}:{column}: {}\n", problem.message)
}

/// The toy's api.yaml with a mistake in its words, sets, set-ups or resources.
#[test]
fn mistakes_in_what_api_yaml_adds_are_found() {
    crate::pairs::check(&pairs_of("toy"), |text| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let toy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy/specs");
        std::fs::create_dir(folder.path().join("toy")).map_err(|error| error.to_string())?;
        for file in ["toy/products.yaml", "toy/documents.yaml", "toy/api.yaml"] {
            std::fs::copy(toy.join(file), folder.path().join(file)).map_err(|error| error.to_string())?;
        }
        Change::read(text)?.make(folder.path())?;
        let specs = folder.path().to_owned().into();
        let error = load(&CatalogPlace { specs, bindings: &crate::toy::bindings::BINDINGS }).err();
        error.map(|error| crate::pairs::below(folder.path(), error)).ok_or_else(|| LOADS.to_owned())
    });
}

fn pairs_of(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_catalogs").join(folder)
}
