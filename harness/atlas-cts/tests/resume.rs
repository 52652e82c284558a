//! Runs that are killed, or that find a full disk or a folder in use: no record is lost, and `--resume` finishes the
//! run.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ledger::report::FORMATS;
use record::{Recorded, read_run};
use regex_lite::Regex;
use rstest::rstest;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::Value as Json;
use support::{
    Answer, Bench, Report, Watched, answer, answer as answer_of, left_over_machines, machines_of, take_environment,
    wait_until,
};

/// A rule that fails on a device with misaligned small blocks, one with two processes, one that does not apply, and
/// rules that pass before and after them. Without axes they have three cases: none may run out of time on a busy
/// machine.
fn rules() -> String {
    let holds = |number: u32| {
        format!(
            "  - id: acl.small.r{number}
    title: A block holds what is written
    statement: A block holds what is written.
    clauses: {{manual: manual.blocks}}
    level: must
    steps: |
      char *back = host(2048, 64);
      aclrtMalloc(&p, 2048, ACL_MEM_MALLOC_NORMAL_ONLY);
      aclrtMemcpy(p, 2048, pattern(2048, {number}), 2048, ACL_MEMCPY_HOST_TO_DEVICE);
      aclrtMemcpy(back, 2048, p, 2048, ACL_MEMCPY_DEVICE_TO_HOST);
      same(back, pattern(2048, {number}), 2048);
"
        )
    };
    let others = "  - id: acl.small.aligned
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      size: {every: [1, 63, 64, 4095, 4096, 65536]}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
  - id: acl.small.elsewhere
    title: A block is aligned elsewhere
    statement: A block is aligned elsewhere.
    clauses: {manual: manual.blocks}
    level: must
    when: {not_products: [a2]}
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
  - id: acl.small.shared
    title: A key is not for every process
    statement: A key is not for every process.
    clauses: {manual: manual.keys}
    level: must
    actors: \"A: process(device 0); B: process(device 0);\"
    steps: |
      aclrtMalloc(&p, 65536, ACL_MEM_MALLOC_NORMAL_ONLY);
      char key[65];
      aclrtIpcMemGetExportKey(p, 65536, key, 65, ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT);
      ---
      B: aclrtIpcMemImportByKey(&stolen, A.key, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT) fails;
";
    let head = "title: Small\nrules:\n";
    let (before, after): (String, String) = ((1..4).map(holds).collect(), (4..7).map(holds).collect());
    format!("{head}{before}{others}{after}")
}

const MISALIGNED: &str = "malloc.aligned-only-from-4KiB";
/// A call takes this many nanoseconds, so that a rule is in flight for milliseconds.
const SLOW: [&str; 2] = ["--sim", "call-ns=1000000"];
/// A rule takes at least a quarter of a second.
const VERY_SLOW: [&str; 2] = ["--sim", "call-ns=20000000"];

fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog(rules());
    bench
}

/// A run of the bench's catalog in the background.
struct Running {
    child: Child,
    journal: PathBuf,
}

impl Running {
    fn start(bench: &Bench, report: &str, arguments: &[&str]) -> Running {
        let words = ["run", "--specs", "specs", "--product", "a2", "--jobs", "1", "--report-dir", report];
        Running::spawn(bench, report, bench.command(words.iter().chain(arguments)))
    }

    fn resume(bench: &Bench, report: &str, arguments: &[&str]) -> Running {
        Running::spawn(
            bench,
            report,
            bench.command(["run", "--specs", "specs", "--jobs", "1", "--resume", report].iter().chain(arguments)),
        )
    }

    fn spawn(bench: &Bench, report: &str, mut command: Command) -> Running {
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        Running { child, journal: bench.path(report).join("results.jsonl") }
    }

    fn written(&self) -> u64 {
        fs::metadata(&self.journal).map_or(0, |metadata| metadata.len())
    }

    /// Waits until the condition holds or the run has ended.
    #[track_caller]
    fn until(&mut self, done: impl Fn(&Running) -> bool) {
        wait_until(|| done(self) || self.child.try_wait().unwrap().is_some());
    }

    /// Waits until a rule has begun this many times.
    #[track_caller]
    fn until_begun(&mut self, id: &str, times: usize) {
        let line = format!("{{\"begin\":{{\"id\":\"{id}\"}}}}\n");
        self.until(|run| fs::read_to_string(&run.journal).is_ok_and(|text| text.matches(&line).count() >= times));
    }

    fn workers(&self) -> Vec<Watched> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap().flatten();
        let children = tasks.flat_map(|task| fs::read_to_string(task.path().join("children")));
        children.flat_map(|list| list.split_whitespace().map(Watched::new).collect::<Vec<_>>()).collect()
    }

    /// Kills the run as the system does when memory is short. Its workers end too.
    #[track_caller]
    fn kill(mut self) {
        let workers = self.workers();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        workers.iter().for_each(Watched::expect_end);
    }

    fn wait(self) -> Answer {
        let output = self.child.wait_with_output().unwrap();
        Answer {
            status: output.status.code().unwrap_or(-1),
            text: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

fn resume(bench: &Bench, report: &str, arguments: &[&str]) -> Answer {
    bench.run(["run", "--specs", "specs", "--jobs", "1", "--resume", report].iter().chain(arguments))
}

/// A run that was killed while a rule ran.
#[track_caller]
fn killed(bench: &Bench, report: &str, rule: &str, arguments: &[&str]) -> Recorded {
    let mut run = Running::start(bench, report, arguments);
    run.until_begun(rule, 1);
    run.kill();
    let recorded = read_run(&bench.path(report)).unwrap();
    assert_eq!(recorded.in_flight, BTreeMap::from([(rule.to_owned(), 1)]));
    assert!(recorded.end.is_none());
    recorded
}

/// The part that a run and its resumed twin share: everything except times, addresses, workers and marks of
/// interruption.
fn shared(report: &Report) -> (Json, BTreeMap<String, Json>, Json) {
    let (mut header, mut results, mut end) = (Json::Null, BTreeMap::new(), Json::Null);
    for mut line in report.timeless() {
        if let Some(run) = line.get("run") {
            header = run.clone();
        } else if let Some(result) = line.get_mut("result") {
            result.as_object_mut().unwrap().remove("interrupted").unwrap();
            let text = Regex::new("0x[0-9a-f]+").unwrap().replace_all(&result.to_string(), "0x").into_owned();
            results.insert(result["id"].as_str().unwrap().to_owned(), serde_json::from_str(&text).unwrap());
        } else if let Some(summed) = line.get_mut("end") {
            summed.as_object_mut().unwrap().remove("workers_started").unwrap();
            summed.as_object_mut().unwrap().remove("starts").unwrap();
            end = summed.clone();
        }
    }
    (header, results, end)
}

/// The cases of a JUnit report in order, without times and addresses.
fn cases(report: &Report) -> Vec<(String, String)> {
    let times = Regex::new(r#" time="[^"]*"|0x[0-9a-f]+|in (< )?[0-9.]+ s\b"#).unwrap();
    let junit = times.replace_all(&report.junit, "").into_owned();
    let cases = junit.split("<testcase name=\"").skip(1).map(|case| case.split_once('"').unwrap());
    cases.map(|(name, case)| (name.to_owned(), case.split("</testsuite>").next().unwrap().to_owned())).collect()
}

/// Checks that the resumed run reports the same as the whole one, and marks the rules that were in flight.
#[track_caller]
fn expect_same(whole: &Report, resumed: &Report, in_flight: &BTreeMap<String, u32>) {
    assert_eq!(shared(whole), shared(resumed));
    let marked = resumed.results.iter().filter(|result| result.interrupted > 0);
    let marked: BTreeMap<String, u32> = marked.map(|result| (result.id.clone(), result.interrupted)).collect();
    assert_eq!(&marked, in_flight);
    let (cases, expected) = (cases(resumed), cases(whole));
    assert_eq!(cases.len(), expected.len());
    for ((name, case), (expected_name, expected)) in cases.iter().zip(&expected) {
        assert_eq!(name, expected_name);
        let mark = "the run stopped once during this rule and was resumed";
        assert_eq!(case.contains(mark), in_flight.contains_key(name), "{case}");
        let outcome = |case: &str| ["<failure", "<error", "<skipped"].map(|kind| case.contains(kind));
        assert_eq!(outcome(case), outcome(expected), "{name}");
        if !in_flight.contains_key(name) {
            assert_eq!(case, expected, "{name}");
        }
    }
}

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&entry.path()).into_iter().map(|file| Path::new(&entry.file_name()).join(file))),
            false => found.push(entry.file_name().into()),
        }
    }
    found.sort();
    found
}

// ---- kill -9

const KILLS: usize = 25;
const LANES: usize = 4;

#[test]
fn a_run_killed_at_any_instant_is_finished_by_resuming_it() {
    let bench = bench();
    // A patience measured before each run would make the two runs differ.
    let arguments = [&SLOW[..], &["--tune", "patience=2000", "--defect", MISALIGNED, "--seed", "7"]].concat();
    let whole = Running::start(&bench, "whole", &arguments).wait();
    assert_eq!(whole.status, 1, "{}", whole.text);
    let whole = bench.report("whole");
    // Several at a time, because each mostly waits.
    let kills = std::thread::scope(|scope| {
        let lane = |lane: usize| (lane..KILLS).step_by(LANES).map(|kill| killed_at(&bench, &whole, &arguments, kill));
        let lanes: Vec<_> = (0..LANES).map(|number| scope.spawn(move || lane(number).collect::<Vec<_>>())).collect();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect::<Vec<Recorded>>()
    });
    let unfinished = kills.iter().filter(|run| run.end.is_none()).count();
    let interrupted = kills.iter().filter(|run| !run.in_flight.is_empty()).count();
    assert!(unfinished > KILLS * 3 / 4, "{unfinished} kills struck before the end");
    assert!(interrupted >= 5, "{interrupted} kills struck while a rule ran");
}

/// Kills a run when its journal has reached a share of its length, and resumes it. Returns the state after the kill.
fn killed_at(bench: &Bench, whole: &Report, arguments: &[&str], kill: usize) -> Recorded {
    let report = format!("killed-{kill}");
    let header = whole.journal.find('\n').unwrap() + 1;
    let target = header + (whole.journal.len() - header) * kill / KILLS;
    let mut run = Running::start(bench, &report, arguments);
    run.until(|run| run.written() >= target as u64);
    run.kill();

    let journal = fs::read_to_string(bench.path(&report).join("results.jsonl")).unwrap();
    let left = read_run(&bench.path(&report)).unwrap();
    assert!(left.in_flight.len() <= 1, "rules run one after the other: {:?}", left.in_flight);

    let machines = left_over_machines();
    let answer = resume(bench, &report, &[]);
    let said = if left.end.is_some() { "is complete" } else { "rules have a result" };
    answer.says(1, &[said, "acl.small.aligned"]);
    let resumed = bench.report(&report);
    // The system may kill a process in the middle of a write: then the last line is cut off.
    let whole_lines = &journal[..=journal.rfind('\n').unwrap()];
    assert!(resumed.journal.starts_with(whole_lines), "what was recorded stays:\n{journal}\n\n{}", resumed.journal);
    expect_same(whole, &resumed, &left.in_flight);
    assert_eq!(files(&bench.path(&report)), files(&bench.path("whole")), "no file is left behind");
    if left.end.is_none() {
        // A neighbor may create or remove a folder right now.
        let still = left_over_machines();
        machines.iter().for_each(|folder| assert!(!still.contains(folder), "{} is left over", folder.display()));
    }
    left
}

#[test]
fn a_rule_that_was_in_flight_twice_is_given_up() {
    let bench = bench();
    killed(&bench, "report", "acl.small.r2", &VERY_SLOW);
    let mut second = Running::resume(&bench, "report", &VERY_SLOW);
    second.until_begun("acl.small.r2", 2);
    second.kill();
    assert_eq!(read_run(&bench.path("report")).unwrap().in_flight["acl.small.r2"], 2);
    let reason = "this rule was running at 2 interruptions of the run, so it is not run again; run it alone: \
                  atlas-cts run acl.small.r2";
    let answer = resume(&bench, "report", &[]);
    answer.says(3, &["ERROR  acl.small.r2", "interrupted: the run stopped during these rules and was resumed (1)"]);
    let report = bench.report("report");
    let given_up = report.result("acl.small.r2");
    assert_eq!((given_up.verdict.name(), given_up.interrupted, given_up.cases), ("error", 2, 0));
    assert_eq!(given_up.reason, reason);
    let others = report.verdicts().into_iter().filter(|(id, _)| *id != "acl.small.r2");
    assert!(
        others.clone().all(|(id, verdict)| verdict == if id == "acl.small.elsewhere" { "skipped" } else { "pass" })
    );
    assert_eq!((others.count() + 1, report.header.resumed.len()), (report.header.rules, 2));
    assert!(
        report.junit.contains("type=\"error\"") && report.junit.contains("at 2 interruptions of the run"),
        "{}",
        report.junit
    );
}

#[test]
fn an_interrupted_rule_is_marked_and_keeps_its_verdict() {
    let bench = bench();
    killed(&bench, "report", "acl.small.aligned", &[&VERY_SLOW[..], &["--defect", MISALIGNED]].concat());
    let answer = resume(&bench, "report", &[]);
    let mark = "the run stopped once during this rule and was resumed";
    answer.says(
        1,
        &[
            "3 of 9 rules have a result; when the run stopped, acl.small.aligned was running",
            mark,
            "since the run was resumed",
        ],
    );
    answer.says(1, &["  fail        acl.small.aligned  interrupted once"]);
    let report = bench.report("report");
    assert_eq!((report.result("acl.small.aligned").interrupted, report.end().exit), (1, 1));
    assert!(report.junit.contains(mark) && report.junit.contains("<property name=\"resumed\""), "{}", report.junit);
}

#[test]
fn resuming_a_complete_run_only_rewrites_its_reports() {
    let bench = bench();
    bench.run_catalog("report", &["--defect", MISALIGNED]).says(1, &[]);
    let (before, listed) = (bench.report("report"), files(&bench.path("report")));
    fs::remove_file(bench.path("report/junit.xml")).unwrap();
    fs::remove_dir_all(bench.path("report/counterexamples")).unwrap();
    resume(&bench, "report", &[]).says(1, &["this run is complete; rewriting its reports", "1 rule broken"]);
    let after = bench.report("report");
    assert_eq!((before.journal, before.junit), (after.journal, after.junit));
    assert_eq!(files(&bench.path("report")), listed);
}

#[test]
fn a_resumed_run_has_its_original_settings_and_rules() {
    let bench = bench();
    let filter = [
        "acl.small.r",
        "--seed",
        "11",
        "--tune",
        "min-executed=6",
        "--devices",
        "2",
        "--tune",
        "deadline=40",
        "--sim",
        "memory=4096",
    ];
    killed(&bench, "report", "acl.small.r3", &[&VERY_SLOW[..], &filter].concat());
    resume(&bench, "report", &["acl.small.r"]).says(0, &["2 of 6 rules have a result", "seed 11", "6 pass"]);
    let report = bench.report("report");
    assert_eq!(report.verdicts().len(), 6);
    assert_eq!((report.header.seed, report.header.devices, report.header.settings.deadline), (11, 2, 40));
    assert_eq!(report.header.settings.sim_memory, Some(4096));

    let least = ["acl.small.r", "--tune", "min-executed=7"];
    killed(&bench, "least", "acl.small.r3", &[&VERY_SLOW[..], &least].concat());
    resume(&bench, "least", &[]).says(3, &["6 pass"]);
}

// ---- another run

/// Words of a command line that another run has, and the reason why it is refused.
const OTHER_RUNS: [(&[&str], &str); 16] = [
    (&["--product", "a3"], "--product: a2 then, a3 now; leave it out"),
    (&["--profile", "nightly"], "--profile: smoke then, nightly now; leave it out"),
    (&["--seed", "8"], "--seed: 7 then, 8 now; leave it out"),
    (&["--devices", "1"], "--devices: 4 then, 1 now; leave it out"),
    (&["--sim", "run-mode=device"], "--sim run-mode: host then, device now; leave it out"),
    (&["--defect", MISALIGNED], "--defect: none then, malloc.aligned-only-from-4KiB now; leave it out"),
    (&["--sim", "memory=2048"], "--sim memory: no number then, 2048 now; leave it out"),
    (&["--case", "{\"size\":1}"], "--case: no case then, {\"size\":1} now; leave it out"),
    (&["--tune", "deadline=3"], "--tune deadline: 30 then, 3 now; leave it out"),
    (&["--hazardous"], "--hazardous: off then, on now; leave it out"),
    (&["--dedicated"], "--dedicated: off then, on now; leave it out"),
    (&["--strict"], "--strict: off then, on now; leave it out"),
    (&["--tune", "min-executed=3"], "--tune min-executed: no number then, 3 now; leave it out"),
    (&["--report-dir", "other"], "--report-dir: "),
    (&["acl.small.shared"], "the filter: 9 rules then, acl.small.shared now; leave it out"),
    (&["--seed", "8", "--devices", "1"], "--devices: 4 then, 1 now; leave it out"),
];

#[test]
fn another_run_is_refused_with_both_values() {
    let bench = bench();
    killed(&bench, "report", "acl.small.r1", &[&VERY_SLOW[..], &["--seed", "7"]].concat());
    let before = fs::read(bench.path("report/results.jsonl")).unwrap();
    for (arguments, reason) in OTHER_RUNS {
        let answer = resume(&bench, "report", arguments);
        let refused = "cannot be resumed because it tested something else:";
        answer.says(2, &[refused, reason, "start a new run in another folder"]);
        assert_eq!(arguments.contains(&"8"), answer.text.contains("--seed: 7 then, 8 now"), "each difference is named");
        assert_eq!(fs::read(bench.path("report/results.jsonl")).unwrap(), before, "{arguments:?}");
        assert_eq!(files(&bench.path("report")).len(), 1, "{arguments:?}");
    }
    resume(&bench, "report", &["--seed", "7", "--product", "a2", "--profile", "smoke"]).says(0, &["8 pass, 1 skipped"]);
}

/// The journal says the patience, whether it was measured or given.
#[test]
fn a_run_keeps_what_it_measured_and_refuses_what_the_command_line_changes() {
    let bench = bench();
    killed(&bench, "report", "acl.small.r1", &[&VERY_SLOW[..], &["--seed", "7", "--tune", "patience=7500"]].concat());
    let mut command = bench.command(["run", "--specs", "specs", "--jobs", "1", "--resume", "report"]);
    for (name, value) in [("PATIENCE", "2000"), ("PROFILE", "nightly"), ("PRODUCT", "a3"), ("DEDICATED", "1")] {
        command.env(format!("ATLAS_CTS_{name}"), value);
    }
    resume(&bench, "report", &["--tune", "patience=2000", "--tune", "deadline=3"]).says(
        2,
        &["--tune patience: 7500 then, 2000 now; leave it out", "--tune deadline: 30 then, 3 now; leave it out"],
    );
    answer_of(&mut command).says(0, &["8 pass, 1 skipped"]);
    let settings = bench.report("report").header.settings;
    assert_eq!((settings.patience, settings.deadline, settings.dedicated), (Some(7500), 30, false));
}

#[test]
fn another_catalog_is_refused() {
    let bench = bench();
    killed(&bench, "report", "acl.small.r1", &VERY_SLOW);
    bench.write("specs/acl/rules/small.yaml", rules().replace("2048", "2047"));
    let then = read_run(&bench.path("report")).unwrap().header.catalog_digest;
    let reason = format!("the catalog's digest: {then} then, ");
    resume(&bench, "report", &[]).says(2, &[&reason, "give that run's catalog with --specs DIR, or restore it"]);
    bench.write("specs/acl/rules/small.yaml", rules());
    resume(&bench, "report", &[]).says(0, &[]);
}

#[test]
fn another_library_and_another_device_are_refused() {
    let bench = bench();
    bench.library("fixtures/faults/faults.c", &["FAULT_HANG"]);
    fs::copy(bench.path("libtested.so"), bench.path("first.so")).unwrap();
    let words = ["--library", "libtested.so", "--tune", "deadline=1", "acl.small.aligned"];
    let then = killed(&bench, "report", "acl.small.aligned", &words).header;
    bench.library("fixtures/faults/faults.c", &["FAULT_OTHER_PRODUCT"]);
    let answer = resume(&bench, "report", &["--library", "libtested.so"]);
    let library = format!("the library: {} (sha256 {}) then, ", then.library.path, then.library.sha256);
    answer.says(2, &[&library, "give that run's library with --library PATH"]);
    let busy = bench.path("specs/acl/rules/small.yaml");
    let words = ["run", "--specs", "specs", "--resume", "report", "--library", "first.so"];
    let answer = answer_of(bench.command(words).env("ATLAS_CTS_LOCKS", busy));
    answer.says(3, &["report cannot be resumed: ", "devices are not used without locks"]);
    // The same file in another place is the same library, and hangs again.
    resume(&bench, "report", &["--library", "first.so"]).says(1, &["TIMEOUT  acl.small.aligned"]);
}

#[test]
fn a_journal_without_begin_lines_is_refused() {
    let bench = bench();
    bench.run_catalog("report", &[]).says(0, &[]);
    let journal = bench.report("report").journal.replacen("\"format\":5", "\"format\":1", 1);
    bench.write("report/results.jsonl", &journal);
    resume(&bench, "report", &[]).says(2, &["has format 1 and this version reads only format 5", "as a baseline"]);
}

#[test]
fn a_folder_without_a_run_is_not_resumed() {
    let bench = bench();
    resume(&bench, "nowhere", &[]).says(2, &["no run to resume: ", "give the folder of a run that was started"]);
    fs::create_dir(bench.path("empty")).unwrap();
    bench.write("empty/results.jsonl", "");
    resume(&bench, "empty", &[]).says(2, &["no run to resume: ", "it is empty"]);
}

// ---- two runs at once

#[test]
fn a_folder_belongs_to_one_run() {
    let bench = bench();
    let mut first = Running::start(&bench, "report", &["--sim", "call-ns=200000000"]);
    first.until_begun("acl.small.r1", 1);
    let busy = ["another run writes to ", "wait for it to end, or choose another folder with --report-dir DIR"];
    bench.run_catalog("report", &[]).says(3, &busy);
    resume(&bench, "report", &[]).says(3, &busy);
    first.kill();
    let before = fs::read(bench.path("report/results.jsonl")).unwrap();
    bench.run_catalog("report", &[]).says(3, &["already exists: finish that run with --resume report"]);
    assert_eq!(fs::read(bench.path("report/results.jsonl")).unwrap(), before);
    assert_eq!(files(&bench.path("report")).len(), 1);
    resume(&bench, "report", &[]).says(0, &[]);
}

// ---- full disks and folders that cannot be written

/// When the limit is reached, the run reports it at once, ends in order, and can be resumed. The signal for a write
/// beyond the limit does not end it.
#[test]
fn a_run_whose_journal_cannot_grow_ends_at_once() {
    let bench = bench();
    let words = ["run", "--specs", "specs", "--product", "a2", "--jobs", "1", "--report-dir", "report"];
    let mut command = bench.command(words.iter().chain(&VERY_SLOW));
    command.stdin(Stdio::null()).process_group(0);
    let mut run = Running::spawn(&bench, "report", command);
    run.until_begun("acl.small.r2", 1);
    let limit = Some(run.written() + 100);
    let process = Pid::from_raw(run.child.id() as i32).unwrap();
    prlimit(Some(process), Resource::Fsize, Rlimit { current: limit, maximum: limit }).unwrap();
    let workers = run.workers();
    assert!(!workers.is_empty());
    let machines = machines_of(run.child.id());
    assert_eq!(machines.len(), 1);
    run.wait().says(
        3,
        &[
            "error: cannot write results; stopping the run: cannot write ",
            "File too large",
            "raise the file size limit (ulimit -f), then resume the run; `--resume report` runs the rules",
        ],
    );
    workers.iter().for_each(Watched::expect_end);
    assert!(!machines[0].exists(), "it ended in order");
    let report = bench.report("report");
    assert_eq!(report.verdicts(), [("acl.small.r1", "pass")]);
    assert!(report.end.is_none() && report.journal.ends_with('\n'));
    resume(&bench, "report", &[]).says(0, &["8 pass, 1 skipped"]);
    assert_eq!(bench.report("report").result("acl.small.r2").interrupted, 1, "its result was lost");
}

/// Runs a script with separate file systems; `None`: the system does not allow this.
fn with_mounts(bench: &Bench, script: &str, arguments: &[&str]) -> Option<Answer> {
    let works = Command::new("unshare").args(["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: file systems cannot be mounted here (unshare -Urm)");
        return None;
    }
    let atlas = bench.command(arguments);
    let mut shell = Command::new("unshare");
    shell.args(["-Urm", "sh", "-c", script]).arg(atlas.get_program()).args(atlas.get_args());
    take_environment(&mut shell, &atlas);
    Some(answer(shell.current_dir(bench.path("")).stdin(Stdio::null())))
}

#[test]
fn a_full_disk_ends_the_run_and_keeps_its_records() {
    let bench = Bench::new();
    // In the middle of the run the journal needs a third page; the file system has only two.
    let title = "A block holds what is written";
    bench.catalog(rules().replace(&format!("title: {title}"), &format!("title: {}", [title; 8].join(", "))));
    let script = "mkdir small kept && mount -t tmpfs -o size=8k none small || exit 99
                  \"$0\" \"$@\"; status=$?; cp -r small/report kept/; exit $status";
    let words = ["run", "--specs", "specs", "--product", "a2", "--jobs", "1", "--report-dir", "small/report"];
    let Some(answer) = with_mounts(&bench, script, &words) else { return };
    answer.says(3, &["cannot write results", "No space left on device", "free some space, then resume the run"]);
    let report = bench.report("kept/report");
    assert!(report.verdicts().starts_with(&[("acl.small.r1", "pass"), ("acl.small.r2", "pass")]));
    assert!(report.results.len() < 9 && report.end.is_none());
    assert!(report.journal.ends_with('\n'), "no line is cut off");
    resume(&bench, "kept/report", &[]).says(0, &["8 pass, 1 skipped"]);
}

#[test]
fn a_read_only_file_system_is_named_before_anything_runs() {
    let bench = bench();
    let script = "mkdir -p fixed/report && mount --bind fixed fixed && mount -o remount,ro,bind fixed || exit 99
                  exec \"$0\" \"$@\"";
    let words = ["run", "--specs", "specs", "--product", "a2", "--jobs", "1", "--report-dir", "fixed/report"];
    let Some(answer) = with_mounts(&bench, script, &words) else { return };
    answer.says(3, &["cannot create ", "Read-only file system", "choose a folder that you may write to"]);
    assert!(!answer.text.contains("pass"), "{}", answer.text);
}

#[rstest]
#[case::below_a_file("specs/acl/products.yaml/report")]
#[case::where_no_folder_can_exist("/proc/atlas-cts-report")]
#[case::without_permission("locked/report")]
fn a_folder_that_cannot_be_created_is_named(#[case] report: &str) {
    use std::os::unix::fs::PermissionsExt;
    let bench = bench();
    fs::create_dir(bench.path("locked")).unwrap();
    fs::set_permissions(bench.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    if report.starts_with("locked") && fs::create_dir(bench.path("locked/trial")).is_ok() {
        eprintln!("skipped: permissions do not bind this user");
        return;
    }
    let answer = bench.run_catalog(report, &[]);
    answer.says(3, &["error: ", report, "choose another folder with --report-dir DIR"]);
    assert!(!answer.text.contains("pass"), "{}", answer.text);
}

#[test]
fn a_report_that_cannot_be_written_leaves_the_old_one() {
    let bench = bench();
    bench.run_catalog("report", &[]).says(0, &[]);
    let before = bench.report("report").junit;
    let names = files(&bench.path("report"));
    let script = "mkdir small kept && mount -t tmpfs -o size=128k none small && cp -r report small/ || exit 99
                  dd if=/dev/zero of=small/full bs=4k 2>/dev/null
                  \"$0\" \"$@\"; status=$?; cp -r small/report kept/; exit $status";
    let Some(answer) = with_mounts(&bench, script, &["run", "--resume", "small/report"]) else { return };
    answer.says(3, &["junit.xml", "No space left on device"]);
    assert_eq!(bench.report("kept/report").junit, before);
    assert_eq!(files(&bench.path("kept/report")), names);
}

#[test]
fn incomplete_files_of_a_killed_process_are_removed() {
    let bench = bench();
    killed(&bench, "report", "acl.small.r1", &VERY_SLOW);
    bench.write("report/.half.atlas-cts-part", "<half");
    resume(&bench, "report", &[]).says(0, &[]);
    let mut names = FORMATS.map(|format| PathBuf::from(format.file)).to_vec();
    names.push(PathBuf::from("results.jsonl"));
    names.sort();
    assert_eq!(files(&bench.path("report")), names);
}
