//! Causes: what a run with many failures for one reason prints, and what follows from it.

use std::fs;
use std::sync::LazyLock;

use record::{Content, FailingValues, Remainder, Shape, Untried};
use rstest::rstest;

use crate::support::{Answer, Bench, answer};

const TAIL: &str = "copy.tail-rounded-to-32-above-64KiB";

/// Runs a few rules of synchronous copies on a device that loses the tail of large copies.
fn broken(bench: &Bench, report: &str, more: &[&str]) -> Answer {
    let words = ["run", "acl.copy.sync", "--product", "a2", "--seed", "1", "--defect", TAIL, "--report-dir", report];
    bench.run(words.iter().chain(more))
}

/// A red run that several tests read: its folder, and what it printed.
fn red() -> &'static (Bench, Answer) {
    static RED: LazyLock<(Bench, Answer)> = LazyLock::new(|| {
        let bench = Bench::new();
        let answer = broken(&bench, "report", &[]);
        (bench, answer)
    });
    &RED
}

#[test]
fn a_red_run_ends_with_its_cause_the_block_to_read_and_three_commands() {
    let (bench, answer) = red();
    answer.says(1, &["causes (1)", "the last bytes (", "never written", "begin with acl.copy.sync-roundtrip"]);
    let blocks = answer.text.matches("\n  place ").count();
    let noted = answer.text.matches("\n  fail  ").count();
    let failed = bench.report("report").verdicts().iter().filter(|(_, verdict)| *verdict == "fail").count();
    assert!(failed > 3, "{}", answer.text);
    assert_eq!((blocks, noted), (1, 1), "a cause is noted once, and has one block:\n{}", answer.text);
    let (_, end) = answer.text.split_once("\ncauses (1)\n").unwrap();
    let (_, block) = end.split_once("\nFAIL  acl.copy.sync-roundtrip\n").expect("the block comes after the causes");
    let lines: Vec<&str> = block.lines().rev().take(3).collect();
    let again = "/report --product a2 --defect copy.tail-rounded-to-32-above-64KiB --seed 1";
    let commands = ["/report/report.html", again, "/report acl.copy.sync-roundtrip"];
    let there = lines.iter().zip(commands).all(|(line, command)| line.contains(command));
    assert!(there, "{lines:#?}");
    let summary = fs::read_to_string(bench.path("report/summary.md")).unwrap();
    assert!(summary.contains("### Causes of the broken rules (1)"), "{summary}");
}

#[test]
fn the_rule_to_read_first_is_the_same_everywhere() {
    let bench = Bench::new();
    // Under cargo, the runs of all tests are in one folder.
    let run = |words: &[&str]| answer(bench.command(words).env_remove("CARGO_MANIFEST_DIR"));
    let words = ["run", "acl.copy.sync", "--product", "a2", "--seed", "1"];
    run(&words).says(0, &["conformant"]);
    run(&[&words[..], &["--defect", TAIL, "-q"]].concat()).says(1, &["FAIL  acl.copy.sync-roundtrip and "]);
    run(&[]).says(2, &["atlas-cts explain acl.copy.sync-roundtrip"]);
    run(&["diff"]).says(0, &["begin with acl.copy.sync-roundtrip"]);
    run(&["reproducer", "latest", "acl.copy.sync-roundtrip"]).says(0, &[]);
    let page = fs::read_to_string(bench.path("reports/out/latest/report.html")).unwrap();
    assert!(page.contains("begin with acl.copy.sync-roundtrip"));
}

/// The commands are those that a reader copies: they run as they are printed.
#[test]
fn the_printed_command_runs_the_broken_rules_again() {
    let bench = Bench::new();
    let answer = broken(&bench, "report", &["--exclude", "bounds"]);
    let line = answer.text.lines().find(|line| line.starts_with("  failed ")).expect("the command is printed");
    let words = line.split_whitespace().skip_while(|word| *word != "run");
    let again = bench.run(words.chain(["--report-dir", "again", "-q"]));
    again.says(1, &["not conformant"]);
    let ids = |report: &str, failed: bool| {
        let report = bench.report(report);
        let rules = report.verdicts().into_iter().filter(|(_, verdict)| !failed || *verdict == "fail");
        rules.map(|(id, _)| id.to_owned()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(ids("again", false), ids("report", true));
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
    let (red, _) = red();
    let bench = Bench::new();
    let run = red.path("report").display().to_string();
    let expect = ["expect", "--from", &run, "--owner", "memory", "--tracker", "https://tracker.example/1"];
    bench.run(expect.iter().chain(&["--to", "known.yaml"])).says(0, &[]);
    let entries = fs::read_to_string(bench.path("known.yaml")).unwrap();
    assert_eq!((entries.matches("tracker:").count(), entries.matches("shape: tail").count()), (1, 1), "{entries}");
    broken(&bench, "known", &["--expectations", "known.yaml"]).says(0, &["nothing new"]);
    let without = entries.lines().filter(|line| !line.contains("acl.copy.sync-roundtrip"));
    bench.write("known.yaml", without.map(|line| format!("{line}\n")).collect::<String>());
    broken(&bench, "new", &["--expectations", "known.yaml"]).says(1, &["not conformant: 1 rule broken"]);
}
