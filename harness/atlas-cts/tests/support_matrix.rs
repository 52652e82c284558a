//! Functions by product: `list --support`.

use rstest::rstest;

use super::support::{Bench, project};

/// The words of `list --support` with the checkout's catalog.
fn words(more: &[&str]) -> Vec<String> {
    let specs = project().join("specs").display().to_string();
    let words = ["list", "--support", "--specs", &specs];
    words.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

/// The line of a function in the text.
fn line<'a>(text: &'a str, function: &str) -> &'a str {
    let starts = |line: &&str| line.split_whitespace().next() == Some(function);
    text.lines().find(starts).unwrap_or_else(|| panic!("{function} is missing in:\n{text}"))
}

#[test]
fn each_function_says_what_the_documents_the_library_and_the_rules_say() {
    let bench = Bench::new();
    let library = bench.run(["simulator", "--print-path", "."]);
    let answer = bench.run(words(&["--library", library.text.trim()]));
    assert_eq!(answer.status, 0, "{}", answer.text);
    // The products are ascend950, a3, a2, train, infer, 200i-500-a2, 200-300-500 and ipv350.
    let cells = |function: &str| line(&answer.text, function).split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
    assert_eq!(cells("aclrtMalloc"), "J J J J J J J J exported");
    assert_eq!(cells("aclrtMemPoolTrimTo"), "u u J u u u ? u exported, since 9.1.0, experimental");
    assert_eq!(cells("aclprofInit"), "x x x x x x ? - not exported, profiling");
    assert!(cells("aclrtQueryEvent").ends_with("exported, deprecated"));
}

#[test]
fn no_function_is_open() {
    let answer = Bench::new().run(words(&[]));
    answer.says(0, &[", 0 open"]);
}

#[rstest]
#[case::with_a_text(&["--support", "copy"], "cannot be used with")]
#[case::library_alone(&["--library", "x.so"], "--support")]
#[case::no_library(&["--support", "--library", "missing.so"], "missing.so: No such file or directory")]
fn a_mistake_in_the_command_line_is_named(#[case] words: &[&str], #[case] text: &str) {
    let answer = Bench::new().run(["list"].iter().chain(words));
    assert_ne!(answer.status, 0);
    answer.says(answer.status, &[text]);
}
