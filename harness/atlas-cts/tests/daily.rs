//! The options of daily work: rules of a function or a chapter, patterns, the failures of the last run, an early end,
//! rounds, and less output.

use crate::support;

use rstest::rstest;
use support::Bench;
use support::small::{ALIGNED, ELSEWHERE, HOLDS, MISALIGNED, chapter};

const RUN: [&str; 7] = ["run", "--specs", "specs", "--product", "a2", "--backend", "simulator"];
const BROKEN: [&str; 2] = ["--defect", MISALIGNED];

/// A rule of another area that calls another function.
const HOST: &str = "
  - id: acl.host.block
    title: A host block is there
    statement: A host block is there.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMallocHost(&p, 64);
      p != NULL;
    owns: [aclrtMallocHost]
";

/// A bench with three rules that run and one that does not apply.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, ELSEWHERE, HOLDS, HOST]));
    bench
}

/// Runs with a device that breaks `acl.small.aligned`, one rule at a time in the catalog's order.
fn broken(bench: &Bench, words: &[&str]) -> support::Answer {
    bench.run(RUN.iter().chain(&BROKEN).chain(&["--jobs", "1"]).chain(words))
}

/// The ids of the rules with a result, in order.
fn ran(bench: &Bench, report: &str) -> Vec<String> {
    let mut ids: Vec<String> = bench.report(report).results.iter().map(|result| result.id.clone()).collect();
    ids.sort();
    ids
}

#[rstest]
#[case::of_a_function(&["--api", "aclrtMallocHost"], &["acl.host.block"])]
#[case::of_one_of_two_functions(&["--api", "aclrtMallocHost", "--api", "aclrtMalloc", "--exclude", "*.small.*"], &["acl.host.block"])]
#[case::of_a_chapter(&["--chapter", "host"], &["acl.host.block"])]
#[case::of_a_pattern(&["acl.*.h*"], &["acl.small.holds"])]
#[case::of_several_patterns(&["acl.host.*", "*.hold[s]"], &["acl.host.block", "acl.small.holds"])]
#[case::of_a_text_and_a_function(&["block", "--api", "aclrtMallocHost"], &["acl.host.block"])]
#[case::without_a_pattern(&["--exclude", "acl.small.*"], &["acl.host.block"])]
#[case::by_a_whole_id(&["--exact", "acl.small.holds"], &["acl.small.holds"])]
fn a_run_has_the_rules(#[case] words: &[&str], #[case] expected: &[&str]) {
    let bench = bench();
    bench.run(RUN.iter().chain(words).chain(&["--report-dir", "report"])).says(0, &["conformant"]);
    assert_eq!(ran(&bench, "report"), expected);
    let header = bench.report("report").header;
    assert_eq!(header.own_rules().collect::<Vec<_>>(), expected, "the journal has the selection");
}

#[rstest]
#[case::a_function(&["--api", "aclrtMallocHos"], "--api aclrtMallocHos: no rule calls this function; did you mean `aclrtMallocHost`?")]
#[case::a_chapter(&["--chapter", "smal"], "--chapter smal: unknown chapter; did you mean `small`?")]
#[case::a_pattern(&["acl.smal.*"], "no rule matches `acl.smal.*`; did you mean")]
#[case::a_text_that_is_a_function(&["aclrtMallocHost"], "it is a function: `--api aclrtMallocHost` selects its callers (1 rule)")]
#[case::a_part_of_an_id_with_exact(&["--exact", "acl.small"], "no rule matches `acl.small`")]
#[case::two_that_exclude_each_other(&["holds", "--chapter", "host"], "no rule matches all of these together: holds, --chapter host")]
#[case::no_rounds(&["--repeat", "0"], "invalid value '0' for '--repeat <N>'")]
#[case::no_failures(&["--max-fail", "0"], "invalid value '0' for '--max-fail <N>'")]
#[case::little_and_much(&["-q", "-v"], "cannot be used with")]
#[case::little_for_programs(&["-q", "--log-format", "json"], "--quiet selects output for people")]
#[case::failed_rules_of_a_resumed_run(&["--failed", "--resume", "x"], "cannot be used with")]
#[case::failed_rules_of_no_run(&["--failed=none"], "--failed: cannot read none")]
fn a_mistake_is_refused_with_a_hint(#[case] words: &[&str], #[case] says: &str) {
    bench().run(RUN.iter().chain(words)).says(2, &[says]);
}

#[test]
fn the_failed_rules_of_a_run_are_run_again() {
    let bench = bench();
    broken(&bench, &[]).says(1, &["not conformant: 1 rule broken"]);
    broken(&bench, &["--failed", "--report-dir", "again"]).says(1, &["FAIL  acl.small.aligned"]);
    assert_eq!(ran(&bench, "again"), ["acl.small.aligned"]);
    // The run with another folder is not the latest one, but has a name.
    broken(&bench, &["--failed=again", "acl.host"]).says(2, &["no rule matches all of these together"]);
    bench.run(RUN.iter().chain(&["--failed=again"])).says(0, &["conformant"]);
    bench.run(RUN.iter().chain(&["--failed"])).says(2, &["--failed=latest: no rule of that run is broken or unknown"]);
    bench.run(RUN.iter().chain(&["--failed=latest~1"])).says(0, &["verdicts  1 pass"]);
    bench.run(RUN.iter().chain(&["--failed", "again"])).says(2, &["write --failed=again"]);
}

#[test]
fn a_rule_that_left_the_catalog_is_not_passed_over() {
    let bench = bench();
    broken(&bench, &[]).says(1, &[]);
    bench.catalog(chapter(&[HOLDS, HOST]));
    broken(&bench, &["--failed"]).says(2, &["the catalog has no rule acl.small.aligned"]);
}

/// The broken rule is the first, so the others have no result. The journal can be finished.
#[test]
fn a_run_stops_after_as_many_broken_rules_as_given() {
    let bench = bench();
    let words = ["acl.small", "--max-fail", "1", "--report-dir", "report"];
    let answer = broken(&bench, &words);
    answer.says(1, &["the run did not finish; 1 rule broken so far", "--max-fail 1: run stopped; 1 of 3 rules have"]);
    let report = bench.report("report");
    assert_eq!((report.results.len(), report.end.is_none()), (1, true), "{}", report.journal);
    assert_eq!(report.header.settings.max_fail, Some(1));
    assert!(report.journal.contains("\"signal\":\"--max-fail 1\""), "{}", report.journal);
    let words = ["run", "--specs", "specs", "--resume", "report", "--max-fail", "1"];
    bench.run(words).says(1, &["not conformant: 1 rule broken"]);
    assert_eq!(ran(&bench, "report"), ["acl.small.aligned", "acl.small.elsewhere", "acl.small.holds"]);
}

#[test]
fn a_run_with_fewer_broken_rules_ends_as_usual() {
    let bench = bench();
    broken(&bench, &["--max-fail", "2", "--report-dir", "report"]).says(1, &["not conformant: 1 rule broken"]);
    assert_eq!(ran(&bench, "report").len(), 4);
}

#[test]
fn a_repeated_rule_counts_its_rounds() {
    let bench = bench();
    let words = ["-v", "--repeat", "3", "--report-dir", "report"];
    broken(&bench, &words)
        .says(1, &["pass      acl.small.holds  (3 cases, 6 checks, 3 rounds, ", "3 of 3 rounds do not hold"]);
    let report = bench.report("report");
    assert_eq!(report.header.settings.repeat, Some(3));
    let counted = |id: &str| report.result(id).rounds.clone().map(|rounds| (rounds.ran(), rounds.failed()));
    assert_eq!(counted("acl.small.holds"), Some((3, 0)));
    assert_eq!(counted("acl.small.aligned"), Some((3, 3)));
    assert_eq!(counted("acl.small.elsewhere"), None, "a rule that does not apply has no rounds");
    assert!(report.result("acl.small.aligned").reason.starts_with("3 of 3 rounds do not hold: "));
}

#[test]
fn a_quiet_run_prints_three_lines_for_a_cause_and_the_outcome() {
    let bench = bench();
    let answer = broken(&bench, &["-q"]);
    answer.says(1, &["FAIL  acl.small.aligned\n  ", "verdicts", "result    not conformant: 1 rule broken"]);
    let lines: Vec<&str> = answer.text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("FAIL  ")).unwrap();
    assert!(lines[at + 2].starts_with("  atlas-cts run 'acl.small.aligned:"), "{}", answer.text);
    assert!(lines[at + 3].starts_with("verdicts"), "nothing else is printed:\n{}", answer.text);
    assert!(!answer.text.contains("pass      "), "{}", answer.text);
    assert!(lines[0].contains("SIMULATED DEVICE"), "{}", answer.text);
}

#[test]
fn a_verbose_run_prints_the_work_for_each_rule() {
    let bench = bench();
    bench.run(RUN.iter().chain(&["-v", "holds"])).says(0, &["pass      acl.small.holds  (3 cases, 6 checks, "]);
}

#[rstest]
#[case::a_function("aclrtMallocHost", &["A function; acl.host.block owns it", "acl.host.block  must", "1 of 4 rules"])]
#[case::an_area("acl.small", &["small: Small", "acl.small.aligned", "acl.small.holds", "3 of 4 rules"])]
#[case::a_part_of_ids("hold", &["acl.small.holds", "1 of 4 rules", "atlas-cts explain RULE"])]
fn several_rules_are_explained_by_a_list(#[case] name: &str, #[case] says: &[&str]) {
    bench().run(["explain", name, "--specs", "specs"]).says(0, says);
}

#[rstest]
#[case::the_beginning_of_a_defect(&["run", "--product", "a2", "--defect", "malloc.aligned-only"], "did you mean `malloc.aligned-only-from-4KiB`?")]
#[case::the_beginning_of_many(&["run", "--product", "a2", "--defect", "copy."], "names begin with it: `copy.")]
#[case::a_function_for_a_rule(&["print", "aclrtMallocHost", "--specs", "specs"], "1 rule calls this function: `atlas-cts list --api aclrtMallocHost`")]
#[case::a_part_of_ids(&["print", "acl.small", "--specs", "specs"], "3 rules have this text in the id: `atlas-cts list acl.small`")]
fn an_unknown_name_has_a_hint(#[case] words: &[&str], #[case] says: &str) {
    bench().run(words).says(2, &[says]);
}

#[test]
fn the_last_two_runs_are_compared() {
    let bench = bench();
    // Under cargo, the runs of all tests are in one folder.
    let run = |words: &[&str]| support::answer(bench.command(words).env_remove("CARGO_MANIFEST_DIR"));
    run(&["diff"]).says(2, &["latest~1"]);
    run(&RUN).says(0, &[]);
    run(&[&RUN[..], &BROKEN].concat()).says(1, &[]);
    run(&["diff", "--fail-on", "regression"]).says(1, &["acl.small.aligned"]);
    run(&["diff", "latest", "--fail-on", "regression"]).says(0, &[]);
}

#[rstest]
#[case::a_tag_of_the_vendors_pages("910b", "a2")]
#[case::another_tag("310P", "infer")]
#[case::an_id_in_capitals("A3", "a3")]
#[case::a_name_that_devices_report("ascend910b1", "a2")]
#[case::a_chip("Ascend310B", "200i-500-a2")]
fn a_product_has_several_names(#[case] name: &str, #[case] id: &str) {
    let bench = bench();
    let words = ["run", "--specs", "specs", "--product", name, "--report-dir", "report", "acl.small.holds"];
    bench.run(words).says(0, &["conformant"]);
    assert_eq!(bench.report("report").header.product, id);
    let listed = |name: &str| bench.run(["list", "--specs", "specs", "--product", name]).text;
    assert_eq!(listed(name), listed(id));
}

#[rstest]
#[case::of_two_products("Ascend910B", "`Ascend910B` is a name of several products; give one of a2, train")]
#[case::of_three_products("910", "`910` is a name of several products; give one of train, a2, a3")]
#[case::of_none("910bb", "there is no product `910bb`; did you mean `910b`?")]
fn a_name_without_one_product_is_refused(#[case] name: &str, #[case] says: &str) {
    let bench = bench();
    bench.run(["run", "--specs", "specs", "--product", name]).says(2, &[says]);
    bench.run(["list", "--specs", "specs", "--product", name]).says(2, &[says]);
}

#[test]
fn the_products_are_listed_with_their_names() {
    let answer = Bench::new().run(["list", "--products"]);
    answer.says(0, &["Atlas A2 training series", "310p, Ascend310P"]);
    assert!(answer.text.lines().any(|line| line.starts_with("a2 ") && line.contains(" 910b ")), "{}", answer.text);
}

#[rstest]
#[case::twice("aliases: [910b]", "aliases: [910B]", "`910B` is already an alias of `a2`")]
#[case::an_id("aliases: [910b]", "aliases: [A3]", "`A3` is already the id of `a3`")]
#[case::a_family("aliases: [910b]", "aliases: [servers]", "`servers` is already a family")]
#[case::a_reported_name("aliases: [910b]", "aliases: [Ascend310P1]", "a name that `infer` reports, so it is ambiguous")]
#[case::ambiguous_and_not("Ascend910B: [a2, train]", "910b: [a2, train]", "`910b` is already an alias of `a2`")]
#[case::not_ambiguous("Ascend910B: [a2, train]", "Ascend910B: [a2]", "`Ascend910B` names one product only")]
#[case::an_unknown_product("Ascend910B: [a2, train]", "Ascend910B: [a2, trian]", "unknown product `trian`")]
fn a_mistake_in_the_names_of_products_is_reported(#[case] old: &str, #[case] new: &str, #[case] says: &str) {
    let bench = bench();
    let text = std::fs::read_to_string(bench.path("specs/acl/products.yaml")).unwrap();
    let (first, last) = text.split_at(text.find("  - id: infer").unwrap());
    // An alias that occurs twice is added to another product; other mistakes replace the line.
    let text = if says.contains("an alias of `a2`") && new.starts_with("aliases") {
        format!("{first}{}", last.replacen("aliases: [310p, Ascend310P]", new, 1))
    } else {
        text.replacen(old, new, 1)
    };
    bench.write("specs/acl/products.yaml", text);
    bench.run(["catalog", "lint", "--specs", "specs"]).says(2, &[says]);
}

/// A rule whose outcome is not promised: what the device does is recorded.
const OBSERVES: &str = "
  - id: acl.host.placed
    title: Where a host block lies is recorded
    statement: A host block lies somewhere.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMallocHost(&p, 64);
      p != NULL;
    observe: {aligned: alignment(p) >= 16}
    owns: [aclrtMallocHost]
";

#[test]
fn a_run_writes_what_its_rules_observed_to_a_file_and_so_does_its_report() {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, OBSERVES]));
    bench.run(RUN.iter().chain(&["--report-dir", "report", "--record", "answers.json"])).says(0, &["conformant"]);
    let text = std::fs::read_to_string(bench.path("answers.json")).unwrap();
    let answers: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answers["product"], "a2");
    let rules: Vec<&String> = answers["answers"].as_object().unwrap().keys().collect();
    assert_eq!(rules, ["acl.host.placed"], "only rules that observe something");
    let seen = answers["answers"]["acl.host.placed"]["observations"]["aligned"].as_object().unwrap();
    assert!(!seen.is_empty(), "{text}");
    bench.run(["report", "report", "--record", "again.json"]).says(0, &["again.json"]);
    assert_eq!(std::fs::read_to_string(bench.path("again.json")).unwrap(), text);
}

#[test]
fn answers_that_cannot_be_written_leave_the_journal_and_the_message_names_the_next_action() {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, OBSERVES]));
    let wrong = ["--report-dir", "report", "--record", "missing/answers.json"];
    bench.run(RUN.iter().chain(&wrong)).says(3, &["cannot write missing/answers.json", "--record FILE"]);
    assert_eq!(bench.report("report").results.len(), 2, "the journal is complete");
}
