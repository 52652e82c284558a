//! Scarce resources of a machine, and endless rules: the environment or the rule is blamed, never the library.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use record::Verdict;
use rstest::rstest;

use super::support::{Answer, Bench, answer, take_environment};
use super::{run, run_hanging, run_with, struck_by};

/// A bench with one rule of these steps and a library without a fault.
fn one_rule(steps: &[&str]) -> Bench {
    let bench = struck_by(&[], "");
    let steps: String = steps.iter().map(|line| format!("      {line}\n")).collect();
    bench.catalog(format!(
        "title: Faults\nrules:\n  - id: acl.faults.only\n    title: A rule\n    statement: A rule.\n    \
         clauses: {{manual: manual.blocks}}\n    level: must\n    steps: |\n{steps}"
    ));
    bench
}

/// Runs the command after words that limit its resources. `None`: not allowed here.
fn limited(bench: &Bench, before: &[&str], arguments: &[&str]) -> Option<Answer> {
    let atlas = bench.command(arguments);
    let mut tried = Command::new(before[0]);
    tried.args(&before[1..]).args(["sh", "-c", "true"]).current_dir(bench.path(""));
    if !tried.output().is_ok_and(|output| output.status.success()) {
        eprintln!("did not run: `{}` is not allowed here", before.join(" "));
        return None;
    }
    let mut command = Command::new(before[0]);
    command.args(&before[1..]).arg(atlas.get_program()).args(atlas.get_args()).current_dir(bench.path(""));
    take_environment(&mut command, &atlas);
    Some(answer(&mut command))
}

fn reason(bench: &Bench, rule: &str) -> String {
    bench.report("report").result(rule).reason.clone()
}

const RUN: [&str; 9] =
    ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--library", "libtested.so"];

#[rstest]
#[case::of_calls(&["aclrtGetDeviceCount(&also);", "also > 0;"])]
#[case::without_a_call(&["m += 1;"])]
#[case::without_anything(&["m += 1; for (k < n) { }"])]
fn a_loop_without_end_is_a_mistake_of_the_rule(#[case] body: &[&str]) {
    // The result of a call is unknown when the catalog is read.
    let outer =
        ["aclrtGetDeviceCount(&n);", "uint64_t m = 0;", "n > 0;", "for (i < 50000 + n) {", "for (j < 50000 + n) {"];
    let bench = one_rule(&[&outer[..], body, &["} }"]].concat());
    run_with(&bench, "report", &["--tune", "deadline=60"]).says(3, &["ERROR  acl.faults.only"]);
    let reason = reason(&bench, "acl.faults.only");
    assert_eq!(reason, "the case executed more than 20000000 statements: limit the iterations of its loops");
}

#[test]
fn a_deadline_that_passes_between_calls_is_not_blamed_on_the_library() {
    let loops = ["char *p = host(67108864, 64);", "uint64_t n = 50000;", "for (i < n) { fill(p, 67108864, i); }"];
    let bench = one_rule(&[&loops[..], &["aclrtGetDeviceCount(&c);"]].concat());
    run_hanging(&bench, "report").says(3, &["ERROR  acl.faults.only"]);
    let reason = reason(&bench, "acl.faults.only");
    assert!(reason.contains("no progress for 1s while no call was open; the process was killed"), "{reason}");
    assert!(reason.contains("limit their loops and sizes, or raise --tune deadline"), "{reason}");
}

#[test]
fn a_library_that_truncates_the_flight_recorder_does_no_harm() {
    let bench = struck_by(&["FAULT_CUTS_RECORDER"], "");
    run(&bench, "report").says(0, &["conformant: no rule that ran is broken"]);
    super::expect_whole(&bench.report("report"));
}

#[test]
fn an_endless_reply_is_cut_off() {
    let bench = struck_by(&["FAULT_REPLIES_WITHOUT_END"], "");
    run(&bench, "report").says(3, &["ERROR  acl.faults.struck"]);
    let reason = reason(&bench, "acl.faults.struck");
    assert!(reason.contains("the line exceeds 67108864 bytes"), "{reason}");
    super::expect_whole(&bench.report("report"));
}

#[test]
fn exhausted_processor_time_is_blamed_on_the_limit() {
    let bench = struck_by(&["FAULT_HANG"], "");
    let before = ["prlimit", "--cpu=5", "--"];
    // On a busy machine, five seconds of processor time take longer than the usual deadline.
    let words = [&RUN[..], &["--tune", "deadline=120", "acl.faults.struck"]].concat();
    let Some(answer) = limited(&bench, &before, &words) else { return };
    answer.says(3, &["ERROR  acl.faults.struck"]);
    let reason = reason(&bench, "acl.faults.struck");
    assert!(reason.contains("used up its 5 s of processor time (signal 9 (SIGKILL)); raise that limit"), "{reason}");
}

#[test]
fn a_library_that_limits_its_own_processor_time_is_to_blame() {
    let bench = struck_by(&["FAULT_LIMITS_ITS_TIME"], "");
    run(&bench, "report").says(1, &["CRASH  acl.faults.struck"]);
    let reason = reason(&bench, "acl.faults.struck");
    assert!(
        reason.contains("the process had limited its own processor time to 1 s and reached that limit"),
        "{reason}"
    );
}

/// A set-up that meets the suite's own limit says nothing about the device.
#[test]
fn a_set_up_that_needs_more_memory_than_the_suite_allows_is_skipped_with_the_option() {
    let bench = struck_by(&["FAULT_TAKES_ALL_AND_REFUSES"], "");
    let rules = crate::faults::RULES.replace("    ACTORS\n", "").replace("ACTOR ", "");
    let (before, struck) = rules.split_once("  - id: acl.faults.struck\n").expect("the rule");
    let set_up = struck.replacen("NORMAL_ONLY);\n", "NORMAL_ONLY);\n      ---\n", 1);
    bench.catalog(format!("{before}  - id: acl.faults.struck\n{set_up}"));
    let says = "the process reached its limit of 256 MiB on top of what it used after start-up";
    run_with(&bench, "report", &["--tune", "deadline=20", "--tune", "worker-memory=256"])
        .says(0, &["2 pass, 1 skipped"]);
    let report = bench.report("report");
    let result = report.result("acl.faults.struck");
    assert_eq!(result.verdict, Verdict::Skipped);
    assert!(
        result.reason.contains(says) && result.reason.contains("--tune worker-memory=MIB raises it"),
        "{}",
        result.reason
    );
}

/// In a shared and in an isolated process, the library is blamed and the limit is named.
#[rstest]
#[case::and_ends("FAULT_TAKES_ALL_AND_ABORTS", "", 1, "CRASH  acl.faults.struck")]
#[case::and_goes_on("FAULT_TAKES_ALL", "", 0, "conformant: no rule that ran is broken")]
#[case::isolated("FAULT_TAKES_ALL_AND_ABORTS", crate::faults::ISOLATED, 1, "CRASH  acl.faults.struck")]
fn a_library_that_takes_all_memory_meets_the_limit(
    #[case] fault: &str,
    #[case] actors: &str,
    #[case] status: i32,
    #[case] says: &str,
) {
    const LIMIT: &str = "the process reached its limit of 256 MiB on top of what it used after start-up";
    let bench = struck_by(&[fault], actors);
    run_with(&bench, "report", &["--tune", "deadline=20", "--tune", "worker-memory=256"]).says(status, &[says]);
    let report = bench.report("report");
    let result = report.result("acl.faults.struck");
    let told = if status == 0 { result.findings.join("\n") } else { result.reason.clone() };
    assert!(told.contains(LIMIT), "{told}");
    if status == 0 {
        assert!(told.contains(", in aclrtMalloc"), "{told}");
    }
    super::expect_whole(&report);
}

#[test]
fn few_open_files_are_enough() {
    let bench = struck_by(&[], "");
    let Some(answer) = limited(&bench, &["prlimit", "--nofile=64", "--"], &RUN) else { return };
    answer.says(0, &["conformant"]);
}

#[test]
fn too_few_open_files_are_named() {
    let bench = struck_by(&[], "");
    let Some(answer) = limited(&bench, &["prlimit", "--nofile=6", "--"], &RUN) else { return };
    answer.says(3, &["raise the limit on open files (ulimit -n)"]);
}

/// With a separate user id, so that no other process counts toward the limit.
#[rstest]
fn too_few_processes_are_named(#[values(1, 4, 15, 30, 100)] processes: u32) {
    let bench = struck_by(&[], "");
    for name in ["", "specs", "specs/acl"] {
        fs::set_permissions(bench.path(name), fs::Permissions::from_mode(0o777)).unwrap();
    }
    let user = (61_000 + processes).to_string();
    let limit = format!("--nproc={processes}");
    let before = ["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups", "prlimit", &limit, "--"];
    let Some(answer) = limited(&bench, &before, &RUN) else { return };
    answer.says(3, &["more threads under the limit of", "raise the limit on processes (ulimit -u"]);
    assert!(!answer.text.contains("panicked") && !answer.text.contains("the library ended"), "{}", answer.text);
}

#[test]
fn a_machine_without_proc_is_reported() {
    let bench = struck_by(&[], "");
    let before = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" \"$@\""];
    let Some(answer) = limited(&bench, &before, &RUN) else { return };
    answer.says(3, &["/proc is missing, but the processes of a run need it; mount it"]);
}

#[test]
fn a_full_file_system_is_not_blamed_on_the_simulated_device() {
    let bench =
        one_rule(&["aclrtMalloc(&p, 67108864, ACL_MEM_MALLOC_NORMAL_ONLY);", "aclrtMemset(p, 67108864, 7, 67108864);"]);
    fs::create_dir(bench.path("small")).unwrap();
    let mount =
        "mount -t tmpfs -o size=16m none small && mount -t tmpfs -o size=16m none /dev/shm && exec \"$0\" \"$@\"";
    let folder = format!("TMPDIR={}", bench.path("small").display());
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--backend", "simulator"];
    let Some(answer) = limited(&bench, &["env", &folder, "unshare", "-rm", "sh", "-c", mount], &words) else { return };
    answer.says(3, &["ERROR  acl.faults.only"]);
    let reason = reason(&bench, "acl.faults.only");
    assert!(reason.contains(" is full, so the device's memory could not grow (signal 7 (SIGBUS))"), "{reason}");
}
