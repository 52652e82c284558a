//! Machines with several devices: a device that goes bad is put into quarantine, no rule is blamed, and the run
//! continues on the others.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use record::{Incident, Leaked, RetryCause, RuleResult, Verdict};
use rstest::rstest;
use rustix::process::Signal;

use crate::nights::ended::ask;
use crate::nights::{rule, stand_before};
use crate::support::{Answer, Bench, Report, answer, project, take_environment, wait_until};

/// Steps that copy to the device and back, and compare.
const CHECKED_COPY: &str = "      char *back = host(4096, 64);
      aclrtMemcpy(p, 4096, pattern(4096, 1), 4096, ACL_MEMCPY_HOST_TO_DEVICE);
      aclrtMemcpy(back, 4096, p, 4096, ACL_MEMCPY_DEVICE_TO_HOST);
      same(back, pattern(4096, 1), 4096);
";

fn copies(from: u32, to: u32) -> String {
    (from..to).map(|number| rule(&format!("night.copy{number}"), "", CHECKED_COPY)).collect()
}

/// Rules with two processes on two devices.
fn pairs(from: u32, to: u32) -> String {
    let keys = "    actors: \"A: process(device 0); B: process(device 1);\"\n";
    let steps = "      B: aclrtMalloc(&other, 4096, ACL_MEM_MALLOC_NORMAL_ONLY);\n";
    (from..to).map(|number| rule(&format!("night.pair{number}"), keys, steps)).collect()
}

fn chapter(rules: &str) -> String {
    format!("title: Night\nrules:\n{rules}")
}

/// A machine that all processes share, with a library in front of its devices.
fn machine(rules: &str, kind: &str) -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(rules));
    stand_before(&bench, "devices.c", kind);
    fs::create_dir(bench.path("machine")).unwrap();
    bench
}

fn command(bench: &Bench, devices: u32, arguments: &[&str]) -> Command {
    let words = ["run", "--specs", "specs", "--report-dir", "report", "--product", "a2", "--library", "libnight.so"];
    let mut command = bench.command(words.iter().chain(&["--tune", "deadline=1"]).chain(arguments));
    command.env("ATLAS_CTS_SIM_PRODUCT", "a2").env("ATLAS_CTS_SIM_DEVICES", devices.to_string());
    command.env("ATLAS_CTS_SIM_MACHINE", bench.path("machine")).env("NIGHT_COUNT", bench.path("count"));
    command
}

fn ran(bench: &Bench, command: &mut Command) -> (Answer, Report) {
    (answer(command), bench.report("report"))
}

fn count(report: &Report, wanted: impl Fn(&RuleResult) -> bool) -> usize {
    report.results.iter().filter(|result| wanted(result)).count()
}

#[track_caller]
fn expect_all(report: &Report, verdict: Verdict) {
    assert_eq!(report.results.len(), report.header.rules);
    assert!(report.results.iter().all(|result| result.verdict == verdict), "{:?}", report.verdicts());
}

/// The incidents of devices and processes.
fn events(report: &Report) -> impl Iterator<Item = &Incident> {
    report.end().events.iter().map(|one| &one.event)
}

/// The remarks on the whole run that contain the text.
fn remarks(report: &Report, text: &str) -> Vec<String> {
    report.end().told().filter(|remark| remark.contains(text)).collect()
}

// ---- before the run

#[rstest]
#[case::with_a_code("", "507899")]
#[case::without_an_answer("NIGHT_HANGS", "no progress")]
fn a_device_that_is_dead_before_the_run_is_not_used(#[case] hangs: &str, #[case] why: &str) {
    let bench = machine(&copies(0, 8), "DIES");
    let dead = |command: &mut Command| {
        if !hangs.is_empty() {
            command.env(hangs, "1");
        }
    };
    let mut first = command(&bench, 4, &[]);
    dead(&mut first);
    let (answer, report) = ran(&bench, &mut first);
    answer.says(0, &[]);
    expect_all(&report, Verdict::Pass);
    let [out] = &report.header.devices_out[..] else { panic!("{:?}", report.header.devices_out) };
    assert_eq!((out.device.as_str(), report.header.devices), ("2", 3));
    assert!(out.reason.contains(why), "{}", out.reason);
    fs::remove_dir_all(bench.path("report")).unwrap();
    let mut strict = command(&bench, 4, &["--tune", "min-devices=4"]);
    dead(&mut strict);
    crate::nights::answer(&mut strict).says(3, &[why, "; --tune min-devices requires 4, and 3 can be used; fix them"]);
    assert!(!bench.path("report/results.jsonl").exists(), "nothing ran");
}

/// The third device is out, so later devices have other numbers than they would have without it.
#[rstest]
fn a_run_without_a_bad_device_is_resumed_without_it(#[values(false, true)] repaired: bool) {
    let bench = machine(&copies(0, 8), "DIES");
    let (answer, report) = ran(&bench, &mut command(&bench, 4, &[]));
    answer.says(0, &[]);
    assert_eq!(report.header.devices_out.len(), 1);
    // As after a kill: the last result and the end are missing.
    let kept = report.journal.lines().count() - 2;
    let journal: String = report.journal.lines().take(kept).map(|line| format!("{line}\n")).collect();
    bench.write("report/results.jsonl", journal);
    let mut resumed = bench.command(["run", "--specs", "specs", "--library", "libnight.so", "--resume", "report"]);
    take_environment(&mut resumed, &command(&bench, 4, &[]));
    if repaired {
        resumed.env("NIGHT_REPAIRED", bench.write("repaired", ""));
    }
    let (answer, report) = ran(&bench, &mut resumed);
    answer.says(0, &["7 of 8 rules have a result"]);
    expect_all(&report, Verdict::Pass);
    assert_eq!((report.header.devices, report.header.devices_out.len()), (3, 1));
}

#[rstest]
#[case::of_several(2, "only 2 devices work")]
#[case::of_one(1, "only one device works")]
fn too_few_devices_are_reported_even_if_all_work(#[case] devices: u32, #[case] says: &str) {
    let bench = machine(&copies(0, 2), "WORKS");
    let says = [&format!("--tune min-devices=4: {says}; find the others with `atlas-cts doctor`")];
    crate::nights::answer(&mut command(&bench, devices, &["--tune", "min-devices=4"]))
        .says(3, &says.map(String::as_str));
    let wanted = "--devices 9: the runtime reports";
    let next = "or fewer, or find the others with `atlas-cts doctor`";
    crate::nights::answer(&mut command(&bench, devices, &["--devices", "9"])).says(2, &[wanted, next]);
    assert!(!bench.path("report/results.jsonl").exists(), "nothing ran");
}

// ---- where a rule failed

#[test]
fn a_failure_names_its_device_and_is_replayed_there() {
    let bench = machine(&(copies(0, 4) + &rule("night.fails", "", "      (uintptr_t)p % 64 == 1;\n")), "WORKS");
    let mut night = command(&bench, 4, &[]);
    // The mask shows devices whose numbers differ from those that a process counts.
    night.env("ASCEND_RT_VISIBLE_DEVICES", "2,3");
    let (answer, report) = ran(&bench, &mut night);
    let failure = report.result("acl.night.fails").failure.clone().unwrap();
    let [device] = &failure.devices[..] else { panic!("{:?}", failure.devices) };
    assert!(["2", "3"].contains(&device.as_str()), "{device}");
    answer.says(1, &[&format!("device {device} "), &format!("ASCEND_RT_VISIBLE_DEVICES={device} atlas-cts run ")]);
    assert!(failure.replay.contains(" --devices 1 "), "{}", failure.replay);
    let environment = command(&bench, 4, &[]);
    let environment: Vec<(&str, PathBuf)> = environment
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?, PathBuf::from(value?))))
        .filter(|(name, _)| name.starts_with("ATLAS_CTS_SIM") || *name == "NIGHT_COUNT")
        .collect();
    bench.replay("acl.night.fails", "report", &environment).says(1, &["FAIL  acl.night.fails"]);
    let again = bench.report("replayed").result("acl.night.fails").failure.clone().unwrap();
    assert_eq!((again.devices, again.replay), (failure.devices, failure.replay));
}

// ---- which device

/// A copy of a size at which a seeded defect of the simulated device shows.
const LARGE_COPY: &str = "      aclrtMalloc(&large, 70001, ACL_MEM_MALLOC_NORMAL_ONLY);
      char *back = host(70001, 64);
      poison(back, 70001);
      aclrtMemcpy(large, 70001, pattern(70001, 1), 70001, ACL_MEMCPY_HOST_TO_DEVICE);
      aclrtMemcpy(back, 70001, large, 70001, ACL_MEMCPY_DEVICE_TO_HOST);
      same(back, pattern(70001, 1), 70001);
";

/// A machine with one wrong device.
fn one_is_wrong(bench: &Bench, device: &str, arguments: &[&str]) -> Command {
    let mut command = command(bench, 4, arguments);
    command.env("ATLAS_CTS_SIM_DEFECTS", "copy.tail-rounded-to-32-above-64KiB");
    command.env("ATLAS_CTS_SIM_DEFECT_DEVICE", device);
    command
}

#[rstest]
#[case::the_first("0", "holds on devices 1, 2, 3")]
#[case::the_second("1", "holds on devices 0, 2, 3")]
#[case::the_last("3", "holds on devices 0, 1, 2")]
fn the_wrong_one_of_four_devices_is_found_and_named(#[case] wrong: &str, #[case] others: &str) {
    let bench = machine(&(copies(0, 4) + &rule("night.large", "", LARGE_COPY)), "WORKS");
    let (answer, report) = ran(&bench, &mut one_is_wrong(&bench, wrong, &["--tune", "every-device=yes"]));
    let said = format!("fails on device {wrong}, {others}");
    answer.says(1, &["FAIL  acl.night.large", &said, &format!("ASCEND_RT_VISIBLE_DEVICES={wrong} atlas-cts run ")]);
    let large = report.result("acl.night.large");
    assert!(large.verdict == Verdict::Fail && large.reason.starts_with(&said), "{}", large.reason);
    assert_eq!((large.devices.clone(), large.each.len()), (vec![wrong.to_owned()], 4));
    let junit = fs::read_to_string(bench.path("report/junit.xml")).unwrap();
    assert!(junit.contains(&format!("<property name=\"devices\" value=\"{said}\"/>")), "{junit}");
    for number in 0..4 {
        let copy = report.result(&format!("acl.night.copy{number}"));
        assert_eq!((copy.verdict, copy.reason.as_str(), copy.each.len()), (Verdict::Pass, "", 4));
    }
    bench.write("specs/acl/abi.h", fs::read(project().join("specs/acl/abi.h")).unwrap());
    let again = bench.run(["reproducer", "report", "acl.night.large", "--specs", "specs", "--to", "evidence"]);
    again.says(0, &[]);
    let program = fs::read_to_string(bench.path("evidence/reproducer.c")).unwrap();
    assert!(program.contains(&format!("setenv(\"ASCEND_RT_VISIBLE_DEVICES\", \"{wrong}\", 1);")), "{program}");
    let page = fs::read_to_string(bench.path("evidence/README.md")).unwrap();
    let told = [&format!("seen on device {wrong}"), &said, &format!("`ASCEND_RT_VISIBLE_DEVICES={wrong}`")];
    assert!(told.iter().all(|told| page.contains(*told)), "{page}");
}

#[test]
fn the_seed_decides_the_device_of_a_rule_and_passing_rules_record_it() {
    let bench = machine(&copies(0, 24), "WORKS");
    let devices = |arguments: &[&str]| -> Vec<(String, Vec<String>)> {
        let (answer, report) = ran(&bench, &mut command(&bench, 4, arguments));
        answer.says(0, &[]);
        fs::remove_dir_all(bench.path("report")).unwrap();
        let mut all: Vec<_> = report.results.iter().map(|result| (result.id.clone(), result.devices.clone())).collect();
        all.sort();
        all
    };
    let first = devices(&["--seed", "7"]);
    assert!(first.iter().all(|(_, devices)| devices.len() == 1), "{first:?}");
    let used: std::collections::BTreeSet<_> = first.iter().map(|(_, devices)| devices[0].clone()).collect();
    assert!(used.len() > 2, "{used:?}");
    assert_eq!(devices(&["--seed", "7", "--jobs", "1"]), first, "whichever device is free");
    assert_ne!(devices(&["--seed", "8"]), first);
    let everywhere = devices(&["--profile", "nightly", "--seed", "7"]);
    assert!(everywhere.iter().all(|(_, devices)| devices == &["0"]), "the first of equal results: {everywhere:?}");
}

// ---- between rules

#[rstest]
#[case::with_a_code("")]
#[case::without_an_answer("NIGHT_HANGS")]
fn one_of_four_devices_dies_and_every_rule_has_a_result(#[case] hangs: &str) {
    let bench = machine(&(copies(0, 60) + &pairs(0, 6)), "DIES");
    let mut night = command(&bench, 4, &[]);
    night.env("NIGHT_DIES_AT", "100");
    if !hangs.is_empty() {
        night.env(hangs, "1");
    }
    let (answer, report) = ran(&bench, &mut night);
    answer.says(0, &["device 2"]);
    expect_all(&report, Verdict::Pass);
    assert!(report.header.devices_out.is_empty(), "it worked before the run: {:?}", report.header.devices_out);
    // A start on that device may have been retried too.
    let rules = report.end().retries.iter().filter(|retry| retry.cause == RetryCause::LostDevice).collect::<Vec<_>>();
    let [retry] = rules[..] else { panic!("{:?}", report.end().retries) };
    // An incident is data for programs, not a sentence. A rule on two devices names both.
    let told = |event: &&Incident| matches!(event, Incident::DeviceOut { .. } | Incident::RuleRetried { .. });
    let happened = events(&report).filter(told).collect::<Vec<_>>();
    let [Incident::DeviceOut { device: Some(device), .. }, Incident::RuleRetried { rule, devices, .. }] = happened[..]
    else {
        panic!("{happened:?}")
    };
    assert_eq!((device.as_str(), Some(rule)), ("2", retry.rule.as_ref()));
    assert!(devices.contains(&Some("2".to_owned())), "{happened:?}");
}

#[test]
fn a_lost_device_is_an_event_in_the_json_log() {
    let bench = machine(&copies(0, 60), "DIES");
    let mut night = command(&bench, 4, &["--log-format", "json"]);
    let output = night.env("NIGHT_DIES_AT", "100").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let place = |event: &str| lines.iter().position(|line| line["event"] == event);
    let (out, again, end) = (place("device-out"), place("rule-retried"), place("end"));
    assert!(out.is_some() && out < again && again < end, "{text}");
    assert_eq!(lines[out.unwrap()]["device"], "2");
}

/// The gate tests both devices to find the dead one. With one rule at a time, all rules use the first two devices.
#[rstest]
#[case::with_a_code("")]
#[case::without_an_answer("NIGHT_HANGS")]
fn a_device_that_dies_under_a_rule_on_two_devices_is_found(#[case] hangs: &str) {
    let bench = machine(&pairs(0, 12), "DIES");
    let mut night = command(&bench, 4, &["--jobs", "1"]);
    night.env("NIGHT_DEVICE", "1").env("NIGHT_DIES_AT", "30");
    if !hangs.is_empty() {
        night.env(hangs, "1");
    }
    let (answer, report) = ran(&bench, &mut night);
    answer.says(0, &["device 1 no longer passes the gate"]);
    expect_all(&report, Verdict::Pass);
    let well = ["device 0 does", "device 2 does", "device 3 does"];
    assert!(
        well.iter().all(|device| remarks(&report, device).is_empty()),
        "{:?}",
        report.end().told().collect::<Vec<_>>()
    );
}

#[rstest]
#[case::with_a_code("")]
#[case::without_an_answer("NIGHT_HANGS")]
fn if_the_only_device_dies_the_remaining_rules_are_lost_and_none_is_blamed(#[case] hangs: &str) {
    let bench = machine(&copies(0, 30), "DIES");
    let mut night = command(&bench, 1, &[]);
    // A single device appears as `all`, or by its number.
    night.env("ASCEND_RT_VISIBLE_DEVICES", "0").env("NIGHT_DEVICE", "0").env("NIGHT_DIES_AT", "40");
    if !hangs.is_empty() {
        night.env(hangs, "1");
    }
    let (answer, report) = ran(&bench, &mut night);
    answer.says(3, &[]);
    let passed = count(&report, |result| result.verdict == Verdict::Pass);
    let lost = count(&report, |result| result.verdict == Verdict::DeviceLost);
    assert_eq!((passed + lost, passed > 0, lost > 1), (30, true, true), "{:?}", report.verdicts());
    assert!(report.results.iter().all(|result| result.verdict == Verdict::Pass || !result.reason.is_empty()));
}

// ---- recovery

#[test]
fn a_device_recovered_by_the_sites_command_is_used_again() {
    let bench = machine(&copies(0, 30), "DIES");
    let command_of_the_site = "echo \"$ATLAS_CTS_DEVICE: $ATLAS_CTS_REASON\" >>recovered && : >repaired";
    let mut night = command(&bench, 1, &[]);
    night.env("ATLAS_CTS_RECOVER_CMD", command_of_the_site);
    night.env("ASCEND_RT_VISIBLE_DEVICES", "0").env("NIGHT_DEVICE", "0").env("NIGHT_DIES_AT", "40");
    night.env("NIGHT_REPAIRED", bench.path("repaired"));
    let (answer, report) = ran(&bench, &mut night);
    answer.says(0, &["the recovery command restored it (attempt 1 of 2)"]);
    expect_all(&report, Verdict::Pass);
    let told = fs::read_to_string(bench.path("recovered")).unwrap();
    assert!(told.starts_with("0: ") && told.contains("507899") && told.lines().count() == 1, "{told}");
}

#[test]
fn a_device_is_recovered_for_a_rule_that_needs_several() {
    let bench = machine(&pairs(0, 12), "DIES");
    let mut night = command(&bench, 2, &[]);
    night.env("ATLAS_CTS_RECOVER_CMD", ": >repaired");
    night.env("NIGHT_DEVICE", "1").env("NIGHT_DIES_AT", "30").env("NIGHT_REPAIRED", bench.path("repaired"));
    let (answer, report) = ran(&bench, &mut night);
    answer.says(0, &["device 1 was out of use", "the recovery command restored it (attempt 1 of 2)"]);
    expect_all(&report, Verdict::Pass);
}

#[test]
fn a_stopped_run_does_not_wait_for_the_sites_command() {
    let bench = machine(&copies(0, 30), "DIES");
    let mut night = command(&bench, 1, &[]);
    night.env("ATLAS_CTS_RECOVER_CMD", ": >begun; sleep 60; : >waited");
    night.env("ASCEND_RT_VISIBLE_DEVICES", "0").env("NIGHT_DEVICE", "0").env("NIGHT_DIES_AT", "40");
    let child = night.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(|| bench.path("begun").exists());
    ask(&child, Signal::TERM);
    Answer::from(child.wait_with_output().unwrap()).says(3, &["SIGTERM: run stopped"]);
    assert!(!bench.path("waited").exists());
}

#[rstest]
#[case::fails("echo tried >>recovered; echo no rights >&2; exit 5", "no rights")]
#[case::does_nothing("echo tried >>recovered", "507899")]
#[case::takes_too_long("echo tried >>recovered; sleep 60", "timed out and was killed")]
fn a_command_that_does_not_help_is_tried_twice(#[case] command_of_the_site: &str, #[case] why: &str) {
    let bench = machine(&copies(0, 30), "DIES");
    let mut night = command(&bench, 1, &["--tune", "recover-limit=1"]);
    night.env("ATLAS_CTS_RECOVER_CMD", command_of_the_site);
    night.env("ASCEND_RT_VISIBLE_DEVICES", "0").env("NIGHT_DEVICE", "0").env("NIGHT_DIES_AT", "40");
    let (answer, report) = ran(&bench, &mut night);
    answer.says(3, &["did not restore it (attempt 1 of 2)", "did not restore it (attempt 2 of 2)", why]);
    assert_eq!(fs::read_to_string(bench.path("recovered")).unwrap().lines().count(), 2);
    assert_eq!(report.results.len(), 30);
    let judged = |result: &RuleResult| !matches!(result.verdict, Verdict::Pass | Verdict::DeviceLost);
    assert_eq!(count(&report, judged), 0, "{:?}", report.verdicts());
}

// ---- calls without effect

/// A copy beyond the size of the block, which is refused.
const TOO_MUCH: &str = "      aclrtMemcpy(p, 4096, pattern(8192, 1), 8192, ACL_MEMCPY_HOST_TO_DEVICE)";

#[test]
fn a_process_whose_calls_no_longer_have_any_effect_is_replaced() {
    let fault = rule("night.fault", "", &format!("{TOO_MUCH};\n"));
    let bench = machine(&(copies(0, 3) + &fault + &copies(3, 12)), "LOSES_EFFECT");
    let (answer, report) = ran(&bench, &mut command(&bench, 1, &[]));
    answer.says(1, &["FAIL  acl.night.fault"]);
    assert_eq!(count(&report, |result| result.verdict == Verdict::Pass), 12, "{:?}", report.verdicts());
    let said = remarks(&report, "after acl.night.fault, calls on the device no longer had any effect");
    assert_eq!(said.len(), 1, "{:?}", report.end().told().collect::<Vec<_>>());
}

/// The rule passes, but the next rule meets the process that it leaves behind.
#[test]
fn a_rule_in_a_process_whose_calls_have_no_effect_is_rerun() {
    let fault = rule("night.fault", "", &format!("{TOO_MUCH} fails;\n"));
    let bench = machine(&(copies(0, 3) + &fault + &copies(3, 12)), "LOSES_EFFECT");
    // One for each of the rule's three cases.
    let (answer, report) = ran(&bench, command(&bench, 1, &[]).env("NIGHT_FAILED", "3"));
    answer.says(0, &["acl.night.copy3 ran in a worker whose calls no longer had any effect; it runs again"]);
    expect_all(&report, Verdict::Pass);
    let said = remarks(&report, "after acl.night.copy3, calls on the device no longer had any effect");
    assert_eq!(said.len(), 1, "{:?}", report.end().told().collect::<Vec<_>>());
}

// ---- memory

/// A rule that allocates blocks of this many bytes.
fn allocating(id: &str, bytes: u32) -> String {
    rule(id, "", &format!("      aclrtMalloc(&block, {bytes}, ACL_MEM_MALLOC_HUGE_FIRST);\n"))
}

#[test]
fn a_rule_that_leaks_device_memory_is_found_and_named() {
    let rules = copies(0, 7) + &allocating("night.leaks", 12 << 20) + &copies(7, 40);
    let bench = machine(&rules, "LEAKS");
    let (answer, report) = ran(&bench, &mut command(&bench, 1, &[]));
    answer.says(0, &["acl.night.leaks: each time it runs"]);
    expect_all(&report, Verdict::Pass);
    let [leak] = &remarks(&report, "it leaks")[..] else { panic!("{:?}", report.end().told().collect::<Vec<_>>()) };
    assert!(leak.starts_with("acl.night.leaks: ") && leak.contains("MiB of memory on"), "{leak}");
    let found = events(&report).find_map(|event| match event {
        Incident::Leak { rules, resource: Leaked::Memory, amount, .. } => Some((rules.concat(), *amount >= 12 << 20)),
        _ => None,
    });
    assert_eq!(found, Some(("acl.night.leaks".to_owned(), true)));
}

/// Even if the memory goes as regularly as rules run.
#[rstest]
fn memory_taken_by_another_process_is_reported_and_no_rule_is_blamed(#[values("60", "100", "150")] every: &str) {
    let bench = machine(&copies(0, 60), "IS_SHARED");
    let (answer, report) = ran(&bench, command(&bench, 1, &[]).env("NIGHT_EVERY", every));
    answer.says(0, &["512.0 MiB of memory on the device", "another program"]);
    expect_all(&report, Verdict::Pass);
    assert!(remarks(&report, "each time").is_empty(), "{:?}", report.end().told().collect::<Vec<_>>());
}
