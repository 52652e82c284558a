//! Journals from outside, and run folders that another process changes: nothing is loaded or written because of them,
//! nothing waits forever, and the results of a run are still reported.

use crate::support;

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use catalog::digest;
use rstest::rstest;
use serde_json::{Value as Json, json};
use support::{Answer, Bench, answer, has, take_environment, wait_until};

/// Rules that hold; the last two fail on a device whose small blocks are misaligned.
fn bench() -> Bench {
    let rule = |name: &str, alignment: u32| {
        format!(
            "  - id: acl.small.{name}
    title: A block is aligned
    statement: A block is aligned.
    clauses: {{manual: manual.blocks}}
    level: must
    forall:
      size: {{every: [1, 63, 64]}}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % {alignment} == 0;
"
        )
    };
    let rules: String = [("r1", 1), ("r2", 1), ("r3", 64), ("r4", 64)].map(|(name, align)| rule(name, align)).concat();
    let bench = Bench::new();
    bench.catalog(format!("title: Small\nrules:\n{rules}"));
    bench
}

const MISALIGNED: [&str; 2] = ["--defect", "malloc.aligned-only-from-4KiB"];
/// The settings with which a rule takes at least a quarter of a second.
const VERY_SLOW: [&str; 4] = ["--sim", "call-ns=20000000", "--jobs", "1"];

/// Runs a command that must not wait forever.
fn bounded(command: Command) -> Answer {
    let mut timeout = Command::new("timeout");
    timeout.arg("60").arg(command.get_program()).args(command.get_args());
    timeout.current_dir(command.get_current_dir().unwrap()).stdin(Stdio::null());
    take_environment(&mut timeout, &command);
    answer(&mut timeout)
}

fn resume(bench: &Bench, arguments: &[&str]) -> Answer {
    bounded(bench.command(["run", "--specs", "specs", "--resume", "report"].iter().chain(arguments)))
}

/// The lines of the journal in `report`, changed.
fn edit(bench: &Bench, change: impl FnOnce(&mut Vec<Json>)) {
    let path = bench.path("report/results.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(&mut lines);
    fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

/// A run that was killed after two of its results.
fn half_done(arguments: &[&str]) -> Bench {
    let bench = bench();
    bench.run_catalog("report", &[arguments, &["--jobs", "1"]].concat());
    edit(&bench, |lines| {
        let results = |lines: &[Json]| lines.iter().filter(|line| line.get("result").is_some()).count();
        while results(lines) > 2 {
            lines.pop();
        }
    });
    bench
}

#[rstest]
#[case::a_result("result")]
#[case::a_begin("begin")]
#[case::a_selection("run")]
fn an_id_that_is_a_path_is_refused_and_nothing_is_written(#[case] line: &str) {
    let bench = bench();
    bench.run_catalog("report", &[&MISALIGNED[..], &["acl.small"]].concat()).says(1, &[]);
    fs::remove_dir_all(bench.path("report/counterexamples")).unwrap();
    bench.write("settings.json", "mine");
    edit(&bench, |lines| {
        for fields in lines.iter_mut().filter_map(|found| found.get_mut(line)) {
            match fields.get_mut("selected") {
                Some(selected) => selected[0]["id"] = json!("../../settings"),
                None => fields["id"] = json!("../../settings"),
            }
        }
    });
    let before = fs::read(bench.path("report/junit.xml")).unwrap();
    resume(&bench, &[]).says(2, &["results.jsonl:", "`../../settings` is not the id of a rule", "was changed"]);
    assert_eq!(fs::read_to_string(bench.path("settings.json")).unwrap(), "mine");
    assert!(!bench.path("report/counterexamples").exists());
    assert_eq!(fs::read(bench.path("report/junit.xml")).unwrap(), before);
}

#[test]
fn a_library_is_not_loaded_because_a_journal_names_it() {
    let bench = half_done(&[]);
    let source =
        "#include <fcntl.h>\n__attribute__((constructor)) static void load(void) { creat(\"loaded\", 0600); }\n";
    let source = bench.write("planted.c", source);
    let planted = bench.library(source.to_str().unwrap(), &[]);
    edit(&bench, |lines| {
        let library = &mut lines[0]["run"]["library"];
        library["path"] = json!(planted);
        library["sha256"] = json!(digest::of_file(&planted).unwrap());
        (library["simulated"], library["chosen_by"]) = (json!(false), json!("--library"));
    });
    resume(&bench, &[]).says(2, &["the library: ", "libtested.so", "give that run's library with --library PATH"]);
    assert!(!bench.path("loaded").exists(), "the planted library was loaded");
}

#[test]
fn a_catalog_is_not_read_because_a_journal_names_it() {
    let bench = half_done(&[]);
    let specs = format!("it was in {}", bench.path("specs").canonicalize().unwrap().display());
    bounded(bench.command(["run", "--resume", "report"]))
        .says(2, &["the catalog's digest: ", &specs, "give that run's catalog with --specs DIR"]);
    resume(&bench, &[]).says(0, &["4 pass"]);
}

type Edit = fn(&mut Vec<Json>);

#[rstest]
#[case::other_verdicts(|lines: &mut Vec<Json>| lines[2]["result"]["verdict"] = json!("fail"), "the counts of the end differ")]
#[case::other_counts(|lines: &mut Vec<Json>| lines.last_mut().unwrap()["end"]["counts"] = json!({"pass": 9}), "the counts of the end differ")]
#[case::other_status(|lines: &mut Vec<Json>| lines.last_mut().unwrap()["end"]["exit"] = json!(200),
    "the end has exit status 200, but the results before it mean 0")]
#[case::other_settings(|lines: &mut Vec<Json>| lines[0]["run"]["settings"]["min_executed"] = json!(5),
    "the end has exit status 0, but the results before it mean 3")]
#[case::fewer_results(
    |lines: &mut Vec<Json>| {
        lines.drain(1..3);
        lines.last_mut().unwrap()["end"]["counts"] = json!({"pass": 3});
    },
    "the run has ended, but only 3 of its 4 rules have a result")]
fn an_end_that_does_not_follow_from_the_results_is_refused(#[case] change: Edit, #[case] reason: &str) {
    let bench = bench();
    bench.run_catalog("report", &["--jobs", "1"]).says(0, &["4 pass"]);
    edit(&bench, change);
    resume(&bench, &[]).says(2, &["results.jsonl:", reason, "restore it from a copy or run again"]);
}

#[rstest]
#[case::of_the_catalog(&["acl.small"], "which is not a rule in the catalog")]
#[case::of_the_selection(&["acl.small.r1", "acl.small.r2", "acl.small.r3"], "is not among the rules that the run selected")]
fn a_result_of_a_rule_outside(#[case] filter: &[&str], #[case] reason: &str) {
    let bench = half_done(filter);
    edit(&bench, |lines| {
        let mut foreign = lines[2].clone();
        foreign["result"]["id"] = json!("acl.zzz.byte");
        if filter.len() == 1 {
            // The header claims that the catalog has the rule.
            let mut selected = lines[0]["run"]["selected"][0].clone();
            selected["id"] = json!("acl.zzz.byte");
            lines[0]["run"]["selected"].as_array_mut().unwrap().push(selected);
        }
        lines.push(foreign);
    });
    resume(&bench, &[]).says(2, &["acl.zzz.byte", reason, "restore it from a copy or run again"]);
}

#[rstest]
#[case::a_fifo("mkfifo report/results.jsonl", "report", "it is a FIFO, not a file")]
#[case::an_endless_device("ln -s /dev/zero report/results.jsonl", "report", "it is a device, not a file")]
#[case::the_device_itself("true", "/dev/zero", "it is a device, not a file")]
#[case::a_file_without_an_end("truncate -s 1T report/results.jsonl", "report", "has more than")]
fn a_journal_that_is_not_a_file_is_refused_at_once(#[case] script: &str, #[case] folder: &str, #[case] found: &str) {
    let bench = bench();
    fs::create_dir(bench.path("report")).unwrap();
    assert!(Command::new("sh").args(["-c", script]).current_dir(bench.path("")).status().unwrap().success());
    bounded(bench.command(["run", "--resume", folder])).says(2, &["no run to resume: ", found]);
    if folder == "report" {
        bounded(bench.command(["run", "--specs", "specs", "--report-dir", folder])).says(3, &["already exists"]);
    }
}

/// Changes the folder of a run while its second rule runs.
#[track_caller]
fn disturbed(arguments: &[&str], disturb: impl FnOnce(&Path)) -> (Bench, Answer) {
    let bench = bench();
    let words = ["run", "--specs", "specs", "--report-dir", "report"];
    let mut command = bench.command(words.iter().chain(&VERY_SLOW).chain(arguments));
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let journal = bench.path("report/results.jsonl");
    wait_until(|| has(&journal, "{\"begin\":{\"id\":\"acl.small.r2\"}}\n"));
    disturb(&bench.path("report"));
    (bench, run.wait_with_output().unwrap().into())
}

#[rstest]
#[case::removed(|report: &Path| fs::remove_file(report.join("results.jsonl")).unwrap(), "was removed during the run")]
#[case::removed_with_its_folder(|report: &Path| fs::remove_dir_all(report).unwrap(), "was removed during the run")]
#[case::emptied(|report: &Path| drop(File::create(report.join("results.jsonl")).unwrap()), "was truncated during the run")]
#[case::replaced(
    |report: &Path| {
        fs::copy(report.join("results.jsonl"), report.join("new")).unwrap();
        fs::rename(report.join("new"), report.join("results.jsonl")).unwrap();
    },
    "was replaced by another file during the run")]
#[case::written_to(
    |report: &Path| File::options().append(true).open(report.join("results.jsonl")).unwrap().write_all(b"oops\n").unwrap(),
    "was written to by another process during the run")]
fn a_run_whose_journal_is_lost_reports_its_results(#[case] disturb: fn(&Path), #[case] what: &str) {
    let (bench, answer) = disturbed(&[], disturb);
    answer.says(3, &["error: stopping the run: ", what, "start a new run in another folder", "2 pass"]);
    answer.says(3, &["the run did not finish", "the report has the results so far"]);
    let junit = fs::read_to_string(bench.path("report/junit.xml")).unwrap();
    for text in ["acl.small.r1", "acl.small.r2", "The run did not finish."] {
        assert!(junit.contains(text), "{junit}");
    }
}

#[test]
fn a_run_does_not_wait_forever_for_the_lock_of_its_journal() {
    let mut held = None;
    let (bench, answer) = disturbed(&["--tune=lock-wait=1"], |report| {
        let journal = File::open(report.join("results.jsonl")).unwrap();
        journal.lock().unwrap();
        held = Some(journal);
    });
    answer
        .says(3, &["another process has held the lock on ", "report/results.jsonl", "`fuser ", "`lslocks`", "2 pass"]);
    drop(held);
    resume(&bench, &[]).says(0, &["4 pass"]);
}

#[test]
fn a_counterexample_that_cannot_be_written_is_a_remark() {
    let bench = bench();
    fs::create_dir(bench.path("report")).unwrap();
    bench.write("report/counterexamples", "not a folder");
    let answer = bench.run_catalog("report", &MISALIGNED);
    answer.says(1, &["cannot write the counterexample of acl.small.r3 to ", "2 pass, 2 fail", "remark"]);
    let report = bench.report("report");
    assert_eq!(report.end().remarks.len(), 2);
    assert!(report.junit.contains("cannot write the counterexample of acl.small.r4"), "{}", report.junit);
}

#[test]
fn the_name_of_a_run_is_a_name_and_not_a_path() {
    let bench = bench();
    for name in ["../../x", "/tmp/x", ".x", ""] {
        let mut command = bench.command(["run", "--specs", "specs", "acl.small.r1"]);
        answer(command.env("NEXTEST_RUN_ID", name)).says(2, &["is not a valid folder name; unset it"]);
    }
}

#[test]
fn a_moved_run_is_named_by_its_new_place() {
    let bench = bench();
    bench.run_catalog("report", &[]).says(0, &[]);
    fs::rename(bench.path("report"), bench.path("moved")).unwrap();
    let place = format!("report    {}\n", bench.path("moved").canonicalize().unwrap().display());
    bench.run(["run", "--resume", "moved"]).says(0, &[&place]);
}

#[test]
fn what_a_proof_holds_is_read_before_it_begins() {
    let bench = bench();
    let answer = bench.run(["catalog", "prove", "--specs", "specs", "--hold", "nowhere"]);
    answer.says(2, &["nowhere: No such file or directory"]);
    assert!(!answer.text.contains("SIMULATED DEVICE"), "{}", answer.text);
}
