//! The whole catalog on a runtime that shares nothing with the simulated device (fixtures/second).

use crate::support;

use std::collections::BTreeSet;
use std::process::Command;

use catalog::Level;
use support::{Bench, catalog};

/// Rules on promises of the documents that the second implementation keeps.
const HOLDS: &[&str] = &[
    "acl.copy.sync-roundtrip",
    "acl.copy.sync-bounds",
    "acl.copy.sync-complete",
    "acl.copy.h2h-sync",
    "acl.copy.kind-ignored",
    "acl.copy.kind-default",
    "acl.copy.dest-max",
    "acl.copy.dest-max-equal",
    "acl.copy.async-roundtrip",
    "acl.copy.async-align64",
    "acl.copy.async-bounds",
    "acl.copy.async-order",
    "acl.copy.async-pageable-complete",
    "acl.copy.async-pageable-order",
    "acl.copy.async-h2h",
    "acl.copy.cross-thread",
    "acl.ctx.set-last-wins",
    "acl.dev.count",
    "acl.dev.get-unset",
    "acl.dev.set-invalid",
    "acl.dev.set-valid",
    "acl.dev.shared-default-context",
    "acl.host.cpu-access",
    "acl.host.disjoint",
    "acl.ipc.close-order-ok",
    "acl.ipc.export-flags",
    "acl.ipc.export-key",
    "acl.ipc.import-after-close",
    "acl.ipc.import-args",
    "acl.ipc.isolation",
    "acl.ipc.key-canary",
    "acl.ipc.keys-distinct",
    "acl.ipc.same-device-share",
    "acl.ipc.setpid-unknown-key",
    "acl.ipc.whitelist-allow",
    "acl.ipc.whitelist-deny",
    "acl.malloc.align32-addr",
    "acl.malloc.align64",
    "acl.malloc.disjoint",
    "acl.malloc.extent-align32",
    "acl.malloc.extent-padding",
    "acl.malloc.extent-roundtrip",
    "acl.malloc.threads",
    "acl.malloc.too-large",
    "acl.meminfo.bad-attr",
    "acl.meminfo.delta",
    "acl.meminfo.null",
    "acl.meminfo.order",
    "acl.meminfo.unsupported-attr",
    "acl.set.async-order",
    "acl.set.bounds",
    "acl.set.byte",
    "acl.set.max",
    "acl.set.sync-complete",
    "acl.stream.fifo",
    "acl.stream.lifecycle",
    "acl.stream.query-after-sync",
    "acl.stream.sync-visible",
    "acl.vmm.address-range",
];

fn exported(library: &std::path::Path) -> BTreeSet<String> {
    let symbols = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output().unwrap();
    assert!(symbols.status.success());
    let text = String::from_utf8(symbols.stdout).unwrap();
    text.lines().filter_map(|line| line.split(' ').nth(2)).map(str::to_owned).collect()
}

#[test]
fn an_independent_library_is_judged_by_the_promises_of_the_documents() {
    let bench = Bench::new();
    let library = bench.library("fixtures/second/second.c", &[]);
    let has = exported(&library);
    let arguments = ["run", "--report-dir", "report", "--product", "a2", "--tune", "deadline=10"];
    let answer = bench.run(arguments.iter().chain(&["--library", "libtested.so"]));
    answer.says(1, &["not conformant"]);
    let report = bench.report("report");

    // It counts as a device like any other, not as simulated.
    let first = answer.text.lines().next().unwrap();
    assert!(first.contains("libtested.so") && first.contains("Ascend910B4, product a2"), "{first}");
    assert!(!answer.text.to_lowercase().contains("simulated device"), "{}", answer.text);
    assert!(!report.header.library.simulated);
    assert!(report.junit.contains("name=\"simulated\" value=\"false\""));
    assert!(!report.junit.contains("SIMULATED"));
    assert_eq!(report.header.reported_name.as_deref(), Some("Ascend910B4"));
    assert_eq!((report.header.devices, &report.header.edition), (1, &None));

    for id in HOLDS {
        let result = report.result(id);
        assert_eq!(result.verdict.name(), "pass", "{id}: {}", result.reason);
    }

    // A rule that calls a missing function is blocked for this reason only, or skipped if it is unknown whether a
    // library of this edition has the function.
    let rules = catalog();
    let (mut blocked, mut small) = (0, 0);
    for rule in &rules.rules {
        let result = report.result(&rule.id);
        let lacks: Vec<&str> = rule.function_names().filter(|name| !has.contains(*name)).collect();
        match result.verdict.name() {
            "skipped" => {}
            // The device is small: a set-up may not get enough memory.
            "blocked" if lacks.is_empty() && result.reason.starts_with("set-up failed: ") => small += 1,
            "blocked" => {
                blocked += 1;
                let missing = lacks.iter().any(|name| result.reason.contains(&format!("does not export {name}")));
                assert!(missing, "{}: {}, but it lacks {lacks:?}", rule.id, result.reason);
            }
            // An alternative that calls a missing function is omitted, and the result tells so.
            "pass" => {
                assert!(lacks.is_empty() || !result.left_out.is_empty(), "{} holds without {lacks:?}", rule.id);
            }
            // Behavior that no document promises may differ here.
            "fail" if rule.level == Level::Info => {}
            other => panic!("{}: {other}: {}\neither the rule or fixtures/second is wrong", rule.id, result.reason),
        }
    }
    assert!(blocked > 5, "{blocked} rules are blocked");
    assert!(small < 5, "{small} rules are blocked by a small device");
    assert_eq!(report.results.len(), rules.rules.len() + 1);

    let missing = report.result("acl.support.exported");
    assert_eq!(missing.verdict.name(), "fail");
    for name in ["aclrtCreateEvent", "aclrtDeviceEnablePeerAccess", "aclrtMemcpy2d"] {
        assert!(missing.reason.contains(name), "{name} is missing in: {}", missing.reason);
    }
    assert!(
        !missing.reason.contains("acldvppMalloc") && !missing.reason.contains("aclrtValueWrite"),
        "{}",
        missing.reason
    );
    let said = |text: &str| missing.findings.iter().any(|finding| finding.contains(text));
    assert!(
        said("optional library dvpp (libacl_dvpp.so) and no library exports them: acldvppFree, acldvppMalloc"),
        "{:?}",
        missing.findings
    );
    assert!(said("aclrtValueWrite (since 8.5)"), "{:?}", missing.findings);
    let named: Vec<&str> = missing.reason.rsplit(": ").next().unwrap().split(", ").collect();
    assert!(named.iter().all(|name| !has.contains(*name)), "{named:?}");
}
