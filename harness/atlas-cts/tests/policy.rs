//! The policy on the grounds of judged checks. A catalog that promises more than its documents does not load, and a
//! sentence that does not apply to the library's edition is not a promise there.

use crate::support;

use rstest::rstest;
use support::Bench;

/// Sentences of every modality.
pub const CLAUSES: &str = "\
document: manual
clauses:
  blocks:
    promise:
      block.aligned: 111111111111 A block begins at a multiple of 64.
      block.here: {says: 111111111111 Blocks of a2 are aligned., products: [a2]}
      block.later: {says: 111111111111 Blocks are aligned., since: \"99.1\"}
      block.before: {says: 111111111111 Blocks were aligned., until: \"1.2\"}
      block.on-a-host: {says: 111111111111 Blocks are aligned., run_modes: [host]}
      block.on-a-device: {says: 111111111111 Copies use memory of the device., run_modes: [device], leaves_open: [aclrtMemcpy]}
    error:
      block.size-0: 111111111111 A size of 0 is refused.
      block.size-0-code: {says: 111111111111 A size of 0 is an invalid parameter., codes: [ACL_ERROR_INVALID_PARAM]}
    prohibition:
      block.only-known: 111111111111 Only known policies are supported.
    reserved:
      block.reserved: 111111111111 Other bits are reserved.
    duty:
      block.duty: 111111111111 The size must not be 0.
    fact:
      block.unit: 111111111111 Sizes are in bytes.
";

const HEAD: &str = "\
# The rules of a test.
title: Small
rules:
  - id: acl.small.aligned
    title: A block is aligned
    statement: A block is aligned.
";

/// A chapter of one rule.
pub fn chapter(lines: &str, steps: &[&str]) -> String {
    let steps: String = steps.iter().map(|step| format!("      {step}\n")).collect();
    format!("{HEAD}{lines}    steps: |\n{steps}")
}

pub fn bench(clauses: &str, chapter: &str) -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter);
    bench.write("specs/acl/clauses/policy.yaml", clauses);
    bench
}

pub const ALIGNED: [&str; 2] = ["aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);", "(uintptr_t)p % 64 == 0;"];
const REFUSED: &str = "aclrtMalloc(&p, 0, ACL_MEM_MALLOC_NORMAL_ONLY) fails;";
const COPIED: &str = "refuse aclrtMemcpy(p, 8, pattern(8, 1), 8, ACL_MEMCPY_HOST_TO_HOST) unless { [part] p != NULL; }";

#[rstest]
#[case::a_promise("clauses: {all: block.aligned}", &ALIGNED)]
#[case::a_refusal("clauses: {all: block.size-0}", &[REFUSED])]
#[case::a_documented_code(
    "clauses: {all: block.size-0-code}",
    &["aclrtMalloc(&p, 0, ACL_MEM_MALLOC_NORMAL_ONLY) fails {ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID};"]
)]
#[case::an_inference("clauses: {all: [block.aligned, block.unit]}", &ALIGNED)]
#[case::two_that_are_marked(
    "clauses: {aligned: block.aligned, zero: block.size-0}",
    &[ALIGNED[0], "[aligned] (uintptr_t)p % 64 == 0;", "[zero] aclrtMalloc(&q, 0, ACL_MEM_MALLOC_NORMAL_ONLY) fails;"]
)]
#[case::a_block_passes_its_marker_on(
    "clauses: {aligned: block.aligned, zero: block.size-0}",
    &[ALIGNED[0], "[aligned] for (i < 2) { (uintptr_t)p % 64 == 0; [zero] aclrtFree(NULL) fails; }"]
)]
#[case::silent_corruption_with_only_a_prohibition(
    "clauses: {aligned: block.aligned, part: block.only-known}",
    &[ALIGNED[0], "[aligned] (uintptr_t)p % 64 == 0;", COPIED]
)]
#[case::a_reported_value_that_rests_on_a_prohibition(
    "clauses: {aligned: block.aligned, bits: block.only-known}",
    &[ALIGNED[0], "[aligned] (uintptr_t)p % 64 == 0;", "[info] [bits] aclrtFree(NULL) fails;"]
)]
#[case::calls_that_succeed("clauses: {all: block.aligned}", &ALIGNED[..1])]
fn a_check_that_rests_on_a_promise_loads(#[case] clauses: &str, #[case] steps: &[&str]) {
    let bench = bench(CLAUSES, &chapter(&format!("    {clauses}\n    level: must\n"), steps));
    bench.run(["catalog", "lint", "--specs", "specs"]).says(0, &["no mistakes"]);
}

#[test]
fn source_code_alone_promises_nothing() {
    let bench = bench(CLAUSES, &chapter("    clauses: {all: block.aligned}\n    level: must\n", &ALIGNED));
    bench.write(
        "specs/acl/documents.yaml",
        "documents:\n  - {id: manual, title: The code, edition: first, language: en, covers: blocks, promises: false}\n",
    );
    bench.run(["catalog", "lint", "--specs", "specs"]).says(2, &["`manual` promises nothing (documents.yaml)"]);
}

const MISALIGNED: [&str; 4] = ["run", "--specs", "specs", "--defect=malloc.aligned-only-from-4KiB"];

#[rstest]
#[case::later("block.later", "block.later (from edition 99.1 on); the edition is ")]
#[case::before("block.before", "block.before (up to edition 1.2); the edition is ")]
fn a_sentence_of_another_edition_is_only_observed(#[case] clause: &str, #[case] why: &str) {
    let bench = bench(CLAUSES, &chapter(&format!("    clauses: {{all: {clause}}}\n    level: must\n"), &ALIGNED));
    bench.run(MISALIGNED.iter().chain(&["--report-dir", "report"])).says(0, &["1 finding"]);
    let report = bench.report("report");
    let result = report.result("acl.small.aligned");
    assert!(result.findings[0].contains("`(uintptr_t)p % 64 == 0` does not hold"), "{:?}", result.findings);
    assert!(result.observed_only[0].contains(why), "{:?}", result.observed_only);
    bench.run(MISALIGNED.iter().chain(&["--strict"])).says(1, &["not conformant: see the findings"]);
}

const ON_THE_DEVICE: [&str; 4] = ["--product", "infer", "--sim", "run-mode=device"];

#[test]
fn a_sentence_of_another_run_mode_is_only_observed() {
    let bench = bench(CLAUSES, &chapter("    clauses: {all: block.on-a-host}\n    level: must\n", &ALIGNED));
    bench.run(MISALIGNED).says(1, &["promised   block.on-a-host", "; holds in run mode host"]);
    bench.run(MISALIGNED.iter().chain(&ON_THE_DEVICE).chain(&["--report-dir", "report"])).says(0, &["1 finding"]);
    let observed = bench.report("report").result("acl.small.aligned").observed_only.clone();
    let why = "`(uintptr_t)p % 64 == 0` rests on block.on-a-host (in run mode host); this program runs in mode device";
    assert_eq!(observed, [why]);
}

/// A copy from the program's memory, which a device that runs programs itself may refuse, and a refusal without that
/// freedom.
const REFUSES: [&str; 4] = ["run", "--specs", "specs", "--defect=variant.device-mode-refuses-program-memory"];
const COPIES: [&str; 4] = [
    "aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);",
    "---",
    "aclrtMemcpy(p, 64, pattern(64, 1), 64, ACL_MEMCPY_HOST_TO_DEVICE);",
    "(uintptr_t)p % 64 == 0;",
];

#[rstest]
#[case::this_one("leaves_open: [aclrtMemcpy]", 0, "1 finding")]
#[case::another_one("leaves_open: [aclrtMemset]", 1, "aclrtMemcpy returned")]
fn a_bare_call_that_a_run_mode_leaves_open_is_only_observed_there(
    #[case] open: &str,
    #[case] status: i32,
    #[case] says: &str,
) {
    let clauses = CLAUSES.replace("leaves_open: [aclrtMemcpy]", open);
    let bench = bench(&clauses, &chapter("    clauses: {all: block.aligned}\n    level: must\n", &COPIES));
    bench.run(&REFUSES[..3]).says(0, &["conformant"]);
    bench.run(REFUSES.iter().chain(&ON_THE_DEVICE)).says(status, &[says]);
    bench.run(MISALIGNED.iter().chain(&ON_THE_DEVICE)).says(1, &["`(uintptr_t)p % 64 == 0` does not hold"]);
}

#[test]
fn a_failure_names_the_broken_sentence() {
    let bench = bench(CLAUSES, &chapter("    clauses: {all: block.aligned}\n    level: must\n", &ALIGNED));
    let says = [
        "promised block.aligned: A block begins at a multiple of 64. ([manual] blocks)",
        "documents [manual] The manual (first)",
    ];
    bench.run(MISALIGNED).says(1, &says);
    let explained = ["[1]       The manual (first)", "all       A block begins at a multiple of 64. ([1] blocks)"];
    bench.run(["explain", "acl.small.aligned", "--specs", "specs"]).says(0, &explained);
}

const ALTERNATIVES: [&str; 3] = [
    "void *p = NULL;",
    "choose { plain: aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY); cached: aclrtMallocCached(&p, 64, \
     ACL_MEM_MALLOC_NORMAL_ONLY); }",
    "p != NULL;",
];

#[test]
fn a_rule_that_violates_a_duty_is_a_hazard_and_runs_only_on_request() {
    let rule =
        |hazard: &str| chapter(&format!("    clauses: {{zero: block.duty}}\n    level: info\n{hazard}"), &[REFUSED]);
    let answer = bench(CLAUSES, &rule("")).run(["catalog", "lint", "--specs", "specs"]);
    answer.says(2, &["rests on block.duty, a requirement on the caller (duty)", "small.yaml:10:7"]);
    let bench = bench(CLAUSES, &rule("    hazard: undefined\n"));
    bench.run(["run", "--specs", "specs"]).says(0, &["the documents leave the result undefined"]);
    bench.run(["run", "--specs", "specs", "--hazardous"]).says(0, &["1 observed"]);
}

/// A support table in which the other product lacks one of two allocators.
const SUPPORT: &str = "\
source: {document: manual, section: blocks}
functions:
  aclrtMalloc: {supported: [a2, ipv350]}
  aclrtMallocCached: {supported: [a2], unsupported: [ipv350]}
  aclrtDeviceCanAccessPeer: {supported: [a2], not_virtual: true, trial: peers}
";

#[rstest]
#[case::one_that_lacks_it("ipv350", &["choose: cached"], 1)]
#[case::one_that_has_both("a2", &[], 2)]
fn an_alternative_that_a_product_lacks_is_omitted_without_the_rule(
    #[case] product: &str,
    #[case] left_out: &[&str],
    #[case] least: u64,
) {
    let bench = bench(CLAUSES, &chapter("    clauses: {all: block.aligned}\n    level: must\n", &ALTERNATIVES));
    bench.write("specs/acl/support.yaml", SUPPORT);
    let words = ["run", "--specs", "specs", "--product", product, "--report-dir", "report"];
    bench.run(words).says(0, &["conformant"]);
    let report = bench.report("report");
    let result = report.result("acl.small.aligned");
    assert_eq!(
        (result.verdict.name(), &*result.left_out),
        ("pass", &*left_out.iter().map(|s| s.to_string()).collect::<Vec<_>>())
    );
    assert!(result.cases >= least, "{}", result.cases);
}

#[test]
fn a_rule_without_an_offered_alternative_does_not_apply() {
    let bench = bench(CLAUSES, &chapter("    clauses: {all: block.aligned}\n    level: must\n", &ALTERNATIVES));
    bench.write("specs/acl/support.yaml", SUPPORT.replace("[a2, ipv350]", "[a2], unsupported: [ipv350]"));
    let words = ["run", "--specs", "specs", "--product", "ipv350"];
    bench.run(words).says(0, &["aclrtMalloc is documented as not supported on ipv350"]);
}

#[rstest]
#[case::one_that_lacks_it("8.2", &["choose: synchronizing"])]
#[case::one_that_has_it("9.0", &[])]
fn an_alternative_that_an_edition_lacks_is_omitted_without_the_rule(#[case] edition: &str, #[case] left_out: &[&str]) {
    let steps = [ALIGNED[0], ALIGNED[1], "choose { plain: aclrtFree(p); synchronizing: aclrtFreeWithDevSync(p); }"];
    let bench = bench(CLAUSES, &chapter("    clauses: {all: block.aligned}\n    level: must\n", &steps));
    let support = SUPPORT.replace(
        "  aclrtMallocCached",
        "  aclrtFreeWithDevSync: {supported: [a2], since: \"8.5\"}\n  aclrtMallocCached",
    );
    bench.write("specs/acl/support.yaml", support);
    let edition = format!("edition={edition}");
    let words = ["run", "--specs", "specs", "--product", "a2", "--sim", &edition, "--report-dir", "report"];
    bench.run(words).says(0, &["conformant"]);
    let report = bench.report("report");
    let result = report.result("acl.small.aligned");
    assert_eq!(result.verdict.name(), "pass", "{}", result.reason);
    assert_eq!(result.left_out, left_out);
}

/// Values that some products do not accept; the last one exists from an edition on.
const VALUES: &str = "\
values:
  ACL_MEM_MALLOC_HUGE_ONLY: {supported: [a2], unsupported: [ipv350]}
  ACL_MEM_MALLOC_HUGE_FIRST: {supported: [a2, ipv350], since: \"8.5\"}
";
const POLICIES: &str = "    clauses: {all: block.aligned}
    level: must
    forall: {policy: {every: [ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_HUGE_FIRST]}}
";

#[rstest]
#[case::a_product_that_lacks_one("ipv350", "9.0", &["policy: ACL_MEM_MALLOC_HUGE_ONLY"], 2)]
#[case::an_edition_that_lacks_one("a2", "8.2", &["policy: ACL_MEM_MALLOC_HUGE_FIRST"], 2)]
#[case::neither("a2", "9.0", &[], 3)]
fn a_value_that_a_product_or_an_edition_lacks_is_omitted_without_the_rule(
    #[case] product: &str,
    #[case] edition: &str,
    #[case] left_out: &[&str],
    #[case] cases: u64,
) {
    let bench = bench(CLAUSES, &chapter(POLICIES, &["aclrtMalloc(&p, 64, policy);", ALIGNED[1]]));
    bench.write("specs/acl/support.yaml", format!("{SUPPORT}{VALUES}"));
    let edition = format!("edition={edition}");
    let words = ["run", "--specs", "specs", "--product", product, "--sim", &edition, "--report-dir", "report"];
    bench.run(words).says(0, &["conformant"]);
    let report = bench.report("report");
    let result = report.result("acl.small.aligned");
    assert_eq!(
        (result.verdict.name(), result.coverage.as_ref().map(|coverage| coverage.distinct)),
        ("pass", Some(cases)),
        "{}",
        result.reason
    );
    assert_eq!(result.left_out, left_out);
}

#[rstest]
#[case::for_the_product("ipv350", "9.0", "ACL_MEM_MALLOC_HUGE_ONLY is documented as not supported on ipv350")]
#[case::for_the_edition("a2", "8.2", "uses ACL_MEM_MALLOC_HUGE_FIRST, part of the runtime since 8.5; this is 8.2")]
fn a_rule_that_always_passes_an_unsupported_value_does_not_apply(
    #[case] product: &str,
    #[case] edition: &str,
    #[case] says: &str,
) {
    let steps = [
        "aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_ONLY);",
        "aclrtMalloc(&q, 64, ACL_MEM_MALLOC_HUGE_FIRST);",
        "(uintptr_t)p % 64 == 0;",
    ];
    let bench = bench(CLAUSES, &chapter("    clauses: {all: block.aligned}\n    level: must\n", &steps));
    bench.write("specs/acl/support.yaml", format!("{SUPPORT}{VALUES}"));
    let edition = format!("edition={edition}");
    bench.run(["run", "--specs", "specs", "--product", product, "--sim", &edition]).says(0, &[says]);
}

#[test]
fn a_value_that_is_not_in_the_header_is_a_mistake() {
    let bench = bench(CLAUSES, &chapter(POLICIES, &["aclrtMalloc(&p, 64, policy);", ALIGNED[1]]));
    bench.write("specs/acl/support.yaml", format!("{SUPPORT}{}", VALUES.replace("HUGE_ONLY", "HUGE_OLNY")));
    let says = "`ACL_MEM_MALLOC_HUGE_OLNY` is not a value in the header; did you mean `ACL_MEM_MALLOC_HUGE_ONLY`?";
    bench.run(["catalog", "lint", "--specs", "specs"]).says(2, &[says, "support.yaml"]);
}
