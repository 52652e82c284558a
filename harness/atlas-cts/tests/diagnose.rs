//! The fault dictionary of a small catalog, from the proof that makes it to a diagnosis and a run within a budget.

use std::fs;

use crate::support::Bench;
use crate::support::small::{HOLDS, MISALIGNED, chapter};

/// A rule of many cases that breaks on a device with misaligned blocks.
const ALIGNED: &str = "
  - id: acl.small.aligned
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      size: {bytes: 1..64KiB}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
";

/// The same rule with another text.
const CHANGED: &str = "
  - id: acl.small.aligned
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      size: {bytes: 1..32KiB}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
";

/// A rule about host memory.
const HOST: &str = "
  - id: acl.small.host
    title: Host memory is there
    statement: Host memory is there.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMallocHost(&h, 64);
      h != NULL;
";

const SIMULATED: &[&str] = &["--product", "a2", "--backend", "simulator", "--specs", "specs"];

/// A bench with a small catalog and its dictionary.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, HOLDS, HOST]));
    make(&bench);
    bench
}

fn make(bench: &Bench) {
    let words = ["prove", "--seed", "1", "--dictionary", "specs/acl/dictionary"];
    bench.run(words.iter().chain(SIMULATED)).says(0, &["reached by 3 rules", "specs/acl/dictionary/a2.json.gz"]);
}

#[test]
fn a_run_on_a_defect_is_diagnosed_as_that_defect() {
    let bench = bench();
    bench.run_catalog("red", &["--product", "a2", "--seed", "2", "--defect", MISALIGNED]);
    let said = bench.run(["diagnose", "red", "--specs", "specs"]);
    said.says(0, &["1 failed rule: the device behaves as if", MISALIGNED, "it says nothing about the code"]);
    let json = bench.run(["diagnose", "red", "--specs", "specs", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.text).unwrap();
    assert_eq!(json["failures"], 1);
    let named = &json["explanation"][0];
    let same = named["same"].as_array().unwrap();
    assert!(named["defect"] == MISALIGNED || same.iter().any(|name| name == MISALIGNED), "{json}");
}

#[test]
fn a_green_run_names_nothing() {
    let bench = bench();
    bench.run_catalog("green", &["--product", "a2"]).says(0, &[]);
    bench.run(["diagnose", "green", "--specs", "specs"]).says(0, &["nothing to diagnose"]);
}

#[test]
fn a_rule_whose_text_changed_drops_out_and_is_named() {
    let bench = bench();
    bench.catalog(chapter(&[CHANGED, HOLDS, HOST]));
    bench.run_catalog("red", &["--product", "a2", "--defect", MISALIGNED]);
    let said = bench.run(["diagnose", "red", "--specs", "specs"]);
    said.says(0, &["stale: the fault dictionary of a2: 1 rule changed since and dropped out", "acl.small.aligned"]);
    assert!(!said.text.contains("as if"), "{}", said.text);
}

#[test]
fn a_product_without_a_dictionary_says_how_to_make_one() {
    let bench = Bench::new();
    bench.catalog(chapter(&[HOLDS]));
    bench.write("specs/acl/damaged", "");
    fs::create_dir_all(bench.path("specs/acl/dictionary")).unwrap();
    bench.write("specs/acl/dictionary/a2.json.gz", "no gzip");
    let said = bench.run_catalog("red", &["--product", "a2", "--level", "1"]);
    said.says(2, &["specs/acl/dictionary/a2.json.gz: it cannot be decompressed", "prove --dictionary DIR"]);
}

#[test]
fn a_dictionary_made_twice_has_the_same_bytes() {
    let bench = bench();
    let file = bench.path("specs/acl/dictionary/a2.json.gz");
    let first = fs::read(&file).unwrap();
    make(&bench);
    assert!(fs::read(&file).unwrap() == first, "the costs are kept, and nothing else differs");
}

#[test]
fn a_dictionary_can_be_made_in_parts() {
    let bench = bench();
    let file = bench.path("specs/acl/dictionary/a2.json.gz");
    let whole = fs::read(&file).unwrap();
    // The first part has too few cases. It is made again as the second part of the same dictionary.
    let part = |more: &[&str]| {
        let words = ["prove", "--seed", "1", "--dictionary", "specs/acl/dictionary", "--matrix-of", "malloc."];
        bench.run(words.iter().chain(SIMULATED).chain(more)).says(0, &["specs/acl/dictionary/a2.json.gz"]);
    };
    part(&["--matrix-cases", "1"]);
    assert!(fs::read(&file).unwrap() != whole, "the rows of one part are new");
    part(&[]);
    assert!(fs::read(&file).unwrap() == whole, "all other rows were kept");
}

#[test]
fn a_budget_is_a_plan_in_the_journal_and_leaves_rules_out_with_that_reason() {
    let bench = bench();
    let arguments = ["--product", "a2", "--seed", "2", "--defect", MISALIGNED];
    let said = bench.run_catalog("level", &[&arguments[..], &["--level", "1"]].concat());
    said.says(1, &["level 1: 3 of 3 rules", "left out: 0 rules", "FAIL  acl.small.aligned"]);
    let plan = bench.report("level").header.settings.plan.unwrap();
    assert_eq!((plan.budget.as_str(), plan.of, plan.rules.len()), ("level 1", 3, 3));
    let report = bench.report("level");
    let more = plan.rules["acl.small.holds"];
    assert_eq!(report.result("acl.small.holds").cases, u64::from(more), "the plan decides the number of cases");
}

#[test]
fn a_level_excludes_a_profile_and_a_budget_needs_a_unit() {
    let bench = Bench::new();
    bench.run(["run", "--level", "1", "--profile", "smoke"]).says(2, &["cannot be used with"]);
    bench.run(["run", "--budget", "ten"]).says(2, &["write a time from 1s to 24h"]);
    bench.run(["run", "--level", "4"]).says(2, &["1..=3"]);
}
