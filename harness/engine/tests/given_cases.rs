//! Cases given by the user: they must be cases that the rule could draw; others are refused before anything runs, with
//! the valid values.

use engine::run::ExitStatus;
use rstest::rstest;

use crate::bench::{Bench, rule};

const RULE: &str = "toy.small.written";
const GOOD: &str = r#"{"size":16,"offset":16,"order":[2,0,1],"choose":"two"}"#;

fn bench() -> Bench {
    let axes = "forall:
  size: {bytes: 1..64KiB}
  offset: {int: 0..128, multiple_of: 16}
  order: {permutation: 3..3}
where: size != 3";
    let steps = "toy_alloc(&p, offset + size);
(uintptr_t)p % 64 == 0;
choose {
  one: toy_copy(p, pattern(size, 1), size, TOY_IN);
  two: toy_copy(p, pattern(size, 2), size, TOY_IN);
}";
    let other = "toy_alloc(&p, 64);\n(uintptr_t)p % 64 == 0;";
    Bench::new(&[rule("written", axes, steps), rule("other", "", other)])
}

#[test]
fn a_case_of_the_rule_runs() {
    let bench = bench();
    bench.run("one", &["--case", GOOD, RULE]).says(ExitStatus::Success, &["1 pass"]);
    bench.run("two", &["--case", &format!("[{GOOD},{GOOD}]"), RULE]).says(ExitStatus::Success, &["1 pass"]);
    assert_eq!(bench.report("two").result(RULE).cases, 2);
}

#[rstest]
#[case::a_number_for_a_choice("\"two\"", "7", "`7` is not a value of `choose`; allowed: one, two")]
#[case::a_choice_that_is_none("\"two\"", "\"three\"", "`\"three\"` is not a value of `choose`; allowed: one, two")]
#[case::a_text_for_a_number("\"size\":16", "\"size\":\"16\"", "`\"16\"` is not a value of `size`; allowed: an integer")]
#[case::a_list_for_a_number("\"size\":16", "\"size\":[1]", "`[1]` is not a value of `size`; allowed: an integer")]
#[case::a_fraction("\"size\":16", "\"size\":16.5", "`16.5` is not a value of `size`")]
#[case::a_number_for_a_list("[2,0,1]", "2", "`2` is not a value of `order`; allowed: a list of integers")]
#[case::too_large("\"size\":16", "\"size\":65537", "`65537` is not a value of `size`; allowed here: 1..65536")]
#[case::between_the_steps("\"offset\":16", "\"offset\":17", "`offset`; allowed here: 0..128 in steps of 16")]
#[case::an_order_with_a_number_twice(
    "[2,0,1]",
    "[2,0,2]",
    "`order`; allowed here: the numbers from 0 to n-1 in any order, where n is 3"
)]
#[case::an_order_that_is_too_short("[2,0,1]", "[1,0]", "`[1,0]` is not a value of `order`")]
#[case::excluded("\"size\":16", "\"size\":3", "the rule's `where` excludes this case")]
#[case::a_key_twice("\"size\":16", "\"size\":16,\"size\":17", "duplicate key `size`")]
#[case::a_key_too_many("\"size\":16", "\"size\":16,\"sise\":17", "the rule has no axis `sise`; did you mean `size`?")]
#[case::a_key_too_few("\"size\":16,", "", "the case has no value for `size`")]
#[case::a_salt_that_is_none("\"size\":16", "\"size\":16,\"salt\":-1", "`-1` is not a value of `salt`")]
#[case::no_object(GOOD, "7", "a case is a JSON object")]
#[case::no_case(GOOD, "[]", "the list contains no cases")]
#[case::a_list_in_a_list(GOOD, "[[]]", "a case is a JSON object")]
fn what_is_not_a_case_is_refused_before_anything_runs(#[case] from: &str, #[case] to: &str, #[case] message: &str) {
    let bench = bench();
    let case = GOOD.replacen(from, to, 1);
    assert_ne!(case, GOOD);
    let told = ["error: --case ", message, "give the JSON that a failure prints"];
    bench.run("report", &["--case", &case, RULE]).says(ExitStatus::Usage, &told);
    assert!(!bench.path("report").exists());
}

#[test]
fn a_case_is_of_one_rule() {
    let bench = bench();
    let told = "a case belongs to one rule, but 2 are selected; name its rule";
    bench.run("report", &["--case", GOOD, "toy.small"]).says(ExitStatus::Usage, &[told]);
    assert!(!bench.path("report").exists());
}
