//! Cases that somebody gives or that were kept: they are cases that the rule could draw, or they are refused with the
//! values that would do.

use crate::support;

use std::fs;
use std::process::Command;

use rstest::rstest;
use support::{Answer, Bench, answer, take_environment};

const RULE: &str = "acl.small.written";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(
        "# The rules of a test.
title: Small
rules:
  - id: acl.small.written
    title: A block holds what is written
    statement: A block holds what is written.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      size: {bytes: 1..64KiB}
      offset: {int: 0..128, multiple_of: 16}
      order: {permutation: 3..3}
    where: size != 3
    steps: |
      aclrtMalloc(&p, offset + size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
      choose {
        one: aclrtMemset(p, size, 1, size);
        two: aclrtMemset(p, size, 2, size);
      }
  - id: acl.small.other
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST);
      (uintptr_t)p % 64 == 0;
",
    );
    bench
}

const GOOD: &str = r#"{"size":16,"offset":16,"order":[2,0,1],"choose":"two"}"#;

fn run_case(bench: &Bench, case: &str, filter: &str) -> Answer {
    let words = ["run", "--specs", "specs", "--product", "a2", "--report-dir", "report", "--case", case, filter];
    answer(&mut bench.command(words))
}

#[test]
fn a_case_of_the_rule_runs() {
    let bench = bench();
    run_case(&bench, GOOD, RULE).says(0, &["1 pass"]);
    fs::remove_dir_all(bench.path("report")).unwrap();
    run_case(&bench, &format!("[{GOOD},{GOOD}]"), RULE).says(0, &["1 pass"]);
    assert_eq!(bench.report("report").result(RULE).cases, 2);
}

#[rstest]
#[case::a_number_for_a_choice("\"two\"", "7", "`7` is not a value of `choose`, which can be: one, two")]
#[case::a_choice_that_is_none("\"two\"", "\"three\"", "`\"three\"` is not a value of `choose`, which can be: one, two")]
#[case::a_text_for_a_number(
    "\"size\":16",
    "\"size\":\"16\"",
    "`\"16\"` is not a value of `size`, which can be: an integer"
)]
#[case::a_list_for_a_number("\"size\":16", "\"size\":[1]", "`[1]` is not a value of `size`, which can be: an integer")]
#[case::a_fraction("\"size\":16", "\"size\":16.5", "`16.5` is not a value of `size`")]
#[case::a_number_for_a_list("[2,0,1]", "2", "`2` is not a value of `order`, which can be: a list of integers")]
#[case::too_large("\"size\":16", "\"size\":65537", "`65537` is not a value of `size`, which can be here: 1..65536")]
#[case::between_the_steps("\"offset\":16", "\"offset\":17", "`offset`, which can be here: 0..128 in steps of 16")]
#[case::an_order_with_a_number_twice(
    "[2,0,1]",
    "[2,0,2]",
    "`order`, which can be here: the numbers from 0 on, 3 of them"
)]
#[case::an_order_that_is_too_short("[2,0,1]", "[1,0]", "`[1,0]` is not a value of `order`")]
#[case::excluded("\"size\":16", "\"size\":3", "the rule's `where` excludes this case")]
#[case::a_key_twice("\"size\":16", "\"size\":16,\"size\":17", "the key `size` stands twice")]
#[case::a_key_too_many("\"size\":16", "\"size\":16,\"sise\":17", "the rule has no axis `sise`; did you mean `size`?")]
#[case::a_key_too_few("\"size\":16,", "", "the case has no value for `size`")]
#[case::a_salt_that_is_none("\"size\":16", "\"size\":16,\"salt\":-1", "`-1` is not a value of `salt`")]
#[case::no_object(GOOD, "7", "a case is a JSON object")]
#[case::no_case(GOOD, "[]", "the list has no case")]
#[case::a_list_in_a_list(GOOD, "[[]]", "a case is a JSON object")]
fn what_is_not_a_case_is_refused_before_anything_runs(#[case] from: &str, #[case] to: &str, #[case] message: &str) {
    let bench = bench();
    let case = GOOD.replacen(from, to, 1);
    assert_ne!(case, GOOD);
    run_case(&bench, &case, RULE).says(2, &["error: --case ", message, "give the JSON that a failure prints"]);
    assert!(!bench.path("report").exists());
    if !case.starts_with('[') {
        bench.run(["print", "--specs", "specs", "--product", "a2", RULE, "--case", &case]).says(2, &[message]);
    }
}

#[test]
fn a_case_is_of_one_rule() {
    let bench = bench();
    run_case(&bench, GOOD, "acl.small").says(2, &["it is of one rule, and 2 are selected; name its rule"]);
    assert!(!bench.path("report").exists());
}

/// Runs all rules with a file of kept counterexamples.
fn with_kept(script: &str, arguments: &[&str]) -> (Bench, Answer) {
    let bench = bench();
    fs::create_dir(bench.path("regressions")).unwrap();
    bench.write("regressions/acl.small.written.json", "[]");
    let status = Command::new("sh").args(["-c", script]).current_dir(bench.path("regressions")).status();
    assert!(status.unwrap().success());
    let words = ["60", env!("CARGO_BIN_EXE_atlas-cts"), "run", "--specs", "specs", "--product", "a2"];
    let run = bench.command([""; 0]);
    let mut timeout = Command::new("timeout");
    timeout.args(words).args(["--report-dir", "report"]).args(arguments).current_dir(bench.path(""));
    take_environment(&mut timeout, &run);
    let answer = answer(&mut timeout);
    (bench, answer)
}

/// Replaces the file of the kept counterexamples by one with this case.
fn kept(case: &str) -> String {
    let file = format!("[{{\"case\":{case},\"operations\":[],\"seen\":\"\"}}]");
    format!("printf %s '{file}' > acl.small.written.json")
}

#[rstest]
#[case::no_json("printf %s '[{' > acl.small.written.json".to_owned(), "EOF while parsing")]
#[case::a_number_for_a_choice(kept(&GOOD.replace("\"two\"", "7")), "`7` is not a value of `choose`")]
#[case::a_key_twice(kept(&GOOD.replace("\"size\":16", "\"size\":16,\"size\":17")), "the key `size` stands twice")]
#[case::a_fifo("rm *.json; mkfifo acl.small.written.json".to_owned(), "is a FIFO, not a file")]
#[case::an_endless_file("ln -sf /dev/zero acl.small.written.json".to_owned(), "is a device, not a file")]
fn a_broken_counterexample_is_a_remark_that_strict_makes_a_mistake(#[case] script: String, #[case] why: &str) {
    let remark = ["acl.small.written.json: ", why, "this counterexample is not tried, mend or remove it", "2 pass"];
    let (bench, answer) = with_kept(&script, &[]);
    answer.says(0, &remark);
    let report = bench.report("report");
    assert_eq!((report.end().remarks.len(), report.end().unusable_cases), (1, 1));
    assert!(report.junit.contains("this counterexample is not tried"), "{}", report.junit);
    let strict = with_kept(&script, &["--strict"]).1;
    strict.says(3, &remark).says(3, &["not known: kept counterexamples could not be tried"]);
    // The failure is not lost because it cannot be kept there.
    let broken = ["--keep", "--defect", "malloc.aligned-only-from-4KiB"];
    let (bench, answer) = with_kept(&script, &broken);
    answer.says(1, &["2 fail"]);
    // Beside what is only not a case here there is room for another.
    assert_eq!(answer.text.contains("was not written to "), !why.contains("`choose`"), "{}", answer.text);
    assert_eq!(bench.report("report").end().exit, 1);
}

#[test]
fn a_counterexample_of_another_device_is_a_remark_and_no_mistake() {
    let script = kept(&GOOD.replace("\"size\":16", "\"size\":100000"));
    let (bench, answer) = with_kept(&script, &["--strict"]);
    answer.says(0, &["which can be here: 1..65536; this counterexample is not tried, it may be one elsewhere"]);
    assert_eq!(bench.report("report").end().remarks.len(), 1);
}
