//! `atlas-cts mustpass`: a release cannot demand less than the previous one without a reason in the catalog's log of
//! changes.

use crate::support;

use std::fs;
use std::path::PathBuf;

use catalog::version::VersionNumber;
use rstest::{fixture, rstest};
use support::{Answer, Bench, project};

const CHAPTER: &str = "\
# The rules of a test.
title: Small
rules:
  - id: acl.small.block
    title: A block is aligned and there
    statement: A block is aligned and there.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
      (uintptr_t)p % 64 == 0;
      (uintptr_t)p % 64 == 0;
  - id: acl.small.other
    title: A null range is refused
    statement: A null range is refused.
    clauses: {manual: manual.blocks}
    level: must
    when: {not_products: [ipv350]}
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      aclrtMemGetAddressRange(p, NULL, NULL) fails {ACL_ERROR_INVALID_PARAM};
  - id: acl.small.told
    title: A block is reported to exist
    statement: A block is reported to exist.
    clauses: {manual: manual.blocks}
    level: info
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

const LIST: &str = "list.txt";

/// A bench with the must-pass list of version 0.2.0.
#[fixture]
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    bench.run(["mustpass", "--specs", "specs", "--write", LIST]).says(0, &["2 rules of version"]);
    bench.write(LIST, versioned(&fs::read_to_string(bench.path(LIST)).unwrap(), "0.2.0"));
    bench
}

fn versioned(list: &str, version: &str) -> String {
    let line =
        |line: &str| if line.starts_with("version\t") { format!("version\t{version}\n") } else { format!("{line}\n") };
    list.lines().map(line).collect()
}

fn hold(bench: &Bench) -> Answer {
    bench.run(["mustpass", "--specs", "specs", "--hold", LIST])
}

/// Changes the catalog.
fn change(bench: &Bench, text: &str, other: &str) {
    let changed = CHAPTER.replacen(text, other, 1);
    assert_ne!(changed, CHAPTER);
    bench.write("specs/acl/rules/small.yaml", changed);
}

fn log(bench: &Bench, entries: &str) {
    bench.write("specs/acl/changes.yaml", format!("changes:\n{entries}"));
}

const BLOCK: &str = "specs/acl/rules/small.yaml:4: acl.small.block";
const OTHER: &str = "acl.small.other";

#[rstest]
#[case::a_removed_check(
    "      p != NULL;\n",
    "",
    "the check `p != NULL` is no longer judged, but version 0.2.0 required it",
    BLOCK,
    "part: checks, of: [\"p != NULL\"]"
)]
#[case::one_of_two_equal_checks(
    "      (uintptr_t)p % 64 == 0;\n",
    "",
    "the check `(uintptr_t)p % 64 == 0` is no longer judged",
    BLOCK,
    "part: checks, of: [\"(uintptr_t)p % 64 == 0\"]"
)]
#[case::a_check_that_is_only_reported(
    "      p != NULL;\n",
    "      [info] p != NULL;\n",
    "the check `p != NULL` is only reported",
    BLOCK,
    "part: checks, of: [\"p != NULL\"]"
)]
#[case::a_check_that_demands_less(
    "p % 64",
    "p % 32",
    "the check `(uintptr_t)p % 64 == 0` is no longer judged",
    BLOCK,
    "part: checks, of: [\"(uintptr_t)p % 64 == 0\"]"
)]
#[case::a_code_that_is_only_usual(
    "fails {",
    "fails, usually {",
    "fails {ACL_ERROR_INVALID_PARAM}` is no longer judged",
    OTHER,
    "part: checks, of: [\"aclrtMemGetAddressRange"
)]
#[case::a_product(
    "    level: must\n",
    "    level: must\n    when: {not_products: [a3]}\n",
    "does not have to hold on a3",
    BLOCK,
    "part: products, of: [\"a3\"]"
)]
#[case::a_condition(
    "    level: must\n",
    "    level: must\n    when: {dedicated: true}\n",
    "applies only where `dedicated`",
    BLOCK,
    "part: conditions, of: [\"dedicated\"]"
)]
#[case::one_more_device(
    "    steps: |\n      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);\n      p != NULL;\n      (",
    "    when: {devices: 2}\n    steps: |\n      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);\n      p != NULL;\n      (",
    "applies only where `2 devices`",
    BLOCK,
    "part: conditions, of: [\"2 devices\"]"
)]
#[case::a_level("    level: must\n", "    level: info\n", "only informs", BLOCK, "part: level, why: …}")]
#[case::a_hazard(
    "    level: must\n",
    "    level: must\n    hazard: undefined\n",
    "is only observed",
    BLOCK,
    "part: level, why: …}"
)]
#[case::a_rule(
    "id: acl.small.block",
    "id: acl.small.blocks",
    "was removed",
    "list.txt: acl.small.block",
    "part: rule, why: …}"
)]
fn a_weaker_rule_needs_a_reason_in_the_log_of_changes(
    bench: Bench,
    #[case] text: &str,
    #[case] other: &str,
    #[case] said: &str,
    #[case] place: &str,
    #[case] entry: &str,
) {
    hold(&bench).says(0, &["2 rules, none weaker than in list.txt without a reason"]);
    change(&bench, text, other);
    let answer = hold(&bench);
    answer.says(1, &[said, place, entry, "or explain it in specs/acl/changes.yaml"]);

    // The printed entry, as a person completes it.
    let asked = answer.text.lines().find(|line| line.trim_start().starts_with("- {rule: ")).expect("it shows an entry");
    let asked = asked.replace("version: …", "version: 0.3.0").replace("why: …", "why: The manual says otherwise.");
    log(&bench, &asked);
    // A rule with another name is a new rule.
    if entry.contains("part: rule") {
        hold(&bench).says(0, &["none weaker"]);
        change(&bench, "id: acl.small.block\n", "id: acl.small.blocks\n    since: 0.2.0\n");
        hold(&bench).says(1, &["acl.small.blocks is judged, but version 0.2.0 did not have it; leave `since` out"]);
        change(&bench, "id: acl.small.block\n", "id: acl.small.blocks\n    since: 0.3.0\n");
    }
    hold(&bench).says(0, &["none weaker"]);
    // An older entry is not a reason.
    log(&bench, &asked.replace("0.3.0", "0.2.0"));
    hold(&bench).says(1, &[said]);
}

#[rstest]
#[case::a_new_rule("    level: info\n", "    level: must\n", 0, "3 rules")]
#[case::a_new_rule_of_an_older_version(
    "    level: info\n",
    "    level: must\n    since: 0.2.0\n",
    1,
    "acl.small.told is judged, but version 0.2.0 did not"
)]
#[case::a_new_rule_with_its_version("    level: info\n", "    level: must\n    since: 0.3.0\n", 0, "3 rules")]
#[case::a_rule_that_is_older_than_its_since(
    "    level: must\n",
    "    level: must\n    since: 0.3.0\n",
    1,
    "acl.small.block is already in the list of version 0.2.0; remove `since`"
)]
#[case::no_version(
    "    level: must\n",
    "    level: must\n    since: next\n",
    2,
    "`next` is not a version of the suite"
)]
#[case::one_more_check("      p != NULL;\n", "      p != NULL;\n      (uintptr_t)p % 32 == 0;\n", 0, "none weaker")]
fn new_rules_name_their_first_version(
    bench: Bench,
    #[case] text: &str,
    #[case] other: &str,
    #[case] status: i32,
    #[case] said: &str,
) {
    change(&bench, text, other);
    hold(&bench).says(status, &[said]);
}

#[rstest]
#[case::that_nothing_needs(
    "  - {rule: acl.small.block, version: 0.3.0, part: level, why: The manual.}\n", 1,
    &["changes.yaml:2", "acl.small.block is as strong as in version 0.2.0 here; remove the entry"]
)]
#[case::of_the_past("  - {rule: acl.small.block, version: 0.2.0, part: level, why: The manual.}\n", 0, &["none weaker"])]
#[case::without_names(
    "  - {rule: acl.small.block, version: 0.3.0, part: checks, why: The manual.}\n", 2, &["name the checks that changed"]
)]
#[case::with_superfluous_names(
    "  - {rule: acl.small.block, version: 0.3.0, part: rule, of: [a], why: The manual.}\n", 2, &["leave `of` out"]
)]
#[case::without_a_reason("  - {rule: acl.small.block, version: 0.3.0, part: rule, why: \" \"}\n", 2, &["write the reason"])]
#[case::of_no_version("  - {rule: acl.small.block, version: soon, part: rule, why: The manual.}\n", 2, &["`soon` is not a version"])]
#[case::with_an_unknown_key(
    "  - {rule: acl.small.block, versions: 0.3.0, part: rule, why: The manual.}\n", 2,
    &["changes.yaml:2", "did you mean `version`"]
)]
fn an_entry_of_the_log(bench: Bench, #[case] entry: &str, #[case] status: i32, #[case] said: &[&str]) {
    log(&bench, entry);
    hold(&bench).says(status, said);
}

#[rstest]
fn a_list_is_never_overwritten_and_a_missing_list_is_an_error(bench: Bench) {
    bench.run(["mustpass", "--specs", "specs", "--write", LIST]).says(3, &[LIST]);
    bench.run(["mustpass", "--specs", "specs", "--hold", "gone.txt"]).says(2, &["cannot read gone.txt"]);
    bench.write("broken.txt", "no list\n");
    bench
        .run(["mustpass", "--specs", "specs", "--hold", "broken.txt"])
        .says(2, &["broken.txt:1: not a line of a list"]);
    let on = |product: &str| bench.run(["mustpass", "--specs", "specs", "--product", product]);
    assert!(on("a2").says(0, &["acl.small.block", OTHER]).text.contains("\tcheck\tp != NULL\n"));
    assert!(!on("ipv350").says(0, &["acl.small.block"]).text.contains(OTHER));
    on("a4").says(2, &["there is no product `a4`"]);
}

/// As in CI: the newest list is that of the last release.
#[test]
fn the_catalog_demands_no_less_than_the_last_release() {
    let folder = project().join("specs/acl/mustpass");
    let mut lists: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    lists.retain(|path| path.extension().is_some_and(|kind| kind == "txt"));
    let version = |path: &PathBuf| VersionNumber::read(path.file_stem().unwrap().to_str().unwrap()).unwrap();
    lists.sort_by(|a, b| version(a).compare(&version(b)));
    let bench = Bench::new();
    let specs = project().join("specs");
    let words = ["mustpass".as_ref(), "--hold".as_ref(), lists.last().unwrap().as_os_str()];
    bench.run([&words[..], &["--specs".as_ref(), specs.as_os_str()]].concat()).says(0, &["none weaker than"]);
}
