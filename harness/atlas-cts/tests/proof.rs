//! Proofs of catalogs with one or two rules: needed checks, killed defects and the ratchet.

use crate::support;

use std::fs;

use rstest::rstest;
use support::{Answer, Bench};

/// One check is needed; the other catches nothing.
const CHAPTER: &str = "\
# The rules of a test.
title: Small
rules:
  - id: acl.small.block
    title: A block is aligned
    statement: A block is aligned.
    source: [{document: manual, section: blocks}]
    level: info
    forall:
      size: {bytes: 1..64KiB}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
      size <= 65536;
";

const REASON: &str = "    unproven: {size <= 65536: the reader expects it}\n";

/// The defects that the rules kill.
const KILLS: [(&str, &[&str]); 3] = [
    ("acl.small.block", &["malloc.base-plus-32", "malloc.aligned-only-from-4KiB"]),
    ("acl.small.copy", &["copy.dest-max-error-after-write", "copy.odd-last-byte-dropped"]),
    ("acl.small.refused", &["malloc.null-result-accepted", "malloc.config-null-result-accepted"]),
];

fn proof(chapter: &str, arguments: &[&str]) -> (Bench, Answer) {
    let bench = Bench::new();
    bench.catalog(chapter);
    bench.kills(&KILLS);
    let answer = prove(&bench, arguments);
    (bench, answer)
}

fn prove(bench: &Bench, arguments: &[&str]) -> Answer {
    let words =
        ["catalog", "prove", "--specs", "specs", "--product", "a2", "--backend", "simulator", "--report-dir", "report"];
    bench.run(words.iter().chain(arguments))
}

#[test]
fn a_check_that_no_defect_needs_is_named_with_its_place() {
    let (_, answer) = proof(CHAPTER, &["--weaken"]);
    answer.says(
        0,
        &[
            "NOT NEEDED  acl.small.block: condition of `size <= 65536`",
            "specs/acl/rules/small.yaml:14:7: no defect that the rule claims, and no bad device, fails here",
            "small: 1 of 2 needed (50 %), 0 kept for a reason",
        ],
    );
}

#[test]
fn a_duplicate_check_is_not_needed() {
    let twice = CHAPTER.replace("size <= 65536;", "is_pow2(64) && (uintptr_t)p % 32 == 0 && (uintptr_t)p % 64 == 0;");
    let (_, answer) = proof(&twice, &["--weaken"]);
    answer.says(0, &["failures here also fail another check, for example on malloc.", "small: 0 of 2 needed (0 %)"]);
}

/// Two reads of the same bytes, one of which the defects need, and a refusal that also shows in the data.
const TWICE: &str = "\
# The rules of a test.
title: Small
rules:
  - id: acl.small.copy
    title: A block keeps its bytes
    statement: A block keeps its bytes.
    source: [{document: manual, section: blocks}]
    level: info
    forall:
      size: {bytes: 1..4KiB}
    steps: |
      char *back = host(size, 64);
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      ---
      aclrtMemcpy(p, size, pattern(size, 1), size, ACL_MEMCPY_HOST_TO_DEVICE);
      aclrtMemcpy(p, size - 1, pattern(size, 2), size, ACL_MEMCPY_HOST_TO_DEVICE) fails;
      aclrtMemcpy(back, size, p, size, ACL_MEMCPY_DEVICE_TO_HOST);
      same(back, pattern(size, 1), size);
      aclrtMemcpy(back, size, p, size, ACL_MEMCPY_DEVICE_TO_HOST);
      same(back, pattern(size, 1), size);
";

#[test]
fn glitches_show_that_each_check_is_needed() {
    let (_, answer) = proof(TWICE, &["--weaken"]);
    answer.says(0, &["small: 0 of 3 needed (0 %)"]);
    let (_, answer) = proof(TWICE, &["--weaken", "--glitches"]);
    answer.says(0, &["small: 3 of 3 needed (100 %)"]);
    let blind = TWICE.strip_suffix("      same(back, pattern(size, 1), size);\n").unwrap();
    let blind = format!("{blind}      size > 0;\n");
    let (_, answer) = proof(&blind, &["--weaken", "--glitches"]);
    answer.says(1, &["small: 2 of 3 needed (66 %)", "condition of `size > 0`", "1 of 1 proven"]);
    let reason = format!("{blind}    unproven: {{size > 0: the reader expects it}}\n");
    let (_, answer) = proof(&reason, &["--weaken", "--glitches"]);
    answer.says(0, &["small: 2 of 3 needed (66 %), 1 kept for a reason"]);
}

/// Calls that must fail, and whose success would leave an object that cannot be released.
const REFUSED: &str = "\
# The rules of a test.
title: Small
rules:
  - id: acl.small.refused
    title: No block without a place for its address, no registration twice
    statement: No block without a place for its address, no registration twice.
    source: [{document: manual, section: blocks}]
    level: info
    when: {run_mode: host}
    steps: |
      aclrtMallocHost(&block, 2 * product.page_size);
      char *range = (char *)ALIGN_UP((uintptr_t)block, product.page_size);
      ---
      aclrtMalloc(NULL, 4096, ACL_MEM_MALLOC_NORMAL_ONLY) fails;
      aclrtHostRegisterV2(range, product.page_size, ACL_HOST_REG_MAPPED);
      aclrtHostRegisterV2(range, product.page_size, ACL_HOST_REG_MAPPED) fails;
      aclrtHostUnregister(range);
";

#[test]
fn without_its_check_a_call_that_must_fail_causes_no_failure() {
    let (_, answer) = proof(REFUSED, &["--weaken", "--glitches"]);
    answer.says(1, &["small: 2 of 2 needed (100 %)"]);
}

#[test]
fn an_unneeded_check_may_stay_for_a_reason_that_names_it() {
    let (_, answer) = proof(&format!("{CHAPTER}{REASON}"), &["--weaken"]);
    answer.says(0, &["small: 1 of 2 needed (50 %), 1 kept for a reason"]);
    assert!(!answer.text.contains("NOT NEEDED"), "{}", answer.text);
    let (_, answer) = proof(&format!("{CHAPTER}{}", REASON.replace("65536", "65535")), &["--weaken"]);
    answer.says(2, &["`size <= 65535` is not a check in the steps; did you mean `size <= 65536`?"]);
}

#[test]
fn the_matrix_counts_failing_cases_and_finds_unclaimed_kills() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.kills(&[("acl.small.block", &["malloc.base-plus-32"])]);
    let answer = prove(&bench, &["--matrix"]);
    answer.says(1, &["kills 1 defect on this product; at least 2 required", "pairs reached", "without a claim"]);
    let table = fs::read_to_string(bench.path("report/matrix.tsv")).unwrap();
    let row = |defect: &str| -> Vec<String> {
        let line = table.lines().find(|line| line.starts_with(&format!("{defect}\t")));
        line.unwrap_or_else(|| panic!("{table}")).split('\t').map(str::to_owned).collect()
    };
    assert_eq!(row("malloc.base-plus-32")[2..8], ["acl.small.block", "1", "fail", "32", "32", "1"]);
    assert_eq!(row("malloc.aligned-only-from-4KiB")[2..5], ["acl.small.block", "0", "fail"]);
    // The rule uses no events, so defects of events cannot make a difference.
    assert!(!table.contains("\nevent."), "{table}");
}

#[rstest]
#[case::noticed("malloc.base-plus-32", 0, "  malloc.base-plus-32: acl.small.block (1 reach it)")]
#[case::never_reached(
    "event.wait-ignored-on-default-stream",
    1,
    "  event.wait-ignored-on-default-stream: no rule (0 reach it)"
)]
fn a_matrix_of_some_defects_names_their_killers(#[case] part: &str, #[case] status: i32, #[case] line: &str) {
    let (bench, answer) = proof(CHAPTER, &[&format!("--matrix={part}")]);
    answer.says(status, &[line]);
    assert!(!answer.text.contains("faithful"), "{}", answer.text);
    let table = fs::read_to_string(bench.path("report/matrix.tsv")).unwrap();
    assert!(table.lines().skip(1).all(|line| line.starts_with(part)), "{table}");
}

#[rstest]
#[case::alone(1, ["malloc.base-plus-32", "malloc.aligned-only-from-4KiB"], 0, None)]
#[case::killed_by_every_rule(
    11,
    ["malloc.base-plus-32", "malloc.aligned-only-from-4KiB"],
    1,
    Some("GAP         acl.small.block11: claims only blunt defects; claim one that few rules notice")
)]
#[case::one_symptom(
    1,
    ["malloc.base-plus-32", "malloc.header-in-front-16"],
    1,
    Some("GAP         acl.small.block1: no rule distinguishes the defects that it claims; claim another")
)]
fn the_worth_of_claims_is_what_other_rules_do_not_kill(
    #[case] rules: usize,
    #[case] kills: [&str; 2],
    #[case] status: i32,
    #[case] gap: Option<&str>,
) {
    let (head, rule) = CHAPTER.split_once("  - id").unwrap();
    let ids: Vec<String> = (1..=rules).map(|n| format!("acl.small.block{n}")).collect();
    let rules = ids.iter().map(|id| format!("  - id{rule}").replace("acl.small.block", id));
    let bench = Bench::new();
    bench.catalog(format!("{head}{}", rules.collect::<String>()));
    bench.kills(&ids.iter().map(|id| (id.as_str(), &kills[..])).collect::<Vec<_>>());
    let answer = prove(&bench, &["--matrix"]);
    answer.says(status, gap.as_slice());
    assert_eq!(answer.text.contains("GAP"), gap.is_some(), "{}", answer.text);
}

#[rstest]
#[case::as_it_was("a2\tsmall\t2\t50", 0, &["1 of 2 needed"])]
#[case::fewer_defects("a2\tsmall\t3\t50", 1, &["FALLEN      small: 2 different defects are claimed and killed, down from 3"])]
#[case::fewer_needed("a2\tsmall\t2\t53", 1, &["FALLEN      small: 50 % of the checks are needed, down from 53 %"])]
#[case::more("a2\tsmall\t1\t40", 0, &["can be raised", "a2\tsmall\t2\t50"])]
#[case::a_chapter_that_is_gone("a2\tlarge\t1\t1", 1, &["FALLEN      large: 0 different defects"])]
#[case::another_product("a3\tsmall\t9\t99", 0, &["1 of 1 proven"])]
#[case::no_line("a2 small 2 50", 3, &["ratchet.tsv:1: a line is product, chapter, defects and percent"])]
fn figures_may_not_fall(#[case] line: &str, #[case] status: i32, #[case] says: &[&str]) {
    let bench = proven();
    bench.write("specs/acl/ratchet.tsv", format!("{line}\n"));
    prove(&bench, &HOLD).says(status, says);
}

const HOLD: [&str; 2] = ["--hold", "specs/acl"];
const RAISE: [&str; 3] = ["--hold", "specs/acl", "--raise"];

/// A bench whose table is up to date with two kills of the rule.
fn proven() -> Bench {
    let (bench, answer) = proof(CHAPTER, &RAISE);
    answer.says(0, &["1 of 1 proven"]);
    let table = table(&bench);
    let kept = table.lines().filter(|row| row.starts_with('#') || KILLS[0].1.iter().any(|kill| row.contains(kill)));
    bench.write("specs/acl/proof.tsv", kept.map(|row| format!("{row}\n")).collect::<String>());
    bench
}

fn table(bench: &Bench) -> String {
    fs::read_to_string(bench.path("specs/acl/proof.tsv")).unwrap()
}

/// The rows of a rule: defect, products, check.
fn rows(bench: &Bench) -> Vec<[String; 3]> {
    let text = table(bench);
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').map(str::to_owned));
    rows.map(|row| row.skip(1).take(3).collect::<Vec<_>>().try_into().unwrap()).collect()
}

/// Without a table, a proof finds what a named rule kills: at most eight defects, each of which is killed again when
/// the table is held.
#[test]
fn a_proof_writes_what_a_rule_kills() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    // The rule only informs, so that it may as well only observe.
    prove(&bench, &HOLD).says(0, &["0 of 0 proven"]);
    prove(&bench, &[&RAISE[..], &["small.block"]].concat()).says(0, &["new kills, 0 gone", "1 of 1 proven"]);
    let rows = rows(&bench);
    assert!((2..=8).contains(&rows.len()), "{rows:?}");
    assert!(rows.iter().all(|[_, products, check]| products == "a2" && check != "-"), "{rows:?}");
    assert!(rows.iter().any(|[.., check]| check == "(uintptr_t)p % 64 == 0"), "{rows:?}");
    let text = table(&bench);
    assert!(text.starts_with("# Rules and the seeded defects that they kill"), "{text}");
    prove(&bench, &HOLD).says(0, &["1 of 1 proven", &format!("{} killed, 0 survived", rows.len())]);
    prove(&bench, &RAISE).says(0, &["0 new kills, 0 gone"]);
    assert_eq!(table(&bench), text, "a proof of the same rule changes nothing");
}

#[test]
fn a_judged_rule_without_a_row_is_behind() {
    let bench = Bench::new();
    let cited = "    source: [{document: manual, section: blocks}]\n    level: info\n";
    bench.catalog(CHAPTER.replace(cited, "    clauses: {manual: manual.blocks}\n    level: must\n"));
    let behind = "BEHIND      acl.small.block has no row for a2; prove it again with --raise";
    prove(&bench, &HOLD).says(1, &["kills 0 defects on this product", behind]);
}

/// A rule that changed is proven although another one was named, and fails until its rows are renewed.
#[test]
fn a_changed_rule_is_proven_again() {
    let rule = CHAPTER.split_once("rules:\n").unwrap().1.replace("small.block", "small.other");
    let chapter = format!("{CHAPTER}{rule}");
    let bench = Bench::new();
    bench.catalog(&chapter);
    bench.kills(&[KILLS[0], ("acl.small.other", KILLS[0].1)]);
    prove(&bench, &RAISE).says(0, &["2 of 2 proven"]);
    prove(&bench, &[&HOLD[..], &["small.other"]].concat()).says(0, &["1 of 1 proven"]);
    let changed = chapter.replacen("(uintptr_t)p % 64 == 0", "0 == (uintptr_t)p % 64", 1);
    bench.catalog(changed.replace("title: A block", "title: Each block"));
    prove(&bench, &[&HOLD[..], &["small.other"]].concat()).says(
        1,
        &["2 of 2 proven", "BEHIND      acl.small.block changed after its proof; prove it again with --raise"],
    );
    prove(&bench, &[&RAISE[..], &["small.block"]].concat()).says(0, &["1 of 1 proven"]);
    prove(&bench, &HOLD).says(0, &["2 of 2 proven"]);
    let text = table(&bench);
    assert!(text.contains("0 == (uintptr_t)p % 64") && text.contains("(uintptr_t)p % 64 == 0"), "{text}");
}

/// The table says what is killed now; what was killed and is not, goes.
#[test]
fn rows_follow_the_proof() {
    let bench = proven();
    let text = table(&bench);
    let row = text.lines().find(|line| line.contains("malloc.base-plus-32")).unwrap();
    let gone = row.replace("malloc.base-plus-32", "copy.odd-last-byte-dropped") + "\n";
    let of_unknown = row.replace("acl.small.block", "acl.small.unknown") + "\n";
    bench.write("specs/acl/proof.tsv", format!("{text}{gone}{of_unknown}"));
    bench
        .run(["catalog", "lint", "--specs", "specs"])
        .says(0, &["specs/acl/proof.tsv:", "there is no rule `acl.small.unknown`"]);
    prove(&bench, &HOLD).says(1, &["copy.odd-last-byte-dropped survives (killed by 0 of 2 seeds)"]);
    prove(&bench, &RAISE).says(
        0,
        &["GONE        acl.small.block: copy.odd-last-byte-dropped is no longer killed", "0 new kills, 1 gone"],
    );
    assert_eq!(table(&bench), text);
    bench.write("specs/acl/proof.tsv", "acl.small.block\tmalloc.base-plus-32\n");
    prove(&bench, &HOLD).says(3, &["specs/acl/proof.tsv:1: a row is rule, defect"]);
}

#[test]
fn raising_keeps_the_head_and_every_higher_figure() {
    let bench = proven();
    let figures = bench.write("specs/acl/ratchet.tsv", "# the head\na2\tsmall\t2\t50\n");
    prove(&bench, &RAISE).says(0, &["1 of 2 needed"]);
    assert_eq!(fs::read_to_string(&figures).unwrap(), "# the head\na2\tsmall\t2\t50\n");
    bench.write("specs/acl/ratchet.tsv", "# the head\na2\tsmall\t1\t60\na3\tsmall\t7\t70\n");
    prove(&bench, &RAISE).says(1, &["50 % of the checks are needed, down from 60 %"]);
    let text = fs::read_to_string(&figures).unwrap();
    assert_eq!(text, "# the head\na2\tsmall\t2\t60\na3\tsmall\t7\t70\n");
}

#[test]
fn lint_warns_about_two_rules_with_the_same_defects() {
    let rule = CHAPTER.split_once("rules:\n").unwrap().1;
    let bench = Bench::new();
    bench.catalog(format!("{CHAPTER}{}", rule.replace("acl.small.block", "acl.small.other")));
    bench.kills(&[KILLS[0], ("acl.small.other", KILLS[0].1)]);
    let shared = "acl.small.block and acl.small.other share all their defects, malloc.aligned-only-from-4KiB, malloc.base-plus-32";
    bench
        .run(["catalog", "lint", "--specs", "specs"])
        .says(0, &["warning: specs/acl/rules/small.yaml:15: ", shared, "no mistakes"]);
    bench.run(["catalog", "lint", "--specs", "specs", "--strict"]).says(2, &[shared]);
}

/// Otherwise a proof of nothing would look like a proof.
#[test]
fn a_filter_that_matches_nothing_is_a_mistake() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let words = ["catalog", "prove", "--specs", "specs", "--product", "a2", "--backend", "simulator", "acl.smal.block"];
    bench.run(words).says(2, &["no rule matches `acl.smal.block`", "atlas-cts list"]);
}
