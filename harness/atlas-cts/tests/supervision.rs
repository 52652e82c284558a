//! The supervision of runs: reproducible failures, and workers that start once.

use crate::support;

use std::fs;

use rstest::rstest;
use support::Bench;

/// Two rules with one process, one with two. The first fails on a device with misaligned small blocks.
const RULES: &str = "\
# The rules of a test.
title: Small
rules:
  - id: acl.small.aligned
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      size: {bytes: 1..64KiB}
      count: {int: 1..5}
    steps: |
      void *p[count];
      for (i < count) {
        aclrtMalloc(&p[i], size, ACL_MEM_MALLOC_NORMAL_ONLY);
        (uintptr_t)p[i] % 64 == 0;
      }
    observe: {size: size}
  - id: acl.small.kept
    title: A block holds what is written
    statement: A block holds what is written.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      size: {bytes: 1..4KiB}
    steps: |
      char *back = host(size, 64);
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      aclrtMemcpy(p, size, pattern(size, 1), size, ACL_MEMCPY_HOST_TO_DEVICE);
      aclrtMemcpy(back, size, p, size, ACL_MEMCPY_DEVICE_TO_HOST);
      same(back, pattern(size, 1), size);
  - id: acl.small.shared
    title: A key is not for every process
    statement: A key is not for every process.
    clauses: {manual: manual.keys}
    level: must
    actors: \"A: process(device 0); B: process(device 0);\"
    forall:
      size: {bytes: 64KiB..512KiB, multiple_of: 64KiB}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      char key[65];
      aclrtIpcMemGetExportKey(p, size, key, 65, ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT);
      ---
      B: aclrtIpcMemImportByKey(&stolen, A.key, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT) fails;
";

const MISALIGNED: &str = "malloc.aligned-only-from-4KiB";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(RULES);
    bench
}

#[rstest]
#[case::one_process("acl.small.aligned", MISALIGNED, "fail")]
#[case::two_processes("acl.small.shared", "ipc.whitelist-never-read", "fail")]
fn the_printed_command_fails_again_with_exactly_that_case(
    #[case] id: &str,
    #[case] defect: &str,
    #[case] verdict: &str,
) {
    let bench = bench();
    bench.run_catalog("report", &["--seed", "11", "--backend", "simulator", "--defect", defect]).says(1, &[id]);
    bench.replay(id, "report", &[]).says(1, &[id]);
    let (first, again) = (bench.report("report"), bench.report("replayed"));
    assert_eq!(again.verdicts(), [(id, verdict)]);
    assert_eq!(again.result(id).cases, 1, "that case and no other");
    let (first, again) = (first.result(id).failure.clone().unwrap(), again.result(id).failure.clone().unwrap());
    assert_eq!((&first.values, &first.statement), (&again.values, &again.statement));
    assert_eq!(first.replay_values, again.replay_values);
    assert_eq!(again.shrinks, 0);
    let fixed = |replay: &str| replay.split(" --tune").next().unwrap_or_default().to_owned();
    assert_eq!(fixed(&first.replay), fixed(&again.replay), "the replay prints the same command");
}

#[test]
fn a_query_runs_one_case_and_its_mistakes_name_the_query() {
    let bench = bench();
    let query = "acl.small.aligned:size=64;count=1";
    let simulated = ["--backend", "simulator"];
    bench.run_catalog("one", &[&simulated[..], &[query]].concat()).says(0, &["1 pass"]);
    assert_eq!(bench.report("one").result("acl.small.aligned").cases, 1);
    for (wrong, says) in [
        ("acl.small.aligned:sice=64;count=1", "error: acl.small.aligned:sice=64;count=1: "),
        ("acl.small.aligned:size", "`size` does not give a value"),
        ("acl.small.aligne:size=64;count=1", "did you mean `acl.small.aligned`?"),
    ] {
        bench.run_catalog("wrong", &[&simulated[..], &[wrong]].concat()).says(2, &[says]);
    }
    let two = [&simulated[..], &[query, "acl.small.shared"]].concat();
    bench.run_catalog("two", &two).says(2, &["give one rule and one case"]);
    bench.run(["print", "--specs", "specs", query]).says(0, &["int main(", "64"]);
    let wrong = "acl.small.aligned:sice=64;count=1";
    bench.run(["print", "--specs", "specs", wrong]).says(2, &["error: acl.small.aligned:sice=64;count=1: "]);
    bench.run(["explain", "--specs", "specs", query]).says(0, &["What", "Why", "Steps"]);
}

#[test]
fn a_kept_counterexample_is_the_first_case_of_every_later_run() {
    let bench = bench();
    let broken = ["--defect", MISALIGNED, "acl.small.aligned"];
    bench.run_catalog("found", &[&broken[..], &["--tune", "keep=yes"]].concat()).says(1, &[]);
    let kept = bench.path("regressions/acl.small.aligned.json");
    let cases = kept_cases(&kept);
    let failure = bench.report("found").result("acl.small.aligned").failure.clone().unwrap();
    assert_eq!(cases, [(failure.replay_values.clone(), failure.trace.len())]);

    bench.run_catalog("later", &[&broken[..], &["--tune", "keep=yes", "--seed", "99"]].concat()).says(1, &[]);
    let later = bench.report("later").result("acl.small.aligned").failure.clone().unwrap();
    assert_eq!((later.case, &later.values), (1, &failure.values));
    assert_eq!(kept_cases(&kept), cases, "a case is kept once");

    bench.run_catalog("fixed", &["acl.small.aligned"]).says(0, &[]);
}

/// The cases of a file of counterexamples, each with the number of operations that it shows to people.
fn kept_cases(path: &std::path::Path) -> Vec<(serde_json::Value, usize)> {
    let kept: Vec<serde_json::Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    kept.iter().map(|kept| (kept["case"].clone(), kept["operations"].as_array().unwrap().len())).collect()
}

#[rstest]
#[case::one_process(&["acl.small.aligned", "acl.small.kept"], 1)]
#[case::two_processes(&["acl.small"], 2)]
fn each_worker_starts_once(#[case] filter: &[&str], #[case] workers: u64) {
    let bench = bench();
    bench.run_catalog("report", &[&["--jobs", "1"], filter].concat()).says(0, &[]);
    let report = bench.report("report");
    assert!(report.results.iter().all(|result| result.cases >= 20));
    let end = report.end();
    assert_eq!(end.workers_started, workers);
    assert!(end.start_up_nanoseconds > 0);
}

#[test]
fn the_journal_and_the_reports_agree() {
    let bench = bench();
    let answer = bench.run_catalog("report", &["--defect", MISALIGNED]);
    answer.says(1, &["SIMULATED DEVICE", "verdicts  2 pass, 1 fail", &bench.path("report").display().to_string()]);
    let report = bench.report("report");
    assert!(report.header.library.simulated);
    assert_eq!((report.end().exit, report.results.len()), (1, report.header.rules));
    assert!(report.junit.contains("tests=\"3\" failures=\"1\" errors=\"0\""), "{}", report.junit);
    assert!(report.junit.contains("name=\"simulated\" value=\"true\""));
    let failure = report.result("acl.small.aligned").failure.as_ref().unwrap();
    let cases = kept_cases(&bench.path("report/counterexamples/acl.small.aligned.json"));
    assert_eq!(cases, [(failure.replay_values.clone(), failure.trace.len())]);
}

/// `atlas-cts run … | head -1`.
#[test]
fn a_run_continues_to_its_end_when_its_output_is_closed() {
    let bench = Bench::new();
    bench.catalog(RULES);
    let words = ["run", "--specs", "specs", "--product", "a2", "--backend", "simulator", "--report-dir", "report"];
    let mut run = bench.command(words).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(run.stdout.take());
    let status = run.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(bench.report("report").results.len(), 3);
}

#[test]
fn rules_that_take_all_memory_need_a_dedicated_device() {
    let bench = Bench::new();
    let printed = bench.run(["simulator", "--print-path", "."]);
    bench.catalog(RULES.replace("    level: must\n", "    level: must\n    when: {dedicated: true}\n"));
    // As a library, the simulated device counts as any other: another process may use it.
    let words = ["run", "--specs", "specs", "--product", "a2", "--library", printed.text.trim()];
    let why = "takes all memory of a device; runs with --dedicated, if nothing else uses the devices";
    bench.run(words.iter().chain(&["--report-dir", "shared"])).says(0, &["skipped (3)", why]);
    bench.run(words.iter().chain(&["--report-dir", "own", "--dedicated"])).says(0, &["verdicts  3 pass"]);
    assert!(bench.report("own").header.settings.dedicated);
}
