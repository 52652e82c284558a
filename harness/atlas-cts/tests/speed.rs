//! Verdicts do not depend on the speed of the machine: a slow runtime gets the same cases as a fast one, and cases that
//! could not run in time make the result unknown.

use crate::support;

use std::fs;

use record::{Cut, Verdict};
use rstest::rstest;
use support::small::{HOLDS, MISALIGNED, chapter};
use support::{Bench, answer};

/// A rule that breaks on a device with misaligned blocks, in one case of forty.
const RARELY: &str = "
  - id: acl.small.rarely
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      n: {int: 0..100000}
    steps: |
      aclrtMalloc(&p, 100, ACL_MEM_MALLOC_NORMAL_ONLY);
      n % 40 != 7 || (uintptr_t)p % 64 == 0;
";

/// A rule with as many edges as planned cases.
const LONG: &str = "
  - id: acl.small.long
    title: Blocks are there
    statement: Blocks are there.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      n: {every: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]}
    steps: |
      aclrtMalloc(&p, 100, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

const A2: &[&str] = &["--product", "a2", "--backend", "simulator", "--jobs", "1"];

/// A rule with two edges, and many more cases.
const DRAWN: &str = "
  - id: acl.small.drawn
    title: Blocks are there
    statement: Blocks are there.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      n: {int: 0..100000}
    steps: |
      aclrtMalloc(&p, 100, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

/// A call takes 50 ms: the watchdog's second is over before thirty cases have run, but not before two.
const CUT: &[&str] = &["--tune", "rule-limit=1", "--sim", "call-ns=50000000"];

#[test]
fn a_slow_runtime_gets_the_cases_and_the_verdict_of_a_fast_one() {
    let bench = Bench::new();
    bench.catalog(chapter(&[RARELY, HOLDS]));
    let broken = ["--defect", MISALIGNED];
    bench.run_catalog("fast", &[A2, &broken].concat()).says(1, &["FAIL  acl.small.rarely"]);
    bench
        .run_catalog("slow", &[A2, &broken, &["--sim", "call-ns=4000000"]].concat())
        .says(1, &["FAIL  acl.small.rarely"]);
    bench.run_catalog("sound", &[A2, &["--sim", "call-ns=4000000", "acl.small.holds"]].concat()).says(0, &[]);
    let (fast, slow) = (bench.report("fast"), bench.report("slow"));
    assert_eq!(fast.verdicts(), slow.verdicts());
    let first = |report: &support::Report| report.result("acl.small.rarely").failure.as_ref().unwrap().case;
    assert!(first(&fast) > 2, "the edges do not show it");
    assert_eq!(first(&fast), first(&slow), "the same seed gives the same cases");
}

#[rstest]
#[case::before_every_edge_ran("acl.small.long", 30, 3, "unknown: some cases of 1 rule did not run")]
#[case::among_the_drawn_cases(
    "acl.small.drawn",
    2,
    0,
    "no rule that ran is broken, but not all cases ran: 1 rule unknown"
)]
fn a_cut_rule_makes_the_result_unknown_if_edge_values_did_not_run(
    #[case] id: &str,
    #[case] edges: u64,
    #[case] exit: i32,
    #[case] says: &str,
) {
    let bench = Bench::new();
    bench.catalog(chapter(&[LONG, DRAWN, HOLDS]));
    let told = ["cut: ", " planned cases ran within the limit of 1s", says];
    bench.run_catalog("run", &[A2, CUT, &[id]].concat()).says(exit, &told);
    bench
        .run_catalog("strict", &[A2, CUT, &[id, "--strict"]].concat())
        .says(3, &["unknown: some cases of 1 rule did not run"]);
    let report = bench.report("run");
    let result = report.result(id);
    assert_eq!(result.verdict, Verdict::Cut);
    let Some(cut) = result.coverage.as_ref().and_then(|coverage| coverage.cut) else {
        panic!("the cut is part of the result: {result:?}");
    };
    let Cut { ran, planned, edges_left, limit_milliseconds } = cut;
    assert!(ran > 0 && ran < 30 && planned >= 30 && limit_milliseconds == 1_000, "{ran} of {planned}");
    assert_eq!(edges_left, edges.saturating_sub(ran));
    assert_eq!(result.cases, ran);
    let kind = if exit == 3 { "<error type=\"cut\"" } else { "<skipped type=\"cut\"" };
    assert!(report.junit.contains(kind), "{}", report.junit);
    assert!(fs::read_to_string(bench.path("run/report.html")).unwrap().contains("planned cases ran within"));
}

#[test]
fn a_record_with_cut_cases_is_not_conformant() {
    let bench = Bench::new();
    bench.catalog(chapter(&[LONG]));
    bench.run_catalog("run", &[A2, CUT].concat()).says(3, &[]);
    let words = ["catalog", "mustpass", "run", "--specs", "specs"];
    bench.run(words).says(3, &["all planned cases of every rule: ", "(acl.small.long)"]);
}

/// A rule with a wait of this length.
fn waiting(time: &str) -> String {
    format!(
        "
  - id: acl.small.waits
    title: A stream is done
    statement: A stream is done.
    clauses: {{manual: manual.blocks}}
    level: must
    forall:
      ms: {{int: 1..9}}
      none: {{every: [-1, -7]}}
    steps: |
      int32_t kept = patience;
      aclrtCreateStream(&stream);
      aclrtSynchronizeStreamWithTimeout(stream, {time});
      ms + none != 0 || kept > 0;
"
    )
}

#[rstest]
#[case("2000")]
#[case("1 + 1")]
#[case("ms")]
#[case("ms > 3 ? 1000 : 20")]
fn a_fixed_timeout_is_refused(#[case] time: &str) {
    let bench = Bench::new();
    bench.catalog(chapter(&[&waiting(time)]));
    let told = ["a timeout of aclrtSynchronizeStreamWithTimeout is a fixed number", "write `patience`"];
    bench.run(["catalog", "lint", "--specs", "specs"]).says(2, &told);
}

#[rstest]
#[case("patience")]
#[case("ms * patience / 2000")]
#[case("kept")]
#[case("-1")]
#[case("none")]
fn a_timeout_from_the_patience_and_no_timeout_are_accepted(#[case] time: &str) {
    let bench = Bench::new();
    bench.catalog(chapter(&[&waiting(time)]));
    let lint = bench.run(["catalog", "lint", "--specs", "specs"]);
    assert!(!lint.text.contains("fixed number"), "{}", lint.text);
}

#[test]
fn a_replay_keeps_the_patience_and_refuses_a_shorter_one() {
    let bench = Bench::new();
    bench.catalog(chapter(&[HOLDS]));
    bench.run_catalog("run", &[A2, &["--tune", "patience=7300", "-v"]].concat()).says(0, &["patience 7300 ms"]);
    assert_eq!(bench.report("run").header.settings.patience, Some(7_300));
    bench.run_catalog("less", &[A2, &["--tune", "patience=1999"]].concat()).says(2, &["`auto`, or 2000 to 600000"]);
    bench.run_catalog("auto", &[A2, &["-v"]].concat()).says(0, &["patience "]);
    assert!(bench.report("auto").header.settings.patience.is_some_and(|patience| patience >= 2_000));
}

/// A libc that writes a number twice made a write reach the memory again after a newer one, on a busy machine.
#[test]
fn the_simulated_device_writes_a_number_once_even_if_it_loses_its_processor() {
    let bench = Bench::new();
    let twice = bench.library_named("libtwice.so", "fixtures/faults/twice.c", &[]);
    for seed in ["1", "2", "3"] {
        let words = [&["run", "acl.stream.query-again", "--seed", seed, "--report-dir", seed], A2].concat();
        answer(bench.command(words).env("LD_PRELOAD", &twice)).says(0, &["verdicts  1 pass"]);
    }
}
