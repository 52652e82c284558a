//! Libraries that crash, hang, print, lie and refuse to start: what the run says, and that it loses nothing.

mod support;

use std::fs;
use std::process::{Child, Command, Stdio};

use harness::record::RuleResult;
use rstest::rstest;
use support::{Bench, Report, Watched, answer};

/// Three rules. The one in the middle asks for a block that is large enough to strike.
const RULES: &str = "\
chapter: faults
title: Faults
rules:
  - id: acl.faults.before
    title: A small block is aligned
    statement: A small block is aligned.
    source: [{document: manual, section: blocks}]
    level: must
    forall:
      size: {every: [16, 64]}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
    observe: {process: getpid()}
  - id: acl.faults.struck
    title: A block is aligned
    statement: A block is aligned.
    source: [{document: manual, section: blocks}]
    level: must
    ACTORS
    forall:
      size: {every: [16, 64, 5000]}
    steps: |
      ACTOR aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      ACTOR (uintptr_t)p % 64 == 0;
  - id: acl.faults.after
    title: A small block is aligned
    statement: A small block is aligned.
    source: [{document: manual, section: blocks}]
    level: must
    forall:
      size: {every: [16, 64]}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
    observe: {process: getpid()}
";

const BOTH_PROCESSES: &str = "actors: \"A: process(device 0); B: process(device 0);\"";
const ISOLATED: &str = "actors: \"B: process(device 0), isolated;\"";

/// A library with a fault, and the rules that meet it.
fn struck_by(faults: &[&str], actors: &str) -> Bench {
    let bench = Bench::new();
    let actor = if actors.is_empty() { "" } else { "B:" };
    bench.catalog(RULES.replace("ACTORS", actors).replace("ACTOR", actor));
    bench.library("fixtures/faults/faults.c", faults);
    bench.write("processes", "");
    bench
}

fn run(bench: &Bench, report: &str) -> support::Answer {
    let words = ["run", "--specs", "specs", "--report-dir", report, "--product", "a2", "--deadline", "1"];
    let mut command = bench.command(words);
    command.args(["--library", "libtested.so"]);
    command.env("FAULT_PROCESSES", bench.path("processes")).env("FAULT_CRASHED", bench.path("crashed"));
    answer(&mut command)
}

/// The process that ran a rule's cases.
fn process(result: &RuleResult) -> &str {
    let processes: Vec<&String> = result.observations["process"].keys().collect();
    assert_eq!(processes.len(), 1, "{processes:?}");
    processes[0]
}

/// One result for each rule, in order, and an end; the rules around the struck one hold.
#[track_caller]
fn expect_whole(report: &Report) {
    let ids: Vec<&str> = report.results.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(ids, ["acl.faults.before", "acl.faults.struck", "acl.faults.after"]);
    assert_eq!(report.end().counts.values().sum::<u64>(), 3);
    for around in ["acl.faults.before", "acl.faults.after"] {
        let result = report.result(around);
        assert_eq!(result.verdict.name(), "pass", "{around}: {}", result.reason);
    }
}

const MALLOC: &str = "aclrtMalloc did not return: ";

#[rstest]
#[case::segfault(&["FAULT_SEGFAULT"], "", "crash", &[MALLOC, "signal 11 (SIGSEGV)"])]
#[case::abort(&["FAULT_ABORT"], "", "crash", &[MALLOC, "signal 6 (SIGABRT)"])]
#[case::exit(&["FAULT_EXIT"], "", "crash", &[MALLOC, "exit status 0"])]
#[case::hang_with_all_signals_blocked(&["FAULT_HANG"], "", "timeout", &[MALLOC, "no progress for 1s"])]
#[case::hang_outside_its_group(&["FAULT_HANG_IN_OTHER_GROUP"], "", "timeout", &[MALLOC, "no progress"])]
#[case::crash_while_a_child_holds_the_pipes(&["FAULT_CRASH_WITH_HELPER"], "", "crash", &[MALLOC, "SIGABRT"])]
#[case::flood_and_crash(&["FAULT_FLOOD_AND_CRASH"], "", "crash", &[MALLOC, "SIGSEGV"])]
#[case::descriptors_closed(&["FAULT_CLOSES_DESCRIPTORS"], "", "crash", &["the library closed file descriptors"])]
#[case::crash_in_the_release(&["FAULT_SEGFAULT", "FAULT_IN_FREE"], "", "crash",
    &["aclrtFree (automatic release) did not return: ", "SIGSEGV"])]
#[case::crash_in_one_of_two_processes(&["FAULT_SEGFAULT"], BOTH_PROCESSES, "crash",
    &["in process B: ", MALLOC, "SIGSEGV"])]
#[case::hang_in_one_of_two_processes(&["FAULT_HANG"], BOTH_PROCESSES, "timeout",
    &["in process B: ", MALLOC, "no progress"])]
#[case::child_of_one_of_two_processes(&["FAULT_CRASH_WITH_HELPER"], BOTH_PROCESSES, "crash",
    &["in process B: ", MALLOC, "SIGABRT"])]
#[case::descriptors_closed_in_one_of_two(&["FAULT_CLOSES_DESCRIPTORS"], BOTH_PROCESSES, "crash",
    &["in process B: ", "the library closed file descriptors"])]
#[case::crash_in_a_process_of_its_own(&["FAULT_ABORT"], ISOLATED, "crash", &[MALLOC, "SIGABRT"])]
fn an_accident_is_blamed_on_its_case_and_on_no_other_rule(
    #[case] faults: &[&str],
    #[case] actors: &str,
    #[case] verdict: &str,
    #[case] reason: &[&str],
) {
    let bench = struck_by(faults, actors);
    let answer = run(&bench, "report");
    answer.says(1, &["acl.faults.struck", "size = 5000", &verdict.to_uppercase()]);
    let report = bench.report("report");
    expect_whole(&report);

    let struck = report.result("acl.faults.struck");
    assert_eq!(struck.verdict.name(), verdict);
    for fragment in reason {
        assert!(struck.reason.contains(fragment), "`{fragment}` is missing in: {}", struck.reason);
    }
    let failure = struck.failure.as_ref().unwrap();
    assert_eq!(failure.values, [("size".to_owned(), "5000".to_owned())]);
    assert_eq!(failure.replay_values["size"], 5000);
    assert!(failure.trace.iter().any(|call| call.contains("aclrtMalloc(devPtr=&p, size=5000")), "{:?}", failure.trace);
    assert!(failure.place.starts_with("specs/acl/small.yaml:24:"), "{}", failure.place);
    for fragment in ["acl.faults.struck", "size = 5000", "aclrtMalloc(devPtr=&p, size=5000"] {
        assert!(report.junit.contains(fragment), "`{fragment}` is missing in:\n{}", report.junit);
    }

    // A rule that has processes of its own leaves the pool's worker alone.
    let fresh = process(report.result("acl.faults.before")) != process(report.result("acl.faults.after"));
    assert_eq!(fresh, actors != ISOLATED);
    for left in fs::read_to_string(bench.path("processes")).unwrap().lines() {
        Watched::new(left).expect_end();
    }
}

#[test]
fn a_crash_in_the_health_check_names_the_call() {
    let bench = struck_by(&["FAULT_SEGFAULT", "FAULT_IN_HEALTH"], "");
    let answer = run(&bench, "report");
    answer.says(1, &["CRASH"]);
    assert!(!answer.text.contains("found in case"), "no case ran any more:\n{}", answer.text);
    let report = bench.report("report");
    expect_whole(&report);
    let reason = &report.result("acl.faults.struck").reason;
    assert!(reason.starts_with("aclrtMemset (life cycle) did not return: "), "{reason}");
}

#[rstest]
#[case::prints_replies_of_a_worker("FAULT_FLOOD")]
#[case::ignores_and_blocks_all_signals("FAULT_SIGNALS")]
#[case::hangs_when_it_ends("FAULT_END_HANGS")]
fn manners_do_not_change_a_verdict(#[case] fault: &str) {
    let bench = struck_by(&[fault], "");
    let answer = run(&bench, "report");
    answer.says(0, &["conformant: no rule that ran is broken"]);
    assert!(!answer.text.contains("not the worker") && answer.text.len() < 4096, "{}", answer.text);
    let report = bench.report("report");
    expect_whole(&report);
    assert_eq!(report.result("acl.faults.struck").verdict.name(), "pass");
    assert_eq!(report.end().workers_started, 1);
    for left in fs::read_to_string(bench.path("processes")).unwrap().lines() {
        Watched::new(left).expect_end();
    }
}

#[test]
fn the_end_of_what_a_crashing_library_printed_is_kept() {
    let bench = struck_by(&["FAULT_FLOOD_AND_CRASH"], "");
    run(&bench, "report").says(1, &["not the worker"]);
    let output = &bench.report("report").result("acl.faults.struck").failure.as_ref().unwrap().output.clone();
    assert!(output.contains("{\"released\":[]}") && output.len() <= 16 * 1024, "{} bytes", output.len());
}

#[test]
fn a_device_that_does_not_come_back_is_an_error_of_each_rule_that_follows() {
    let bench = struck_by(&["FAULT_NO_SECOND_START"], "");
    run(&bench, "report").says(1, &["ERROR  acl.faults.after"]);
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
    run(&bench, "report").says(3, &["not known: the environment or a device failed"]);
    let report = bench.report("report");
    assert_eq!(report.results.len(), 3);
    for result in &report.results {
        assert_eq!(result.verdict.name(), "blocked");
        assert_eq!(result.reason, "set-up failed: the library does not export aclrtMalloc");
    }
}

#[test]
fn a_runtime_that_does_not_count_devices_has_one() {
    let bench = struck_by(&["FAULT_NO_DEVICE_COUNT"], "");
    run(&bench, "report").says(0, &[]);
    assert_eq!(bench.report("report").header.devices, 1);
}

#[rstest]
#[case::fails(&["FAULT_START_FAILS"], "the runtime cannot be set up: aclInit returned 207004 (ACL_ERROR_RT_NO_DEVICE)")]
#[case::hangs(&["FAULT_START_HANGS"], "while the runtime was set up, no progress for 4s; the process was killed")]
#[case::crashes(&["FAULT_START_CRASHES"], "(signal 11 (SIGSEGV)); it printed: no firmware")]
#[case::crashes_while_it_is_loaded(&["FAULT_LOADING"], "while the runtime was set up, the library ended its process")]
#[case::has_no_device(&["FAULT_NO_DEVICE"], "libtested.so: the runtime reports no device")]
#[case::is_another_product(&["FAULT_OTHER_PRODUCT"], "reports `Ascend310P3`, which is infer, but --product a2")]
#[case::needs_another_library(&["-Wl,--no-as-needed", "-L.", "-labsent"], "libabsent.so")]
fn a_library_that_cannot_start_is_said_to_be_the_reason(#[case] faults: &[&str], #[case] reason: &str) {
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
    run(&bench, "report").says(3, &["error: ", reason]);
    assert!(!bench.path("report").exists(), "nothing was run, nothing is written");
}

#[test]
fn an_unknown_product_is_named_and_never_guessed() {
    let bench = struck_by(&["FAULT_UNKNOWN_PRODUCT"], "");
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--library", "libtested.so"];
    bench.run(words).says(3, &["`Ascend2000X`, which no product of products.yaml matches", "--product ID"]);
    run(&bench, "report").says(0, &["Ascend2000X, product a2"]);
}

#[test]
fn a_file_that_is_no_library_of_this_machine_is_described() {
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
    try_it("is no shared library (no ELF header)");
    fs::write(&tested, "INPUT(libreal.so)\nthis is a text file\n").unwrap();
    try_it("is no shared library (no ELF header)");
    fs::remove_file(&tested).unwrap();
    try_it("No such file or directory");
    fs::create_dir(&tested).unwrap();
    try_it("is a folder; give the path of the shared library in it");
}

#[test]
fn half_a_library_is_refused_by_the_loader() {
    let bench = struck_by(&[], "");
    let whole = fs::read(bench.path("libtested.so")).unwrap();
    bench.write("libtested.so", &whole[..whole.len() / 4]);
    let answer = run(&bench, "report");
    answer.says(3, &["error: ", "libtested.so: "]);
}

/// A run that hangs in its second rule, and the worker that hangs.
fn hanging(bench: &Bench) -> (Child, Watched) {
    // The library tells its process number when it begins to hang: reading the pipe waits for that.
    fs::remove_file(bench.path("processes")).unwrap();
    let made = Command::new("mkfifo").arg(bench.path("processes")).status().unwrap();
    assert!(made.success());
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--library", "libtested.so"];
    let mut supervisor = bench.command(words);
    supervisor.env("FAULT_PROCESSES", bench.path("processes")).stdout(Stdio::null());
    let supervisor = supervisor.spawn().unwrap();
    let worker = fs::read_to_string(bench.path("processes")).unwrap();
    (supervisor, Watched::new(&worker))
}

/// Ends a run as the system does when memory is short.
fn kill(mut supervisor: Child) {
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    // What a killed run cannot tidy up itself; it holds nothing that is wanted later.
    let _ = fs::remove_dir_all(format!("/dev/shm/atlas-cts-{}-0", supervisor.id()));
}

#[test]
fn two_runs_never_share_a_device() {
    let bench = struck_by(&["FAULT_HANG"], "");
    let (first, _worker) = hanging(&bench);
    let words = ["run", "--specs", "specs", "--report-dir", "second", "--library", "libtested.so"];
    bench.run(words).says(3, &["device 0 is in use by another run", "wait for it to end"]);
    kill(first);
    bench.run(words.iter().chain(&["acl.faults.before"])).says(0, &[]);
}

#[test]
fn a_killed_supervisor_leaves_a_readable_journal_and_no_workers() {
    let bench = struck_by(&["FAULT_HANG"], "");
    let (supervisor, worker) = hanging(&bench);
    kill(supervisor);
    worker.expect_end();
    let report = bench.report("report");
    assert_eq!(report.verdicts(), [("acl.faults.before", "pass")]);
    assert!(report.end.is_none());
    assert_eq!(report.header.rules, 3);
}

#[test]
fn a_case_that_fails_alone_too_is_reported_without_doubt() {
    let bench = struck_by(&["FAULT_SEGFAULT"], "");
    run(&bench, "report").says(1, &["signal 11"]);
    assert!(!bench.report("report").result("acl.faults.struck").reason.contains("alone"));
}
