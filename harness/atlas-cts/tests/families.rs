//! Families of products: lists name them, and a new product joins them in one file.

use crate::support;

use std::fs;

use rstest::rstest;
use support::{Bench, copy_folder, project};

const PRODUCTS: &str = "specs/acl/products.yaml";

const CHAPTER: &str = "title: Small
rules:
  - id: acl.small.block
    title: A block can be had
    statement: A block can be had.
    clauses: {manual: manual.blocks}
    level: must
    when: {products: [whole]}
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
";

const ALL: [&str; 8] = ["ascend950", "a3", "a2", "train", "infer", "200i-500-a2", "200-300-500", "ipv350"];

/// The products on which the rule is listed.
fn products(bench: &Bench) -> Vec<&'static str> {
    let listed = |product: &&str| {
        let answer = bench.run(["list", "--specs", "specs", "--product", product]);
        assert_eq!(answer.status, 0, "{}", answer.text);
        answer.text.contains("1 of 1 rules")
    };
    ALL.into_iter().filter(listed).collect()
}

#[rstest]
#[case::a_family("products: [recent]", &["ascend950", "a3", "a2"])]
#[case::two_families("products: [arch-2201, part]", &["a3", "a2", "ipv350"])]
#[case::a_family_and_a_product("products: [arch-2201, infer]", &["a3", "a2", "infer"])]
#[case::less_a_product("products: [recent, not a3]", &["ascend950", "a2"])]
#[case::less_a_family("products: [recent, not arch-2201]", &["ascend950"])]
#[case::left_out("not_products: [whole]", &["200-300-500", "ipv350"])]
#[case::left_out_but_for_one("not_products: [current, not a2]", &["a2", "200-300-500"])]
fn a_list_names_families(#[case] when: &str, #[case] expected: &[&str]) {
    let bench = Bench::new();
    bench.catalog(CHAPTER.replace("products: [whole]", when));
    assert_eq!(products(&bench), expected);
}

/// A chapter has the condition of its rules; a rule with its own condition ignores that of the chapter.
#[rstest]
#[case::nothing("", &["ascend950", "a3", "a2"])]
#[case::something_else("    when: {not_products: [whole, part]}\n", &["200-300-500"])]
fn a_rule_without_a_condition_has_that_of_its_chapter(#[case] when: &str, #[case] expected: &[&str]) {
    let bench = Bench::new();
    let chapter = CHAPTER.replace("    level: must\n", "");
    let chapter = chapter.replace("    when: {products: [whole]}\n", when);
    bench.catalog(chapter.replace("rules:\n", "when: {products: [recent]}\nrules:\n"));
    assert_eq!(products(&bench), expected);
    bench.run(["explain", "--specs", "specs", "acl.small.block"]).says(0, &["must"]);
}

/// The number of rules that apply to a product.
fn applying(bench: &Bench, product: &str) -> usize {
    let answer = bench.run(["list", "--specs", "specs", "--product", product]);
    let count = answer.text.lines().find_map(|line| line.split_once(" of ")?.0.parse().ok());
    count.unwrap_or_else(|| panic!("{}", answer.text))
}

/// A successor of Atlas A3, of its families.
#[test]
fn a_new_product_is_one_block_of_one_file() {
    let bench = Bench::new();
    copy_folder(&project().join("specs"), &bench.path("specs"));
    let text = fs::read_to_string(bench.path(PRODUCTS)).unwrap();
    let (_, block) = text.split_once("  - id: a3\n").unwrap();
    let (block, _) = block.split_once("\n\n").unwrap();
    bench.write(PRODUCTS, format!("{text}\n  - id: a4\n{}\n", block.replace("Ascend910_93", "Ascend940_")));
    bench.run(["catalog", "lint", "--strict", "--specs", "specs"]).says(0, &["9 products: no mistakes"]);
    let (known, new) = (applying(&bench, "a3"), applying(&bench, "a4"));
    // Sentences that name Atlas A3 do not speak of its successor.
    assert!(new * 10 > known * 9, "{new} rules apply to the new product, and {known} to a3");
}
