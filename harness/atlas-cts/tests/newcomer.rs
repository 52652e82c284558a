//! The rule of docs/catalog/first-rule.md, copied into the catalog, and the skeleton that `new` writes,
//! filled in: every gate of CI holds. What cannot become a rule is refused with a hint, and nothing is written.

use std::fs;

use atlas_cts::runtimes::RUNTIMES;
use rstest::rstest;

use crate::support::small::{HOLDS, chapter};
use crate::support::{Bench, catalog, copy_folder, project};

/// The chapter of the rules on setting memory.
const CHAPTER: &str = "specs/acl/rules/set.yaml";

/// The first block of YAML of the page, without its indentation.
fn recipe() -> String {
    let page = fs::read_to_string(project().join("docs/catalog/first-rule.md")).unwrap();
    let block = page.split_once("```yaml\n").expect("the page shows a rule").1.split_once("```").unwrap().0;
    let indented = block.lines().next().unwrap();
    let margin = indented.len() - indented.trim_start().len();
    block.lines().map(|line| format!("  {}\n", line.get(margin..).unwrap_or_default())).collect()
}

/// A copy of the catalog.
fn bench() -> Bench {
    let bench = Bench::new();
    copy_folder(&project().join("specs"), &bench.path("specs"));
    bench
}

/// Checks that a new rule passes every gate of CI.
fn passes_every_gate(bench: &Bench, id: &str) {
    let simulated = ["--specs", "specs", "--product", "a2", "--backend", "simulator"];
    let prove = ["catalog", "prove", id].into_iter().chain(simulated).chain(["--hold", "specs/acl"]);
    bench.run(prove.clone()).says(1, &[&format!("{id} has no row for a2; prove it again with --raise")]);
    bench.run(prove.clone().chain(["--raise"])).says(0, &["new kills, 0 gone", "1 of 1 proven"]);
    bench.run(prove).says(0, &["1 of 1 proven"]);
    bench.run(["catalog", "lint", "--strict", "--specs", "specs"]).says(0, &["no mistakes"]);
    bench.run(["run"].iter().chain(&simulated).chain(&[id])).says(0, &["1 pass"]);
    let debt = format!("DEBT    {id}: only its author has read `");
    bench.run(["catalog", "coverage", "--specs", "specs", "--hold", "specs/acl/coverage.tsv"]).says(0, &[&debt]);
    bench.run(["catalog", "mustpass", "--specs", "specs", "--hold", "specs/acl/mustpass.tsv"]).says(0, &[]);
}

#[test]
fn the_first_rule_of_the_book_passes_every_gate() {
    let bench = bench();
    let recipe = recipe();
    let id = recipe.trim_start().strip_prefix("- id: ").unwrap().lines().next().unwrap().to_owned();
    let text = fs::read_to_string(bench.path(CHAPTER)).unwrap();
    assert!(!text.contains(&id), "{id} is in the catalog: show another rule on the page");
    bench.write(CHAPTER, format!("{text}\n{recipe}"));
    passes_every_gate(&bench, &id);
}

/// Replaces the text from the first mark up to the second one.
fn replaced(text: &str, from: &str, to: &str, with: &str) -> String {
    let (before, rest) = text.split_once(from).unwrap_or_else(|| panic!("`{from}` is missing in:\n{text}"));
    let end = rest.find(to).unwrap_or_else(|| panic!("`{to}` is missing in:\n{rest}"));
    format!("{before}{with}{}", &rest[end..])
}

#[test]
fn a_skeleton_lists_what_to_write_and_passes_every_gate_once_filled_in() {
    let bench = bench();
    let id = "acl.set.first-bytes";
    let before = fs::read_to_string(bench.path(CHAPTER)).unwrap();
    let place = format!("{CHAPTER}:{}: {id}", before.trim_end().lines().count() + 2);
    bench.run(["catalog", "new", id, "--calls", "aclrtMemset", "--specs", "specs"]).says(0, &[&place, "no rule kills"]);
    let text = fs::read_to_string(bench.path(CHAPTER)).unwrap();
    let skeleton = text.strip_prefix(before.trim_end()).expect("the rest of the chapter is as it was").to_owned();
    assert!(skeleton.contains("aclrtMemset(devPtr, size, 0, size);") && skeleton.contains("- set.memset-sets\n"));
    assert!(
        skeleton.contains("set.length-rounded-down-to-4*"),
        "defects that other rules kill are listed:\n{skeleton}"
    );

    let lint = bench.run(["catalog", "lint", "--specs", "specs"]);
    let wanted =
        ["write one sentence", "write the content", "write the sentences", "write a check", "write a check that kills"];
    lint.says(2, &wanted).says(2, &["5 places to write"]);
    assert_eq!(lint.text.matches("error: ").count(), wanted.len(), "{}", lint.text);
    assert_eq!(lint.text.matches(CHAPTER).count(), wanted.len(), "{}", lint.text);
    bench.run(["run", "--specs", "specs", "--product", "a2", id]).says(1, &["written == 1"]);

    // Most rules clear memory, so the proposed value is 0, which fresh memory may hold, too.
    let skeleton = skeleton.replace("aclrtMemset(devPtr, size, 0, size);", "aclrtMemset(devPtr, size, 1, size);");
    let skeleton =
        skeleton.replace("\"TO WRITE: one sentence that is true or false for a device\"", "The first bytes are set");
    let skeleton =
        skeleton.replace("\"TO WRITE: the content of the documents, in your own words\"", "A set stores its value.");
    let skeleton =
        replaced(&skeleton, "    # TO WRITE: the sentences", "    forall:", "    clauses: {sets: set.memset-sets}\n");
    let check = "char *back = host(size, 64);\n      poison(back, size);\n      \
                 aclrtMemcpy(back, size, devPtr, size, ACL_MEMCPY_DEVICE_TO_HOST);\n      all_bytes(back, size, 1);\n";
    let skeleton = replaced(&skeleton, "int32_t written", "    # TO WRITE", check);
    let (rule, _) = skeleton.split_once("    # TO WRITE").unwrap();
    bench.write(CHAPTER, format!("{}{rule}", before.trim_end()));
    passes_every_gate(&bench, id);

    let prove =
        ["catalog", "prove", "--unclaimed", "--specs", "specs", "--product", "a2", "--backend", "simulator", id];
    bench.run(prove).says(0, &[&format!("UNCLAIMED   {id} kills these on a2 without a row"), "other rules kill it"]);
}

#[test]
fn a_skeleton_can_call_every_function() {
    let bench = bench();
    let is_out_of_scope = |name: &str| catalog().support.get(name).is_some_and(|entry| entry.outside.is_some());
    let functions = RUNTIMES[0].bindings.functions.iter().map(|function| function.name);
    let (outside, functions): (Vec<&str>, Vec<&str>) = functions.partition(|name| is_out_of_scope(name));
    let first = outside.first().expect("the bindings have a function that is out of scope");
    let refused = ["catalog", "new", "acl.set.everything", "--calls", first, "--specs", "specs"];
    bench.run(refused).says(2, &[&format!("{first} is out of scope"), "remove `outside`"]);
    let calls = functions.join(",");
    bench
        .run(["catalog", "new", "acl.set.everything", "--calls", &calls, "--specs", "specs"])
        .says(0, &["acl.set.everything"]);
    let text = fs::read_to_string(bench.path(CHAPTER)).unwrap();
    let missing: Vec<_> = functions.iter().filter(|name| !text.contains(&format!("{name}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[rstest]
#[case::a_word("first", "aclrtMemset", "`first` is not a valid rule id; write `acl.<area>.<name>`")]
#[case::capitals("acl.set.First", "aclrtMemset", "`acl.set.First` is not a valid rule id")]
#[case::another_runtime("toy.set.first", "aclrtMemset", "`toy.set.first` is not a valid rule id")]
#[case::a_path("acl.set.../x", "aclrtMemset", "is not a valid rule id")]
#[case::an_existing_id("acl.set.byte", "aclrtMemset", "acl.set.byte already exists at specs/acl/")]
#[case::an_id_of_the_must_pass_list("acl.set.gone", "aclrtMemset", "acl.set.gone is in the must-pass list")]
#[case::the_derived_rule("acl.support.exported", "aclrtMemset", "choose another name")]
#[case::a_function("acl.set.first", "aclrtMemest", "`aclrtMemest` is not in the header; did you mean `aclrtMemset`?")]
#[case::an_area("acl.sets.first", "aclrtMemset", "no rule id begins with acl.sets; did you mean `acl.set`?")]
#[case::a_chapter("acl.set.first --chapter sett", "aclrtMemset", "there is no chapter `sett`; did you mean `set`?")]
fn an_impossible_rule_is_refused_and_nothing_is_written(#[case] id: &str, #[case] calls: &str, #[case] says: &str) {
    let bench = Bench::new();
    bench.catalog(chapter(&[&HOLDS.replace("acl.small.holds", "acl.set.byte")]));
    // With it, the catalog has the derived rule.
    fs::copy(project().join("specs/acl/support.yaml"), bench.path("specs/acl/support.yaml")).unwrap();
    bench.write("specs/acl/mustpass.tsv", "acl.set.gone\tmust\n");
    let before = fs::read_to_string(bench.path(CHAPTER)).unwrap();
    let words = ["catalog", "new", "--calls", calls, "--specs", "specs"];
    bench.run(words.into_iter().chain(id.split(' '))).says(2, &[says]);
    assert_eq!(fs::read_to_string(bench.path(CHAPTER)).unwrap(), before);
}

#[test]
fn a_skeleton_needs_a_catalog_folder() {
    let answer = Bench::new().run(["catalog", "new", "acl.set.first", "--calls", "aclrtMemset"]);
    answer.says(2, &["give its folder with --specs DIR"]);
}
