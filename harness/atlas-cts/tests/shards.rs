//! Shards of a run: merged, they equal the undivided run, whatever happened to some of them.

use crate::support;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use atlas_cts::runtimes::RUNTIMES;
use engine::run::{Agenda, Distribution, ExitStatus, ExpectationOptions, MergeOptions, Observer, RunError, merge};
use proptest::prelude::*;
use record::{
    Journal, RecordedShard, RuleResult, RunEnd, RunHeader, RunSettings, StartReason, Starts, Verdict, counts, exit_code,
};
use rstest::{fixture, rstest};
use support::{Answer, Bench, Report};

/// Rules that pass, two that fail on a device with misaligned blocks, and one that does not apply.
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
/// A bench with a fixed patience: two runs may measure different values, which printed programs contain.
const MISALIGNED: [&str; 4] = ["--defect", "malloc.aligned-only-from-4KiB", "--tune", "patience=2000"];

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

/// The results by rule, without the parts that differ between any two runs.
fn told(report: &Report) -> Vec<serde_json::Value> {
    let results = report.timeless().into_iter().filter_map(|line| line.get("result").cloned());
    let mut results: Vec<serde_json::Value> = results.collect();
    results.sort_by_key(|result| result["id"].to_string());
    results
}

#[rstest]
fn merged_shards_equal_the_undivided_run(bench: Bench, #[values(1, 3, 20)] of: u32) {
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
    assert_eq!(executed, RULES, "each rule is in one shard");
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    merged(&bench, "merged", &names).says(1, &["acl.small.r3", &format!("{of} of {of}, merged")]);
    let (whole, merged) = (bench.report("whole"), bench.report("merged"));
    assert_eq!(told(&merged), told(&whole));
    assert_eq!((merged.end().exit, &merged.end().counts), (1, &whole.end().counts));
    assert_eq!(merged.header.merged.len(), of as usize);
    let cases = fs::read_dir(bench.path("merged/counterexamples")).unwrap().count();
    assert_eq!(cases, fs::read_dir(bench.path("whole/counterexamples")).unwrap().count());
    // A merged run is a run: its reports can be rewritten from its journal.
    bench.run(["run", "--resume", "merged"]).says(1, &["rewriting its reports"]);
}

#[rstest]
fn a_merged_run_names_the_devices_in_quarantine_of_each_shard(bench: Bench) {
    for number in [1, 2] {
        let name = format!("part-{number}");
        part(&bench, &name, &format!("{number}/2"), &[]).says(0, &[]);
        let journal = bench.report(&name).journal;
        let out = format!("\"devices\":4,\"devices_out\":[{{\"device\":\"{number}\",\"reason\":\"it is dead\"}}]");
        let changed = journal.replacen("\"devices\":4", &out, 1);
        assert_ne!(changed, journal);
        bench.write(&format!("{name}/results.jsonl"), changed);
    }
    merged(&bench, "merged", &["part-1", "part-2"]).says(0, &["part 1: it is dead", "part 2: it is dead"]);
    let out = bench.report("merged").header.devices_out;
    let out: Vec<(&str, &str)> = out.iter().map(|out| (out.device.as_str(), out.reason.as_str())).collect();
    assert_eq!(out, [("1", "part 1: it is dead"), ("2", "part 2: it is dead")]);
}

#[rstest]
fn rules_of_a_missing_shard_have_no_result(bench: Bench) {
    for number in [1, 3] {
        part(&bench, &format!("part-{number}"), &format!("{number}/3"), &[]).says(0, &[]);
    }
    merged(&bench, "merged", &["part-1", "part-3"]).says(3, &["part 2 of 3: missing"]);
    let merged = bench.report("merged");
    assert_eq!(merged.results.len(), RULES);
    let missing: Vec<&RuleResult> = merged.results.iter().filter(|result| result.verdict == Verdict::Error).collect();
    let second = Distribution::by_id(3);
    assert!(!missing.is_empty());
    for result in missing {
        assert_eq!(second.part_of(&result.id), 2);
        assert!(result.reason.starts_with("part 2 of 3 is missing"), "{}", result.reason);
    }
    assert!(merged.junit.contains("errors="), "{}", merged.junit);
}

#[rstest]
fn results_of_a_killed_shard_count_and_resuming_it_adds_the_rest(bench: Bench) {
    part(&bench, "part-1", "1/2", &[]).says(0, &[]);
    part(&bench, "part-2", "2/2", &[]).says(0, &[]);
    let journal = fs::read_to_string(bench.path("part-2/results.jsonl")).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    // The shard was killed while its last rule ran.
    let cut = lines.iter().rposition(|line| line.starts_with("{\"begin\"")).unwrap();
    bench.write("part-2/results.jsonl", lines[..=cut].join("\n") + "\n");
    merged(&bench, "cut", &["part-1", "part-2"]).says(3, &["part 2: ", "is incomplete"]);
    let lost: Vec<String> = bench
        .report("cut")
        .results
        .iter()
        .filter(|result| result.verdict == Verdict::Error)
        .map(|result| result.reason.clone())
        .collect();
    assert!(!lost.is_empty());
    assert!(
        lost.iter()
            .any(|reason| reason.contains("part 2 of 2 ended while this rule was running; finish it with --resume"))
    );
    // As in a site's script, with the original arguments.
    part_again(&bench, "part-2", "2/2").says(0, &["resuming"]);
    merged(&bench, "whole", &["part-1", "part-2"]).says(0, &["2 of 2, merged"]);
}

fn part_again(bench: &Bench, report: &str, shard: &str) -> Answer {
    let words = ["run", "--specs", "specs", "--product", "a2", "--backend", "simulator", "--shard", shard, "--resume"];
    bench.run(words.iter().chain(&[report]))
}

/// Words of a part that belongs to another run, and the reason why it is not merged.
const OTHER_PARTS: [(&[&str], &str); 8] = [
    (&["--seed", "2"], "the seed: 20260101 in the first, 2 in this one; give all parts the same --seed"),
    (&["--product", "a3"], "the product: a2 in the first, a3 in this one"),
    (&["--devices", "2"], "the number of devices: 4 in the first, 2 in this one"),
    (&MISALIGNED, "the defects: none in the first, malloc.aligned-only-from-4KiB in this one"),
    (&["--strict"], "--strict: off in the first, on in this one"),
    (&["--shard", "2/3"], "the number of parts: 2 in the first, 3 in this one"),
    (&["--shard", "2/2@part-1"], "the times: not reported in the first"),
    (&["acl.small.r1"], "the rules selected for all parts: different"),
];

#[rstest]
fn shards_of_different_runs_are_not_merged(bench: Bench) {
    part(&bench, "part-1", "1/2", &[]).says(0, &[]);
    for (number, (other, why)) in (2..).zip(OTHER_PARTS) {
        let name = format!("part-{number}");
        let mut words = vec!["--product", "a2", "--backend", "simulator", "--shard", "2/2"];
        // A repeated option is refused, so the other value replaces the first one.
        match words.iter().position(|word| *word == other[0]) {
            Some(at) => words[at + 1] = other[1],
            None => words.extend(other),
        }
        let answer = bench.run_catalog(&name, &words);
        assert!(matches!(answer.status, 0 | 1), "{}", answer.text);
        merged(&bench, "merged", &["part-1", &name]).says(2, &[why, "merge only parts of one run"]);
        assert!(!bench.path("merged").exists(), "nothing is written");
    }
}

#[rstest]
fn a_whole_run_and_an_unreadable_one_are_refused(bench: Bench) {
    bench.run_catalog("whole", &["--product", "a2", "--backend", "simulator"]).says(0, &[]);
    part(&bench, "part-1", "1/1", &[]).says(0, &[]);
    merged(&bench, "merged", &["whole"]).says(2, &["is not a part of a run: run each part with --shard K/N"]);
    merged(&bench, "merged", &["part-1", "nowhere"]).says(2, &["nowhere", "leave this part out"]);
    merged(&bench, "merged", &[]).says(2, &["required"]);
    merged(&bench, "part-1", &["part-1"]).says(3, &["already exists"]);
}

#[rstest]
fn parts_are_merged_and_reported_without_their_catalog(bench: Bench) {
    let parts = ["part-1", "part-2"];
    for (part_of, name) in [("1/2", "part-1"), ("2/2", "part-2")] {
        part(&bench, name, part_of, &MISALIGNED);
    }
    let whole = merged(&bench, "with", &parts);
    std::fs::remove_dir_all(bench.path("specs")).unwrap();
    let answer = bench.run(["merge", "--report-dir", "without", "part-1", "part-2"]);
    assert_eq!((answer.status, told(&bench.report("without"))), (whole.status, told(&bench.report("with"))));
    let failed = bench.report("without").results.into_iter().find_map(|result| result.failure).unwrap();
    assert!(failed.place.starts_with("specs/acl/rules/small.yaml:"), "{}", failed.place);
    assert!(!failed.rule_statement.is_empty() && !failed.clauses.is_empty() && failed.steps.is_some(), "{failed:?}");
}

#[rstest]
fn a_list_of_rules_in_a_file_and_exclusions_select_rules(bench: Bench) {
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
    bench.run_catalog("none", &["--shard", "1/2@nowhere"]).says(2, &["--shard:", "nowhere"]);
    bench.run_catalog("none", &["--shard", "3/2"]).says(2, &["a shard is K/N"]);
    let nextest = bench.command(["run", "--specs", "specs", "--shard", "1/2"]).env("NEXTEST_RUN_ID", "x").output();
    assert!(String::from_utf8_lossy(&nextest.unwrap().stderr).contains("nextest starts one process per rule"));
}

#[rstest]
fn the_floor_applies_to_all_shards_together(bench: Bench) {
    for number in [1, 2] {
        part(&bench, &format!("part-{number}"), &format!("{number}/2"), &["--tune", "min-executed=10"]).says(0, &[]);
    }
    // One rule does not apply.
    merged(&bench, "merged", &["part-1", "part-2"]).says(3, &["9 pass"]);
}

#[rstest]
fn shards_divided_by_times_make_the_whole_run(bench: Bench) {
    bench.run_catalog("earlier", &["--product", "a2", "--backend", "simulator"]).says(0, &[]);
    for number in [1, 2, 3] {
        part(&bench, &format!("part-{number}"), &format!("{number}/3@earlier"), &[]).says(0, &[]);
    }
    merged(&bench, "merged", &["part-3", "part-1", "part-2"]).says(0, &["3 of 3, merged"]);
    assert_eq!(told(&bench.report("merged")), told(&bench.report("earlier")));
}

// ---- any division, any attempts

/// An observer without output.
struct Silent;

impl Observer for Silent {
    fn line(&mut self, _: &str) -> Result<(), RunError> {
        Ok(())
    }

    fn perform(&mut self, _: &Arc<Agenda>) -> Result<(), RunError> {
        unreachable!("nothing is run")
    }

    fn summary(&mut self, _: &record::Recorded) -> Result<(), RunError> {
        Ok(())
    }
}

/// Writes the journal of an attempt at a shard, as a run would.
fn write_attempt(
    bench: &Bench,
    name: &str,
    header: &RunHeader,
    part: &RecordedShard,
    results: &[RuleResult],
    ends: bool,
) -> PathBuf {
    let settings = RunSettings { part: Some(part.clone()), ..header.settings.clone() };
    let header = RunHeader { run: name.to_owned(), settings, ..header.clone() };
    let folder = bench.path(name);
    let journal = Journal::create(&folder, &header).unwrap();
    let written = if ends { results } else { &results[..results.len() / 2] };
    written.iter().for_each(|result| journal.append(result).unwrap());
    if ends {
        let end = RunEnd {
            finished: header.started.clone(),
            nanoseconds: 1,
            counts: counts(results),
            workers_started: 1,
            starts: [(StartReason::FirstUse, Starts { processes: 1, runtimes: 1 })].into(),
            start_up_nanoseconds: 1,
            events: Vec::new(),
            remarks: vec![format!("{name} remarks")],
            unusable_cases: 0,
            retries: Vec::new(),
            expectations: None,
            exit: exit_code(&header.settings, results, 0, None),
        };
        journal.finish(end).unwrap();
    }
    folder
}

/// The course of an attempt before the complete one.
#[derive(Debug, Clone, Copy)]
enum Earlier {
    /// The device is lost at each rule.
    Lost,
    /// The attempt is killed in the middle.
    Killed,
    /// All results, as in the last attempt.
    Complete,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn however_a_run_is_divided_and_retried_the_merged_run_is_complete(
        of in 1_u32..15,
        times in proptest::option::of(proptest::collection::vec(0_u64..5_000_000_000, RULES)),
        earlier in proptest::collection::vec((1_u32..15, proptest::sample::select(vec![
            Earlier::Lost, Earlier::Killed, Earlier::Complete,
        ])), 0..4),
    ) {
        let bench = bench();
        let words = ["--product", "a2", "--backend", "simulator"];
        bench.run_catalog("whole", &[&words[..], &MISALIGNED[..]].concat()).says(1, &[]);
        let whole = bench.report("whole");
        let distribution = match &times {
            None => Distribution::by_id(of),
            Some(times) => {
                let timed = whole.results.iter().zip(times);
                let timed: Vec<RuleResult> =
                    timed.map(|(result, time)| RuleResult { nanoseconds: *time, ..result.clone() }).collect();
                Distribution::by_times(of, &timed)
            }
        };
        let mut runs = Vec::new();
        for number in 1..=of {
            let own = whole.results.iter().filter(|result| distribution.part_of(&result.id) == number);
            let own: Vec<RuleResult> = own.cloned().collect();
            let rules = own.iter().map(|result| result.id.clone()).collect();
            let part = RecordedShard { number, of, balanced: distribution.digest(), rules };
            let attempts = earlier.iter().filter(|(part, _)| *part == number).map(|(_, earlier)| *earlier);
            for (index, attempt) in attempts.chain([Earlier::Complete]).enumerate() {
                let lost = |result: &RuleResult| RuleResult { verdict: Verdict::DeviceLost, failure: None, ..result.clone() };
                let results: Vec<RuleResult> = match attempt {
                    Earlier::Lost => own.iter().map(lost).collect(),
                    Earlier::Killed | Earlier::Complete => own.clone(),
                };
                let ends = !matches!(attempt, Earlier::Killed);
                let name = format!("part-{number}-{index}");
                runs.push(write_attempt(&bench, &name, &whole.header, &part, &results, ends));
            }
        }
        let options = MergeOptions {
            runs,
            report_dir: Some(bench.path("merged")),
            specs: Some(bench.path("specs")),
            known: ExpectationOptions::default(),
        };
        let status = merge(&options, RUNTIMES, &ledger::Ledger, &mut Silent);
        prop_assert!(matches!(status, Ok(ExitStatus::Broken)), "{status:?}");
        prop_assert_eq!(told(&bench.report("merged")), told(&whole));
    }
}

#[rstest]
fn a_retry_does_not_hide_a_failure_and_the_report_names_the_attempts(bench: Bench) {
    bench.run_catalog("whole", &["--product", "a2", "--backend", "simulator"]).says(0, &[]);
    let whole = bench.report("whole");
    let rules = whole.results.iter().map(|result| result.id.clone()).collect();
    let part = RecordedShard { number: 1, of: 1, balanced: None, rules };
    let mut failed = whole.results.clone();
    // Rules that run at once end in any order, and some are skipped.
    let one = failed.iter_mut().find(|result| result.verdict == Verdict::Pass).unwrap();
    one.verdict = Verdict::Fail;
    let id = one.id.clone();
    write_attempt(&bench, "attempt-1", &whole.header, &part, &failed, true);
    write_attempt(&bench, "attempt-2", &whole.header, &part, &whole.results, true);
    let answer = merged(&bench, "merged", &["attempt-1", "attempt-2"]);
    answer.says(
        1,
        &[&format!(
            "{id}: the attempts at this part disagree: fail in attempt-1, pass in attempt-2; the result is fail"
        )],
    );
    answer.says(1, &["1 of 1 from 2 runs, merged"]);
}

#[rstest]
fn a_result_of_another_shard_is_refused(bench: Bench) {
    bench.run_catalog("whole", &["--product", "a2", "--backend", "simulator"]).says(0, &[]);
    let whole = bench.report("whole");
    for number in [1, 2] {
        let rules = whole.results.iter().map(|result| result.id.clone()).collect();
        let part = RecordedShard { number, of: 2, balanced: None, rules };
        write_attempt(&bench, &format!("part-{number}"), &whole.header, &part, &whole.results, true);
    }
    merged(&bench, "merged", &["part-1", "part-2"]).says(2, &["which is not a rule in its part"]);
}
