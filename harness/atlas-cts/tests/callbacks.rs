//! Streams that a rule blocks with its own function: on the simulated device, right and wrong, and as a C program.

use crate::support;

use std::process::Command;

use atlas_cts::runtimes::RUNTIMES;
use rstest::rstest;
use simulator_contract::environment;
use support::{Bench, project};

/// On a product without value waits.
const PRODUCT: &str = "train";

const CHAPTER: &str = "\
# The rules of a test.
title: Host functions in a stream
rules:
  - id: acl.callback.order
    title: A host function runs between the earlier and the later tasks of its stream
    statement: A function waits for the tasks before it, and the tasks after it wait for the function.
    clauses: {manual: manual.blocks}
    level: must
    forall: {n: {bytes: 1..64KiB}}
    steps: |
      aclrtCreateStream(&stream);
      aclrtMalloc(&d, n, ACL_MEM_MALLOC_HUGE_FIRST);
      aclrtMallocHost(&back, n);
      aclrtMemcpy(d, n, pattern(n, 1), n, ACL_MEMCPY_HOST_TO_DEVICE);
      poison(back, n);
      void *first = gate();
      void *second = gate();
      // Open when it is queued, so a function called too early has returned by the time of the check.
      open(second);
      aclrtLaunchHostFunc(stream, hook(aclrtHostFunc), first);
      aclrtLaunchHostFunc(stream, hook(aclrtHostFunc), second);
      aclrtMemcpyAsync(back, n, d, n, ACL_MEMCPY_DEVICE_TO_HOST, stream);
      aclrtSynchronizeStreamWithTimeout(stream, 20) fails;
      poisoned(back, n) && passed(first) == 0;
      passed(second) == 0;
      open(first);
      aclrtSynchronizeStream(stream);
      passed(first) == 1;
      passed(second) == 1;
      same(back, pattern(n, 1), n);

  - id: acl.callback.left-closed
    title: A stream that is held to the end of its case
    statement: What a case holds at its end does not hold the releases.
    clauses: {manual: manual.blocks}
    level: must
    forall: {held: {int: 1..3}}
    steps: |
      aclrtCreateStream(&stream);
      void *g = gate();
      for (i < held) { aclrtLaunchHostFunc(stream, hook(aclrtHostFunc), g); }
      passed(g) == 0;
";

#[rstest]
#[case::faithful("", "pass")]
#[case::on_new_threads("variant.callbacks-on-new-threads", "pass")]
#[case::eager("variant.async-eager", "pass")]
#[case::delayed("variant.async-delayed", "pass")]
#[case::before_its_turn("callback.overtakes-queue", "fail")]
#[case::holds_nothing("callback.holds-nothing", "fail")]
#[case::twice("callback.called-twice", "fail")]
#[case::without_argument("callback.argument-lost", "fail")]
#[case::other_argument("callback.argument-of-newest", "fail")]
#[case::never("callback.dropped-when-idle", "fail")]
fn a_blocked_stream_distinguishes_a_right_device_from_a_wrong_one(#[case] defect: &str, #[case] verdict: &str) {
    let bench = Bench::new();
    bench.catalog(CHAPTER);
    let mut words = vec!["--product", PRODUCT, "--backend", "simulator"];
    if !defect.is_empty() {
        words.extend(["--defect", defect]);
    }
    let answer = bench.run_catalog("report", &words);
    let report = bench.report("report");
    // A defect that depends on work queued meanwhile shows in most runs, not in all.
    let seen = report.result("acl.callback.order").verdict.name();
    assert_eq!(seen.replace("flaky", "fail"), verdict, "{}", answer.text);
    assert_eq!(report.result("acl.callback.left-closed").verdict.name(), "pass", "{}", answer.text);
    let mut statuses = (0..5).map(|_| program(&bench).env(environment::DEFECTS, defect).status().unwrap().code());
    let as_expected = match verdict {
        "pass" => statuses.next() == Some(Some(0)),
        _ => statuses.any(|status| status == Some(1)),
    };
    assert!(as_expected, "the printed program gives another verdict");
}

/// The first rule as a C program, compiled with the simulated device.
fn program(bench: &Bench) -> Command {
    let words = ["print", "acl.callback.order", "--specs", "specs", "--product", PRODUCT];
    let printed = bench.command(words).output().unwrap();
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    let source = bench.write("order.c", printed.stdout);
    let library = RUNTIMES[0].simulated.as_ref().unwrap().libraries[0].write_to(&bench.path("")).unwrap();
    let mut compiler = Command::new("gcc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"]).arg(project().join("specs/acl"));
    compiler.arg(source).arg("-o").arg(bench.path("order")).arg(library);
    support::answer(&mut compiler).says(0, &[]);
    let mut program = Command::new(bench.path("order"));
    program.env("LD_LIBRARY_PATH", bench.path("")).env(environment::PRODUCT, PRODUCT);
    program
}
