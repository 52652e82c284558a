//! What attackers tried, each with the command that they used: files of other users, journals of strangers, limits, hostile
//! tools and libraries.

mod support;

use std::fs;
use std::os::unix::fs::{chown, symlink};

use rstest::{fixture, rstest};
use support::small::{ALIGNED, HOLDS, MISALIGNED, chapter};
use support::{Answer, Bench, answer};

/// Somebody else's number.
const STRANGER: u32 = 65_534;
/// Calls every failure known.
const ALL_KNOWN: &str = "\
expectations:
  - rule: \"acl.*\"
    kind: fail
    symptom: {verdict: fail}
    tracker: https://tracker.example/1
    owner: nobody
    expires: 2999-12-31
";

#[fixture]
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[ALIGNED, HOLDS]));
    bench
}

/// A run of the executable's own catalog with a defect, as on a machine without cargo.
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

/// N1. In the current folder, whoever owns it; the path that the executable was built at is not looked at.
#[rstest]
fn a_planted_folder_of_known_failures_changes_no_status(bench: Bench) {
    fs::create_dir(bench.path("expectations")).unwrap();
    bench.write("expectations/e.yaml", ALL_KNOWN);
    let run = embedded(&bench);
    run.says(1, &["FAIL  acl.set.byte", "known failures: none; expectations is not read"]);
    assert!(bench.path("reports/out/latest/results.jsonl").exists(), "reports are below the current folder");
}

/// N1. Reports go into no folder of another user that lies in the current one.
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

/// N1. What is kept for later runs has a name that the user gave.
#[rstest]
fn counterexamples_are_kept_only_where_somebody_said(bench: Bench) {
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--backend", "simulator"];
    let mut command = bench.command(words.iter().chain(&["--keep"]));
    answer(command.env_remove("CARGO_MANIFEST_DIR").env_remove("ATLAS_CTS_REGRESSIONS"))
        .says(2, &["--keep: nobody said where; let ATLAS_CTS_REGRESSIONS name a folder that is your own"]);
}

/// N3. A number of parts that no command line takes is refused before anybody counts what is missing.
#[rstest]
fn a_run_of_four_billion_parts_is_no_run(bench: Bench) {
    broken(&bench, "part", &["--shard", "1/1"]).says(1, &[]);
    let journal = bench.report("part").journal;
    let hostile = journal.replacen("\"number\":1,\"of\":1", "\"number\":1,\"of\":4294967295", 1);
    assert_ne!(journal, hostile, "{journal}");
    bench.write("part/results.jsonl", hostile);
    for command in [&["merge", "--specs", "specs", "part", "--report-dir", "merged"][..], &["report", "part"]] {
        let refused = bench.run(command);
        assert_ne!(refused.status, 0, "{}", refused.text);
        refused.says(refused.status, &["a run of 4294967295 parts; there are at most 100000"]);
    }
}

/// N5. A run folder that comes from elsewhere leads nowhere else.
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
    resumed.says(1, &["counterexamples is a link, not a folder; the journal has it"]);
    assert_eq!(fs::read_dir(bench.path("elsewhere")).unwrap().count(), 0);
}
