//! `atlas-cts catalog mustpass`: the list of rules that a conformant device holds, a run against it (what shows a conformant
//! device, and why other runs do not), and the list that a later catalog must not fall below.

use crate::support;

use std::fs;

use rstest::rstest;
use serde_json::Value;
use support::small::{ELSEWHERE, HOLDS, chapter};
use support::{Answer, Bench, project};

/// A rule whose answer is only reported.
const TOLD: &str = "
  - id: acl.small.told
    title: A block is reported to be elsewhere
    statement: A block is reported to be elsewhere.
    source: [{document: manual, section: blocks}]
    level: info
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p == NULL;
";

const TWO_DEVICES: &str = "
  - id: acl.small.two
    title: A block can be allocated next to another device
    statement: A block can be allocated next to another device.
    clauses: {manual: manual.blocks}
    level: must
    when: {devices: 2}
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

const ALL_MEMORY: &str = "
  - id: acl.small.all
    title: All memory can be had
    statement: All memory can be had.
    clauses: {manual: manual.blocks}
    level: must
    when: {dedicated: true}
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

const BROKEN: &str = "
  - id: acl.small.broken
    title: A block is nowhere
    statement: A block is nowhere.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p == NULL;
";

/// Its set-up fails in a function that the library lacks.
const BLOCKED: &str = "
  - id: acl.small.blocked
    title: A block can be allocated next to host memory
    statement: A block can be allocated next to host memory.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMallocHost(&host, 64);
      ---
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

/// A bench with a device that does not count as simulated, and these additional rules.
fn bench(more: &str, tells: &str) -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[HOLDS, TOLD, ELSEWHERE, more]));
    bench.library("fixtures/faults/faults.c", &[tells]);
    bench
}

/// A rule whose check assumes an axiom in addition to its sentence.
const ASSUMING: &str = "
  - id: acl.small.assuming
    title: A block is there, and stays
    statement: A block is there, and stays.
    clauses: {manual: manual.blocks}
    level: must
    assumes: [contents-stay]
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

const AXIOMS: &str = "\
axioms:
  - id: contents-stay
    says: Memory keeps its contents.
    needed: No sentence says so.
    objection: None is known.
";

const EDITION: &str = "FAULT_TELLS_EDITION";
const DEVICE: &[&str] = &["--product", "a2", "--library", "libtested.so"];
const DEDICATED: &[&str] = &["--product", "a2", "--library", "libtested.so", "--dedicated"];

fn against(bench: &Bench, run: &str, more: &[&str]) -> Answer {
    bench.run([&["catalog", "mustpass", run, "--specs", "specs"], more].concat())
}

/// The JSON about a run.
fn json(bench: &Bench, run: &str) -> Value {
    serde_json::from_str(&against(bench, run, &["--format", "json"]).text).unwrap()
}

/// The axioms that verdicts assume are listed. A run without one of them shows nothing.
#[rstest]
#[case::with_every_axiom(&[], 0, "assuming   contents-stay")]
#[case::without_one(&["--tune", "without-axiom=contents-stay"], 3, "run without --tune without-axiom")]
fn the_axioms_of_a_run_are_listed(#[case] options: &[&str], #[case] status: i32, #[case] says: &str) {
    let bench = bench(ASSUMING, EDITION);
    bench.write("specs/acl/axioms.yaml", AXIOMS);
    bench.run_catalog("run", &[DEDICATED, options].concat());
    against(&bench, "run", &[]).says(status, &[says]);
    assert_eq!(json(&bench, "run")["assuming"], serde_json::json!(["contents-stay"]));
}

#[test]
fn a_whole_run_without_failures_is_conformant() {
    let bench = bench(ALL_MEMORY, EDITION);
    bench.run_catalog("run", DEDICATED).says(0, &["NOT SIMULATED"]);
    let shown = ["statement  conformant", "2 required of a conformant device; 4 with a result", "seed 20260101"];
    against(&bench, "run", &[]).says(0, &shown);
    let (found, report) = (json(&bench, "run"), bench.report("run"));
    assert_eq!(found["statement"], "conformant");
    assert_eq!((&found["edition"], &found["product"]), (&Value::from("9.1.0"), &Value::from("a2")));
    assert_eq!(found["libraries"][0]["sha256"], report.header.library.sha256);
    assert_eq!(found["catalog"], report.header.catalog_digest);
    assert_eq!(found["seed"], report.header.seed.to_string());
    for (name, required) in [("all", true), ("elsewhere", false), ("holds", true), ("told", false)] {
        let rule = &found["rules"][format!("acl.small.{name}")];
        assert_eq!(rule["required"], required, "{name}");
        assert_eq!(rule["verdict"], report.result(&format!("acl.small.{name}")).verdict.to_string());
    }
}

#[rstest]
#[case::others_may_use_it("", EDITION, DEVICE, "dedicated", "run with --dedicated", &[])]
#[case::rules_that_take_all_memory_did_not_run(
    ALL_MEMORY, EDITION, DEVICE, "dedicated", "run with --dedicated", &["acl.small.all"]
)]
#[case::too_few_devices(
    TWO_DEVICES, EDITION, DEDICATED, "devices", "1 rule: up to 2 devices needed, but the run had 1", &["acl.small.two"]
)]
#[case::an_unknown_edition("", "FAULT_NONE", DEDICATED, "edition", "make the runtime report its version", &[])]
#[case::a_simulated_device(
    "", EDITION, &["--product", "a2", "--backend", "simulator"], "real-device", "run with --backend device", &[]
)]
#[case::not_every_rule(
    "", EDITION, &["acl.small.told", "--product", "a2", "--library", "libtested.so", "--dedicated"],
    "every-rule", "1 rule did not run", &["acl.small.holds"]
)]
#[case::a_part(
    "", EDITION, &["--product", "a2", "--library", "libtested.so", "--dedicated", "--shard", "1/1"],
    "whole-run", "atlas-cts merge", &[]
)]
#[case::no_answer(
    BLOCKED,
    EDITION, DEDICATED, "answers", "1 rule without an answer", &["acl.small.blocked"]
)]
fn a_run_is_not_conformant_and_tells_what_is_missing(
    #[case] more: &str,
    #[case] tells: &str,
    #[case] run: &[&str],
    #[case] capability: &str,
    #[case] why: &str,
    #[case] rules: &[&str],
) {
    let bench = bench(more, tells);
    bench.run_catalog("run", run);
    against(&bench, "run", &[]).says(3, &["not shown to be conformant", why]);
    let found = json(&bench, "run");
    assert_eq!(found["statement"], "not-shown");
    let missing = found["missing"].as_array().unwrap();
    let missing =
        missing.iter().find(|missing| missing["capability"] == capability).unwrap_or_else(|| panic!("{found}"));
    let named = missing["rules"].as_array().cloned().unwrap_or_default();
    assert_eq!(named, rules);
}

#[test]
fn a_run_that_did_not_reach_its_end_shows_nothing() {
    let bench = bench("", EDITION);
    bench.run_catalog("run", DEDICATED).says(0, &[]);
    let journal = bench.path("run/results.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let killed: Vec<&str> = text.lines().filter(|line| !line.starts_with("{\"end\"")).collect();
    fs::write(&journal, killed.join("\n") + "\n").unwrap();
    against(&bench, "run", &[]).says(3, &["a whole run: the run did not finish; finish it with --resume"]);
}

#[test]
fn a_known_failure_does_not_make_a_device_conformant() {
    let bench = bench(BROKEN, EDITION);
    bench.write(
        "known.yaml",
        "expectations:\n  - {rule: acl.small.broken, kind: fail, symptom: {verdict: fail}, owner: memory,\n    \
         tracker: \"https://tracker.example/1\", expires: 2999-12-31}\n",
    );
    bench.run_catalog("run", &[DEDICATED, &["--expectations", "known.yaml"]].concat()).says(0, &["known"]);
    let shown = ["statement  not conformant", "1 promised by a document (acl.small.broken)", "still counted here"];
    against(&bench, "run", &[]).says(1, &shown);
    assert_eq!(json(&bench, "run")["known"], 1);
}

/// The broken rule does not run: it is known to be dangerous.
const DANGEROUS: &str = "expectations:
  - {rule: acl.small.broken, kind: skip, danger: It hangs the machine., owner: memory,
     tracker: \"https://tracker.example/1\", expires: 2999-12-31}
";

#[test]
fn a_known_failure_that_did_not_run_is_a_missing_rule() {
    let bench = bench(BROKEN, EDITION);
    bench.write("known.yaml", DANGEROUS);
    bench.run_catalog("run", &[DEDICATED, &["--expectations", "known.yaml"]].concat()).says(0, &[]);
    against(&bench, "run", &[]).says(3, &["every rule: 1 rule did not run", "(acl.small.broken)"]);
}

#[test]
fn a_rule_that_a_shard_did_not_run_is_missing_after_a_merge_without_known_failures() {
    let bench = bench(BROKEN, EDITION);
    bench.write("known.yaml", DANGEROUS);
    let part = [DEDICATED, &["--expectations", "known.yaml", "--shard", "1/1"]].concat();
    bench.run_catalog("part", &part).says(0, &[]);
    bench.run(["merge", "part", "--specs", "specs", "--report-dir", "whole"]).says(0, &[]);
    against(&bench, "whole", &[]).says(3, &["every rule: 1 rule did not run", "(acl.small.broken)"]);
}

#[test]
fn a_run_is_compared_with_the_list_of_its_catalog() {
    let bench = bench("", EDITION);
    bench.run_catalog("run", DEDICATED).says(0, &[]);
    bench.run(["catalog", "mustpass", "run"]).says(2, &["with another catalog", "name its catalog with --specs"]);
    bench.catalog(chapter(&[HOLDS, TOLD, ELSEWHERE, ALL_MEMORY]));
    against(&bench, "run", &[]).says(2, &["with another catalog"]);
    against(&bench, "nowhere", &[]).says(2, &["nowhere"]);
}

#[test]
fn a_text_in_a_journal_cannot_imitate_another_line() {
    let bench = bench("", EDITION);
    bench.run_catalog("run", DEVICE).says(0, &[]);
    let run = bench.report("run");
    let forged = run.journal.replacen(&run.header.started, "2026-01-01\\nstatement  conformant", 1);
    assert_ne!(forged, run.journal);
    bench.write("run/results.jsonl", forged);
    let answer = against(&bench, "run", &[]);
    answer.says(3, &["statement  not shown"]);
    assert_eq!(answer.text.lines().filter(|line| line.starts_with("statement")).count(), 1, "{}", answer.text);
}

/// Changes the catalog of a bench with a list, and compares it with the list.
#[rstest]
#[case::nothing("", "", 0, "no rule of list.tsv is gone or only reported")]
#[case::a_rule_is_gone("id: acl.small.holds", "id: acl.small.other", 1, "acl.small.holds is gone; restore it, or")]
#[case::a_rule_only_informs("    level: must\n", "    level: info\n", 1, "acl.small.holds is only reported; restore")]
#[case::a_rule_is_a_hazard(
    "    level: must\n",
    "    level: must\n    hazard: undefined\n",
    1,
    "acl.small.holds is only reported"
)]
#[case::a_rule_judges("    level: info\n", "    level: must\n", 0, "no rule of list.tsv")]
fn a_catalog_is_compared_with_a_list(#[case] text: &str, #[case] other: &str, #[case] status: i32, #[case] said: &str) {
    let bench = Bench::new();
    let rules = chapter(&[HOLDS, &TOLD.replace("    source: [{document: manual, section: blocks}]\n", CLAUSES)]);
    bench.catalog(rules.clone());
    bench
        .run(["catalog", "mustpass", "--specs", "specs", "--write", "list.tsv"])
        .says(0, &["2 rules, 1 of level must"]);
    bench.run(["catalog", "mustpass", "--specs", "specs", "--write", "list.tsv"]).says(3, &["list.tsv"]);
    assert!(rules.contains(text));
    bench.catalog(rules.replacen(text, other, 1));
    bench.run(["catalog", "mustpass", "--specs", "specs", "--hold", "list.tsv"]).says(status, &[said]);
}

/// The clause on which a rule of level `must` rests.
const CLAUSES: &str = "    clauses: {manual: manual.blocks}\n";

#[test]
fn the_list_is_that_of_a_product() {
    let bench = Bench::new();
    bench.catalog(chapter(&[HOLDS, TOLD]));
    bench.run(["catalog", "mustpass", "--specs", "specs", "--hold", "gone.tsv"]).says(2, &["cannot read gone.tsv"]);
    bench.write("broken.tsv", "no list\n");
    let on = |words: &[&str]| bench.run([&["catalog", "mustpass", "--specs", "specs"], words].concat());
    on(&["--hold", "broken.tsv"]).says(2, &["broken.tsv:1: not a line of a list"]);
    on(&[]).says(0, &["acl.small.holds\tmust\n", "acl.small.told\tinfo\n"]);
    assert!(!on(&["--product", "a2"]).says(0, &["acl.small.holds\tmust\n"]).text.contains("acl.small.told"));
    on(&["--product", "a4"]).says(2, &["there is no product `a4`"]);
}

/// As in CI.
#[test]
fn the_catalog_demands_no_less_than_its_list() {
    let (bench, specs) = (Bench::new(), project().join("specs"));
    let list = specs.join("acl/mustpass.tsv");
    let words = [
        "catalog".as_ref(),
        "mustpass".as_ref(),
        "--hold".as_ref(),
        list.as_os_str(),
        "--specs".as_ref(),
        specs.as_os_str(),
    ];
    bench.run(words).says(0, &["is gone or only reported"]);
}
