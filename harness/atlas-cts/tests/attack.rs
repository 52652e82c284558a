//! Attacks, each with the command that it targets: files of other users, journals from outside, limits, hostile tools
//! and libraries.

#[path = "attack/users.rs"]
mod users;

use crate::support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::process::Command;

use rstest::{fixture, rstest};
use support::small::{ALIGNED, HOLDS, MISALIGNED, chapter};
use support::{Answer, Bench, Watched, answer, project, take_environment};

/// The user id of another user.
const STRANGER: u32 = 65_534;
/// A rule that fails on every device.
const ODD: &str = "
  - id: acl.small.odd
    title: A block is odd
    statement: A block is odd.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 2 == 1;
";
/// Entries that list every failure as known.
const ALL_KNOWN: &str = "\
expectations:
  - rule: \"acl.*\"
    kind: fail
    symptom: {verdict: fail}
    tracker: https://tracker.example/1
    owner: example
    expires: 2999-12-31
";

#[fixture]
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, HOLDS]));
    bench
}

/// A run of the embedded catalog with a defect, as on a machine without cargo.
fn embedded(bench: &Bench) -> Answer {
    let words = ["run", "acl.set.byte", "--product", "a2", "--backend", "simulator"];
    let defect = ["--defect", "copy.tail-rounded-to-32-above-64KiB"];
    answer(bench.command(words.iter().chain(&defect)).env_remove("CARGO_MANIFEST_DIR"))
}

/// A run of the small catalog, in which one rule of two is broken.
fn broken(bench: &Bench, report: &str, arguments: &[&str]) -> Answer {
    let words = ["--product", "a2", "--backend", "simulator", "--defect", MISALIGNED];
    bench.run_catalog(report, &[&words[..], arguments].concat())
}

/// N1. Reports go below the current folder, whatever its owner; the build path of the executable is ignored.
#[rstest]
fn a_planted_folder_of_known_failures_changes_no_status(bench: Bench) {
    fs::create_dir(bench.path("expectations")).unwrap();
    bench.write("expectations/e.yaml", ALL_KNOWN);
    let run = embedded(&bench);
    run.says(1, &["FAIL  acl.set.byte", "known failures: none; expectations is not read"]);
    assert!(bench.path("reports/out/latest/results.jsonl").exists(), "reports are below the current folder");
}

/// N1. No report goes to a folder of another user in the current folder.
#[rstest]
#[case::the_first("reports")]
#[case::the_second("reports/out")]
fn a_planted_folder_of_reports_is_not_written(bench: Bench, #[case] planted: &str) {
    fs::create_dir_all(bench.path(planted)).unwrap();
    if let Err(error) = chown(bench.path(planted), Some(STRANGER), None) {
        eprintln!("did not run: only the superuser may give a folder away ({error})");
        return;
    }
    embedded(&bench).says(3, &["belongs to another user (uid 65534); choose another folder with --report-dir DIR"]);
    assert_eq!(fs::read_dir(bench.path("reports/out")).map_or(0, Iterator::count), 0, "nothing is written there");
}

/// N1. Counterexamples for later runs go only to a folder that the user gave.
#[rstest]
fn counterexamples_are_kept_only_in_a_folder_that_the_user_gave(bench: Bench) {
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--backend", "simulator"];
    let mut command = bench.command(words.iter().chain(&["--tune", "keep=yes"]));
    answer(command.env_remove("CARGO_MANIFEST_DIR").env_remove("ATLAS_CTS_REGRESSIONS"))
        .says(2, &["--tune keep: no folder to keep cases in; set ATLAS_CTS_REGRESSIONS to a folder that you own"]);
}

/// N3. A number of shards that no command line accepts is refused before the missing shards are counted.
#[rstest]
fn a_run_of_four_billion_shards_is_refused(bench: Bench) {
    broken(&bench, "part", &["--shard", "1/1"]).says(1, &[]);
    let journal = bench.report("part").journal;
    let hostile = journal.replacen("\"number\":1,\"of\":1", "\"number\":1,\"of\":4294967295", 1);
    assert_ne!(journal, hostile, "{journal}");
    bench.write("part/results.jsonl", hostile);
    for command in [&["merge", "--specs", "specs", "part", "--report-dir", "merged"][..], &["report", "part"]] {
        let refused = bench.run(command);
        assert_ne!(refused.status, 0, "{}", refused.text);
        refused.says(refused.status, &["a run has at most 100000 parts, not 4294967295"]);
    }
}

/// N3. With the maximum number of shards, each rule lists the missing ones on one line.
#[rstest]
fn a_run_with_most_shards_missing_is_merged(bench: Bench) {
    broken(&bench, "part", &["--shard", "1/100000"]).says(0, &[]);
    let merged = bench.run(["merge", "--specs", "specs", "part", "--report-dir", "merged"]);
    merged.says(3, &["and 99979 more of 100000"]);
    assert!(bench.report("merged").journal.len() < 100_000 && merged.text.len() < 20_000);
}

/// N5. A run folder from outside does not redirect writes.
#[rstest]
fn a_resumed_run_writes_through_no_planted_link(bench: Bench) {
    broken(&bench, "report", &[]).says(1, &[]);
    let journal = bench.report("report").journal;
    let begun: String = journal.lines().take(1).map(|line| format!("{line}\n")).collect();
    bench.write("report/results.jsonl", begun);
    fs::remove_dir_all(bench.path("report/counterexamples")).unwrap();
    fs::create_dir(bench.path("elsewhere")).unwrap();
    symlink("../elsewhere", bench.path("report/counterexamples")).unwrap();
    let words = ["run", "--specs", "specs", "--resume", "report", "--product", "a2", "--backend", "simulator"];
    let resumed = bench.run(words.iter().chain(&["--defect", MISALIGNED]));
    resumed.says(1, &["counterexamples is a link, not a folder; it is in the journal"]);
    assert_eq!(fs::read_dir(bench.path("elsewhere")).unwrap().count(), 0);
}

/// An attacker's library in front of the simulated device's library, and a rule that it breaks.
fn attacker(flag: &str) -> (Bench, Answer) {
    let bench = Bench::new();
    bench.catalog(chapter(&[HOLDS, ODD]));
    bench.library_before_the_simulator("attack.c", "libattack.so", &[flag]);
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--library", "libattack.so"];
    let mut command = bench.command(words.iter().chain(&["--tune", "deadline=3"]));
    let answer = answer(command.env("ATLAS_CTS_SKIP_GATE", "1"));
    (bench, answer)
}

/// N9. The failure is reported as seen, whatever the library does when its error text is queried.
#[rstest]
#[case::at_an_unreadable_address("ATTACK_TEXT_IS_NOWHERE")]
#[case::that_never_comes("ATTACK_TEXT_HANGS")]
fn an_error_text_hides_no_failure(#[case] flag: &str) {
    let (bench, answer) = attacker(flag);
    answer.says(1, &["FAIL  acl.small.odd", "(uintptr_t)p % 2 == 1", "query for the library's last error text"]);
    let report = bench.report("report");
    let odd = report.result("acl.small.odd");
    assert_eq!(odd.verdict.name(), "fail", "{}", odd.reason);
    assert_eq!(report.result("acl.small.holds").verdict.name(), "pass");
    assert!(odd.failure.as_ref().unwrap().confirmation.is_some(), "it is rerun, without another query");
}

/// N10. A library that closes a descriptor of another owner is named, even if the number is reused.
#[rstest]
#[case::and_leaves_it("ATTACK_CLOSES")]
#[case::and_takes_the_number("ATTACK_TAKES")]
fn closed_descriptors_are_blamed_on_the_library(#[case] flag: &str) {
    let (_bench, answer) = attacker(flag);
    answer.says(3, &["the library closed file descriptors that it did not open"]);
    assert!(!answer.text.contains("own code") && !answer.text.contains("exit status 0"), "{}", answer.text);
}

/// A finished run from outside, with a text in the first line of its journal replaced.
fn strangers_journal(bench: &Bench, from: &str, to: &str) {
    broken(bench, "report", &[]).says(1, &[]);
    let journal = bench.report("report").journal;
    let hostile = journal.replacen(from, to, 1);
    assert_ne!(journal, hostile, "`{from}` is missing in {journal}");
    bench.write("report/results.jsonl", hostile);
}

/// N7. A line of the reproducer's page with text from a journal stays one line of its block.
#[rstest]
#[case::defects("\"malloc.aligned-only-from-4KiB\"]", "\"x\\n\\n# Heading\\n<img src=x onerror=alert(1)>\"]")]
#[case::run_mode("\"run_mode\":\"", "\"run_mode\":\"x\\n\\n# Heading\\n<img src=x onerror=alert(1)>")]
fn a_journal_writes_no_markup_into_a_reproducer(bench: Bench, #[case] from: &str, #[case] to: &str) {
    fs::copy(project().join("specs/acl/abi.h"), bench.path("specs/acl/abi.h")).unwrap();
    strangers_journal(&bench, from, to);
    let words = ["reproducer", "report", "acl.small.aligned", "--specs", "specs", "--to", "shown"];
    let answer = bench.run(words);
    answer.says(0, &[]);
    let page = fs::read_to_string(bench.path("shown/README.md")).unwrap();
    let markup = |line: &&str| line.starts_with("# Heading") || line.starts_with("<img");
    assert!(page.contains("onerror") && page.lines().find(markup).is_none(), "{page}");
}

/// N8. Characters that change the direction of text are written as YAML escapes.
#[rstest]
fn drafted_entries_are_yaml_whatever_the_journal_says(bench: Bench) {
    strangers_journal(&bench, "\"reason\":\"`", "\"reason\":\"\u{202e}\u{1F600}\u{9b}31m`");
    let draft =
        bench.run(["expect", "--from", "report", "--owner", "memory", "--tracker", "https://tracker.example/2"]);
    draft.says(0, &["\\U0000202e"]);
    assert!(!draft.text.contains("\\u{"), "{}", draft.text);
    bench.write("known.yaml", &draft.text);
    broken(&bench, "known", &["--expectations", "known.yaml"]).says(0, &["nothing new: 1 known failure"]);
}

/// N11. A tool of the machine leaves no process in any session, and a long line is cut.
#[rstest]
fn the_doctor_leaves_no_process_and_prints_no_endless_line(bench: Bench) {
    let tool = "#!/bin/sh\nsetsid sleep 3600 &\necho $! >>\"$LEFT\"\nhead -c 900000 /dev/zero | tr '\\0' 'x'\nexit 1\n";
    let tool = bench.write("npu-smi", tool);
    fs::set_permissions(tool, fs::Permissions::from_mode(0o755)).unwrap();
    bench.write("left", "");
    let path = format!("{}:{}", bench.path("").display(), std::env::var("PATH").unwrap_or_default());
    let mut command = bench.command(["doctor"]);
    command.env("PATH", path).env("LEFT", bench.path("left")).env("ASCEND_HOME_PATH", "/nowhere/".repeat(12_000));
    let page = answer(&mut command);
    assert!(page.text.len() < 100_000, "{} bytes were printed", page.text.len());
    let left = fs::read_to_string(bench.path("left")).unwrap();
    assert!(!left.is_empty(), "the tool was run: {}", page.text);
    left.lines().for_each(|process| Watched::new(process).expect_end());
}

/// N11. A name of five megabytes in a journal from outside is not accepted.
#[rstest]
fn a_huge_name_is_refused(bench: Bench) {
    let name = format!("\"run_mode\":\"{}", "x".repeat(5 << 20));
    strangers_journal(&bench, "\"run_mode\":\"", &name);
    let answer = bench.run(["run", "--specs", "specs", "--resume", "report"]);
    assert!(answer.status != 0 && answer.text.len() < 10_000, "{} bytes", answer.text.len());
    answer.says(answer.status, &["the name of the run mode has more than 4096 bytes"]);
}

/// N13. A user who can add a link to a checkout cannot make the build log show the linked file.
#[rstest]
#[case::known_failures("expectations/a.yaml", &["catalog", "lint", "--specs", "specs", "--expectations", "expectations"])]
#[case::a_catalog("specs/acl/rules/other.yaml", &["catalog", "lint", "--specs", "specs"])]
fn a_mistake_in_a_linked_file_is_not_quoted(bench: Bench, #[case] link: &str, #[case] words: &[&str]) {
    fs::create_dir(bench.path("expectations")).unwrap();
    let secret = bench.write("secret", "root:hunter2:0:0:\n- [\n");
    symlink(secret, bench.path(link)).unwrap();
    let answer = bench.run(words);
    answer.says(2, &[link, "not shown because it is reached through a link"]);
    assert!(!answer.text.contains("hunter2"), "{}", answer.text);
}

/// N16. A limit that is too low is reported before anything overflows, with advice.
#[rstest]
#[case::of_the_stack(
    "ulimit -s 64",
    "the stack is limited to 64 KiB, but 1024 KiB are needed; raise the limit (ulimit -s)"
)]
#[case::of_files("ulimit -f 8", "ulimit -f")]
fn a_low_limit_is_named_with_advice(bench: Bench, #[case] limit: &str, #[case] says: &str) {
    let atlas = bench.command(["run", "--specs", "specs", "--product", "a2", "--backend", "simulator"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")]).arg(atlas.get_program()).args(atlas.get_args());
    shell.current_dir(bench.path(""));
    take_environment(&mut shell, &atlas);
    let answer = answer(&mut shell);
    answer.says(3, &[says]);
    assert!(!answer.text.contains("TMPDIR"), "{}", answer.text);
}

/// N17. JSON is ASCII, so that a journal cannot move the cursor of a terminal.
#[rstest]
fn json_about_a_run_cannot_move_the_cursor_of_a_terminal(bench: Bench) {
    strangers_journal(&bench, "\"profile\":\"", "\"profile\":\"\u{9b}31m\u{202e}\u{7f}");
    let shown = bench.run(["catalog", "mustpass", "report", "--specs", "specs", "--format", "json"]).text;
    assert!(shown.contains("\\u009b31m\\u202e\\u007f"), "{shown}");
    assert!(!shown.contains(['\u{9b}', '\u{202e}', '\u{7f}']), "{shown}");
}

/// N19. A FIFO in the folder of a fleet run is not a journal, and the script does not wait for it.
#[rstest]
fn a_script_reads_only_journals_that_are_files(bench: Bench) {
    let script = fs::read_to_string(project().join("ci/fleet/slurm.sbatch")).unwrap();
    let condition = script.lines().find(|line| line.contains("read -r _")).unwrap().trim();
    let fifo = bench.path("results.jsonl");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let status = Command::new("timeout").args(["20", "bash", "-c", condition]).env("run", bench.path("")).status();
    assert_eq!(status.unwrap().code(), Some(1), "{condition}");
}
