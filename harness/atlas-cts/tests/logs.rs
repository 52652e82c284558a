//! Log lines of driver and runtime about a failing rule are kept with its result: the right lines, no others, and with
//! names redacted on request.

use crate::support;

use std::fs;

use record::{RuleLogs, Verdict};
use support::{Answer, Bench, answer};

const RULES: &str = "# The rules of a test.
title: Chat
rules:
  - id: acl.chat.fails
    title: It sets
    statement: It sets.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_NORMAL_ONLY);
      ---
      aclrtMemset(p, 4096, 77, 4096);
  - id: acl.chat.works
    title: It gives
    statement: It gives.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
";

/// A bench with a device that logs why it fails.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(RULES);
    for folder in ["log/debug/plog", "root/proc/sys/kernel", "root/dev"] {
        fs::create_dir_all(bench.path(folder)).unwrap();
    }
    bench.write("root/proc/sys/kernel/hostname", "node17.example.org\n");
    bench.library_before_the_simulator("chatty.c", "libchatty.so", &[]);
    bench
}

fn run_to(bench: &Bench, report: &str, words: &[&str], lines: &str) -> Answer {
    let fixed = ["run", "--specs", "specs", "--product", "a2", "--library", "libchatty.so"];
    let mut command = bench.command(fixed.iter().chain(&["--report-dir", report]).chain(words));
    command.env("ASCEND_PROCESS_LOG_PATH", bench.path("log")).env("ATLAS_CTS_LOG_ROOT", "root");
    command.env("CHATTY_ROOT", bench.path("root")).env("CHATTY_LINES", lines);
    answer(&mut command)
}

fn logs(bench: &Bench, report: &str) -> RuleLogs {
    bench.report(report).result("acl.chat.fails").logs.clone().expect("the logs were read")
}

fn text(bench: &Bench, report: &str, source: &str) -> String {
    let name = format!("logs/acl.chat.fails/{source}.txt");
    assert!(logs(bench, report).files.iter().any(|file| file.name == name), "{name} is not in the journal");
    fs::read_to_string(bench.path(report).join(name)).unwrap()
}

#[test]
fn the_log_lines_of_a_failure_are_kept_with_its_result() {
    let bench = bench();
    let stranger = "[ERROR] RUNTIME(1,x):2026-01-01-00:00:00.000.000 of a stranger\n";
    bench.write("log/debug/plog/plog-1_20260101000000000.log", stranger);
    let answer = run_to(&bench, "report", &[], "3");
    answer.says(1, &["logs/acl.chat.fails/kernel.txt", "logs/acl.chat.fails/process-log.txt"]);
    let (process, kernel) = (text(&bench, "report", "process-log"), text(&bench, "report", "kernel"));
    assert!(process.contains("no room on ") && process.contains("number 2"), "{process}");
    assert!(kernel.contains("no page for process") && kernel.contains("device 0 is short of pages"), "{kernel}");
    assert!(kernel.contains("about other processes"), "{kernel}");
    assert!(!process.contains("stranger") && !kernel.contains("of a stranger"), "{process}{kernel}");
    let report = bench.report("report");
    let failure = report.result("acl.chat.fails").failure.as_ref().unwrap();
    assert!(!failure.recent_error.is_empty(), "the runtime's error text was queried");
    assert!(!failure.trace.iter().any(|call| call.contains("aclGetRecentErrMsg")), "{:?}", failure.trace);
    assert_eq!(report.result("acl.chat.works").verdict, Verdict::Pass);
    assert_eq!(report.result("acl.chat.works").logs, None);
    let junit = fs::read_to_string(bench.path("report/junit.xml")).unwrap();
    let folder = bench.path("report").canonicalize().unwrap();
    let attached = format!("[[ATTACHMENT|{}/logs/acl.chat.fails/process-log.txt]]", folder.display());
    assert!(junit.contains(&attached), "{attached} is not in {junit}");
}

#[test]
fn names_are_redacted_on_request() {
    let bench = bench();
    run_to(&bench, "report", &["--tune", "redact=yes"], "1").says(1, &[]);
    let process = text(&bench, "report", "process-log");
    assert!(process.contains("at <ip-1>, card <pci-1>, number 0"), "{process}");
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let whole = process + &fs::read_to_string(bench.path("report/junit.xml")).unwrap();
    for secret in [host.trim(), "10.20.30.40", "0000:c1:00.0"] {
        assert!(secret == "localhost" || !whole.contains(&format!(" {secret} ")), "{secret} in {whole}");
    }
    assert!(bench.report("report").header.settings.redact);
}

#[test]
fn a_flood_of_lines_is_cut_to_its_end() {
    let bench = bench();
    run_to(&bench, "report", &["--tune", "logs=8"], "20000").says(1, &[]);
    let logs = logs(&bench, "report");
    assert!(logs.files.iter().map(|file| file.bytes).sum::<u64>() <= 8 << 10, "{logs:?}");
    let process = text(&bench, "report", "process-log");
    assert!(process.contains("lines before these left out)") && process.contains("number 19999"), "{process}");
    assert!(!process.contains("number 0\n"), "{process}");
}

#[test]
fn logs_that_cannot_be_written_cost_no_result() {
    let bench = bench();
    fs::create_dir_all(bench.path("report")).unwrap();
    bench.write("report/logs", "not a folder");
    run_to(&bench, "report", &[], "1").says(1, &["cannot write the logs of acl.chat.fails"]);
    let report = bench.report("report");
    assert_eq!(report.result("acl.chat.fails").logs, None);
    assert_eq!(report.results.len(), report.header.rules);
}

#[test]
fn a_merged_run_has_the_logs_of_its_parts() {
    let bench = bench();
    for number in ["1", "2"] {
        run_to(&bench, &format!("part-{number}"), &["--shard", &format!("{number}/2")], "1");
    }
    bench.run(["merge", "--specs", "specs", "--report-dir", "whole", "part-1", "part-2"]).says(1, &[]);
    assert!(text(&bench, "whole", "process-log").contains("no room on "));
}

#[test]
fn no_log_is_read_if_none_is_wanted() {
    let bench = bench();
    run_to(&bench, "report", &["--tune", "logs=0"], "1").says(1, &[]);
    assert_eq!(bench.report("report").result("acl.chat.fails").logs, None);
    assert!(!bench.path("report/logs").exists());
}
