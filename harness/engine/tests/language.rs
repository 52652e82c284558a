//! What the checker says of texts that are wrong, and how it finds its way in a header.

#[rustfmt::skip]
#[path = "toy/bindings.rs"]
mod bindings;
#[path = "toy/environment.rs"]
mod environment;

use std::path::Path;

use environment::environment;
use steps::types::Declarations;
use steps::{RuleText, check};

/// Deep texts and long chains are problems, never an overflow of the stack.
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
        "1 ? ".repeat(100_000),
    ];
    for text in &deep {
        let problems = check(&RuleText { steps: text, ..RuleText::default() }, &environment()).err();
        assert!(problems.is_some_and(|problems| !problems.is_empty()), "{}", &text[..20]);
    }
    let longest = format!("uint64_t v = 0;\nv == {}1;", "1 + ".repeat(400));
    assert!(check(&RuleText { steps: &longest, ..RuleText::default() }, &environment()).is_ok());
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

/// What cannot mean anything is refused when the catalog is read.
#[test]
fn mistakes_are_found_before_anything_runs() {
    for (actors, steps, expected) in [
        (None, "toy_alloc(&p, 1)", "expected `;`"),
        (None, "toy_aloc(&p, 1);", "did you mean `toy_alloc`"),
        (None, "toy_alloc(&p);", "takes 2 arguments (out, size), here are 1"),
        (None, "toy_alloc(&p, TOY_SMALL);", "`TOY_SMALL` is not set here"),
        (None, "q == 1;", "`q` is not set here"),
        (None, "1 == 1;", "it cannot fail"),
        (None, "toy_blocks();", "says nothing about success"),
        (None, "host(1, 1);", "is not used"),
        (None, "while (1) { }", "has no `while`"),
        (None, "choose { one: toy_wait(); }", "at least two alternatives"),
        (None, "choose { one: ; one: ; }", "two alternatives `one`"),
        (None, "toyPlace p; p.ix == 1;", "has no field `ix`; did you mean `id`"),
        (None, "toySpot p; p.ix == 1;", "has no field `ix`; did you mean `id`"),
        (None, "toyCont count = 1;", "did you mean `toyCount`"),
        (None, "toyText text = 1;", "a const char * cannot hold a int32_t"),
        (None, "toy_count_v2(NULL) fails;", "did you mean `toy_count`"),
        (None, "exit A;", "the only process of a rule cannot end"),
        (None, "B: toy_wait();", "no actor of this rule"),
        (None, "toy_copy(NULL, NULL, -1, TOY_IN);", "does not fit parameter `bytes`"),
        (None, "refuse toy_wait();", "needs `unless`"),
        (None, "for (i < 3) { --- }", "expected"),
        (
            Some("A: process(device 0); B: process(device 0);"),
            "A: toy_alloc(&p, 1); B: toy_free(A.p);",
            "means nothing in another process",
        ),
        (
            Some("A: process(device 0); T: thread(A);"),
            "A: refuse toy_wait() unless { T: toy_wait(); }",
            "the actor that makes the refused call also checks",
        ),
    ] {
        let problems = check(&RuleText { actors, steps, ..RuleText::default() }, &environment()).err();
        let messages: Vec<String> = problems.unwrap_or_default().into_iter().map(|problem| problem.message).collect();
        assert!(messages.iter().any(|message| message.contains(expected)), "{steps}: {messages:?}");
    }
}

/// The type of results is found whatever other functions return: an enumeration here, an integer in the other runtime.
#[test]
fn the_type_of_results_is_found() {
    use abi::{Type, generated::acl};
    let toy = Declarations::new(&bindings::BINDINGS, Some("toyResult"));
    assert!(matches!(toy.ty("toyResult"), Some(Type::Enumeration { name: "toyResult", .. })));
    assert_eq!(toy.code_name(3), Some("TOY_FULL"));
    let other = Declarations::new(&acl::BINDINGS, Some("aclError"));
    assert_eq!(other.ty("aclError"), Some(Type::Integer { bytes: 4, signed: true }));
}

/// The tables were generated from the header that is there.
#[test]
fn the_tables_are_those_of_the_header() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy/specs/toy/abi.h");
    let digest = engine::digest::of_file(&header).expect("the header can be read");
    assert_eq!(digest, bindings::BINDINGS.header_digest, "run `cargo run -p bindings-generator`");
}
