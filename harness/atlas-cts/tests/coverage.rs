//! The inventory: which sentences are judged, what nobody judges, and what a second reader found.

use crate::support;

use std::path::Path;

use rstest::rstest;
use serde_json::Value;
use support::{Answer, Bench};

const CLAUSES: &str = "\
chapter: small
clauses:
  - {id: block.aligned, document: manual, section: blocks, modality: promise,
    digest: A block begins at a multiple of 64., sentence: &text
    1111111111111111111111111111111111111111111111111111111111111111}
  - {id: block.refused, document: manual, section: blocks, modality: error, digest: A size of 0 is refused.,
    sentence: &other 2222222222222222222222222222222222222222222222222222222222222222}
  - {id: block.fast, document: manual, section: blocks, modality: promise, digest: A block comes at once.,
    sentence: *text, untestable: timing}
  - {id: block.duty, document: manual, section: keys, modality: duty, digest: A key is freed., sentence: *text}
  - {id: block.here, document: manual, section: keys, modality: promise, digest: Keys differ., sentence: *text,
    products: [a2]}
";

const CHAPTER: &str = "\
chapter: small
title: Small
rules:
  - id: acl.small.aligned
    title: A block is aligned
    statement: A block is aligned.
    clauses: {all: block.aligned}
    level: must
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
";

/// SHA-256 of `(uintptr_t)p % 64 == 0`.
const CHECK: &str = "f2f7e7ecf0ba3fcf6e4a2dfdb8ab3d3bd0e3bd0bbda3a7ed6b0c3f1f2a1b5d3e";

fn bench(clauses: &str) -> Bench {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    std::fs::remove_file(bench.path("specs/acl/clauses/manual.yaml")).unwrap();
    bench.write("specs/acl/clauses/small.yaml", clauses);
    std::fs::create_dir_all(bench.path("specs/acl/readings")).unwrap();
    bench
}

fn coverage(bench: &Bench, words: &[&str]) -> Answer {
    bench.run(["coverage", "--specs", "specs"].iter().chain(words))
}

fn states(bench: &Bench) -> Vec<(String, String)> {
    let answer = coverage(bench, &["--format", "json"]);
    let all: Value = serde_json::from_str(&answer.text).unwrap_or_else(|error| panic!("{error}: {}", answer.text));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let clauses = all["clauses"].as_array().unwrap().iter();
    clauses.map(|clause| (text(&clause["id"]), text(&clause["state"]))).collect()
}

#[test]
fn every_clause_has_a_state() {
    let bench = bench(CLAUSES);
    let is = |state: &str| state.to_owned();
    let expected = [
        ("block.aligned", "judged"),
        ("block.refused", "uncovered"),
        ("block.fast", "untestable"),
        ("block.duty", "kept"),
        ("block.here", "uncovered"),
    ];
    assert_eq!(states(&bench), expected.map(|(id, state)| (is(id), is(state))));
    coverage(&bench, &["--uncovered"])
        .says(0, &["block.refused (error, The manual (first), blocks): A size of 0 is refused."]);
    coverage(&bench, &["--format", "csv"]).says(0, &["block.fast,manual,blocks,small,promise,untestable,timing,,\n"]);
    coverage(&bench, &["--format", "markdown"]).says(0, &["| small | 5 | 1 | 0 | 1 | 1 | 2 | 4 | 50 % |"]);
}

#[rstest]
#[case::a_rule_that_judges("must", "judged")]
#[case::a_rule_that_informs("info", "observed")]
fn a_sentence_is_covered_by_the_rule_that_notices_where_it_is_broken(#[case] level: &str, #[case] state: &str) {
    let bench = bench(&CLAUSES.replace("2222}", "2222, noticed_by: [acl.small.aligned]}"));
    bench.write("specs/acl/small.yaml", CHAPTER.replace("level: must", &format!("level: {level}")));
    assert!(states(&bench).contains(&("block.refused".to_owned(), state.to_owned())));
}

#[rstest]
#[case::a_rule("2222}", "2222, noticed_by: [acl.small.alinged]}", "there is no rule `acl.small.alinged`; did you mean")]
#[case::a_reason("timing}", "luck}", "`luck` is no reason why a clause cannot be tested: needs a kernel, ")]
#[case::another_clause(
    "timing}",
    "duplicate of block.alined}",
    "there is no clause `block.alined`; did you mean `block.aligned`?"
)]
#[case::itself("timing}", "duplicate of block.fast}", "a clause is no duplicate of itself")]
#[case::both("timing}", "timing, noticed_by: [acl.small.aligned]}", "what a rule notices is not untestable")]
fn what_a_clause_says_of_its_state_is_checked(#[case] from: &str, #[case] to: &str, #[case] says: &str) {
    assert!(CLAUSES.contains(from));
    let bench = bench(&CLAUSES.replacen(from, to, 1));
    bench.run(["lint", "--specs", "specs"]).says(2, &[says, "clauses/small.yaml:"]);
}

#[test]
fn what_says_the_same_as_an_uncovered_sentence_is_uncovered_too() {
    let bench = bench(&CLAUSES.replace("untestable: timing", "untestable: duplicate of block.refused"));
    assert!(states(&bench).contains(&("block.fast".to_owned(), "uncovered".to_owned())));
    let bench = self::bench(&CLAUSES.replace("untestable: timing", "untestable: duplicate of block.aligned"));
    assert!(states(&bench).contains(&("block.fast".to_owned(), "untestable".to_owned())));
}

/// A bench whose only document has these pages.
fn with_pages(clauses: &str, pages: &str) -> Bench {
    let bench = bench(clauses);
    let document =
        "documents:\n  - id: manual\n    title: The manual\n    edition: first\n    language: en\n    covers: blocks\n";
    bench.write("specs/acl/documents.yaml", format!("{document}{pages}"));
    bench
}

const READ: &str = "\
chapter: small
pages: [manual/blocks.md]
clauses:
  - {id: malloc.aligned, document: manual, section: aclrtMalloc, modality: promise, digest: A block begins at 64.,
    sentence: 1111111111111111111111111111111111111111111111111111111111111111}
  - {id: block.aligned, document: manual, section: aclrtMallocNowhere, modality: promise, digest: So does this one.,
    sentence: 1111111111111111111111111111111111111111111111111111111111111111}
";

/// Both functions have clauses; the header declares one of them.
const PAGES: &str = "    pages: [{page: manual/blocks.md, functions: [aclrtMalloc, aclrtMallocNowhere]}]\n";

#[rstest]
#[case::each_has_a_clause(
    READ,
    PAGES,
    0,
    "functions of the 1 pages that were read whole: 2, 1 of them with a judged clause"
)]
#[case::one_has_none(
    READ,
    "    pages: [{page: manual/blocks.md, functions: [aclrtMalloc, aclrtMallocNowhere, aclrtFree]}]\n",
    2,
    "no clause has the section `aclrtFree`, which manual/blocks.md describes"
)]
#[case::one_is_open(
    READ,
    "    pages: [{page: manual/blocks.md, functions: [aclrtMalloc, aclrtMallocNowhere], open: {aclrtFree: later}}]\n",
    0,
    "1 without a clause: aclrtFree"
)]
#[case::an_open_one_has_clauses(
    READ,
    "    pages: [{page: manual/blocks.md, functions: [aclrtMallocNowhere], open: {aclrtMalloc: later}}]\n",
    2,
    "`aclrtMalloc` has clauses; name it under `functions`"
)]
#[case::a_page_that_is_not_named(
    &READ.replace("[manual/blocks.md]", "[manual/blocks.md, manual/keys.md]"),
    PAGES,
    2,
    "`manual/keys.md` is listed as read, and documents.yaml does not say which functions it describes"
)]
#[case::a_part_of_a_page(&READ.replace("[manual/blocks.md]", "[manual/blocks.md, 'manual/keys.md, exports']"), PAGES, 0, "")]
fn every_function_of_a_page_that_was_read_has_a_clause(
    #[case] clauses: &str,
    #[case] pages: &str,
    #[case] exit: i32,
    #[case] says: &str,
) {
    coverage(&with_pages(clauses, pages), &[]).says(exit, &[says]);
}

#[rstest]
#[case::has_a_clause("aclrtMalloc", 0, "")]
#[case::has_none("aclrtFree", 2, "the rule owns `aclrtFree`, and no clause has that section")]
fn a_function_that_a_judged_rule_owns_has_a_clause(#[case] owned: &str, #[case] exit: i32, #[case] says: &str) {
    let bench = with_pages(READ, PAGES);
    let owns = CHAPTER.replace("% 64 == 0;", "% 64 == 0;\n      aclrtFree(p);");
    bench.write("specs/acl/small.yaml", format!("{owns}    owns: [{owned}]\n"));
    coverage(&bench, &[]).says(exit, &[says]);
}

#[rstest]
#[case::holds("small\t50\t5\n", 0, "")]
#[case::a_share_that_fell(
    "small\t75\t5\n",
    1,
    "FALLEN  small: 50 % of its promises and errors are covered, it was 75 %"
)]
#[case::clauses_that_went("small\t50\t6\n", 1, "FALLEN  small: 5 clauses, it were 6")]
#[case::a_chapter_that_went("small\t50\t5\nlarge\t1\t1\n", 1, "FALLEN  large: 0 %")]
#[case::more_unread("unread\t0\n", 1, "FALLEN  1 checks have been read by their author only, at most 0 may be")]
#[case::what_can_be_raised("small\t25\t5\n", 0, "can be raised; put these lines there:\nunread\t1\nsmall\t50\t5")]
#[case::no_threshold("small\thalf\t5\n", 3, "coverage.tsv:1: write `chapter<tab>percent<tab>clauses`")]
fn the_shares_of_the_chapters_may_not_fall(#[case] file: &str, #[case] exit: i32, #[case] says: &str) {
    let bench = bench(CLAUSES);
    bench.write("coverage.tsv", file);
    coverage(&bench, &["--hold", "coverage.tsv"]).says(exit, &[says]);
}

#[test]
fn a_threshold_that_is_not_there_is_named() {
    let bench = bench(CLAUSES);
    coverage(&bench, &["--hold", "none.tsv"]).says(2, &["cannot read none.tsv: ", "name the file with --hold"]);
}

/// A reading of the only check.
fn reading(check: &str, lines: &str) -> String {
    format!("readings:\n  - rule: acl.small.aligned\n    check: {check}\n{lines}")
}

fn digest(bench: &Bench) -> String {
    let answer = bench.run(["clauses", "--checks", "--specs", "specs"]);
    answer.text.split('\t').nth(1).unwrap_or_else(|| panic!("{}", answer.text)).to_owned()
}

const SAME: &str = "    sentences: [1111111111111111111111111111111111111111111111111111111111111111]\n    \
                    sections: [blocks]\n    modality: promise\n";

#[rstest]
#[case::the_same_sentence(SAME, "1 of 1 judged checks; both found: 1 the same sentence")]
#[case::the_same_section("    sentences: [33]\n    sections: [blocks]\n    modality: promise\n", "1 the same section")]
#[case::settled(
    "    modality: duty\n    settled: The first sentence decides.\n",
    "both found: 1 no promise; 1 disagreements are settled"
)]
fn a_second_reader_agrees_or_somebody_decides(#[case] lines: &str, #[case] says: &str) {
    let bench = bench(CLAUSES);
    bench.write("specs/acl/readings/small.yaml", reading(&digest(&bench), lines));
    coverage(&bench, &[]).says(0, &[says]);
}

#[rstest]
#[case::no_promise("    modality: duty\n", "disagree about `(uintptr_t)p % 64 == 0` (no promise): say under `settled`")]
#[case::elsewhere("    sections: [keys]\n    modality: promise\n", "(a promise elsewhere): say under `settled`")]
fn a_disagreement_that_nobody_settled_does_not_load(#[case] lines: &str, #[case] says: &str) {
    let bench = bench(CLAUSES);
    bench.write("specs/acl/readings/small.yaml", reading(&digest(&bench), lines));
    bench.run(["lint", "--specs", "specs"]).says(2, &[says, "readings/small.yaml:2:11"]);
}

#[test]
fn a_changed_check_voids_its_reading() {
    let bench = bench(CLAUSES);
    bench.write("specs/acl/readings/small.yaml", reading(CHECK, SAME));
    let says = "acl.small.aligned has no judged check of digest f2f7e7ecf0ba any more: it was changed or lowered";
    bench.run(["lint", "--specs", "specs"]).says(2, &[says]);
}

#[test]
fn a_check_is_read_once_and_of_a_rule_that_is_there() {
    let bench = bench(CLAUSES);
    let one = reading(&digest(&bench), SAME);
    let twice = format!("{one}{}", one.strip_prefix("readings:\n").unwrap());
    bench.write("specs/acl/readings/small.yaml", twice);
    bench.run(["lint", "--specs", "specs"]).says(2, &["the check of acl.small.aligned is read a second time"]);
    bench.write("specs/acl/readings/small.yaml", one.replace("acl.small.aligned", "acl.small.alinged"));
    bench.run(["lint", "--specs", "specs"]).says(2, &["there is no rule `acl.small.alinged`; did you mean"]);
}

/// The numbers of README and docs are those of the catalog.
#[test]
fn the_documents_say_the_numbers_of_the_catalog() {
    let bench = Bench::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let tables = bench.run(["coverage", "--format", "markdown"]).text;
    assert!(text("docs/coverage.md").contains(tables.trim_end()), "put these tables into docs/coverage.md:\n{tables}");
    let lint = bench.run(["lint"]).text;
    let rules = lint.split_once(" chapters").unwrap_or_else(|| panic!("{lint}")).0.replace(" rules in", " in");
    let rules = rules.lines().last().unwrap();
    let readme = text("README.md");
    assert!(readme.contains(&format!("{rules} chapters")), "README.md does not say {rules} chapters");
    let all: Value = serde_json::from_str(&bench.run(["coverage", "--format", "json"]).text).unwrap();
    let clauses = all["clauses"].as_array().unwrap().len();
    let policy = text("docs/policy.md");
    assert!(policy.contains(&format!("all {clauses} sentences")), "docs/policy.md does not say {clauses} sentences");
}
