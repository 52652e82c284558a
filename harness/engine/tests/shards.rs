//! Parts of a run: together they are the run that nobody divided, whatever happened to some of them.

use std::fs;

use engine::run::{Distribution, ExitStatus};
use proptest::prelude::*;
use record::{
    Journal, Part, RuleResult, RunEnd, RunHeader, RunSettings, StartReason, Starts, Verdict, counts, exit_code,
};
use rstest::{fixture, rstest};
use serde_json::Value as Json;

use crate::bench::{Answer, Bench, Report, rule};

use ExitStatus::{Broken, Conformant, Unknown, Usage};

const RULES: usize = 10;
/// Two rules break where large lots are not counted. With a patience that is not measured: two runs may measure different
/// values before they begin, and programs name it.
const UNCOUNTED: [&str; 4] = ["--defect", "lots.without-large", "--patience", "2000"];

/// Rules that hold, two that notice large lots which are not counted, and one that does not apply.
#[fixture]
fn bench() -> Bench {
    let counted = |number: usize| {
        let bytes = if number % 4 == 3 { 40_000 } else { 64 };
        let when = if number == 5 { "when: {not_products: [harbour]}" } else { "" };
        let steps = format!("depot_reserve(&lot, {bytes});\ndepot_lots() == 1;");
        rule(&format!("depot.small.r{number}"), when, &steps)
    };
    Bench::depot(&(0..RULES).map(counted).collect::<Vec<String>>())
}

fn part(bench: &Bench, report: &str, shard: &str, words: &[&str]) -> Answer {
    bench.run(report, &[&["--shard", shard], words].concat())
}

/// Goes on with a run.
fn resumed(bench: &Bench, report: &str, words: &[&str]) -> Answer {
    let folder = bench.path(report).display().to_string();
    bench.run(report, &[words, &["--resume", &folder]].concat())
}

/// The results by rule, without what no two runs share.
fn told(report: &Report) -> Vec<Json> {
    let results = report.timeless().into_iter().filter_map(|line| line.get("result").cloned());
    let mut results: Vec<Json> = results.collect();
    results.sort_by_key(|result| result["id"].to_string());
    results
}

#[rstest]
fn parts_together_are_the_run_that_nobody_divided(bench: Bench, #[values(1, 3, 20)] of: u32) {
    bench.run("whole", &UNCOUNTED).says(Broken, &[]);
    let names: Vec<String> = (1..=of).map(|number| format!("part-{number}")).collect();
    let mut executed = 0;
    for (number, name) in (1..).zip(&names) {
        let answer = part(&bench, name, &format!("{number}/{of}"), &UNCOUNTED);
        assert!(matches!(answer.status, Conformant | Broken), "{}", answer.text);
        executed += bench.report(name).results.len();
    }
    assert_eq!(executed, RULES, "each rule is in one part");
    bench.merge("merged", &names).says(Broken, &["depot.small.r3", &format!("{of} of {of}, merged")]);
    let (whole, merged) = (bench.report("whole"), bench.report("merged"));
    assert_eq!(told(&merged), told(&whole));
    assert_eq!((merged.end.exit, &merged.end.counts), (1, &whole.end.counts));
    assert_eq!(merged.header.merged.len(), of as usize);
    let cases = fs::read_dir(bench.path("merged/counterexamples")).unwrap().count();
    assert_eq!(cases, fs::read_dir(bench.path("whole/counterexamples")).unwrap().count());
    // A merged run is a run: its reports are written again from its journal.
    resumed(&bench, "merged", &[]).says(Broken, &["its reports are written again"]);
}

#[rstest]
fn a_merged_run_names_the_devices_that_were_out_in_each_part(bench: Bench) {
    for number in [1, 2] {
        let name = format!("part-{number}");
        part(&bench, &name, &format!("{number}/2"), &[]).says(Conformant, &[]);
        let journal = bench.report(&name).journal;
        let out = format!("\"devices\":2,\"devices_out\":[{{\"device\":\"{number}\",\"reason\":\"it is dead\"}}]");
        let changed = journal.replacen("\"devices\":2", &out, 1);
        assert_ne!(changed, journal);
        fs::write(bench.path(&format!("{name}/results.jsonl")), changed).unwrap();
    }
    bench.merge("merged", &["part-1", "part-2"]).says(Conformant, &["part 1: it is dead", "part 2: it is dead"]);
    let out = bench.report("merged").header.devices_out;
    let out: Vec<(&str, &str)> = out.iter().map(|out| (out.device.as_str(), out.reason.as_str())).collect();
    assert_eq!(out, [("1", "part 1: it is dead"), ("2", "part 2: it is dead")]);
}

#[rstest]
fn rules_of_a_part_that_is_missing_have_no_answer(bench: Bench) {
    for number in [1, 3] {
        part(&bench, &format!("part-{number}"), &format!("{number}/3"), &[]).says(Conformant, &[]);
    }
    bench.merge("merged", &["part-1", "part-3"]).says(Unknown, &["part 2 of 3: not among the runs that were merged"]);
    let merged = bench.report("merged");
    assert_eq!(merged.results.len(), RULES);
    let missing: Vec<&RuleResult> = merged.results.iter().filter(|result| result.verdict == Verdict::Error).collect();
    let second = Distribution::by_id(3);
    assert!(!missing.is_empty());
    for result in missing {
        assert_eq!(second.part_of(&result.id), 2);
        assert!(result.reason.starts_with("part 2 of 3 is not among the runs"), "{}", result.reason);
    }
    assert!(merged.junit.contains("errors="), "{}", merged.junit);
}

#[rstest]
fn what_a_part_had_when_it_was_killed_counts_and_resuming_it_gives_the_rest(bench: Bench) {
    part(&bench, "part-1", "1/2", &[]).says(Conformant, &[]);
    part(&bench, "part-2", "2/2", &[]).says(Conformant, &[]);
    let journal = fs::read_to_string(bench.path("part-2/results.jsonl")).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    // Killed while its last rule ran.
    let cut = lines.iter().rposition(|line| line.starts_with("{\"begin\"")).unwrap();
    fs::write(bench.path("part-2/results.jsonl"), lines[..=cut].join("\n") + "\n").unwrap();
    bench.merge("cut", &["part-1", "part-2"]).says(Unknown, &["part 2: ", "did not reach its end"]);
    let lost: Vec<String> = bench
        .report("cut")
        .results
        .iter()
        .filter(|result| result.verdict == Verdict::Error)
        .map(|result| result.reason.clone())
        .collect();
    assert!(!lost.is_empty());
    assert!(
        lost.iter().any(|reason| reason.contains("part 2 of 2 ended while this rule ran; finish it with --resume"))
    );
    // As a site's script would: with the arguments of the first time.
    resumed(&bench, "part-2", &["--shard", "2/2"]).says(Conformant, &["resumes"]);
    bench.merge("whole", &["part-1", "part-2"]).says(Conformant, &["2 of 2, merged"]);
}

#[rstest]
#[case::seed(&["--seed", "2"], "the seed: 20260101 in the first, 2 in this one; give all parts the same --seed")]
#[case::product(&["--product", "hillside"], "the product: harbour in the first, hillside in this one")]
#[case::devices(&["--devices", "1"], "the number of devices: 2 in the first, 1 in this one")]
#[case::defect(&UNCOUNTED, "the defects: none in the first, lots.without-large in this one")]
#[case::strict(&["--strict"], "--strict: off in the first, on in this one")]
#[case::number(&["--shard", "2/3"], "the number of parts: 2 in the first, 3 in this one")]
#[case::times(&["--times", "part-1"], "the times: not reported in the first")]
#[case::rules(&["depot.small.r1"], "the rules that were selected for all parts: others")]
fn runs_that_are_no_parts_of_one_are_not_merged(bench: Bench, #[case] other: &[&str], #[case] why: &str) {
    part(&bench, "part-1", "1/2", &[]).says(Conformant, &[]);
    let times = bench.path("part-1").display().to_string();
    let mut words = vec!["--shard", "2/2"];
    // An option that is given twice is refused: the other value takes the first one's place.
    match words.iter().position(|word| *word == other[0]) {
        Some(at) => words[at + 1] = other[1],
        None => words.extend(other.iter().map(|word| if *word == "part-1" { &*times } else { word })),
    }
    let answer = bench.run("part-2", &words);
    assert!(matches!(answer.status, Conformant | Broken), "{}", answer.text);
    bench.merge("merged", &["part-1", "part-2"]).says(Usage, &[why, "merge only parts of one run"]);
    assert!(!bench.path("merged").exists(), "nothing is written");
}

#[rstest]
fn how_many_rules_must_be_executed_is_asked_of_all_parts_together(bench: Bench) {
    for number in [1, 2] {
        part(&bench, &format!("part-{number}"), &format!("{number}/2"), &["--min-executed", "10"])
            .says(Conformant, &[]);
    }
    // One rule does not apply.
    bench.merge("merged", &["part-1", "part-2"]).says(Unknown, &["9 pass"]);
}

#[rstest]
fn parts_that_were_divided_by_times_make_the_whole_run(bench: Bench) {
    bench.run("earlier", &[]).says(Conformant, &[]);
    let earlier = bench.path("earlier").display().to_string();
    for number in [1, 2, 3] {
        part(&bench, &format!("part-{number}"), &format!("{number}/3"), &["--times", &earlier]).says(Conformant, &[]);
    }
    bench.merge("merged", &["part-3", "part-1", "part-2"]).says(Conformant, &["3 of 3, merged"]);
    assert_eq!(told(&bench.report("merged")), told(&bench.report("earlier")));
}

// ---- any division, any attempts

/// Writes the journal of an attempt at a part, as a run would.
fn write_attempt(bench: &Bench, name: &str, header: &RunHeader, part: &Part, results: &[RuleResult], ends: bool) {
    let rules = results.iter().map(|result| result.id.clone()).collect();
    let settings = RunSettings { part: Some(part.clone()), rules: Some(rules), ..header.settings.clone() };
    let header = RunHeader { run: name.to_owned(), settings, ..header.clone() };
    let journal = Journal::create(&bench.path(name), &header).unwrap();
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
}

/// How an attempt goes before the one that gives all answers.
#[derive(Debug, Clone, Copy)]
enum Earlier {
    /// The device is lost at each rule.
    Lost,
    /// Killed in the middle.
    Killed,
    /// All answers, as the last attempt gives them.
    Complete,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn however_a_run_is_divided_and_tried_again_the_merged_one_is_the_whole(
        of in 1_u32..15,
        times in proptest::option::of(proptest::collection::vec(0_u64..5_000_000_000, RULES)),
        earlier in proptest::collection::vec((1_u32..15, proptest::sample::select(vec![
            Earlier::Lost, Earlier::Killed, Earlier::Complete,
        ])), 0..4),
    ) {
        let bench = bench();
        bench.run("whole", &UNCOUNTED).says(Broken, &[]);
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
            let part = Part { number, of, balanced: distribution.digest(), rules: None };
            let own = whole.results.iter().filter(|result| distribution.part_of(&result.id) == number);
            let own: Vec<RuleResult> = own.cloned().collect();
            let attempts = earlier.iter().filter(|(part, _)| *part == number).map(|(_, earlier)| *earlier);
            for (index, attempt) in attempts.chain([Earlier::Complete]).enumerate() {
                let lost = |result: &RuleResult| RuleResult { verdict: Verdict::DeviceLost, failure: None, ..result.clone() };
                let results: Vec<RuleResult> = match attempt {
                    Earlier::Lost => own.iter().map(lost).collect(),
                    Earlier::Killed | Earlier::Complete => own.clone(),
                };
                let ends = !matches!(attempt, Earlier::Killed);
                let name = format!("part-{number}-{index}");
                write_attempt(&bench, &name, &whole.header, &part, &results, ends);
                runs.push(name);
            }
        }
        let answer = bench.merge("merged", &runs);
        prop_assert_eq!(answer.status, Broken, "{}", answer.text);
        prop_assert_eq!(told(&bench.report("merged")), told(&whole));
    }
}

#[rstest]
fn a_failure_is_not_tried_away_and_the_report_names_the_attempts(bench: Bench) {
    bench.run("whole", &[]).says(Conformant, &[]);
    let whole = bench.report("whole");
    let part = Part { number: 1, of: 1, balanced: None, rules: None };
    let mut failed = whole.results.clone();
    failed[2].verdict = Verdict::Fail;
    write_attempt(&bench, "attempt-1", &whole.header, &part, &failed, true);
    write_attempt(&bench, "attempt-2", &whole.header, &part, &whole.results, true);
    let answer = bench.merge("merged", &["attempt-1", "attempt-2"]);
    let id = &failed[2].id;
    answer.says(
        Broken,
        &[&format!(
            "{id}: the attempts at this part disagree: fail in attempt-1, pass in attempt-2; the result is fail"
        )],
    );
    answer.says(Broken, &["1 of 1 from 2 runs, merged"]);
}

#[rstest]
fn a_result_that_is_not_its_parts_is_refused(bench: Bench) {
    bench.run("whole", &[]).says(Conformant, &[]);
    let whole = bench.report("whole");
    for number in [1, 2] {
        let part = Part { number, of: 2, balanced: None, rules: None };
        write_attempt(&bench, &format!("part-{number}"), &whole.header, &part, &whole.results, true);
    }
    bench.merge("merged", &["part-1", "part-2"]).says(Usage, &["which is not a rule of its part"]);
}
