//! Editions of the runtime on the simulated device: none raises a false alarm, and missing features are reported.

use crate::support;

use rstest::rstest;
use support::Bench;

/// Rules that need a feature of an edition, with the reason why an older one skips them.
const NEEDS: &[(&str, &str, &str)] = &[
    ("acl.ipc.export-key", "aclrtIpcMemGetExportKey", "8.1"),
    ("acl.malloc.withcfg-align64", "aclrtMallocWithCfg", "8.5"),
    ("acl.hostreg.v2-pinned-on-pinned", "aclrtHostRegisterV2", "8.5.0"),
    ("acl.vmm.address-range", "aclrtMemGetAddressRange", "9.0.0"),
    ("acl.set.d32", "aclrtMemsetD32", "9.1.0"),
];

/// Chapters on an edition that differs much, the features that it lacks, and the number of `NEEDS` that it has.
/// `ci/night.sh` runs all rules on all editions and products.
#[rstest]
#[case::without_a_version_call("none", None, 0, &["acl.support.exported"])]
#[case("8.5", Some("8.5.0"), 3, &["acl.support.exported", "acl.ipc.", "acl.malloc.", "acl.hostreg.", "acl.copy.", "acl.p2p."])]
fn no_edition_raises_a_false_alarm(
    #[case] name: &str,
    #[case] edition: Option<&str>,
    #[case] has: usize,
    #[case] only: &[&str],
) {
    let bench = Bench::new();
    let name = format!("edition={name}");
    let mut words = vec!["run", "--product", "a2", "--backend", "simulator", "--report-dir", "report", "--sim", &name];
    words.extend(only);
    words.extend(NEEDS.iter().map(|(id, ..)| *id));
    bench.run(words).says(0, &["conformant: no rule that ran is broken"]);
    let report = bench.report("report");
    assert_eq!(report.header.edition.as_deref(), edition);
    for result in &report.results {
        assert!(matches!(result.verdict.name(), "pass" | "exceeds" | "skipped"), "{}: {}", result.id, result.reason);
    }
    for (number, (id, function, since)) in NEEDS.iter().enumerate() {
        let result = report.result(id);
        let expected = match edition {
            _ if number < has => ("pass", String::new()),
            Some(is) => (
                "skipped",
                format!("needs {function}, part of the runtime since {since}; this is {is}, which does not export it"),
            ),
            None => (
                "skipped",
                format!(
                    "needs {function}, part of the runtime since {since}; this edition is unknown and does not export it"
                ),
            ),
        };
        assert_eq!((result.verdict.name(), result.reason.clone()), expected, "{id}");
    }
    let exported = report.result("acl.support.exported");
    let unknown =
        exported.findings.iter().any(|finding| finding.starts_with("not exported, and the edition is unknown"));
    assert_eq!(unknown, edition.is_none(), "{:?}", exported.findings);
}

#[test]
fn an_edition_that_no_device_simulates_is_refused() {
    let bench = Bench::new();
    let answer = bench.run(["run", "--backend", "simulator", "--sim", "edition=8.4"]);
    answer.says(2, &["--sim edition=8.4: known editions are none, 8.2, 8.5, 9.0, 9.1, 9.2"]);
}
