//! Causes: what a run with many failures for one reason prints, and what follows from it.

use std::fs;

use record::{Content, FailingValues, Remainder, Shape, Untried};
use rstest::rstest;

use crate::support::Bench;

const TAIL: &str = "copy.tail-rounded-to-32-above-64KiB";

/// Runs a few rules of synchronous copies on a device that loses the tail of large copies.
fn broken(bench: &Bench, report: &str, more: &[&str]) -> crate::support::Answer {
    let words = ["run", "acl.copy.sync", "--product", "a2", "--seed", "1", "--defect", TAIL, "--report-dir", report];
    bench.run(words.iter().chain(more))
}

#[test]
fn failures_for_one_reason_are_one_cause_with_one_block() {
    let bench = Bench::new();
    let answer = broken(&bench, "report", &[]);
    answer.says(1, &["causes (1)", "the last bytes (", "never written", "begin with acl.copy.sync-roundtrip"]);
    let blocks = answer.text.matches("\n  place ").count();
    let short = answer.text.matches("(looks like acl.copy.").count();
    let failed = bench.report("report").verdicts().iter().filter(|(_, verdict)| *verdict == "fail").count();
    assert_eq!((blocks, short), (1, failed - 1), "{}", answer.text);
    assert!(failed > 3, "{}", answer.text);
    let summary = fs::read_to_string(bench.path("report/summary.md")).unwrap();
    assert!(summary.contains("### Causes of the broken rules (1)"), "{summary}");
}

#[test]
fn a_failure_has_its_shape_and_its_exact_boundary() {
    let bench = Bench::new();
    let rule = ["run", "acl.copy.async-roundtrip", "--product", "a2", "--seed", "1"];
    bench.run(rule.iter().chain(&["--defect", TAIL, "--report-dir", "report"])).says(1, &["fails if", "size ≥ 65537"]);
    let report = bench.report("report");
    let failure = report.result("acl.copy.async-roundtrip").failure.as_ref().unwrap();
    let difference = failure.difference.unwrap();
    assert_eq!((difference.shape, difference.content), (Shape::Tail, Content::NeverWritten));
    let size = failure.boundary.iter().find(|boundary| boundary.axis == "size").unwrap();
    let modulus = Some(Remainder { by: 32, zero: false });
    assert_eq!(size.fails, FailingValues::Range { from: Some(65537), to: None, modulus });
    assert_eq!((size.passes.as_deref(), size.cut), (Some("65536"), false));
    assert!(failure.boundary.iter().map(|boundary| boundary.tried).sum::<u32>() <= 60);
}

/// The block is shrunk with an offset in it, which excludes smaller blocks.
#[test]
fn a_boundary_names_the_values_that_another_axis_excludes() {
    let bench = Bench::new();
    let rule = ["run", "acl.copy.sync-roundtrip", "--product", "a2", "--defect", "copy.pageable-chunk-repeated"];
    let row = "size ≥ 65537; no case has < 65537 with cut = 65536";
    bench.run(rule.iter().chain(&["--report-dir", "report"])).says(1, &["fails if", row]);
    let report = bench.report("report");
    let failure = report.result("acl.copy.sync-roundtrip").failure.as_ref().unwrap();
    let size = failure.boundary.iter().find(|boundary| boundary.axis == "size").unwrap();
    assert_eq!(size.fails, FailingValues::Range { from: Some(65537), to: None, modulus: None });
    let untried = Untried { values: vec!["< 65537".to_owned()], with: vec!["cut = 65536".to_owned()] };
    assert_eq!((&size.untried, &size.passes), (&Some(untried), &None));
}

/// A few rules notice these defects in their own way. Merging sorts the same results without another run.
#[rstest]
#[case("copy.odd-last-byte-dropped")]
#[case(TAIL)]
fn nothing_is_new_in_the_run_from_which_entries_were_drafted(#[case] defect: &str) {
    let bench = Bench::new();
    let red = ["run", "acl.copy.", "acl.copy2d.", "--product", "a2", "--shard", "1/1", "--defect", defect];
    bench.run(red.iter().chain(&["--report-dir", "red", "--quiet"])).says(1, &[]);
    let expect = ["expect", "--from", "red", "--owner", "memory", "--tracker", "https://tracker.example/1"];
    bench.run(expect.iter().chain(&["--to", "known.yaml"])).says(0, &[]);
    bench.run(["merge", "red", "--expectations", "known.yaml", "--report-dir", "merged"]).says(0, &["nothing new"]);
}

#[test]
fn one_entry_excuses_one_cause_and_no_other_rule() {
    let bench = Bench::new();
    broken(&bench, "red", &[]).says(1, &[]);
    let expect = ["expect", "--from", "red", "--owner", "memory", "--tracker", "https://tracker.example/1"];
    bench.run(expect.iter().chain(&["--to", "known.yaml"])).says(0, &[]);
    let entries = fs::read_to_string(bench.path("known.yaml")).unwrap();
    assert_eq!((entries.matches("tracker:").count(), entries.matches("shape: tail").count()), (1, 1), "{entries}");
    broken(&bench, "known", &["--expectations", "known.yaml"]).says(0, &["nothing new"]);
    let without = entries.lines().filter(|line| !line.contains("acl.copy.sync-roundtrip"));
    bench.write("known.yaml", without.map(|line| format!("{line}\n")).collect::<String>());
    broken(&bench, "new", &["--expectations", "known.yaml"]).says(1, &["not conformant: 1 rule broken"]);
}
