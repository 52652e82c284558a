//! What the checker says of texts that are wrong, and how it finds its way in a header.

#[rustfmt::skip]
#[path = "toy/bindings.rs"]
mod bindings;
#[path = "toy/environment.rs"]
mod environment;

use std::path::Path;

use abi::Type;
use engine::catalog::{CatalogPlace, load};
use environment::environment;
use rstest::rstest;
use steps::judgement::judgements;
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
        (None, "toy_wait() fails misuze;", "`misuze` is not a set of codes; did you mean `misuse`?"),
        (None, "toy_wait() fails, usually TOY_FULL;", "`TOY_FULL` is not a set of codes; write `{CODE, CODE}`"),
        (None, "toy_wait() fails, usually;", "`fails, usually` names the usual codes"),
        (None, "r = toy_wait(); r in codes;", "`codes` is not a set of codes"),
        (None, "r = toy_wait(); r == misuse;", "`misuse` is not set here"),
        (None, "int misuse = 1; misuse == 1;", "`misuse` already names something else"),
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
        (None, "toyText text = 1;", "a const char * cannot hold a int64_t"),
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

/// The codes of an enumeration are its enumerators, or those of them that a pattern names.
#[test]
fn the_codes_of_an_enumeration_are_its_own() {
    let toy = Declarations::new(&bindings::BINDINGS);
    let ty = toy.ty("toyResult").expect("the header has it");
    assert!(matches!(ty, Type::Enumeration { name: "toyResult", .. }));
    assert!(toy.codes(ty, None).contains(&(3, "TOY_FULL")));
    assert_eq!(toy.codes(ty, Some("TOY_BAD_*")).len(), 4);
}

/// The tables were generated from the header that is there.
#[test]
fn the_tables_are_those_of_the_header() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy/specs/toy/abi.h");
    let digest = engine::digest::of_file(&header).expect("the header can be read");
    assert_eq!(digest, bindings::BINDINGS.header_digest, "run `cargo run -p bindings-generator`");
}

/// A named set means what it would mean written out, and is reported so.
#[test]
fn a_set_is_named_or_written_out() {
    let named =
        "toy_wait() fails misuse;\ntoy_wait() fails, usually misuse;\nr = toy_wait();\n!(r in misuse) && r in misuse;";
    let written = named.replace("misuse", "{TOY_BAD_VALUE, TOY_BAD_STATE}");
    let judged = |steps: &str| -> Vec<String> {
        let program = check(&RuleText { steps, ..RuleText::default() }, &environment()).unwrap();
        judgements(&program).iter().map(|judged| program.judged(judged)).collect()
    };
    assert_eq!(judged(named), judged(&written));
    assert_eq!(judged(named)[0], "toy_wait() fails {TOY_BAD_VALUE, TOY_BAD_STATE}");
}

/// Mistakes in the sets of api.yaml, each with the text at its place.
#[rstest]
#[case::unknown(
    "misuse: [TOY_BAD_VALUE, TOY_BAD_STAT]",
    "TOY_BAD_STAT]",
    "constant of the header; did you mean `TOY_BAD_STATE`?"
)]
#[case::number("misuse: [TOY_BAD_VALUE, 2]", "2]", "`2` is not a constant of the header")]
#[case::empty("misuse: []", "[]", "`misuse` holds no code; name at least one constant")]
#[case::constant("TOY_FULL: [TOY_BAD_VALUE]", "[TOY", "`TOY_FULL` already names something else; choose another name")]
#[case::function("toy_wait: [TOY_BAD_VALUE]", "[TOY", "`toy_wait` already names something else")]
#[case::built_in("same: [TOY_BAD_VALUE]", "[TOY", "`same` already names something else")]
#[case::part_of_the_language("usually: [TOY_BAD_VALUE]", "[TOY", "`usually` already names something else")]
#[case::not_a_name("bad-use: [TOY_BAD_VALUE]", "[TOY", "`bad-use` cannot be a name in the steps")]
fn a_set_that_means_nothing_is_refused(#[case] set: &str, #[case] place: &str, #[case] message: &str) {
    refused("  misuse: [", &format!("  {set}"), place, message);
}

/// Mistakes in the resources of api.yaml, each with the text at its place.
#[rstest]
#[case::unknown_argument(
    "range, release: \"toy_unreserve(handle, sise)\"",
    "sise)",
    "`sise` is neither `handle`, nor a parameter of `toy_reserve`, nor a constant of the header; did you mean `size`?"
)]
#[case::another_word_for_the_handle(
    "range, release: \"toy_unreserve(ptr, size)\"",
    "ptr, size",
    "`ptr` is neither `handle`"
)]
#[case::too_few(
    "range, release: \"toy_unreserve(handle)\"",
    "toy_unreserve(",
    "takes 2 arguments (range, size), here are 1"
)]
#[case::none("range, release: toy_unreserve", "toy_unreserve", "takes 2 arguments (range, size), here are 1")]
#[case::too_many("range, release: \"toy_leave(handle, 0)\"", "toy_leave(", "takes 1 arguments (lane), here are 2")]
#[case::unknown_function(
    "range, release: \"toy_unreserv(handle, size)\"",
    "toy_unreserv(",
    "did you mean `toy_unreserve`?"
)]
#[case::unknown_further_function(
    "range, also: [toy_unreserv], release: \"toy_unreserve(handle, size)\"",
    "toy_unreserv]",
    "did you mean `toy_unreserve`?"
)]
#[case::calculation(
    "range, release: \"toy_unreserve(handle, size + 1)\"",
    "size + 1",
    "an argument of a release is `handle`, an"
)]
#[case::text("range, release: \"toy_unreserve(handle, 'ab')\"", "'ab'", "a character constant holds exactly one byte")]
#[case::without_the_handle("range, release: \"toy_unreserve(1, size)\"", "toy_unreserve(", "does not pass the handle")]
#[case::no_end("range, release: \"toy_unreserve(handle, size\"", "\"}", "expected `)` after the arguments")]
#[case::more_than_a_call("range, release: \"toy_unreserve(handle, size);\"", ";", "expected the end, found `;`")]
#[case::too_large(
    "range, release: \"toy_unreserve(handle, -1)\"",
    "-1",
    "-1 does not fit parameter `size` of `toy_unreserve`"
)]
#[case::another_type(
    "range, release: toy_free",
    "toy_free",
    "parameter `block` of `toy_free` is a void *, this is a uint64_t"
)]
#[case::no_parameter(
    "rang, release: toy_unreserve",
    "rang,",
    "`toy_reserve` has no parameter `rang`; did you mean `range`?"
)]
#[case::no_buffer(
    "size, bytes: 4, release: toy_unreserve",
    "size,",
    "`size` is a uint64_t, not a pointer to a buffer; leave `bytes` out"
)]
fn a_release_that_means_nothing_is_refused(#[case] resource: &str, #[case] place: &str, #[case] message: &str) {
    let line = format!("  - {{acquire: toy_reserve, handle: {resource}}}");
    refused_resource(&line, place, message);
}

/// What cannot be a handle.
#[rstest]
#[case::structure(
    "  - {acquire: toy_describe, handle: info, release: toy_leave}",
    "info,",
    "`info` is a toyInfo *, which cannot be"
)]
#[case::constant(
    "  - {acquire: toy_pin, handle: label, release: \"toy_unpin(handle, region)\"}",
    "label,",
    "`label` is a const char *, which cannot be a handle: name a parameter that is, or points to, an integer"
)]
#[case::buffer_without_length(
    "  - {acquire: toy_share, handle: key, release: toy_free}",
    "key,",
    "a buffer has its length as `bytes`"
)]
fn what_cannot_be_a_handle_is_refused(#[case] line: &str, #[case] place: &str, #[case] message: &str) {
    refused_resource(line, place, message);
}

fn refused_resource(line: &str, place: &str, message: &str) {
    refused("acquire: toy_reserve", line, place, message);
}

/// Loads the toy's api.yaml with another line; the one mistake stands at the text `place`.
fn refused(known: &str, line: &str, place: &str, message: &str) {
    let folder = tempfile::tempdir().unwrap();
    let toy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy/specs");
    std::fs::create_dir(folder.path().join("toy")).unwrap();
    for file in ["toy/products.yaml", "toy/documents.yaml", "toy/api.yaml"] {
        std::fs::copy(toy.join(file), folder.path().join(file)).unwrap();
    }
    let api = folder.path().join("toy/api.yaml");
    let text = std::fs::read_to_string(&api).unwrap();
    let known = text.lines().find(|line| line.contains(known)).expect("the toy has the line");
    std::fs::write(&api, text.replace(known, line)).unwrap();
    let root = folder.path().to_owned();
    let error = load(&CatalogPlace { root, bindings: &bindings::BINDINGS, defects: None }, None).err();
    let mistakes = error.expect("the line is a mistake").diagnostics;
    let [mistake] = mistakes.as_slice() else { panic!("{mistakes:?}") };
    assert!(mistake.message.contains(message), "{}", mistake.message);
    let at = line.get(mistake.column - 1..).unwrap_or_default();
    assert!(at.starts_with(place), "{}: `{at}` at column {}", mistake.message, mistake.column);
}
