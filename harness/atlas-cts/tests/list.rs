//! `atlas-cts list` and `explain`: each filter keeps the matching rules, a rule is explained in full, and an unknown
//! name is refused with a hint.

use crate::support;

use rstest::rstest;
use support::Bench;

/// One rule for every product, one for a2 alone.
const CHAPTER: &str = "\
# The rules of a test.
title: Small
rules:
  - id: acl.small.everywhere
    title: A block can be had
    statement: A block can be had.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
  - id: acl.small.here
    title: A host block can be had
    statement: A host block can be had.
    source: [{document: manual, section: blocks}]
    level: info
    when: {products: [a2]}
    steps: |
      aclrtMallocHost(&p, 64);
    owns: [aclrtMallocHost]
";

#[rstest]
#[case::nothing(&[], &["acl.small.everywhere  must  A block can be had", "2 of 2 rules"])]
#[case::a_product(&["--product", "a3"], &["acl.small.everywhere", "1 of 2 rules"])]
#[case::a_product_as_in_a_run(&["--product", "a3"], &["acl.small.everywhere", "1 of 2 rules"])]
#[case::a_product_that_has_both(&["--product", "a2"], &["2 of 2 rules"])]
#[case::a_function(&["--api", "aclrtMallocHost"], &["acl.small.here", "1 of 2 rules"])]
#[case::a_text(&["a HOST block"], &["acl.small.here", "1 of 2 rules"])]
#[case::several_texts(&["everyw", "HOST block"], &["acl.small.everywhere", "acl.small.here", "2 of 2 rules"])]
#[case::a_whole_id(&["acl.small.here"], &["acl.small.here", "1 of 2 rules"])]
#[case::no_match(&["--api", "aclrtFree"], &["0 of 2 rules"])]
fn a_filter_keeps_only_matching_rules(#[case] filter: &[&str], #[case] says: &[&str]) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.run(["list", "--specs", "specs"].iter().chain(filter)).says(0, says);
}

#[rstest]
#[case::an_area("small", &["acl.small.everywhere", "acl.small.here", "2 of 2 rules"])]
#[case::a_chapter("small.there", &["acl.small.here", "1 of 2 rules"])]
fn a_chapter_is_named_by_its_file_or_its_area(#[case] chapter: &str, #[case] says: &[&str]) {
    let bench = Bench::new();
    let (first, second) = CHAPTER.split_at(CHAPTER.find("  - id: acl.small.here").unwrap());
    bench.catalog(first);
    std::fs::create_dir(bench.path("specs/acl/rules/small")).unwrap();
    bench.write("specs/acl/rules/small/there.yaml", format!("title: There\nrules:\n{second}"));
    bench.run(["list", "--specs", "specs", "--chapter", chapter]).says(0, says);
}

#[rstest]
#[case::a_product(&["--product", "a4"], "there is no product `a4`; did you mean `a2`")]
#[case::a_function(&["--api", "aclrtMalocHost"], "there is no function `aclrtMalocHost`; did you mean `aclrtMallocHost`")]
#[case::one_text_of_two(&["everyw", "acl.small.hear"], "there is no rule whose id or title contains `acl.small.hear`; did you mean `acl.small.here`")]
#[case::a_chapter(&["--chapter", "smal"], "there is no chapter `smal`; did you mean `small`")]
fn a_name_that_does_not_exist_is_refused_with_a_hint(#[case] filter: &[&str], #[case] says: &str) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.run(["list", "--specs", "specs"].iter().chain(filter)).says(2, &[says]);
}

#[test]
fn a_rule_is_explained_with_its_products_functions_and_defects() {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.kills(&[("acl.small.here", &["host.next-block-overlaps-tail"])]);
    bench.run(["explain", "acl.small.here", "--specs", "specs"]).says(
        0,
        &[
            "A host block can be had.",
            "  Level info: ",
            "  specs/acl/rules/small.yaml:11",
            "  on        a2",
            "  not on    a3: ",
            "| aclrtMallocHost(&p, 64);",
            "  owns      aclrtMallocHost: if one is denied this rule fails, and the other rules are blocked",
            "  host.next-block-overlaps-tail (subtle)",
        ],
    );
    bench.run(["explain", "acl.small.hear", "--specs", "specs"]).says(2, &["did you mean `acl.small.here`?"]);
}
