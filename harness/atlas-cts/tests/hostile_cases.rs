//! Given and kept cases that the rule could not draw: the messages of `run` and `print`. `given_cases.rs` of the
//! engine's tests has all possible mistakes of a case.

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

#[rstest]
#[case::a_number_for_a_choice("\"two\"", "7", "`7` is not a value of `choose`; allowed: one, two")]
#[case::excluded("\"size\":16", "\"size\":3", "the rule's `where` excludes this case")]
fn an_invalid_case_is_refused(#[case] from: &str, #[case] to: &str, #[case] message: &str) {
    let bench = bench();
    let case = GOOD.replacen(from, to, 1);
    assert_ne!(case, GOOD);
    run_case(&bench, &case, RULE).says(2, &["error: --case ", message, "give the JSON that a failure prints"]);
    assert!(!bench.path("report").exists());
    bench.run(["print", "--specs", "specs", "--product", "a2", RULE, "--case", &case]).says(2, &[message]);
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

/// Replaces the file of kept counterexamples by one with this case.
fn kept(case: &str) -> String {
    let file = format!("[{{\"case\":{case},\"operations\":[],\"seen\":\"\"}}]");
    format!("printf %s '{file}' > acl.small.written.json")
}

#[rstest]
#[case::no_json("printf %s '[{' > acl.small.written.json".to_owned(), "EOF while parsing")]
#[case::a_number_for_a_choice(kept(&GOOD.replace("\"two\"", "7")), "`7` is not a value of `choose`")]
#[case::an_axis_that_is_gone(kept(&GOOD.replace("\"size\":16", "\"gone\":1")), "the rule has no axis `gone`")]
#[case::a_key_twice(kept(&GOOD.replace("\"size\":16", "\"size\":16,\"size\":17")), "duplicate key `size`")]
#[case::a_fifo("rm *.json; mkfifo acl.small.written.json".to_owned(), "is a FIFO, not a file")]
#[case::an_endless_file("ln -sf /dev/zero acl.small.written.json".to_owned(), "is a device, not a file")]
fn a_broken_counterexample_is_a_remark_that_strict_makes_a_mistake(#[case] script: String, #[case] why: &str) {
    let remark = ["acl.small.written.json: ", why, "this counterexample was skipped; fix or remove it", "2 pass"];
    let (bench, answer) = with_kept(&script, &[]);
    answer.says(0, &remark);
    let report = bench.report("report");
    assert_eq!((report.end().remarks.len(), report.end().unusable_cases), (1, 1));
    assert!(report.junit.contains("this counterexample was skipped"), "{}", report.junit);
    let strict = with_kept(&script, &["--strict"]).1;
    strict.says(3, &remark).says(3, &["unknown: some kept counterexamples could not be tried"]);
    // The failure is reported although it cannot be kept there.
    let broken = ["--tune", "keep=yes", "--defect", "malloc.aligned-only-from-4KiB"];
    let (bench, answer) = with_kept(&script, &broken);
    answer.says(1, &["2 fail"]);
    // A file with a case that is only invalid here accepts another case.
    let readable = ["`choose`", "`gone`"].iter().any(|axis| why.contains(axis));
    assert_eq!(answer.text.contains("cannot write the counterexample of "), !readable, "{}", answer.text);
    assert_eq!(bench.report("report").end().exit, 1);
}

#[test]
fn a_counterexample_of_another_device_is_only_a_remark() {
    let script = kept(&GOOD.replace("\"size\":16", "\"size\":100000"));
    let (bench, answer) = with_kept(&script, &["--strict"]);
    answer.says(0, &["allowed here: 1..65536; this counterexample was skipped; it may apply to another target"]);
    assert_eq!(bench.report("report").end().remarks.len(), 1);
}
