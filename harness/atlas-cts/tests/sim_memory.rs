//! The memory of simulated devices is a setting, for emulators and small containers.

use crate::support;

use rstest::rstest;
use support::Bench;

/// The reported memory of a device in pages of both sizes, and the memory that can be allocated.
const RULES: &str = "# The rules of a test.
title: Small devices
rules:
  - id: acl.small.total
    title: A device has what it was given
    statement: A device has what it was given.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtGetMemInfo(ACL_HBM_MEM, &left, &all);
      all == (size_t)MEBIBYTES * 1024 * 1024 - ((size_t)512 << 20);
      left <= all;
  - id: acl.small.large
    title: A block of most of the device holds what is written
    statement: A block of most of the device holds what is written.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtGetMemInfo(ACL_HBM_MEM_HUGE, &left, &all);
      size_t size = left / 4 * 3;
      char *back = host(4096, 64);
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_ONLY);
      char *end = (char *)p + size - 4096;
      aclrtMemcpy(end, 4096, pattern(4096, 1), 4096, ACL_MEMCPY_HOST_TO_DEVICE);
      aclrtMemcpy(back, 4096, end, 4096, ACL_MEMCPY_DEVICE_TO_HOST);
      same(back, pattern(4096, 1), 4096);
  - id: acl.small.full
    title: Twice a device is too large
    statement: Twice a device is too large.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, (size_t)MEBIBYTES * 1024 * 1024 * 2, ACL_MEM_MALLOC_HUGE_FIRST) fails, usually {ACL_ERROR_RT_MEMORY_ALLOCATION};
  - id: acl.small.shared
    title: Another process sees the block
    statement: Another process sees the block.
    clauses: {manual: manual.blocks}
    level: must
    actors: |
      A: process(device 0);
      B: process(device 0);
    steps: |
      A: aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
      A: aclrtMemcpy(p, 4096, pattern(4096, 2), 4096, ACL_MEMCPY_HOST_TO_DEVICE);
      A: char key[65];
      A: aclrtIpcMemGetExportKey(p, 4096, key, 65, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION);
      B: aclrtIpcMemImportByKey(&q, A.key, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT);
      B: char *back = host(4096, 64);
      B: aclrtMemcpy(back, 4096, q, 4096, ACL_MEMCPY_DEVICE_TO_HOST);
      B: same(back, pattern(4096, 2), 4096);
";

fn bench(mebibytes: &str) -> Bench {
    let bench = Bench::new();
    bench.catalog(RULES.replace("MEBIBYTES", mebibytes));
    bench
}

#[rstest]
#[case::least("1024")]
#[case::odd("1537")]
#[case::most("65536")]
fn a_device_has_the_configured_memory(#[case] mebibytes: &str, #[values("host", "device")] run_mode: &str) {
    let bench = bench(mebibytes);
    let rules = if run_mode == "host" { "4 pass" } else { "pass" };
    let sim = format!("memory={mebibytes},run-mode={run_mode}");
    let words = ["--product", "a2", "--backend", "simulator", "--sim", &sim];
    bench.run_catalog("report", &words).says(0, &[rules]);
    let report = bench.report("report");
    assert_eq!(report.header.settings.sim_memory, mebibytes.parse().ok());
    assert_eq!(report.result("acl.small.total").verdict.name(), "pass");
}

#[test]
fn without_the_setting_a_device_has_the_memory_of_its_product() {
    let bench = bench("65536");
    bench.run_catalog("report", &["--product", "a2", "--backend", "simulator"]).says(0, &["4 pass"]);
    assert_eq!(bench.report("report").header.settings.sim_memory, None);
    // 64 GiB, not 2.
    let other = self::bench("2048");
    other
        .run_catalog("report", &["--product", "a2", "--backend", "simulator"])
        .says(1, &["fail        acl.small.total"]);
}

/// A failure on a small device is replayed on a small device.
#[test]
fn the_replay_of_a_failure_has_the_setting() {
    let bench = bench("4096");
    let words = ["--product", "a2", "--backend", "simulator", "--sim", "memory=2048", "acl.small.total"];
    bench.run_catalog("report", &words).says(1, &["FAIL  acl.small.total", "--sim memory=2048"]);
    bench.replay("acl.small.total", "report", &[]).says(1, &["FAIL  acl.small.total"]);
}

#[rstest]
#[case::below("1023", "memory is 1024 to 65536, not `1023`")]
#[case::above("65537", "memory is 1024 to 65536, not `65537`")]
#[case::no_number("4G", "memory is 1024 to 65536, not `4G`")]
fn an_impossible_size_is_refused(#[case] mebibytes: &str, #[case] reason: &str) {
    let bench = Bench::new();
    bench.run(["run", "--backend", "simulator", "--sim", &format!("memory={mebibytes}")]).says(2, &[reason]);
}

#[test]
fn the_setting_does_not_apply_to_another_library() {
    let bench = bench("2048");
    bench.library("fixtures/faults/faults.c", &[]);
    let answer = bench.run_catalog("report", &["--library", "libtested.so", "--sim", "memory=2048"]);
    answer.says(2, &["--sim memory configures the simulated device, but another library is under test"]);
}
