//! `atlas-cts diff` as users run it: its output, its exit status, and comparisons of stored runs.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};

use ledger::compare::{CompareOptions, compare, html, markdown, text};
use record::read_run;
use rstest::rstest;
use serde_json::Value as Json;
use support::small::MISALIGNED;
use support::{Bench, project};

/// A block that is aligned, a refusal with a code that no document names, and a rule that is only reported.
const CHAPTER: &str = "\
# The rules of a test.
title: Small
rules:
  - id: acl.small.block
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      size: {bytes: 1..64KiB}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
  - id: acl.small.refused
    title: A null range is refused
    statement: A null range is refused.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      aclrtMemGetAddressRange(p, NULL, NULL) fails;
  - id: acl.small.told
    title: A block is reported to be even
    statement: A block is reported to be even.
    source: [{document: manual, section: blocks}]
    level: info
    steps: |
      aclrtMalloc(&p, 4160, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
";

/// A bench with runs of the small catalog, each with folder, seed and defect.
fn bench(runs: &[(&str, &str, Option<&str>)]) -> Bench {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    for (folder, seed, defect) in runs {
        let mut arguments = vec!["--product", "a2", "--backend", "simulator", "--seed", seed];
        arguments.extend(defect.iter().flat_map(|defect| ["--defect", defect]));
        bench.run_catalog(folder, &arguments);
    }
    bench
}

#[test]
fn a_regression_is_named_and_the_reverse_is_a_fix() {
    let bench = bench(&[("old", "1", None), ("new", "2", Some(MISALIGNED))]);
    let shown = ["1 regression,", "Regressions (1)", "acl.small.block", "defects", MISALIGNED];
    bench.run(["diff", "old", "new"]).says(0, &shown);
    bench.run(["diff", "old", "new", "--fail-on", "regression"]).says(1, &["exit status 1, because of regression"]);
    bench.run(["diff", "new", "old", "--fail-on", "regression,drift"]).says(0, &["1 fix,", "Fixes (1)"]);
    bench
        .run(["diff", "old/results.jsonl", "old", "--fail-on", "regression,drift,coverage,field"])
        .says(0, &["3 rules"]);
}

#[test]
fn a_changed_undocumented_answer_is_drift_with_both_codes() {
    let bench = bench(&[("old", "1", None), ("new", "2", Some("variant.other-misuse-codes"))]);
    let answer = bench.run(["diff", "old", "new", "--fail-on", "regression"]);
    answer.says(0, &["0 regressions", "1 drift;", "acl.small.refused", "aclrtMemGetAddressRange(p, NULL, NULL)"]);
    bench.run(["diff", "old", "new", "--fail-on", "drift:code"]).says(1, &["because of drift:code"]);
    bench.run(["diff", "old", "new", "--fail-on", "drift:value,drift:verdict"]).says(0, &[]);
    let json = bench.run(["diff", "old", "new", "--format", "json"]);
    let found: Json = serde_json::from_str(&json.text).unwrap();
    let codes = |side: &str| found["drift"][0][side][0]["answer"].as_str().unwrap().to_owned();
    assert!(codes("old").starts_with("100000 ("), "{}", codes("old"));
    assert_ne!(codes("old"), codes("new"));
}

#[test]
fn the_json_of_a_hostile_journal_is_valid() {
    let bench = bench(&[("old", "1", None), ("new", "1", Some(MISALIGNED))]);
    let journal = bench.path("new/results.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let turned = text.replace("\"title\":\"A block is aligned\"", "\"title\":\"A \u{202e}block\u{7f} is aligned\"");
    assert_ne!(turned, text);
    fs::write(&journal, turned).unwrap();
    let json = bench.run(["diff", "old", "new", "--format", "json"]);
    assert!(json.text.is_ascii(), "{}", json.text);
    let found: Json = serde_json::from_str(&json.text).unwrap();
    assert_eq!(found["changes"][0]["title"], "A \u{202e}block\u{7f} is aligned");
}

#[rstest]
#[case(&["diff", "old", "nothing"], 2, "nothing")]
#[case(&["diff", "old", "old", "--fail-on", "regresion"], 2, "unknown condition `regresion`; known are regression")]
#[case(&["diff", "old", "old", "--budget", "much"], 2, "give a percentage")]
#[case(&["diff", "old", "new", "more"], 2, "unexpected argument")]
#[case::no_limit_for_times(&["diff", "old", "old", "--fail-on", "timing"], 2, "give --budget PERCENT too")]
fn a_mistake_is_reported_with_advice(#[case] words: &[&str], #[case] status: i32, #[case] said: &str) {
    let bench = bench(&[("old", "1", None)]);
    bench.run(words).says(status, &[said]);
}

/// Every stored run.
fn stored() -> Vec<PathBuf> {
    let below = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let mut runs: Vec<PathBuf> = below(&project().join("fixtures/runs")).iter().flat_map(|path| below(path)).collect();
    runs.sort();
    runs
}

#[test]
fn stored_runs_are_compared_and_differences_are_shown() {
    let runs: Vec<_> = stored().iter().map(|path| (path.display().to_string(), read_run(path).unwrap())).collect();
    assert!(runs.len() > 2);
    for (old_path, old) in &runs {
        for (new_path, new) in &runs {
            let found = compare([old_path, new_path], old, new, &CompareOptions::default());
            for (differs, word) in [
                (old.header.catalog_digest != new.header.catalog_digest, "the catalog differs"),
                (old.header.product != new.header.product, "the product differs"),
                (old.header.seed != new.header.seed, "the seed differs"),
                (old.end.is_none() || new.end.is_none(), "run did not finish"),
            ] {
                assert_eq!(found.remarks.iter().any(|remark| remark.contains(word)), differs, "{word}: {found:#?}");
            }
            let same = old_path == new_path;
            assert!(!same || (found.changes.is_empty() && found.drift.is_empty() && found.fields.is_empty()));
            for form in [text(&found), markdown(&found), html(&found)] {
                assert!(form.contains("as before"));
            }
        }
    }
}

/// A command without cargo, with the bench as the current folder.
fn alone(bench: &Bench, words: &[&str]) -> support::Answer {
    support::answer(bench.command(words).env_remove("CARGO_MANIFEST_DIR").env("ATLAS_CTS_SPECS", "specs"))
}

/// Two runs in the user's current folder, the second of a wrong device.
fn two_runs() -> Bench {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let header = fs::read_to_string(project().join("specs/acl/abi.h")).unwrap();
    bench.write("specs/acl/abi.h", header);
    let run = ["run", "--product", "a2", "--backend", "simulator"];
    alone(&bench, &run).says(0, &[]);
    // The name of a run has the second in which it began, and its process id.
    alone(&bench, &[&run[..], &["--defect", MISALIGNED]].concat()).says(1, &[]);
    bench
}

#[test]
fn every_command_finds_runs_by_name_from_the_current_folder() {
    let bench = two_runs();
    assert_eq!(fs::read_dir(bench.path("reports/out")).unwrap().count(), 3, "two runs, and the link `latest`");
    let all: [(&[&str], i32, &str); 7] = [
        (&["diff", "latest~1", "latest", "--fail-on", "regression"], 1, "acl.small.block"),
        (&["diff", "latest", "latest~1", "--fail-on", "regression"], 0, "fix"),
        (&["reproducer", "latest", "acl.small.block", "--to", "evidence"], 0, "evidence"),
        (&["history", "latest"], 0, "1 run"),
        (&["report", "latest~1"], 0, "junit.xml"),
        (&["expect", "--from", "latest"], 0, "acl.small.block"),
        (&["catalog", "mustpass", "latest"], 1, "not conformant"),
    ];
    for (words, status, says) in all {
        let answer = alone(&bench, words);
        assert!(answer.status == status && answer.text.contains(says), "{words:?}: {}: {}", answer.status, answer.text);
    }
}

#[rstest]
#[case::diff(&["diff", "nowhere", "nowhere"])]
#[case::too_early(&["diff", "latest~5", "latest"])]
#[case::reproducer(&["reproducer", "nowhere", "acl.small.block"])]
#[case::history(&["history", "nowhere"])]
#[case::report(&["report", "nowhere"])]
#[case::expect(&["expect", "--from", "nowhere"])]
#[case::mustpass(&["catalog", "mustpass", "nowhere"])]
#[case::merge(&["merge", "nowhere"])]
#[case::resume(&["run", "--resume", "nowhere"])]
#[case::library(&["run", "--library", "nowhere.so"])]
#[case::rules(&["run", "--rules", "nowhere"])]
#[case::expectations(&["run", "--expectations", "nowhere", "--backend", "simulator"])]
#[case::specs(&["catalog", "lint", "--specs", "nowhere"])]
#[case::abi(&["catalog", "abi", "nowhere.so"])]
#[case::hold(&["catalog", "prove", "--product", "a2", "--hold", "nowhere"])]
fn a_missing_path_is_a_mistake_of_the_command_line(#[case] words: &[&str]) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let answer = alone(&bench, words);
    assert_eq!(answer.status, 2, "{}", answer.text);
    assert!(answer.text.contains("nowhere") || answer.text.contains("latest~5"), "{}", answer.text);
}
