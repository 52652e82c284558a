//! Catalogs and command lines with mistakes: each is refused before anything runs, with its place and advice.

#[path = "bad_input/hostile.rs"]
mod hostile;
use crate::support;

use std::fs;

use rstest::rstest;
use support::Bench;

/// A chapter without mistakes; the line numbers below refer to it.
pub const CHAPTER: &str = "\
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
";

fn rule() -> &'static str {
    CHAPTER.split_once("rules:\n").unwrap().1
}

fn lint(chapter: impl AsRef<[u8]>) -> (Bench, support::Answer) {
    let bench = Bench::new();
    bench.catalog(chapter);
    let answer = bench.run(["catalog", "lint", "--specs", "specs"]);
    (bench, answer)
}

#[test]
fn the_chapter_itself_has_no_mistakes() {
    lint(CHAPTER).1.says(0, &["1 rule in 1 chapter", "no mistakes"]);
}

#[test]
fn a_where_that_keeps_half_is_accepted() {
    lint(CHAPTER.replacen("    steps", "    where: size > 4 || product.npu_arch == 3510\n    steps", 1))
        .1
        .says(0, &["no mistakes"]);
}

#[test]
fn a_file_of_100_mb_is_refused() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let file = fs::File::create(bench.path("specs/acl/rules/small.yaml")).unwrap();
    file.set_len(100 << 20).unwrap();
    bench.run(["catalog", "lint", "--specs", "specs"]).says(
        2,
        &["specs/acl/rules/small.yaml: has more than 8388608 bytes; a catalog consists of readable files of at most 8 MiB"],
    );
}

/// Lints with a second chapter, of the area `another`, in a file below the catalog's folder.
fn with_another_chapter(file: &str) -> support::Answer {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let path = bench.path("specs/acl").join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let another = CHAPTER.replace("small", "another");
    fs::write(path, another).unwrap();
    bench.run(["catalog", "lint", "--specs", "specs"])
}

#[rstest]
#[case::of_its_area("rules/another.yaml")]
#[case::of_a_part_of_it("rules/another/support.yaml")]
#[case::of_a_part_of_a_part("rules/another/deeper/api.yaml")]
fn chapters_are_found_in_folders(#[case] file: &str) {
    with_another_chapter(file).says(0, &["2 rules in 2 chapters"]);
}

#[test]
fn a_wide_line_is_a_warning_that_strict_makes_a_mistake() {
    let wide = format!("{CHAPTER}# {}ü\n", "x".repeat(118));
    let (bench, answer) = lint(&wide);
    let warning = "warning: specs/acl/rules/small.yaml:14: 121 columns; break the line to at most 120";
    answer.says(0, &[warning, "no mistakes"]);
    bench.run(["catalog", "lint", "--specs", "specs", "--strict"]).says(2, &[warning]);
    lint(wide.replace("xü", "ü")).1.says(0, &["1 rule in 1 chapter"]);
}

#[test]
fn a_side_without_a_check_is_listed_and_a_rule_without_one_is_a_mistake() {
    let checks = "ONLY);\n      (uintptr_t)p % 64 == 0;";
    let malloc = "      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);\n";
    let kept = CHAPTER.replacen(malloc, "      answer = aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);\n", 1);
    let side = kept.replacen(checks, "ONLY);\n      if (answer == ACL_SUCCESS) { (uintptr_t)p % 64 == 0; }", 1);
    let listed =
        "free: specs/acl/rules/small.yaml:13:7: acl.small.block judges nothing if `answer == ACL_SUCCESS` is false";
    lint(side).1.says(0, &["no mistakes", listed]);
    let nothing = kept.replacen(checks, "ONLY);\n      [info] (uintptr_t)p % 64 == 0;", 1);
    let warning = "acl.small.block judges nothing on any branch; add a check";
    let (bench, _) = lint(nothing);
    bench.run(["catalog", "lint", "--specs", "specs", "--strict"]).says(2, &[warning]);
}

#[rstest]
#[case::bom(format!("\u{feff}{CHAPTER}"))]
#[case::windows_line_ends(CHAPTER.replace('\n', "\r\n"))]
fn additions_of_editors_are_accepted(#[case] chapter: String) {
    lint(chapter).1.says(0, &["1 rule in 1 chapter"]);
}

#[test]
fn all_mistakes_are_reported_together_and_in_order() {
    let second = rule().replace("small.block", "small.second").replace("level", "levle");
    let third = rule().replace("small.block", "small.third").replace("1..64KiB", "many");
    let first = CHAPTER.replace("aclrtMalloc(", "aclrtMaloc(").replace("manual.blocks", "manual.block");
    let (bench, answer) = lint(format!("{first}{second}{third}"));
    answer.says(2, &["nothing was run"]);
    let places: Vec<&str> = answer.text.lines().filter_map(|line| line.trim().strip_prefix("--> ")).collect();
    for (expected, place) in ["7:23", "12:7", "13:18", "18:5", "30:13"].iter().zip(&places) {
        assert_eq!(*place, format!("specs/acl/rules/small.yaml:{expected}"), "{}", answer.text);
    }
    assert_eq!(places.len(), 5, "{}", answer.text);
    // Neither a run nor a list continues with the remaining rules.
    for command in [&["run"][..], &["list"], &["catalog", "prove"]] {
        bench.run(command.iter().chain(&["--specs", "specs"])).says(2, &["mistakes in the catalog; nothing was run"]);
    }
}

#[rstest]
#[case::misspelled_product(2, &["--product", "a22"], "there is no product `a22`; did you mean `a2`?")]
#[case::unknown_defect(2, &["--defect", "malloc.base-plus-33"], "did you mean `malloc.base-plus-32`?")]
#[case::no_device(2, &["--devices", "0"], "--devices 0: a run needs at least one device")]
#[case::no_time(2, &["--tune", "deadline=0"], "--tune")]
#[case::no_json(2, &["--case", "{"], "--case {: ")]
#[case::unknown_filter(2, &["acl.large"], "no rule matches `acl.large`; `atlas-cts list` lists all")]
#[case::one_filter_of_two(2, &["small.block", "acl.smal.block"], "no rule matches `acl.smal.block`; did you mean `acl.small.block`?")]
#[case::unknown_chapter(2, &["acl.smell"], "no rule matches `acl.smell`; did you mean `acl.small.block`?")]
#[case::unknown_run_mode(2, &["--sim", "run-mode=moon"], "--sim run-mode=moon: known modes are `host` and `device`")]
#[case::unknown_profile(2, &["--profile", "sometimes"], "[possible values: smoke, nightly, validation, soak]")]
#[case::unknown_backend(2, &["--backend", "devise"], "a similar value exists: 'device'")]
#[case::two_libraries(2, &["--library", "x.so", "--backend", "simulator"], "exclude each other; give one of them")]
#[case::no_seed(2, &["--seed", "x"], "invalid digit found in string")]
#[case::missing_library(2, &["--library", "nowhere.so"], "nowhere.so: No such file or directory")]
#[case::no_toolkit(3, &["--backend", "device"], "none of libacl_rt.so, libascendcl.so was found (searched ")]
#[case::too_few_rules(3, &["--report-dir", "report", "--tune", "min-executed=2"], "unknown: 1 rule executed")]
#[case::case_of_another_rule(2, &["--report-dir", "report", "--case", "{\"sice\":3}"],
    "the rule has no axis `sice`; did you mean `size`?; its axes are size")]
#[case::report_in_a_file(3, &["--report-dir", "specs/acl/products.yaml"], "choose another folder with --report-dir DIR")]
#[case::report_where_nothing_can_be(3, &["--report-dir", "/proc/report"], "choose another folder with --report-dir")]
fn an_impossible_command_line_is_explained(#[case] status: i32, #[case] arguments: &[&str], #[case] message: &str) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.run(["run", "--specs", "specs"].iter().chain(arguments)).says(status, &[message]);
}

#[rstest]
#[case::case(&["--case", "{}"])]
#[case::defect(&["--defect", "malloc.base-plus-32"])]
#[case::known(&["--expectations", "known.yaml"])]
#[case::resume(&["--resume", "latest"])]
fn options_that_a_proof_would_ignore_are_refused(#[case] arguments: &[&str]) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let said = format!("unexpected argument '{}' found", arguments[0]);
    bench.run(["catalog", "prove", "--specs", "specs"].iter().chain(arguments)).says(2, &[&said]);
}

#[rstest]
#[case::one("1", 0, "report")]
#[case::yes("yes", 0, "report")]
#[case::off("false", 0, "report")]
#[case::misspelled("ture", 2, "ture")]
fn a_variable_switches_on_an_option_with_the_usual_words(#[case] word: &str, #[case] status: i32, #[case] says: &str) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let mut run = bench.command(["run", "--specs", "specs", "--product", "a2", "--report-dir", "report"]);
    support::answer(run.env("ATLAS_CTS_DEDICATED", word)).says(status, &[says]);
}

#[test]
fn a_journal_is_never_overwritten() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.run_catalog("report", &[]).says(0, &["SIMULATED DEVICE"]);
    let before = bench.report("report").journal;
    bench
        .run_catalog("report", &[])
        .says(3, &["report/results.jsonl already exists: finish that run with --resume report, choose another folder"]);
    assert_eq!(bench.report("report").journal, before);
}

#[test]
fn a_folder_without_a_catalog_is_named() {
    let bench = Bench::new();
    bench
        .run(["catalog", "lint", "--specs", "elsewhere"])
        .says(2, &["elsewhere contains no catalog for acl (no acl/api.yaml)", "--specs"]);
}

#[rstest]
#[case::deadline("run", &["--tune", "deadline=4611686018427387904"], "deadline is 1 to 2592000, not `4611686018427387904`")]
#[case::no_deadline("run", &["--tune", "deadline=0"], "deadline is 1 to 2592000, not `0`")]
#[case::devices("run", &["--devices", "4294967295"], "4294967295 is not in 0..=1024")]
#[case::simulated_devices("run", &["--devices", "17"], "--devices 17: the simulated machine has at most 16")]
#[case::jobs("run", &["--jobs", "18446744073709551615"], "18446744073709551615 is not in 1..=1024")]
#[case::calls("run", &["--sim", "call-ns=18446744073709551615"], "call-ns is 0 to 60000000000, not")]
#[case::no_seeds("catalog prove", &["--seeds", "0"], "0 is not in 1..=1000000")]
#[case::seeds("catalog prove", &["--seeds", "18446744073709551615"], "is not in 1..=1000000")]
fn a_number_that_is_too_large_is_refused_with_its_bound(
    #[case] command: &str,
    #[case] words: &[&str],
    #[case] says: &str,
) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let all = ["--specs", "specs", "--product", "a2", "--backend", "simulator"];
    bench.run(command.split(' ').chain(all).chain(words.iter().copied())).says(2, &[says]);
    assert!(!bench.path("reports").exists(), "nothing was run");
}

/// The largest allowed values.
#[test]
fn the_largest_numbers_are_accepted() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let most = u64::MAX.to_string();
    let words = ["--product", "a2", "--tune", "deadline=2592000", "--devices", "16", "--jobs", "1024", "--seed", &most];
    bench.run_catalog("report", &[&words[..], &["--tune", "min-executed=1"]].concat()).says(0, &["verdicts  1 pass"]);
    bench
        .run_catalog("again", &[&words[..], &["--tune", &format!("min-executed={most}")]].concat())
        .says(3, &["verdicts  1 pass"]);
}

/// The interface file without set-ups that no rule uses.
fn without_set_ups(api: &str) -> String {
    let (before, rest) = api.split_once("\nset_ups:").unwrap();
    let (_, after) = rest.split_once("\nlife_cycle:").unwrap();
    format!("{before}\nlife_cycle:{after}")
}

#[test]
fn an_untried_edge_of_a_size_needs_a_reason() {
    let owned = format!("{CHAPTER}    owns: [aclrtMalloc]\n");
    let bench = Bench::new();
    bench.catalog(&owned);
    let api = fs::read_to_string(bench.path("specs/acl/api.yaml")).unwrap();
    let (before, _) = api.split_once("\nundrawn:").unwrap();
    let before = without_set_ups(before);
    let lint = |reasons: &str| {
        bench.write("specs/acl/api.yaml", format!("{before}\nundrawn:{reasons}\n"));
        bench.run(["catalog", "lint", "--specs", "specs", "--strict"])
    };
    let missing =
        "no `must` rule tries aclrtMalloc.size at or above 2^31, at or above 2^32, near 2^64; draw these values";
    lint(" {}").says(2, &[missing]);
    lint("\n  takes-as-much: [aclrtMalloc.size]").says(0, &["0 of 3 tried; not tried: 3 takes-as-much"]);
    lint("\n  takes-as-much: [aclrtMalloc.sizes]").says(2, &[missing, "neither a size of a function nor a limit"]);
    // The steps can require that a case is tried.
    bench.catalog(owned.replace(
        "ONLY);\n      (uint",
        "ONLY);\n      [info] aclrtMalloc(&q, SIZE_MAX, ACL_MEM_MALLOC_NORMAL_ONLY) fails;\n      (uint",
    ));
    lint("\n  takes-as-much: [aclrtMalloc.size]").says(0, &["1 of 3 tried; not tried: 2 takes-as-much"]);
}
