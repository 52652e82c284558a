//! Trouble around a run: the clock is set, the disk is full, logs grow to gigabytes. No rule is blamed.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use record::{StartReason, Verdict};
use time::{Date, OffsetDateTime};

use crate::nights::{ALONE, STREAM, bench, command, rule, verdicts, waiting_rules};
use crate::support::{Answer, Bench, Report, answer, take_environment};

// ---- the clock

/// Builds a wall clock that is set by hours, forward and back, ten times a second.
fn clock(bench: &Bench) -> PathBuf {
    bench.library_named("libclock.so", "fixtures/faults/clock.c", &[])
}

/// Hours between a time in a journal (`2026-11-22T21:13:…`) and now.
fn hours_off(time: &str) -> i64 {
    let number = |from: usize, to: usize| time[from..to].parse::<u16>().unwrap();
    let month = u8::try_from(number(5, 7)).unwrap().try_into().unwrap();
    let date = Date::from_calendar_date(number(0, 4).into(), month, number(8, 10) as u8).unwrap();
    let hours = |date: Date, hour: u16| i64::from(date.to_julian_day()) * 24 + i64::from(hour);
    let now = OffsetDateTime::now_utc();
    (hours(date, number(11, 13)) - hours(now.date(), now.hour().into())).abs()
}

#[track_caller]
fn expect_times_without_harm(report: &Report) {
    let end = report.end();
    for time in [&report.header.started, &end.finished] {
        assert!(hours_off(time) >= 2, "the clock of the command was set: {time}");
    }
    // The jumps of the clock do not count as elapsed time.
    assert!(Duration::from_nanos(end.nanoseconds) < Duration::from_secs(3600));
    assert!(report.results.iter().all(|result| result.nanoseconds <= end.nanoseconds));
}

#[test]
fn a_clock_that_is_set_back_and_forth_neither_hides_nor_causes_a_hang() {
    let bench = bench(waiting_rules(), "HANGS_IN_ONE_CALL");
    answer(command(&bench, "1").env("LD_PRELOAD", clock(&bench))).says(1, &["timeout     acl.night.first"]);
    let report = bench.report("report");
    for (id, verdict) in verdicts(&report) {
        let expected = match id {
            "acl.night.first" | "acl.night.owner" => Verdict::Timeout,
            _ if id.contains("stream") => Verdict::Blocked,
            _ => Verdict::Pass,
        };
        assert_eq!(verdict, expected, "{id}");
    }
    assert_eq!(report.results.len(), report.header.rules);
    expect_times_without_harm(&report);
}

#[test]
fn a_run_whose_clock_jumps_is_resumed_and_merged_like_any_other() {
    let bench = bench(waiting_rules(), "WORKS");
    let clock = clock(&bench);
    for part in ["1/2", "2/2"] {
        let folder = format!("part-{}", &part[..1]);
        let words = ["run", "--specs", "specs", "--product", "a2", "--library", "libnight.so", "--jobs", "1"];
        let besides = ["--shard", part, "--report-dir", &folder];
        answer(bench.command(words.iter().chain(&besides)).env("LD_PRELOAD", &clock)).says(0, &[]);
        // As after a kill: the last line is missing.
        let journal = bench.report(&folder).journal;
        let end = journal.trim_end().rfind('\n').unwrap() + 1;
        bench.write(&format!("{folder}/results.jsonl"), &journal[..end]);
        let words = ["run", "--specs", "specs", "--library", "libnight.so", "--resume", &folder];
        answer(bench.command(words).env("LD_PRELOAD", &clock)).says(0, &["rules have a result"]);
    }
    let words = ["merge", "--specs", "specs", "part-1", "part-2", "--report-dir", "whole"];
    answer(bench.command(words).env("LD_PRELOAD", &clock)).says(0, &[]);
    let whole = bench.report("whole");
    assert_eq!(whole.results.len(), whole.header.rules);
    assert!(verdicts(&whole).values().all(|verdict| *verdict == Verdict::Pass), "{:?}", whole.verdicts());
}

// ---- memory

/// A machine short of memory kills an idle process. A rule that begins later is not blamed.
#[test]
fn a_process_that_is_killed_between_two_rules_fails_no_rule() {
    let steps = [("seen", STREAM), ("killer", ALONE), ("next", "")];
    let rules = steps.map(|(name, steps)| rule(&format!("night.{name}"), "", steps)).concat();
    let bench = bench(format!("title: Night\nrules:\n{rules}"), "KILLS_IDLE");
    answer(command(&bench, "30").env("NIGHT_IDLE", bench.path("idle"))).says(0, &[]);
    let report = bench.report("report");
    assert!(verdicts(&report).values().all(|verdict| *verdict == Verdict::Pass), "{:?}", report.verdicts());
    let end = report.end();
    let said = |remark: &&String| remark.starts_with("an idle worker exited (signal 9");
    assert_eq!(end.remarks.iter().filter(said).count(), 1, "{:?}", end.remarks);
    assert_eq!(end.starts[&StartReason::AfterLoss].processes, 1);
}

// ---- logs

/// Runs a command to its end. Also returns the peak memory of its process, in bytes.
fn measured(command: &mut Command) -> (Answer, u64) {
    let output = std::env::temp_dir();
    let printed = tempfile::tempfile_in(&output).unwrap();
    let mut child = command.stdout(printed.try_clone().unwrap()).stderr(printed.try_clone().unwrap()).spawn().unwrap();
    let mut most = 0;
    let status = loop {
        let text = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        most = most.max(peak.map_or(0, |kibibytes: u64| kibibytes << 10));
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut text = String::new();
    let mut printed = printed;
    std::io::Seek::rewind(&mut printed).unwrap();
    std::io::Read::read_to_string(&mut printed, &mut text).unwrap();
    (Answer { status: status.code().unwrap_or(-1), text }, most)
}

/// Runs a library that prints, with these further words on the command line.
fn printing(kind: &str, words: &[&str]) -> (Bench, Answer, u64) {
    let rules = ["", "    owns: [aclrtSynchronizeStream]\n"].iter().enumerate();
    let rules = rules.map(|(number, keys)| rule(&format!("night.print{number}"), keys, STREAM)).collect::<String>();
    let quiet = rule("night.quiet", "", "");
    let bench = bench(format!("title: Night\nrules:\n{rules}{quiet}"), kind);
    fs::create_dir_all(bench.path("logs/debug/plog")).unwrap();
    let (answer, most) = measured(
        command(&bench, "600")
            .args(words)
            .env("ASCEND_PROCESS_LOG_PATH", bench.path("logs"))
            // No call hangs here, and on a busy machine one that prints a quarter of a gigabyte is slow.
            .env("ATLAS_CTS_PATIENCE", "60000"),
    );
    (bench, answer, most)
}

/// The memory limit of the supervisor, however much a library prints.
const ENOUGH: u64 = 256 << 20;

fn printed(bench: &Bench) -> u64 {
    (fs::metadata(bench.path("count")).unwrap().len()) * (256 << 20)
}

#[test]
fn a_library_that_prints_gigabytes_changes_no_verdict() {
    let (bench, answer, most) = printing("PRINTS", &[]);
    answer.says(0, &[]);
    assert!(bench.report("report").results.iter().all(|result| result.verdict == Verdict::Pass));
    assert!(printed(&bench) >= 1 << 30, "{} bytes", printed(&bench));
    assert!(most < ENOUGH, "{most} bytes, of {} that were printed", printed(&bench));
}

/// Each crashed process prints a part. On a busy machine, only a long profile has time to confirm enough crashes.
#[test]
fn the_end_of_gigabytes_printed_by_a_crashing_library_is_kept() {
    let (bench, answer, most) = printing("PRINTS_AND_ABORTS", &["--profile", "nightly"]);
    answer.says(1, &["verdicts  1 pass, 2 crash", "SIGABRT"]);
    let report = bench.report("report");
    assert_eq!(report.result("acl.night.quiet").verdict, Verdict::Pass);
    let failure = report.result("acl.night.print0").failure.as_ref().unwrap();
    assert!((1..=16 << 10).contains(&failure.output.len()), "{} bytes", failure.output.len());
    // Each crashed process printed a part. The number of processes depends on the time that is left to confirm a crash.
    assert!(printed(&bench) >= 2 * ENOUGH && most < ENOUGH, "{most} bytes, of {} that were printed", printed(&bench));
    assert!(report.journal.len() < 1 << 20, "the journal has {} bytes", report.journal.len());
}

// ---- the disk

#[test]
fn a_full_disk_ends_the_run_which_can_be_resumed_with_free_space() {
    let works = Command::new("unshare").args(["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: file systems cannot be mounted here (unshare -Urm)");
        return;
    }
    let quiet = |from: u32, to: u32| (from..to).map(|number| rule(&format!("night.quiet{number}"), "", ""));
    let rules: String = quiet(0, 3).chain([rule("night.fills", "", STREAM)]).chain(quiet(3, 23)).collect();
    let bench = bench(format!("title: Night\nrules:\n{rules}"), "FILLS_THE_DISK");
    // The test keeps the content of the full disk and the final content.
    let script = "mkdir small kept && mount -t tmpfs -o size=1m none small || exit 99
                  run() { \"$0\" run --specs specs --library libnight.so --jobs 1 \"$@\"; }
                  run --product a2 --report-dir small/report; first=$?
                  cp -r small/report kept/full && rm small/log
                  NIGHT_OVER=1 run --resume small/report; second=$?
                  cp -r small/report kept/room; echo \"first $first, second $second\"";
    let atlas = bench.command([""; 0]);
    let mut shell = Command::new("unshare");
    shell.args(["-Urm", "sh", "-c", script]).arg(atlas.get_program());
    take_environment(&mut shell, &atlas);
    shell.env("NIGHT_LOG", bench.path("small/log")).env("NIGHT_COUNT", bench.path("count"));
    let answer = answer(shell.current_dir(bench.path("")).stdin(Stdio::null()));
    let full = ["cannot write results", "No space left on device", "free some space, then resume the run"];
    answer.says(0, &full).says(0, &["first 3, second 0"]);
    let (full, room) = (bench.report("kept/full"), bench.report("kept/room"));
    assert!((4..24).contains(&full.results.len()), "{:?}", full.verdicts());
    assert!(full.end.is_none() && full.journal.ends_with('\n'), "no line is cut off");
    assert!(room.journal.starts_with(&full.journal), "the recorded part stays");
    assert_eq!(room.results.len(), room.header.rules);
    assert!(room.results.iter().all(|result| result.verdict == Verdict::Pass), "{:?}", room.verdicts());
}
