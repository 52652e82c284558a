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
use steps::Program;
use steps::domain::DomainSource;
use steps::judgement::judgements;
use steps::types::{Declarations, wrap};
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
        (None, "holds(NULL, NULL, 1);", "`holds` takes 4 arguments (block, want, bytes, back), here are 3"),
        (None, "holds(NULL, NULL, 1, 2, 3);", "takes 4 arguments (block, want, bytes, back), here are 5"),
        (None, "hold(NULL, NULL, 1, NULL);", "did you mean `holds`?"),
        (
            None,
            "r = holds(NULL, NULL, 1, NULL);",
            "`holds` stands for several statements; make it a statement of its own",
        ),
        (None, "holds(NULL, NULL, 1, NULL) fails;", "neither `fails` nor `[info]` is about all of them"),
        (None, "[info] holds(NULL, NULL, 1, NULL) ;", "`holds` stands for several statements"),
        (None, "defer holds(NULL, NULL, 1, NULL);", "`holds` stands for several statements"),
        (None, "holds(NULL, host(1, 1), 1, NULL);", "uses its arguments more than once; keep this in a variable first"),
        (None, "holds(NULL, NULL, toy_blocks(), NULL);", "uses its arguments more than once"),
        (None, "holds(NULL, NULL, 1, 2);", "`poison` wants a pointer here, this is a int64_t"),
        (None, "holds(NULL, NULL, 1, back);", "`back` is not set here"),
        (None, "int holds = 1; holds == 1;", "`holds` already names something else"),
        (None, "toy_aloc(&p, 1);", "did you mean `toy_alloc`"),
        (None, "toy_alloc(&p);", "takes 2 arguments (out, size), here are 1"),
        (None, "toy_alloc(&p, TOY_SMALL);", "`TOY_SMALL` is not set here"),
        (None, "q == 1;", "`q` is not set here"),
        (None, "1 == 1;", "it cannot fail"),
        (None, "toy_blocks();", "says nothing about success"),
        (None, "host(1, 1);", "is not used"),
        (None, "gate();", "the value of `gate` is not used"),
        (None, "void *g = gate(); open(&g);", "`open` wants a gate here: a variable that holds what `gate()` gave"),
        (None, "void *g = host(8, 8); open(g);", "`open` wants a gate here"),
        (None, "open(gate());", "`open` wants a gate here"),
        (None, "toy_wait(); passed(1) == 0;", "`passed` wants a gate here"),
        (None, "void *g = gate(); int open = open(g);", "`open` has no value; it is a statement of its own"),
        (None, "void *g = gate(); fill(g, 8, 1);", "`fill` wants memory here, and a gate is none"),
        (None, "void *g = gate(); *(int *)g == 1;", "a gate is not memory"),
        (None, "toyCall call = hook();", "`hook` takes the header's name of a callback: `hook(toyCall)`"),
        (None, "toyCall call = hook(1);", "`hook` takes the header's name of a callback"),
        (None, "toyCall call = hook(toyCal);", "`toyCal` is not a type of the header;"),
        (None, "toyCall call = hook(toyCal);", "did you mean `toyCall`?"),
        (
            None,
            "toyCall call = hook(toyWay);",
            "`toyWay` is not a type of functions; `hook` gives a `void (*)(void *)`",
        ),
        (
            None,
            "toy_plead(hook(toyPlea), NULL);",
            "`toyPlea` is a `toyResult (*)(void *, uint64_t)`; `hook` gives a `void (*)(void *)`",
        ),
        (None, "toy_plead(hook(toyCall), NULL);", "parameter `plea` of `toy_plead` is a toyPlea, this is a toyCall"),
        (None, "while (1) { }", "has no `while`; use `if (e)`"),
        (None, "if toy_wait();", "expected `(` after `if`, found `toy_wait`"),
        (None, "if (1 = 1) { }", "expected `)` after the condition, found `=`"),
        (None, "if (devices > 1) toy_wait();", "expected `{` after `if (…)`, found `toy_wait`"),
        (None, "if (devices > 1) { } else if (devices) { }", "expected `{` after `else`, found `if`"),
        (None, "else { toy_wait(); }", "`else` follows the block of an `if`"),
        (None, "if (sizeof(int) == 4) { toy_wait(); }", "this condition is decided before anything runs"),
        (None, "if (toy_wait() == TOY_OK) { }", "a condition calls nothing of the runtime; keep the answer"),
        (None, "char *p = host(1, 1); if (p) { }", "a condition is a number or a comparison, this is a char *"),
        (None, "if (devices) { int n = 1; } n == 1;", "`n` is not set here"),
        (None, "if (devices) { int n = 1; } else { n == 1; }", "`n` is not set here"),
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
            Some("A: process(device 0); B: process(device 0);"),
            "A: toy_alloc(&p, 1); if (A.p == NULL) { B: toy_wait(); }",
            "means nothing in another process",
        ),
        (
            Some("A: process(device 0); B: process(device 0);"),
            "if (getpid() % 2) { B: toy_wait(); }",
            "`getpid` differs from process to process; keep it in a variable of one first",
        ),
        (
            Some("A: process(device 0); T: thread(A);"),
            "A: refuse toy_wait() unless { if (devices > 1) { T: toy_wait(); } }",
            "the actor that makes the refused call also checks",
        ),
        (
            Some("A: process(device 0); B: process(device 0);"),
            "A: void *g = gate(); B: open(A.g);",
            "means nothing in another process",
        ),
        (
            Some("A: process(device 0); T: thread(A);"),
            "choose { a: T: int32_t n = 1; b: T: void *n = NULL; }",
            "`n` is a variable of another type in another block",
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

/// x86_64 and aarch64 disagree on the sign of plain `char`: no rule may mean something else on the other, nor where it
/// is printed as C.
#[rstest]
#[case::order("b[0] < 1;")]
#[case::a_value_that_only_one_of_them_has("b[0] == 200;")]
#[case::a_negative_one("-1 != b[0];")]
#[case::a_wider_variable("uint8_t v = 1; b[0] == v;")]
#[case::arithmetic("b[0] + 1 == 3;")]
#[case::bits("(b[0] ^ 255) == 3;")]
#[case::negation("-b[0] == 3;")]
#[case::complement("~b[0] == 3;")]
#[case::a_wider_cast("(uint64_t)b[0] == 3;")]
#[case::a_declaration("int v = b[0]; v == 3;")]
#[case::an_assignment("int v = 0; v = b[0]; v == 3;")]
#[case::a_field("toyPlace p = {.id = b[0]}; p.id == 3;")]
#[case::an_argument("toy_alloc(&p, b[0]);")]
#[case::an_argument_of_a_built_in("fill(b, b[0], 1);")]
#[case::an_index("b[b[1]] == 0;")]
#[case::a_set("b[0] in {1, 2};")]
fn a_plain_char_is_cast_where_its_sign_counts(#[case] steps: &str) {
    let steps = &format!("char *b = host(8, 8); {steps}");
    let problems = check(&RuleText { steps, ..RuleText::default() }, &environment()).err().unwrap_or_default();
    let expected = "plain `char` has a sign on some architectures only; cast it to `unsigned char` first";
    assert!(problems.iter().any(|problem| problem.message == expected), "{steps}: {problems:?}");
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

/// A function's `char` comes back in a word that x86_64 fills with its sign and aarch64 with zeros.
#[test]
fn a_result_of_plain_char_is_one_value() {
    for byte in 0..=u8::MAX {
        let (signed, unsigned) = (byte as i8 as i64 as u64, u64::from(byte));
        assert_eq!(wrap(Type::Char, i128::from(signed)), wrap(Type::Char, i128::from(unsigned)), "{byte}");
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

/// The blocks of an `if` are judged as if they stood alone; what decides between them is not judged.
#[test]
fn a_condition_is_no_judgement() {
    let steps = "int n = 0;\nif (devices > 1) { n = 1; toy_wait() fails; } else { n == 0; }\nn < 2;";
    let program = check(&RuleText { steps, ..RuleText::default() }, &environment()).unwrap();
    let judged: Vec<String> = judgements(&program).iter().map(|judged| program.judged(judged)).collect();
    assert_eq!(judged, ["toy_wait() fails", "n == 0", "n < 2"]);
    let ids = |program: &Program| judgements(program).iter().map(|judged| judged.judgement).collect::<Vec<_>>();
    let looped = "int n = 0;\nfor (i < devices) { n = 1; toy_wait() fails; n == 0; }\nn < 2;";
    let looped = check(&RuleText { steps: looped, ..RuleText::default() }, &environment()).unwrap();
    assert_eq!((ids(&program), program.statement_count), (ids(&looped), looped.statement_count));
}

/// What a word stands for is judged and printed at the place where it is used.
#[test]
fn a_word_stands_for_its_statements() {
    let used = "char *to = host(8, 8); holds(NULL, pattern(8, 1), 8, to);";
    let written = "char *to = host(8, 8); poison(to, 8); toy_copy(to, NULL, 8, TOY_OUT); same(to, pattern(8, 1), 8);";
    let program = |steps| check(&RuleText { steps, ..RuleText::default() }, &environment()).unwrap();
    let (used, written) = (program(used), program(written));
    assert_eq!(
        (used.statement_count, used.calls, judgements(&used).len()),
        (written.statement_count, written.calls, judgements(&written).len())
    );
    let ids = |program: &Program| judgements(program).iter().map(|judged| judged.judgement).collect::<Vec<_>>();
    assert_eq!(ids(&used), ids(&written));
    assert_eq!(used.judged(&judgements(&used)[0]), "holds(NULL, pattern(8, 1), 8, to)");
}

/// An axis cannot have the name of a set or a word.
#[rstest]
#[case("misuse")]
#[case("holds")]
fn an_axis_has_a_name_of_its_own(#[case] name: &str) {
    let domain = DomainSource { int: Some("1..2".to_owned()), ..DomainSource::default() };
    let text = RuleText { axes: vec![(name, &domain)], steps: "toy_wait();", ..RuleText::default() };
    let problems = check(&text, &environment()).expect_err("the name is taken");
    assert!(problems[0].message.contains("already names something else"), "{problems:?}");
}

/// Mistakes in the words of api.yaml, each with the text at its place.
#[rstest]
#[case::unknown_function("f(a), steps: \"toy_fre(a);\"", "toy_fre(", "nor a built-in; did you mean `toy_free`?")]
#[case::too_few("f(a), steps: \"toy_free();\"", "toy_free(", "`toy_free` takes 1 arguments, here are 0")]
#[case::not_a_parameter(
    "f(a), steps: \"toy_free(a); toy_free(b);\"",
    "b)",
    "`b` is neither a parameter of the word nor a"
)]
#[case::unused("'f(a, b)', steps: \"toy_free(a);\"", "f(a, b)", "`f` does not use `b`; remove it here")]
#[case::twice("'f(a, a)', steps: \"toy_free(a);\"", "a)', steps", "`f` has two parameters `a`; rename one")]
#[case::itself(
    "f(a), steps: \"f(a);\"",
    "f(a);",
    "`f` is a word; a word stands for calls and built-ins, not for other"
)]
#[case::another("f(a), steps: \"holds(a, a, 1, a);\"", "holds(", "`holds` is a word; a word stands for calls")]
#[case::defined_twice("holds(a), steps: \"toy_free(a);\"", "holds(a)", "`holds` is defined twice; choose another name")]
#[case::also_a_set("misuse(a), steps: \"toy_free(a);\"", "misuse(a)", "`misuse` is defined twice")]
#[case::function("toy_free(a), steps: \"toy_free(a);\"", "toy_free(a), ", "`toy_free` already names something else")]
#[case::constant("f(TOY_IN), steps: \"toy_free(TOY_IN);\"", "TOY_IN), ", "`TOY_IN` already names something else")]
#[case::no_heading("f, steps: \"toy_wait();\"", "f, ", "a word is written `name(parameter, parameter)`")]
#[case::number("f(1), steps: \"toy_wait();\"", "1), ", "a word is written `name(parameter, parameter)`")]
#[case::declaration("f(a), steps: \"int b = a; b == 1;\"", "int b", "a word is made of calls, built-ins and one check")]
#[case::two_checks("f(a), steps: \"a == 1; a == 2;\"", "a == 2", "a word has one check, so that a failure says which")]
#[case::acquires("f(a), steps: \"toy_alloc(a, 1);\"", "toy_alloc", "`toy_alloc` acquires; write it in the rule")]
#[case::nothing("f(), steps: \"\"", "\"}", "`f` stands for nothing; write its statements")]
#[case::no_end("f(a), steps: \"toy_free(a)\"", "\"}", "expected `;` after the statement")]
fn a_word_that_means_nothing_is_refused(#[case] word: &str, #[case] place: &str, #[case] message: &str) {
    refused("{word: \"refused(", &format!("  - {{word: {word}}}"), place, message);
}

/// Mistakes in the sets of api.yaml, each with the text at its place.
#[rstest]
#[case::unknown(
    "exhausted: [TOY_BAD_VALUE, TOY_BAD_STAT]",
    "TOY_BAD_STAT]",
    "constant of the header; did you mean `TOY_BAD_STATE`?"
)]
#[case::number("exhausted: [TOY_BAD_VALUE, 2]", "2]", "`2` is not a constant of the header")]
#[case::empty("exhausted: []", "[]", "`exhausted` holds no code; name at least one constant")]
#[case::constant("TOY_FULL: [TOY_BAD_VALUE]", "[TOY", "`TOY_FULL` already names something else; choose another name")]
#[case::function("toy_wait: [TOY_BAD_VALUE]", "[TOY", "`toy_wait` already names something else")]
#[case::built_in("same: [TOY_BAD_VALUE]", "[TOY", "`same` already names something else")]
#[case::part_of_the_language("usually: [TOY_BAD_VALUE]", "[TOY", "`usually` already names something else")]
#[case::not_a_name("bad-use: [TOY_BAD_VALUE]", "[TOY", "`bad-use` cannot be a name in the steps")]
fn a_set_that_means_nothing_is_refused(#[case] set: &str, #[case] place: &str, #[case] message: &str) {
    refused("  exhausted: [", &format!("  {set}"), place, message);
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
    let error = load(&CatalogPlace { specs: root.into(), bindings: &bindings::BINDINGS, defects: None }, None).err();
    let mistakes = error.expect("the line is a mistake").diagnostics;
    let [mistake] = mistakes.as_slice() else { panic!("{mistakes:?}") };
    assert!(mistake.message.contains(message), "{}", mistake.message);
    let at = line.get(mistake.column - 1..).unwrap_or_default();
    assert!(at.starts_with(place), "{}: `{at}` at column {}", mistake.message, mistake.column);
}
