//! Libraries that start slowly, only once, or never, or that are replaced; and answers that differ between processes.

use std::fmt::Write;
use std::fs;

use record::RetryCause;
use rstest::rstest;

use super::support::{Bench, Report};
use super::{RULES, expect_nothing_left, expect_whole, run, run_hanging, run_with, struck_by};

#[test]
fn a_lost_device_is_an_error_of_each_later_rule() {
    let bench = struck_by(&["FAULT_NO_SECOND_START"], "");
    run(&bench, "report").says(1, &["error       acl.faults.after"]);
    let report = bench.report("report");
    let verdicts = [("acl.faults.before", "pass"), ("acl.faults.struck", "crash"), ("acl.faults.after", "error")];
    assert_eq!(report.verdicts(), verdicts);
    let reason = &report.result("acl.faults.after").reason;
    assert!(reason.contains("aclInit returned 507010 (ACL_ERROR_RT_LOST_HEARTBEAT)"), "{reason}");
    assert_eq!(report.end().exit, 1);
}

#[test]
fn a_missing_function_blocks_the_rules_that_call_it() {
    let bench = struck_by(&["FAULT_NO_MALLOC"], "");
    run(&bench, "report").says(3, &["unknown: the environment or a device failed"]);
    let report = bench.report("report");
    assert_eq!(report.results.len(), 3);
    for result in &report.results {
        assert_eq!(result.verdict.name(), "blocked");
        assert_eq!(result.reason, "set-up failed: the library does not export aclrtMalloc");
    }
}

#[test]
fn a_runtime_that_cannot_count_devices_has_one() {
    let bench = struck_by(&["FAULT_NO_DEVICE_COUNT"], "");
    run(&bench, "report").says(0, &[]);
    assert_eq!(bench.report("report").header.devices, 1);
}

#[rstest]
#[case::fails(&["FAULT_START_FAILS"], "cannot set up the runtime: aclInit returned 207004 (ACL_ERROR_RT_NO_DEVICE)")]
#[case::hangs(&["FAULT_START_HANGS"], "while the runtime was being set up, no progress for 4s; the process was killed")]
#[case::crashes(&["FAULT_START_CRASHES"], "(signal 11 (SIGSEGV)); it printed: no firmware")]
#[case::crashes_while_it_is_loaded(&["FAULT_LOADING"], "while the runtime was being set up, the library ended its \
    process")]
#[case::sends_a_signal_while_it_is_loaded(&["FAULT_LOADING", "FAULT_SIGNAL=SIGSEGV", "FAULT_BY_RAISE"], "while the \
    runtime was being set up, the library ended its process (signal 11 (SIGSEGV))")]
#[case::has_no_device(&["FAULT_NO_DEVICE"], "libtested.so: the runtime reports no device")]
#[case::is_another_product(&["FAULT_OTHER_PRODUCT"], "reports `Ascend310P3`, which is infer, but --product is a2")]
#[case::needs_an_undefined_symbol(&["FAULT_NEEDS_A_SYMBOL"], "a_symbol_that_nobody_defines")]
#[case::needs_another_library(&["-Wl,--no-as-needed", "-L.", "-labsent"], "libabsent.so")]
fn a_library_that_cannot_start_is_reported_as_the_reason(#[case] faults: &[&str], #[case] reason: &str) {
    let bench = if faults.contains(&"-labsent") {
        let bench = Bench::new();
        bench.catalog(RULES.replace("ACTORS", "").replace("ACTOR", ""));
        let folder = format!("-L{}", bench.path("").display());
        fs::rename(bench.library("fixtures/faults/faults.c", &[]), bench.path("libabsent.so")).unwrap();
        bench.library("fixtures/faults/faults.c", &["-Wl,--no-as-needed", &folder, "-labsent"]);
        fs::remove_file(bench.path("libabsent.so")).unwrap();
        bench
    } else {
        struck_by(faults, "")
    };
    run_hanging(&bench, "report").says(3, &["error: ", reason]);
    assert!(!bench.path("report").exists(), "nothing ran, nothing is written");
}

#[test]
fn an_unknown_product_is_named_and_never_guessed() {
    let bench = struck_by(&["FAULT_UNKNOWN_PRODUCT"], "");
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--library", "libtested.so"];
    bench
        .run(words)
        .says(3, &["`Ascend2000X`, which matches no product in products.yaml", "with --product, one of ascend950"]);
    run(&bench, "report").says(0, &["Ascend2000X, product a2"]);
}

#[test]
fn a_file_that_is_not_a_library_of_this_machine_is_described() {
    let bench = struck_by(&[], "");
    let tested = bench.path("libtested.so");
    let try_it = |reason: &str| {
        run(&bench, "report").says(3, &["error: ", "libtested.so", reason]);
    };
    let mut elf = fs::read(&tested).unwrap();
    let foreign = if cfg!(target_arch = "aarch64") { 62u16 } else { 183 };
    elf[18..20].copy_from_slice(&foreign.to_le_bytes());
    fs::write(&tested, &elf).unwrap();
    try_it("is for another architecture");
    fs::write(&tested, &elf[..10]).unwrap();
    try_it("is not a shared library (no ELF header)");
    fs::write(&tested, "INPUT(libreal.so)\nthis is a text file\n").unwrap();
    try_it("is not a shared library (no ELF header)");
    fs::remove_file(&tested).unwrap();
    run(&bench, "report").says(2, &["libtested.so: No such file or directory"]);
    fs::create_dir(&tested).unwrap();
    try_it("is a folder, not a file; give the path of the runtime's shared library");
}

#[test]
fn the_loader_rejects_half_a_library() {
    let bench = struck_by(&[], "");
    let whole = fs::read(bench.path("libtested.so")).unwrap();
    bench.write("libtested.so", &whole[..whole.len() / 4]);
    let answer = run(&bench, "report");
    answer.says(3, &["error: ", "libtested.so: "]);
}

#[test]
fn of_codes_that_change_between_processes_the_first_is_reported() {
    let bench = struck_by(&["FAULT_CODES_CHANGE"], "");
    run(&bench, "report").says(1, &["acl.faults.struck", "size = 5000"]);
    let report = bench.report("report");
    expect_whole(&report);
    let struck = report.result("acl.faults.struck");
    assert_eq!(struck.verdict.name(), "fail");
    assert!(struck.reason.contains("returned 207001 (ACL_ERROR_RT_MEMORY_ALLOCATION)"), "{}", struck.reason);
    assert_eq!(struck.failure.as_ref().unwrap().values, [("size".to_owned(), "5000".to_owned())]);
}

#[test]
fn a_slow_start_is_waited_for() {
    let bench = struck_by(&["FAULT_START_SLOW"], "");
    // The deadline of a start is four times that of a step.
    run_with(&bench, "report", &["--tune", "deadline=2"]).says(0, &[]);
    let report = bench.report("report");
    expect_whole(&report);
    assert_eq!(report.result("acl.faults.struck").verdict.name(), "pass");
    assert!(report.end().start_up_nanoseconds >= 3_000_000_000, "{}", report.end().start_up_nanoseconds);
}

#[test]
fn a_start_that_fails_once_is_retried() {
    let bench = struck_by(&["FAULT_SECOND_START_FAILS_ONCE"], "");
    run(&bench, "report").says(1, &["CRASH  acl.faults.struck", "remark "]);
    let report = bench.report("report");
    expect_whole(&report);
    let remarks = &report.end().remarks;
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert!(remarks[0].starts_with("a worker started only on the second attempt: "), "{remarks:?}");
    assert!(remarks[0].contains("aclInit returned 507010 (ACL_ERROR_RT_LOST_HEARTBEAT)"), "{remarks:?}");
    let [retry] = &report.end().retries[..] else { panic!("{:?}", report.end().retries) };
    assert_eq!((retry.cause, &retry.rule), (RetryCause::Start, &None));
    assert!(retry.reason.contains("aclInit returned 507010"), "{retry:?}");
    assert!(report.junit.contains("<property name=\"retry\" value=\"start: "), "{}", report.junit);
}

/// Ten rules; the second one crashes.
fn ten_rules(fault: &str) -> Bench {
    let bench = struck_by(&[fault], "");
    let mut rules = RULES.replace("ACTORS", "").replace("ACTOR", "");
    for number in 4..=10 {
        let _ = write!(
            rules,
            "  - id: acl.faults.rest-{number}
    title: A small block is aligned
    statement: A small block is aligned.
    clauses: {{manual: manual.blocks}}
    level: must
    steps: |
      aclrtMalloc(&p, 16, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
"
        );
    }
    bench.catalog(rules);
    bench
}

#[test]
fn a_device_on_which_nothing_starts_is_put_into_quarantine() {
    let bench = ten_rules("FAULT_NO_SECOND_START");
    run_hanging(&bench, "report").says(1, &["device 0 is in quarantine"]);
    let report = bench.report("report");
    assert_eq!(report.results.len(), 10, "no rule is omitted");
    let why = "aclInit returned 507010 (ACL_ERROR_RT_LOST_HEARTBEAT)";
    let (tried, rest) = report.results[2..].split_at(1);
    assert_eq!(tried[0].verdict.name(), "error", "{}", tried[0].reason);
    assert!(tried[0].reason.contains(why), "{}", tried[0].reason);
    for result in rest {
        assert_eq!(result.verdict.name(), "error", "{}: {}", result.id, result.reason);
        for fragment in ["is in quarantine: 3 starts in a row failed there, the last because", why, "fix the device"] {
            assert!(result.reason.contains(fragment), "{}", result.reason);
        }
    }
    // The library records the crash first, then its failed starts.
    assert_eq!(fs::read_to_string(bench.path("crashed")).unwrap().len(), 1 + 3, "no run waits for 10 starts");
}

#[test]
fn a_device_on_which_a_start_hangs_is_not_waited_for_again() {
    let bench = ten_rules("FAULT_NO_SECOND_START_HANGS");
    run_hanging(&bench, "report").says(1, &["the device is quarantined"]);
    let report = bench.report("report");
    assert_eq!(report.results.len(), 10, "no rule is omitted");
    for result in &report.results[2..] {
        assert_eq!(result.verdict.name(), "device-lost", "{}: {}", result.id, result.reason);
        assert!(result.reason.contains("no progress for 4s; the process was killed"), "{}", result.reason);
    }
    // The crash, its confirmation, and the first later rule that needs a process.
    assert_eq!(fs::read_to_string(bench.path("crashed")).unwrap().len(), 1 + 2, "no run waits for 10 starts");
}

/// A run during which another library is installed.
fn replaced(by: impl FnOnce(&Bench)) -> Report {
    let bench = struck_by(&["FAULT_REPLACED"], "");
    by(&bench);
    run(&bench, "report").says(1, &["acl.faults.struck"]);
    assert!(!bench.path("new").exists(), "the library was replaced");
    expect_nothing_left(&bench);
    bench.report("report")
}

#[test]
fn a_library_replaced_during_the_run_is_not_tested_under_the_old_name() {
    let report = replaced(|bench| drop(bench.write("new", "another library")));
    let verdicts = [("acl.faults.before", "pass"), ("acl.faults.struck", "crash"), ("acl.faults.after", "error")];
    assert_eq!(report.verdicts(), verdicts);
    let reason = &report.result("acl.faults.after").reason;
    assert!(reason.contains("libtested.so was replaced during the run: its sha256 was"), "{reason}");
    assert!(reason.contains(&report.header.library.sha256[..12]), "{reason}");
    assert!(reason.contains("start the run again, and do not install libraries during a run"), "{reason}");
}

#[test]
fn a_reinstalled_library_is_the_same_library() {
    let report = replaced(|bench| {
        fs::copy(bench.path("libtested.so"), bench.path("new")).unwrap();
    });
    expect_whole(&report);
}
