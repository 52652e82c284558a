//! The documents' own sentences in failures, and the colors and the steps of a failure on a terminal.

use crate::policy::{ALIGNED, bench, chapter};
use crate::support::{self, Bench};

use rstest::rstest;

const SENTENCE: &str = "内存块的起始地址是64的整数倍";
const QUOTED: [&str; 2] = ["“内存块的起始地址是64的整数倍”", "(memory/blocks.md:3)"];
const MISALIGNED: [&str; 6] =
    ["run", "--specs", "specs", "--defect=malloc.aligned-only-from-4KiB", "--report-dir", "report"];

/// A catalog with one clause, and a folder with the document of its sentence.
fn with_documents() -> Bench {
    let digest = &catalog::sentences(SENTENCE)[0].digest[..catalog::SENTENCE];
    let clauses = format!(
        "document: manual\nclauses:\n  blocks:\n    promise:\n      block.aligned: {digest} A block begins at a multiple of 64.\n"
    );
    let bench = bench(&clauses, &chapter("    clauses: {all: block.aligned}\n    level: must\n", &ALIGNED));
    std::fs::create_dir_all(bench.path("vendor/memory")).unwrap();
    // A reproducer contains the catalog's header.
    std::fs::copy(support::project().join("specs/acl/abi.h"), bench.path("specs/acl/abi.h")).unwrap();
    bench.write("vendor/memory/blocks.md", format!("# 内存\n\n- **{SENTENCE}**。其他\n"));
    bench
}

#[test]
fn a_failure_quotes_the_sentence_in_its_language_with_file_and_line() {
    let bench = with_documents();
    let quoting = ["--documents", "vendor"];
    bench.run(MISALIGNED).says(1, &["FAIL"]);
    let report = bench.report("report");
    let recorded = &report.result("acl.small.aligned").failure.as_ref().unwrap().clauses;
    assert_eq!(recorded, &["block.aligned: A block begins at a multiple of 64. ([manual] blocks)"]);
    assert!(!report.junit.contains(QUOTED[1]), "the run's files do not depend on the documents");
    bench.run(["report", "report"].iter().chain(&quoting)).says(0, &["junit.xml"]);
    assert!(bench.report("report").junit.contains(QUOTED[1]));
    bench.run(["report", "report"]).says(0, &["junit.xml"]);
    assert!(!bench.report("report").junit.contains(QUOTED[1]));
    bench.run(["explain", "acl.small.aligned", "--specs", "specs"].iter().chain(&quoting)).says(0, &QUOTED);
    let reproducer = ["reproducer", "report", "acl.small.aligned", "--specs", "specs", "--to", "folder"];
    bench.run(reproducer.iter().chain(&quoting)).says(0, &["folder"]);
    let readme = std::fs::read_to_string(bench.path("folder/README.md")).unwrap();
    assert!(readme.contains(QUOTED[0]) && readme.contains("The manual"), "{readme}");
}

#[test]
fn documents_without_the_sentence_change_nothing_but_explain_says_so() {
    let bench = with_documents();
    bench.write("vendor/memory/blocks.md", "another sentence\n");
    let quoting = ["--documents", "vendor"];
    let explain = ["explain", "acl.small.aligned", "--specs", "specs"];
    bench.run(explain.iter().chain(&quoting)).says(0, &["original: no document in the folder contains the sentence"]);
    bench.run(explain.iter().chain(&["--documents", "nowhere"])).says(2, &["cannot read nowhere", ".md, .txt or .h"]);
}

#[test]
fn the_failed_statement_is_marked_and_the_calls_are_next_to_their_lines() {
    let bench = with_documents();
    let answer = bench.run(MISALIGNED);
    answer.says(1, &["| aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY); 1 -> success"]);
    answer.says(1, &["| (uintptr_t)p % 64 == 0; | ^^^^^^^^^^^^^^^^^^^^^^^", "last call 1 aclrtMalloc("]);
    answer.says(1, &["documents [manual] The manual (first)"]);
}

const RED: &str = "\u{1b}[1;31mFAIL\u{1b}[0m";

#[rstest]
#[case::no_terminal(&[], &[], false)]
#[case::on_request(&["--color", "always"], &[], true)]
#[case::forced(&[], &[("CLICOLOR_FORCE", "1")], true)]
#[case::request_over_environment(&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false)]
#[case::no_color(&["--color", "auto"], &[("NO_COLOR", "1")], false)]
fn verdicts_are_colored_on_a_terminal_or_on_request(
    #[case] options: &[&str],
    #[case] environment: &[(&str, &str)],
    #[case] colored: bool,
) {
    let bench = with_documents();
    let mut command = bench.command(MISALIGNED.iter().chain(options));
    let output = command.envs(environment.iter().copied()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("FAIL") && text.contains(RED) == colored, "{text}");
    assert_eq!(text.contains('\u{1b}'), colored, "{text}");
    assert!(!bench.report("report").junit.contains('\u{1b}'));
}
