//! Set-ups of api.yaml: their meaning, and the messages about mistakes in them.

use std::path::Path;

use crate::toy::environment::environment;
use catalog::{CatalogPlace, load};
use rstest::rstest;
use steps::judgment::judgments;
use steps::{Problem, Program, RuleText, check};

fn checked(actors: Option<&str>, steps: &str) -> Result<Program, Vec<Problem>> {
    check(&RuleText { actors, steps, ..RuleText::default() }, &environment())
}

/// A program without its text and places.
fn meaning(program: &Program) -> String {
    let text = format!("{:?}", (&program.processes, &program.actors, &program.axes, &program.variables));
    let text = text + &format!("{:?}", (&program.statements, &program.functions, program.calls, program.frame));
    let parts = text.split("Span {").enumerate();
    parts.map(|(at, part)| if at == 0 { part } else { part.split_once('}').expect("it ends").1 }).collect()
}

/// A rule with set-ups is the same program as a rule with their statements written out.
#[rstest]
#[case::one(
    None,
    "given filled(at, 64);\n---\nsame(at, content, 64);",
    "toy_alloc(&at, 64 - 0); char *content = pattern(64, 1); at != NULL;\n---\nsame(at, content, 64);"
)]
#[case::a_sum_stays_one(
    None,
    "choose { one: given filled(p, devices + 1); same(content, p, 1); two: toy_wait() fails; }",
    "choose { one: toy_alloc(&p, (devices + 1) - 0); char *content = pattern(devices + 1, 1); p != NULL; \
     same(content, p, 1); two: toy_wait() fails; }"
)]
#[case::of_an_actor(
    Some("A: process(); B: process();"),
    "B: given filled(p, 8); A: given filled(p, 8); B: p == NULL;",
    "B: toy_alloc(&p, 8 - 0); B: char *content = pattern(8, 1); B: p != NULL; \
     A: toy_alloc(&p, 8 - 0); A: char *content = pattern(8, 1); A: p != NULL; B: p == NULL;"
)]
#[case::in_the_block_of_an_actor(
    Some("A: process(); B: process();"),
    "B: { given filled(p, 8); p == NULL; }",
    "B: { toy_alloc(&p, 8 - 0); char *content = pattern(8, 1); p != NULL; p == NULL; }"
)]
fn a_set_up_stands_for_its_statements(#[case] actors: Option<&str>, #[case] used: &str, #[case] written: &str) {
    let (used, written) = (checked(actors, used).unwrap(), checked(actors, written).unwrap());
    assert_eq!(meaning(&used), meaning(&written));
    let texts = |program: &Program| judgments(program).iter().map(|of| program.judged(of)).collect::<Vec<_>>();
    let plain = |text: String| text.replace("(devices + 1)", "devices + 1");
    assert_eq!(
        texts(&used).into_iter().map(plain).collect::<Vec<_>>(),
        texts(&written).into_iter().map(plain).collect::<Vec<_>>()
    );
}

/// A case that demands too much of a set-up gets a message there, too.
#[test]
fn too_many_statements_are_told_where_the_rule_asks_for_them() {
    let steps = "given filled(p, 8);\nfor (i < 65536) { for (j < 65536) { toy_wait(); } }";
    let problems = checked(None, steps).unwrap().excess(&steps::evaluate::Scope::default());
    assert!(problems.iter().any(|problem| steps[problem.span.start..].starts_with("toy_wait(")), "{problems:?}");
}

/// Set-ups may use set-ups above them; unused ones are reported.
#[test]
fn a_set_up_that_no_rule_uses_is_reported() {
    let rules = toy_with("{given: f(a), steps: toy_free(a);}\n  - {given: g(a), steps: given f(a);}").unwrap();
    let warnings = catalog::lint::unused_set_ups(&rules);
    assert_eq!(warnings, ["api.yaml: no rule uses the set-up `g`; remove it, or use it"]);
}

/// Loads the toy's catalog, without rules, with these set-ups.
fn toy_with(set_ups: &str) -> Result<catalog::Rules, catalog::CatalogError> {
    let folder = tempfile::tempdir().unwrap();
    let toy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy/specs/toy");
    let copy = folder.path().join("toy");
    std::fs::create_dir(&copy).unwrap();
    for file in ["products.yaml", "documents.yaml", "api.yaml"] {
        std::fs::copy(toy.join(file), copy.join(file)).unwrap();
    }
    let text = std::fs::read_to_string(toy.join("api.yaml")).unwrap();
    std::fs::write(copy.join("api.yaml"), format!("{text}\nset_ups:\n  - {set_ups}\n")).unwrap();
    let specs = folder.path().to_owned().into();
    load(&CatalogPlace { specs, bindings: &crate::toy::bindings::BINDINGS })
}
