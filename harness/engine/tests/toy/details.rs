//! The output of a run other than verdicts: observations, findings, traces, replays, skips, exit statuses.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use engine::print_c::{Sheet, print_c};
use engine::run::{RunError, TargetError, load_rules};
use record::{Meaning, RuleResult, Verdict};

use crate::gcc;
use crate::toy::runs::{TOY, all_faithful, faithful, folder, library, open, options, run, run_one};

fn classes(result: &RuleResult, name: &str) -> Vec<String> {
    result.observations.get(name).map(|classes| classes.keys().cloned().collect()).unwrap_or_default()
}

#[test]
fn alternatives_all_run() {
    assert_eq!(classes(faithful("toy.form.choose"), "which"), ["0", "1", "2"]);
}

#[test]
fn every_value_is_tried() {
    let result = faithful("toy.domain.every");
    assert_eq!(classes(result, "way"), ["0", "1", "2"]);
    let mut numbers: Vec<u32> = classes(result, "number").iter().filter_map(|number| number.parse().ok()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (3..=12).collect::<Vec<u32>>());
    assert_eq!(classes(faithful("toy.builtin.text"), "text"), ["", "one", "two"]);
    assert_eq!(classes(faithful("toy.block.aligned"), "alignment"), ["page"]);
    assert_eq!(classes(faithful("toy.actor.share"), "id"), ["12"]);
}

#[test]
fn findings_do_not_fail() {
    let informed = faithful("toy.form.info");
    assert_eq!((informed.verdict, informed.findings.len()), (Verdict::Pass, 1), "{:?}", informed.findings);
    assert!(informed.findings[0].starts_with("`[info] toy_blocks() == 1234` does not hold"), "{:?}", informed.findings);
    assert_eq!(informed.doubt.as_deref(), Some("The number is unknown."));
    let usual = faithful("toy.form.usually");
    let expected = "toy_open returned 4 (TOY_BAD_KEY), the suite's own (undocumented) expectation is 1 (TOY_BAD_VALUE) \
                    or 2 (TOY_BAD_STATE)";
    assert_eq!(usual.findings, [expected]);
    assert_eq!(faithful("toy.broken.info").meaning(), Meaning::Finding);
}

#[test]
fn skips_say_why() {
    assert_eq!(faithful("toy.block.other-product").reason, "does not apply to seven");
    assert_eq!(faithful("toy.block.many-devices").reason, "needs 4 devices, there are 3");
    assert!(faithful("toy.block.undefined").reason.contains("--hazardous"));
    assert_eq!(faithful("toy.broken.third-device").reason, "needs 4 devices, there are 3");
}

/// The names of the functions that a failing case called, each with true if a note followed the result.
fn calls(result: &RuleResult) -> Vec<(String, bool)> {
    let trace = &result.failure.as_ref().unwrap_or_else(|| panic!("{} did not fail", result.id)).trace;
    let name = |line: &str| line.split('(').next().unwrap_or_default().to_owned();
    trace.iter().map(|line| (name(line), line.ends_with("(automatic release)"))).collect()
}

#[test]
fn releases_in_reverse() {
    let result = faithful("toy.broken.clean-up");
    let trace = &result.failure.as_ref().expect("it failed").trace;
    let pointer =
        |line: &str| line.split("0x").nth(1).map(|text| text.split([')', ',']).next().unwrap_or("").to_owned());
    let expected = [("toy_alloc", false); 4].into_iter().chain([("toy_free", false)]);
    let expected = expected.chain([("toy_alloc", false); 2]);
    // `late` is freed by `defer`, then `s` and `p`; `q` was freed by the rule.
    let expected = expected.chain([("toy_free", false), ("toy_free", true), ("toy_free", true)]);
    let expected: Vec<(String, bool)> = expected.map(|(name, release)| (name.to_owned(), release)).collect();
    // The engine makes further calls between cases and around them, which are not part of the case.
    let calls: Vec<(String, bool)> = calls(result);
    let mine: Vec<(String, bool)> =
        trace.iter().zip(calls).filter(|(line, _)| !line.ends_with("(life cycle)")).map(|(_, call)| call).collect();
    assert_eq!(mine, expected, "{trace:#?}");
    let freed: Vec<_> =
        trace.iter().filter(|line| line.ends_with("(automatic release)")).map(|line| pointer(line)).collect();
    assert_ne!(freed[0], freed[1]);
}

/// A release gets the handle at its place, whatever its width, and the arguments of the acquiring call.
#[test]
fn releases_pass_their_arguments() {
    let trace = &faithful("toy.broken.handles").failure.as_ref().expect("it failed").trace;
    let released: Vec<&str> =
        trace.iter().filter_map(|line| line.strip_suffix(" = success  (automatic release)")).collect();
    let argument = |line: &str, name: &str| {
        let rest = line.split(&format!("{name}=")).nth(1).unwrap_or_else(|| panic!("no {name} in {line}"));
        rest.split([',', ')']).next().unwrap_or_default().to_owned()
    };
    let pinned = trace.iter().find(|line| line.starts_with("toy_pin(")).expect("the rule pins a region");
    let region = argument(pinned, "region");
    let label = argument(pinned, "label");
    assert_eq!(released.len(), 5, "{trace:#?}");
    assert!(released[0].starts_with("toy_unreserve(range=") && argument(released[0], "size") == "128", "{released:?}");
    assert_eq!(released[1], format!("toy_unpin(label={label}, region={region})"));
    assert_eq!(released[2], "toy_leave(lane=TOY_LANE_0)");
    assert_eq!(released[3], "toy_give(way=TOY_INSIDE, ticket=-1)");
    assert!(released[4].starts_with("toy_unreserve(range=") && argument(released[4], "size") == "64", "{released:?}");
    assert_ne!(argument(released[0], "range"), argument(released[4], "range"));
}

/// The C programs of the same rules release with the same arguments: a wrong one ends them with 1.
#[test]
fn printed_programs_release_handles() {
    for (id, ran) in printed_programs(&library(&[]), "toy.handles.") {
        assert!(ran.status.success(), "{id}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

/// With gates, they give the same answer as the suite about a correct library and a broken one.
#[test]
fn printed_programs_hold_queues() {
    for defects in [&[][..], &["TWICE"], &["HASTY"]] {
        let results = run(defects, &[], |id| id.starts_with("toy.callback."));
        let programs = printed_programs(&library(defects), "toy.callback.");
        assert_eq!(programs.len(), 9);
        for (id, ran) in programs {
            let result = results.iter().find(|result| result.id == id).expect("it was run");
            let expected = i32::from(result.verdict != Verdict::Pass);
            assert_eq!(ran.status.code(), Some(expected), "{id}: {}", String::from_utf8_lossy(&ran.stderr));
        }
    }
}

/// Conditions of one process and of several decide the same in C.
#[test]
fn printed_programs_follow_conditions() {
    for prefix in ["toy.form.if", "toy.actor.if"] {
        let programs = printed_programs(&library(&[]), prefix);
        assert_eq!(programs.len(), 1, "{prefix}");
        for (id, ran) in programs {
            assert!(ran.status.success(), "{id}: {}", String::from_utf8_lossy(&ran.stderr));
        }
    }
}

/// Prints, builds and runs the rules whose ids begin like this.
pub(super) fn printed_programs(library: &Path, prefix: &str) -> Vec<(String, Output)> {
    programs_with(library, prefix, &[])
}

/// The same with more arguments of the compiler.
pub(super) fn programs_with(library: &Path, prefix: &str, more: &[&OsStr]) -> Vec<(String, Output)> {
    let mut programs = Vec::new();
    let rules = load_rules(&options(library, &[]).catalog, &TOY).unwrap_or_else(|error| panic!("{error}"));
    let product = rules.product("seven").expect("the catalog knows it");
    for rule in rules.rules.iter().filter(|rule| rule.id.starts_with(prefix)) {
        let sheet = Sheet { deadline: gcc::BUSY, ..Sheet::new(product, 3) };
        let text = print_c(&rules, rule, &sheet).unwrap_or_else(|message| panic!("{}: {message}", rule.id));
        let name = library.file_stem().and_then(|name| name.to_str()).expect("the tests name it");
        let source = library.with_file_name(format!("{name}-{}.c", rule.id));
        let program = source.with_extension("program");
        std::fs::write(&source, text).unwrap();
        let header = folder().join("specs/toy");
        let words = [
            "-Werror".as_ref(),
            "-pthread".as_ref(),
            "-I".as_ref(),
            header.as_ref(),
            source.as_ref(),
            library.as_ref(),
        ];
        gcc::build::<&OsStr>(&program, words.into_iter().chain(more.iter().copied()));
        let ran = Command::new(&program).output().expect("the program was just built");
        programs.push((rule.id.clone(), ran));
    }
    programs
}

/// In a trace, where addresses mean nothing.
#[test]
fn a_hook_and_a_gate_are_named() {
    let trace = &faithful("toy.broken.held").failure.as_ref().expect("it failed").trace;
    let call = trace.iter().find(|line| line.starts_with("toy_queue_call(")).expect("the rule queues one");
    assert!(call.ends_with(", call=hook(toyCall), argument=gate g) = success"), "{call}");
}

/// The drawn case is shrunk and rerun, as without a gate.
#[test]
fn a_held_case_is_made_smaller() {
    let first = faithful("toy.broken.held").failure.as_ref().expect("it failed");
    assert_eq!(first.values, [("size".to_owned(), "500".to_owned())]);
    let again = run_one(&[], &["--case", &first.replay_values.to_string()], "toy.broken.held");
    let failure = again.failure.expect("it fails again");
    assert_eq!((failure.place, failure.values), (first.place.clone(), first.values.clone()));
    assert_eq!(again.verdict, Verdict::Fail);
}

#[test]
fn what_a_thread_acquires_is_released() {
    let calls = calls(faithful("toy.broken.thread"));
    assert_eq!(calls.iter().filter(|(name, release)| name == "toy_free" && *release).count(), 2, "{calls:?}");
}

#[test]
fn an_undefined_call_is_observed() {
    let result = run_one(&[], &["--hazardous"], "toy.block.undefined");
    assert_eq!(result.verdict, Verdict::Observed, "{}", result.reason);
    let seen = classes(&result, "outcome");
    assert!(seen.len() == 1 && seen[0].starts_with("crash: ") && seen[0].contains("SIGSEGV"), "{seen:?}");
}

#[test]
fn a_failure_can_be_replayed() {
    for id in ["toy.broken.choose", "toy.broken.list", "toy.broken.text-matches", "toy.broken.second"] {
        let first = faithful(id).failure.as_ref().expect("it failed");
        let case = first.replay_values.to_string();
        let again = run_one(&[], &["--case", &case], id);
        let failure = again.failure.as_ref().unwrap_or_else(|| panic!("{id} passes with {case}"));
        assert_eq!(again.cases, 1);
        assert_eq!((&failure.place, &failure.message, &failure.values), (&first.place, &first.message, &first.values));
        assert_eq!(failure.replay_values, first.replay_values);
        // A case of a list cannot be written as a query.
        let as_json = failure.replay.contains(&format!("--exact {id} ")) && failure.replay.contains("--case");
        let as_query = failure.replay.contains(&format!("--exact '{id}:"));
        assert!(as_json != as_query && as_json == (id == "toy.broken.list"), "{}", failure.replay);
    }
}

#[test]
fn a_case_that_is_none() {
    for (case, expected) in [
        ("{\"nn\": 1}", "the rule has no axis `nn`; did you mean `n`?"),
        ("{\"n\": \"many\", \"choose\": \"bad\"}", "`\"many\"` is not a value of `n`; allowed: an integer"),
        ("{\"n\": 1}", "the case has no value for `choose`"),
        ("[1]", "a case is a JSON object"),
    ] {
        let result = run_one(&[], &["--case", case], "toy.broken.choose");
        assert_eq!(result.verdict, Verdict::Error);
        assert!(result.reason.contains(expected), "{}", result.reason);
    }
    let error = open(&options(&library(&[]), &["--case", "{"])).expect_err("it is not JSON");
    assert!(matches!(error, RunError::Case { .. }), "{error}");
}

/// In every place where cases run: a worker, a group of workers, fresh processes, a worker that is lost.
#[test]
fn distinct_cases_are_counted() {
    let coverage = |result: &RuleResult| result.coverage.clone().map(|found| (found.distinct, found.remark));
    for result in all_faithful().iter().filter(|result| result.cases > 0 && result.chapter != "support") {
        let (distinct, _) = coverage(result).unwrap_or_else(|| panic!("{} does not say", result.id));
        assert!((1..=result.cases).contains(&distinct), "{}: {distinct} of {}", result.id, result.cases);
    }
    assert_eq!(coverage(faithful("toy.block.other-product")), None);
    assert_eq!(coverage(faithful("toy.block.zero")), Some((1, None)));
    assert_eq!(coverage(faithful("toy.handles.ticket")), Some((4, None)));
    // The rest that `where` leaves of a small domain was tried completely.
    assert_eq!(coverage(faithful("toy.domain.rare-and-few")), Some((2, None)));
    let rare = faithful("toy.domain.rare");
    let (distinct, remark) = coverage(rare).expect("cases ran");
    let remark = remark.expect("most of the plan was given up");
    assert!(distinct <= rare.cases && rare.cases < 100, "{remark}");
    assert!(remark.starts_with(&format!("{} of 100 cases were tried: `where` discarded ", rare.cases)), "{remark}");
    assert_eq!(rare.verdict, Verdict::Pass);
    let crashed = run_one(&["CRASH"], &[], "toy.block.round-trip");
    let (distinct, remark) = coverage(&crashed).expect("cases ran before the worker was lost");
    assert!((1..=crashed.cases).contains(&distinct) && remark.is_none(), "{crashed:?}");
}

#[test]
fn a_hang_is_a_timeout() {
    let result = run_one(&["HANG"], &["--tune", "deadline=1"], "toy.block.round-trip");
    assert_eq!(result.verdict, Verdict::Timeout, "{}", result.reason);
    assert_eq!(result.reason, "toy_copy did not return: no progress for 1s; the process was killed");
    let failure = result.failure.expect("a hang has its case");
    assert_eq!(failure.statement, "toy_copy((char *)p + offset, pattern(size - offset, 1), size - offset, TOY_IN)");
    assert!(failure.trace.last().is_some_and(|line| line.ends_with("= did not return")), "{:?}", failure.trace);
}

#[test]
fn a_missing_function() {
    let results = run(&["-Dtoy_share=toy_hidden"], &[], |id| id == "toy.actor.share" || id.contains("support"));
    assert_eq!(results[0].verdict, Verdict::Blocked, "{}", results[0].reason);
    assert!(results[0].reason.contains("the library does not export toy_share"), "{}", results[0].reason);
    assert_eq!(results[1].verdict, Verdict::Pass, "no document lists toy_share: {}", results[1].reason);
    let results = run(&["-Dtoy_copy=toy_hidden"], &[], |id| id.contains("support"));
    assert_eq!(results[0].verdict, Verdict::Fail);
    assert!(results[0].reason.contains("toy_copy"), "{}", results[0].reason);
}

/// The symbol is looked up, and the name in the header is reported: the library still exports the name.
#[test]
fn a_missing_symbol() {
    let wanted = |id: &str| id == "toy.form.second-names" || id.contains("support");
    let results = run(&["-Dtoy_count_v2=toy_hidden"], &[], wanted);
    assert_eq!(results[0].verdict, Verdict::Blocked, "{}", results[0].reason);
    assert!(results[0].reason.contains("the library does not export toy_count;"), "{}", results[0].reason);
    assert_eq!(results[1].verdict, Verdict::Fail);
    assert!(results[1].reason.ends_with(": toy_count"), "{}", results[1].reason);
}

#[test]
fn the_product_is_asked() {
    let campaign = open(&options(&library(&[]), &[])).unwrap_or_else(|error| panic!("{error}"));
    let header = &campaign.header;
    assert_eq!((header.product.as_str(), header.devices, header.runtime.as_str()), ("seven", 3, "toy"));
    assert_eq!(header.reported_name.as_deref(), Some("Toy-7"));
    let error = open(&options(&library(&[]), &["--product", "eight"])).expect_err("it is another product");
    assert!(matches!(&error, RunError::Target(TargetError::OtherProduct { found, .. }) if found == "seven"), "{error}");
    let error = open(&options(&library(&[]), &["--product", "sevn"])).expect_err("it does not exist");
    assert!(matches!(&error, RunError::Unknown(_)) && error.to_string().contains("did you mean `seven`"), "{error}");
    let error = open(&options(&library(&[]), &["--devices", "9"])).expect_err("the library has three");
    assert!(matches!(&error, RunError::Target(TargetError::TooFewDevices { wanted: 9, are: 3 })), "{error}");
}

/// A library that does not identify itself as simulated is a device: one run at a time.
#[test]
fn a_device_is_locked() {
    let library = library(&["-DLOCKED"]);
    let first = open(&options(&library, &[])).unwrap_or_else(|error| panic!("{error}"));
    let error = open(&options(&library, &["--tune", "lock-wait=0"])).expect_err("the device is in use");
    assert!(matches!(&error, RunError::Target(TargetError::Locked { device: 0, .. })), "{error}");
    let holder = format!("device-0.lock is still held by process {} (", std::process::id());
    assert!(error.to_string().contains(&holder), "{error}");
    drop(first);
    open(&options(&library, &["--backend", "device"])).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_library_that_is_none() {
    for path in [folder().join("toy.c"), folder().join("missing.so")] {
        let error = open(&options(&path, &[])).expect_err("it is not a library");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
}

#[test]
fn a_rule_whose_cases_take_only_sides_without_a_check_is_skipped_and_names_the_side() {
    let result = faithful("toy.broken.free-side");
    assert_eq!((result.verdict, result.checks), (Verdict::Skipped, 0));
    let side = "`denied || n > 100` is true (specs/toy/rules/broken/forms.yaml:";
    assert!(result.reason.starts_with(&format!("nothing judged: {side}")), "{}", result.reason);
    let (named, cases) = result.observations["nothing judged"].iter().next().unwrap();
    assert!(named.starts_with(side) && *cases == result.cases && *cases > 0, "{:?}", result.observations);
}

#[test]
fn cases_that_take_a_side_without_a_check_are_counted_in_a_rule_that_passes() {
    let result = faithful("toy.form.free-side");
    let cases: u64 = result.observations["nothing judged"].values().sum();
    assert_eq!(result.verdict, Verdict::Pass);
    assert!(0 < cases && cases < result.cases, "{:?}", result.observations);
}

#[test]
fn statuses() {
    let exit = |words: &[&str], id: &str| {
        let campaign = open(&options(&library(&[]), words)).unwrap_or_else(|error| panic!("{error}"));
        for planned in engine::run::plan(&campaign.target.rules).iter().filter(|planned| planned.id == id) {
            campaign.execute(planned);
        }
        campaign.finish()
    };
    let end = exit(&[], "toy.block.zero");
    assert_eq!((end.exit, end.workers_started, end.counts), (0, 1, BTreeMap::from([(Verdict::Pass, 1)])));
    assert_eq!(exit(&[], "toy.broken.call").exit, 1);
    assert_eq!(exit(&[], "toy.broken.code").exit, 1);
    assert_eq!(exit(&[], "toy.broken.info").exit, 0);
    assert_eq!(exit(&["--strict"], "toy.broken.info").exit, 1);
    assert_eq!(exit(&[], "toy.broken.setup").exit, 3);
    assert_eq!(exit(&[], "toy.broken.nothing").exit, 3);
    assert_eq!(exit(&[], "toy.broken.free-side").exit, 0);
    assert_eq!(exit(&["--tune", "min-executed=2"], "toy.block.zero").exit, 3);
}
