//! Parts of a run, as users run and merge them. What merging makes of parts: `shards.rs` of the engine's tests.

use crate::support;

use std::fs;

use rstest::{fixture, rstest};
use support::{Answer, Bench, Report};

/// Rules that hold, two that a device with misaligned blocks breaks, and one that does not apply.
fn rules() -> String {
    let aligned = |number: usize| {
        let (wanted, size) = if number % 4 == 3 { (64, 100) } else { (1, 64) };
        let when = if number == 5 { "    when: {not_products: [a2]}\n" } else { "" };
        format!(
            "  - id: acl.small.r{number}
    title: A block is aligned
    statement: A block is aligned.
    clauses: {{manual: manual.blocks}}
    level: must
{when}    steps: |
      aclrtMalloc(&p, {size}, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % {wanted} == 0;
"
        )
    };
    format!("title: Small\nrules:\n{}", (0..10).map(aligned).collect::<String>())
}

const RULES: usize = 10;
/// With a patience that is not measured: two runs may measure different values before they begin, and programs name it.
const MISALIGNED: [&str; 4] = ["--defect", "malloc.aligned-only-from-4KiB", "--patience", "2000"];

#[fixture]
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(rules());
    bench
}

fn part(bench: &Bench, report: &str, shard: &str, arguments: &[&str]) -> Answer {
    let words = ["--product", "a2", "--backend", "simulator", "--shard", shard];
    bench.run_catalog(report, &[&words[..], arguments].concat())
}

fn merged(bench: &Bench, report: &str, parts: &[&str]) -> Answer {
    bench.run(["merge", "--specs", "specs", "--report-dir", report].iter().chain(parts))
}

/// The results by rule, without what no two runs share.
fn told(report: &Report) -> Vec<serde_json::Value> {
    let results = report.timeless().into_iter().filter_map(|line| line.get("result").cloned());
    let mut results: Vec<serde_json::Value> = results.collect();
    results.sort_by_key(|result| result["id"].to_string());
    results
}

#[rstest]
fn parts_together_are_the_run_that_nobody_divided(bench: Bench) {
    let of = 3;
    let whole = bench.run_catalog(
        "whole",
        &[&["--product", "a2", "--backend", "simulator", "--jobs", "1"], &MISALIGNED[..]].concat(),
    );
    whole.says(1, &["acl.small.r3"]);
    let names: Vec<String> = (1..=of).map(|number| format!("part-{number}")).collect();
    let mut executed = 0;
    for (number, name) in (1..).zip(&names) {
        let answer = part(&bench, name, &format!("{number}/{of}"), &MISALIGNED);
        assert!(matches!(answer.status, 0 | 1), "{}", answer.text);
        executed += bench.report(name).results.len();
    }
    assert_eq!(executed, RULES, "each rule is in one part");
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    merged(&bench, "merged", &names).says(1, &["acl.small.r3", &format!("{of} of {of}, merged")]);
    let (whole, merged) = (bench.report("whole"), bench.report("merged"));
    assert_eq!(told(&merged), told(&whole));
    assert_eq!((merged.end().exit, &merged.end().counts), (1, &whole.end().counts));
    assert_eq!(merged.header.merged.len(), of as usize);
    let cases = fs::read_dir(bench.path("merged/counterexamples")).unwrap().count();
    assert_eq!(cases, fs::read_dir(bench.path("whole/counterexamples")).unwrap().count());
    // A merged run is a run: its reports are written again from its journal.
    bench.run(["run", "--resume", "merged"]).says(1, &["its reports are written again"]);
}

#[rstest]
fn a_whole_run_an_unreadable_one_and_another_catalog_are_refused(bench: Bench) {
    bench.run_catalog("whole", &["--product", "a2", "--backend", "simulator"]).says(0, &[]);
    part(&bench, "part-1", "1/1", &[]).says(0, &[]);
    merged(&bench, "merged", &["whole"]).says(2, &["is not a part of a run: run each part with --shard K/N"]);
    merged(&bench, "merged", &["part-1", "nowhere"]).says(2, &["nowhere", "leave this part out"]);
    bench.run(["merge", "--report-dir", "merged", "part-1"]).says(2, &["give that catalog with --specs DIR"]);
    merged(&bench, "merged", &[]).says(2, &["required"]);
    merged(&bench, "part-1", &["part-1"]).says(3, &["already exists"]);
}

#[rstest]
fn a_list_of_rules_in_a_file_and_exclusions_select(bench: Bench) {
    bench.write("todo.txt", "# what was red last night\nacl.small.r1   # a block\n\nacl.small.r2\nsmall.r3\n");
    let words = ["--product", "a2", "--backend", "simulator", "--jobs", "1", "--rules", "todo.txt"];
    bench.run_catalog("listed", &[&words[..], &["--exclude", "acl.small.r2"]].concat()).says(0, &[]);
    assert_eq!(bench.report("listed").verdicts(), [("acl.small.r1", "pass"), ("acl.small.r3", "pass")]);
    bench.write("todo.txt", "acl.small.r1\nacl.smal.r2\n");
    bench.run_catalog("none", &words).says(2, &["no rule matches `acl.smal.r2` (todo.txt:2); did you mean"]);
    bench.run_catalog("none", &["--exclude", "acl.smal.r2"]).says(2, &["no rule matches `acl.smal.r2`"]);
    bench.write("todo.txt", "# nothing\n");
    bench.run_catalog("none", &words).says(2, &["todo.txt lists no rule"]);
    fs::remove_file(bench.path("todo.txt")).unwrap();
    bench.run_catalog("none", &words).says(2, &["todo.txt", "give a file with an id on each line"]);
    bench.run_catalog("none", &["--times", "listed"]).says(2, &["--shard"]);
    bench.run_catalog("none", &["--shard", "1/2", "--times", "nowhere"]).says(2, &["--times:", "nowhere"]);
    bench.run_catalog("none", &["--shard", "3/2"]).says(2, &["a part is K/N"]);
    let nextest = bench.command(["run", "--specs", "specs", "--shard", "1/2"]).env("NEXTEST_RUN_ID", "x").output();
    assert!(String::from_utf8_lossy(&nextest.unwrap().stderr).contains("nextest starts a process for each rule"));
}
