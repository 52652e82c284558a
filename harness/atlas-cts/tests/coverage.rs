//! The inventory: the sentences that rules judge, those that no rule judges, and the results of a second reader.

use crate::support;

use rstest::rstest;
use serde_json::Value;
use support::small::MISALIGNED;
use support::sources::{relative, tracked};
use support::{Answer, Bench};

pub const CLAUSES: &str = "\
document: manual
clauses:
  blocks:
    promise:
      block.aligned: 111111111111 A block begins at a multiple of 64.
      block.fast: {says: 111111111111 A block comes at once., untestable: timing}
    error:
      block.refused: {says: 222222222222 A size of 0 is refused.}
  keys:
    duty:
      block.duty: 111111111111 A key is freed.
    promise:
      block.here: {says: 111111111111 Keys differ., products: [a2]}
";

const CHAPTER: &str = "\
# The rules of a test.
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

/// The only check.
const CHECK: &str = "(uintptr_t)p % 64 == 0";

pub fn bench(clauses: &str) -> Bench {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    std::fs::remove_file(bench.path("specs/acl/clauses/manual.yaml")).unwrap();
    bench.write("specs/acl/clauses/small.yaml", clauses);
    std::fs::create_dir_all(bench.path("specs/acl/readings")).unwrap();
    bench
}

fn coverage(bench: &Bench, words: &[&str]) -> Answer {
    bench.run(["catalog", "coverage", "--specs", "specs"].iter().chain(words))
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
        ("block.fast", "untestable"),
        ("block.refused", "uncovered"),
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
fn a_sentence_is_covered_by_the_rule_that_checks_it(#[case] level: &str, #[case] state: &str) {
    let bench = bench(&CLAUSES.replace("refused.}", "refused., noticed_by: [acl.small.aligned]}"));
    bench.write("specs/acl/rules/small.yaml", CHAPTER.replace("level: must", &format!("level: {level}")));
    assert!(states(&bench).contains(&("block.refused".to_owned(), state.to_owned())));
}

#[test]
fn a_duplicate_of_an_uncovered_sentence_is_uncovered_too() {
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
document: manual
pages: [manual/blocks.md]
clauses:
  aclrtMalloc:
    promise:
      malloc.aligned: 111111111111 A block begins at 64.
  aclrtMallocNowhere:
    promise:
      block.aligned: 111111111111 So does this one.
";

/// Both functions have clauses; the header declares one of them.
const PAGES: &str = "    pages: [{page: manual/blocks.md, functions: [aclrtMalloc, aclrtMallocNowhere]}]\n";

#[rstest]
#[case::each_has_a_clause(READ, PAGES, 0, "functions of 1 page read in full: 2, 1 of them with a judged clause")]
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
    "`aclrtMalloc` has clauses; move it to `functions`"
)]
#[case::a_page_that_is_not_listed(
    &READ.replace("[manual/blocks.md]", "[manual/blocks.md, manual/keys.md]"),
    PAGES,
    2,
    "`manual/keys.md` is listed as read, but documents.yaml does not say which functions it describes"
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
#[case::has_none("aclrtFree", 2, "the rule owns `aclrtFree`, but no clause has that section")]
fn a_function_that_a_judged_rule_owns_has_a_clause(#[case] owned: &str, #[case] exit: i32, #[case] says: &str) {
    let bench = with_pages(READ, PAGES);
    let owns = CHAPTER.replace("% 64 == 0;", "% 64 == 0;\n      aclrtFree(p);");
    bench.write("specs/acl/rules/small.yaml", format!("{owns}    owns: [{owned}]\n"));
    coverage(&bench, &[]).says(exit, &[says]);
}

#[rstest]
#[case::holds("small\t50\t5\n", 0, "")]
#[case::a_share_that_fell(
    "small\t75\t5\n",
    1,
    "FALLEN  small: 50 % of its promises and errors are covered, down from 75 %"
)]
#[case::removed_clauses("small\t50\t6\n", 1, "FALLEN  small: 5 clauses, down from 6")]
#[case::a_removed_chapter("small\t50\t5\nlarge\t1\t1\n", 1, "FALLEN  large: 0 %")]
#[case::more_unread("unread\t0\n", 1, "FALLEN  1 check without a second reader; at most 0 allowed")]
#[case::what_can_be_raised(
    "small\t25\t5\n",
    0,
    "can be raised; replace its lines with:\nunread\t1\nopen\t0\nsmall\t50\t5"
)]
#[case::no_threshold("small\thalf\t5\n", 3, "coverage.tsv:1: write `chapter<tab>percent<tab>clauses`")]
fn shares_of_chapters_may_not_fall(#[case] file: &str, #[case] exit: i32, #[case] says: &str) {
    let bench = bench(CLAUSES);
    bench.write("coverage.tsv", file);
    coverage(&bench, &["--hold", "coverage.tsv"]).says(exit, &[says]);
}

#[test]
fn a_missing_threshold_is_named() {
    let bench = bench(CLAUSES);
    coverage(&bench, &["--hold", "none.tsv"]).says(2, &["cannot read none.tsv: ", "name another file with --hold"]);
}

/// A reading of a check.
fn reading(check: &str, lines: &str) -> String {
    format!("acl.small.aligned:\n  \"{check}\":\n{lines}")
}

#[test]
fn checks_are_printed_as_readings_name_them() {
    let bench = bench(CLAUSES);
    let answer = bench.run(["catalog", "clauses", "--checks", "--specs", "specs"]);
    assert_eq!(answer.text, format!("acl.small.aligned\t{CHECK}\n"));
}

const SAME: &str = "    found: [block.aligned]\n";

#[rstest]
#[case::the_same_sentence(SAME, "1 of 1 judged checks; agreement: 1 the same sentence")]
#[case::its_digits("    found: ['111111111111']\n    modality: promise\n", "1 the same sentence")]
#[case::the_same_section("    sections: [blocks]\n    modality: promise\n", "1 the same section")]
#[case::settled(
    "    modality: none\n    settled: The first sentence decides.\n",
    "agreement: 1 no promise; 1 disagreement settled"
)]
#[case::an_answered_objection(
    "    found: [block.aligned]\n    beyond: That it holds for large blocks.\n    answered: the line above\n",
    "1 the same sentence"
)]
fn a_second_reader_agrees_or_the_disagreement_is_settled(#[case] lines: &str, #[case] says: &str) {
    let bench = bench(CLAUSES);
    bench.write("specs/acl/readings/small.yaml", reading(CHECK, lines));
    coverage(&bench, &[]).says(0, &[says]);
}

#[test]
fn a_changed_check_voids_its_reading() {
    let bench = bench(CLAUSES);
    bench.write("specs/acl/readings/small.yaml", reading("(uintptr_t)p % 32 == 0", SAME));
    let says = "acl.small.aligned has no judged check `(uintptr_t)p % 32 == 0`: it was changed or lowered";
    bench.run(["catalog", "lint", "--specs", "specs"]).says(2, &[says]);
}

#[test]
fn a_check_is_read_once_and_belongs_to_an_existing_rule() {
    let bench = bench(CLAUSES);
    let one = reading(CHECK, SAME);
    bench.write("specs/acl/readings/small.yaml", &one);
    bench.write("specs/acl/readings/second.yaml", &one);
    bench.run(["catalog", "lint", "--specs", "specs"]).says(2, &["the check of acl.small.aligned has two readings"]);
    std::fs::remove_file(bench.path("specs/acl/readings/second.yaml")).unwrap();
    bench.write("specs/acl/readings/small.yaml", one.replace("acl.small.aligned", "acl.small.alinged"));
    bench.run(["catalog", "lint", "--specs", "specs"]).says(2, &["there is no rule `acl.small.alinged`; did you mean"]);
}

pub const AXIOMS: &str = "\
axioms:
  - id: contents-stay
    says: Memory keeps its contents.
    needed: No sentence says so.
    objection: None is known.
";

/// A rule, its chapter and its checks name axioms. Without an axiom, the checks that assume it are only observed.
#[rstest]
#[case::of_the_rule("    level: must\n", "    assumes: [contents-stay]\n    level: must\n")]
#[case::of_the_chapter("title: Small\n", "title: Small\nassumes: [contents-stay]\n")]
#[case::of_the_check("{all: block.aligned}", "{all: [block.aligned, contents-stay]}")]
fn a_check_is_observed_without_its_axiom(#[case] from: &str, #[case] to: &str) {
    let bench = bench(CLAUSES);
    bench.write("specs/acl/axioms.yaml", AXIOMS);
    assert!(CHAPTER.contains(from));
    bench.write("specs/acl/rules/small.yaml", CHAPTER.replacen(from, to, 1));
    bench.write(
        "specs/acl/readings/small.yaml",
        reading(CHECK, "    found: [block.aligned]\n    assuming: [contents-stay]\n"),
    );
    coverage(&bench, &[]).says(0, &["1 of 1 judged checks"]);
    bench.run(["explain", "acl.small.aligned", "--specs", "specs"]).says(0, &["assuming  Memory keeps"]);
    let wrong = ["run", "--specs", "specs", "--product", "a2", "--backend", "simulator", "--defect", MISALIGNED];
    bench
        .run(wrong.iter().chain(&["-v", "--report-dir", "with"]))
        .says(1, &["assuming contents-stay: Memory keeps its contents."]);
    let without = ["--tune", "without-axiom=contents-stay", "--report-dir", "without"];
    bench.run(wrong.iter().chain(&without)).says(0, &["1 finding"]);
    assert!(bench.report("without").journal.contains("assumes contents-stay, which this run leaves out"));
    let unknown = ["--tune", "without-axiom=contents-say", "--report-dir", "unknown"];
    bench.run(wrong.iter().chain(&unknown)).says(2, &["unknown axiom `contents-say`; did you mean `contents-stay`?"]);
}

#[test]
fn sentences_that_only_coverage_counts_are_table_lines() {
    let bench = bench(CLAUSES);
    let head = "chapter\tdocument\tsection\tmodality\tid\tsentence\tsays\n";
    let line = "small\tmanual\tblocks\tfact\tblock.unit\t333333333333\tSizes are in bytes.\n";
    bench.write("specs/acl/inventory.tsv", format!("{head}{line}"));
    assert!(states(&bench).contains(&("block.unit".to_owned(), "kept".to_owned())));
    bench.write("specs/acl/rules/small.yaml", CHAPTER.replace("block.aligned}", "[block.aligned, block.unit]}"));
    bench
        .run(["catalog", "lint", "--specs", "specs"])
        .says(2, &["`block.unit` is in inventory.tsv, on which no check can rest; move it"]);
    bench.write("specs/acl/inventory.tsv", format!("{head}{}", line.replace("fact", "promise")));
    bench
        .run(["catalog", "lint", "--specs", "specs"])
        .says(2, &["inventory.tsv:2: sentences with modality `promise` are judged or observed"]);
}

#[test]
fn sentences_of_a_runtime_without_an_api_are_open() {
    let bench = bench(CLAUSES);
    std::fs::create_dir_all(bench.path("specs/other/clauses")).unwrap();
    bench.write("specs/other/clauses/blocks.yaml", CLAUSES);
    coverage(&bench, &[]).says(0, &["open: 5 sentences of other, which has no api.yaml yet"]);
}

/// The clause of another runtime that a clause names exists.
#[test]
fn a_clause_elsewhere_exists() {
    let files: Vec<(String, String)> = tracked(&["yaml"])
        .iter()
        .map(|path| (relative(path), std::fs::read_to_string(path).unwrap()))
        .filter(|(name, _)| name.starts_with("specs/") && name.contains("/clauses/"))
        .collect();
    let mut named = 0;
    for (name, text) in &files {
        for id in text.lines().filter_map(|line| line.trim().strip_prefix("elsewhere: ")).filter(|id| !id.contains(' '))
        {
            let runtime = name.split("/clauses/").next().unwrap();
            let defined = format!("\n      {id}:");
            let exists = files.iter().any(|(other, text)| !other.starts_with(runtime) && text.contains(&defined));
            assert!(exists, "{name}: no other runtime has a clause `{id}`");
            named += 1;
        }
    }
    assert!(named > 0, "no clause names one of another runtime");
}

/// The numbers in README and docs are those of the catalog.
/// The first pages say how many rules judge and how many only record.
#[test]
fn the_first_pages_have_the_numbers_of_the_catalog() {
    let bench = Bench::new();
    let lists = ["acl", "cuda"].map(|runtime| bench.run(["list", "--runtime", runtime]).text);
    let of_level = |level: &str| {
        let is_one = |line: &&str| line.split_whitespace().nth(1) == Some(level);
        lists.iter().flat_map(|list| list.lines()).filter(is_one).count()
    };
    let (judge, record) = (of_level("must"), of_level("info"));
    for (page, wanted) in [
        ("README.md", [format!("{judge} rules judge"), format!("{record} rules record")]),
        ("README.zh.md", [format!("{judge}条规则判定"), format!("{record}条规则记录")]),
    ] {
        let text = std::fs::read_to_string(support::project().join(page)).unwrap();
        let lacking: Vec<&String> = wanted.iter().filter(|words| !text.contains(words.as_str())).collect();
        assert!(lacking.is_empty(), "{page} lacks {lacking:?}: write the catalog's numbers");
    }
}

#[test]
fn a_page_shows_the_documents_next_to_the_rules_and_what_a_run_proved() {
    const SENTENCE: &str = "A block begins at a multiple of 64";
    let digits = &catalog::sentences(SENTENCE)[0].digest[..catalog::SENTENCE];
    let bench = bench(&CLAUSES.replacen("111111111111", digits, 1));
    std::fs::create_dir(bench.path("documents")).unwrap();
    bench.write("documents/blocks.md", format!("# Blocks\n\n- {SENTENCE};\n- Another <b>sentence</b>.\n"));
    bench.write("documents/other.md", "Nothing that the catalog knows.\n");
    let page = |words: &[&str]| coverage(&bench, &[&["--format", "html", "--documents", "documents"], words].concat());
    let plain = page(&[]);
    plain.says(0, &["Ablockbeginsatamultipleof64", "acl.small.aligned", "nothing is proven here"]);
    assert!(!plain.text.contains("class=\"proven\"") && !plain.text.contains("other.md"), "{}", plain.text);
    let run = |report: &str, defects: &[&str]| {
        bench.run_catalog(report, &[&["--product", "a2", "--backend", "simulator"], defects].concat());
    };
    run("good", &[]);
    let proven = page(&["--run", "good"]);
    assert_eq!(proven.text.matches("<tr class=\"proven\"").count(), 1, "{}", proven.text);
    run("bad", &["--defect", MISALIGNED]);
    let page_of_bad = page(&["--run", "bad"]);
    assert_eq!(page_of_bad.text.matches("<tr class=\"proven\"").count(), 0, "{}", page_of_bad.text);
    assert_eq!(page_of_bad.text.matches("<tr class=\"broken\"").count(), 1, "{}", page_of_bad.text);
    coverage(&bench, &["--format", "html"]).says(2, &["--documents"]);
}
