//! `atlas-cts certify` and `verify` as users run them: the runs that show a conformant device, the reasons why other
//! runs do not, and the protection of a signed record against changes.

use crate::support;

use std::fs;
use std::path::Path;
use std::process::Command;

use ledger::conformance::{Capability, ConformanceRecord, Statement};
use rstest::rstest;
use support::small::{ELSEWHERE, HOLDS, chapter};
use support::{Answer, Bench, answer};

/// A rule whose answer is only reported.
const TOLD: &str = "
  - id: acl.small.told
    title: A block is reported to be elsewhere
    statement: A block is reported to be elsewhere.
    source: [{document: manual, section: blocks}]
    level: info
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p == NULL;
";

const TWO_DEVICES: &str = "
  - id: acl.small.two
    title: A block can be allocated next to another device
    statement: A block can be allocated next to another device.
    clauses: {manual: manual.blocks}
    level: must
    when: {devices: 2}
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

const ALL_MEMORY: &str = "
  - id: acl.small.all
    title: All memory can be had
    statement: All memory can be had.
    clauses: {manual: manual.blocks}
    level: must
    when: {dedicated: true}
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

const BROKEN: &str = "
  - id: acl.small.broken
    title: A block is nowhere
    statement: A block is nowhere.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p == NULL;
";

/// Its set-up fails in a function that the library lacks.
const BLOCKED: &str = "
  - id: acl.small.blocked
    title: A block can be allocated next to host memory
    statement: A block can be allocated next to host memory.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMallocHost(&host, 64);
      ---
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

/// A bench with a device that does not count as simulated, and these additional rules.
fn bench(more: &str, tells: &str) -> Bench {
    let bench = Bench::new();
    bench.catalog(chapter(&[HOLDS, TOLD, ELSEWHERE, more]));
    bench.library("fixtures/faults/faults.c", &[tells]);
    bench
}

/// A rule whose check assumes an axiom in addition to its sentence.
const ASSUMING: &str = "
  - id: acl.small.assuming
    title: A block is there, and stays
    statement: A block is there, and stays.
    clauses: {manual: manual.blocks}
    level: must
    assumes: [contents-stay]
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

const AXIOMS: &str = "\
axioms:
  - id: contents-stay
    says: Memory keeps its contents.
    needed: No sentence says so.
    objection: None is known.
";

const EDITION: &str = "FAULT_TELLS_EDITION";
const DEVICE: &[&str] = &["--product", "a2", "--library", "libtested.so"];
const DEDICATED: &[&str] = &["--product", "a2", "--library", "libtested.so", "--dedicated"];

/// A record lists the axioms that its verdicts assume. A run without one of them shows nothing.
#[rstest]
#[case::with_every_axiom(&[], 0, "assuming   contents-stay", &[])]
#[case::without_one(&["--without-axiom", "contents-stay"], 3, "run without --without-axiom", &["contents-stay"])]
fn a_record_lists_its_axioms(
    #[case] options: &[&str],
    #[case] status: i32,
    #[case] says: &str,
    #[case] without: &[&str],
) {
    let bench = bench(ASSUMING, EDITION);
    bench.write("specs/acl/axioms.yaml", AXIOMS);
    bench.run_catalog("run", &[DEDICATED, options].concat());
    certify(&bench, "run", &["--to", "record.json"]).says(status, &[says]);
    bench.run(["verify", "record.json"]).says(0, &[says]);
    let record = record(&bench, "record.json");
    assert_eq!(record.assuming["contents-stay"], "Memory keeps its contents.");
    assert_eq!(record.run.without_axioms, without);
}

fn certify(bench: &Bench, run: &str, more: &[&str]) -> Answer {
    bench.run([&["certify", run, "--specs", "specs"], more].concat())
}

fn record(bench: &Bench, name: &str) -> ConformanceRecord {
    serde_json::from_slice(&fs::read(bench.path(name)).unwrap()).unwrap()
}

#[test]
fn a_whole_run_without_failures_is_conformant_and_its_record_is_reproducible() {
    let bench = bench(ALL_MEMORY, EDITION);
    bench.run_catalog("run", DEDICATED).says(0, &["NOT SIMULATED"]);
    let shown = ["statement  conformant", "2 required of a conformant device; 4 with a result", "signature  none"];
    certify(&bench, "run", &["--to", "one.json"]).says(0, &shown);
    certify(&bench, "run", &["--to", "two.json"]).says(0, &shown);
    let bytes = fs::read(bench.path("one.json")).unwrap();
    assert_eq!(bytes, fs::read(bench.path("two.json")).unwrap());
    let printed = bench.command(["certify", "run", "--specs", "specs"]).output().unwrap();
    assert_eq!(printed.stdout, bytes, "standard output gets the record and nothing else");
    bench.run(["verify", "one.json"]).says(0, &["statement  conformant", "nothing shows who made this record"]);

    let record = record(&bench, "one.json");
    let report = bench.report("run");
    assert_eq!(record.statement, Statement::Conformant);
    assert_eq!((record.edition.as_deref(), record.product.as_str(), record.devices), (Some("9.1.0"), "a2", 1));
    assert_eq!(record.libraries[0].sha256.as_ref(), Some(&report.header.library.sha256));
    assert_eq!(record.catalog.digest, report.header.catalog_digest);
    assert_eq!(record.run.seed, report.header.seed.to_string());
    let verdicts: Vec<_> = record.rules.iter().map(|(id, rule)| (id.as_str(), rule.verdict, rule.required)).collect();
    let expected: Vec<_> = ["all", "elsewhere", "holds", "told"]
        .iter()
        .map(|name| format!("acl.small.{name}"))
        .map(|id| (report.result(&id).verdict, id.ends_with("all") || id.ends_with("holds"), id))
        .collect();
    assert_eq!(
        verdicts,
        expected.iter().map(|(seen, wanted, id)| (id.as_str(), Some(*seen), *wanted)).collect::<Vec<_>>()
    );
}

#[rstest]
#[case::others_may_use_it("", EDITION, DEVICE, Capability::Dedicated, "run with --dedicated", &[])]
#[case::rules_that_take_all_memory_did_not_run(
    ALL_MEMORY, EDITION, DEVICE, Capability::Dedicated, "run with --dedicated", &["acl.small.all"]
)]
#[case::too_few_devices(
    TWO_DEVICES, EDITION, DEDICATED, Capability::Devices, "1 rule: up to 2 devices needed, but the run had 1", &["acl.small.two"]
)]
#[case::an_unknown_edition("", "FAULT_NONE", DEDICATED, Capability::Edition, "make the runtime report its version", &[])]
#[case::a_simulated_device(
    "", EDITION, &["--product", "a2", "--backend", "simulator"], Capability::RealDevice, "run with --backend device", &[]
)]
#[case::not_every_rule(
    "", EDITION, &["acl.small.told", "--product", "a2", "--library", "libtested.so", "--dedicated"],
    Capability::EveryRule, "1 rule did not run", &["acl.small.holds"]
)]
#[case::a_part(
    "", EDITION, &["--product", "a2", "--library", "libtested.so", "--dedicated", "--shard", "1/1"],
    Capability::WholeRun, "atlas-cts merge", &[]
)]
#[case::no_answer(
    BLOCKED,
    EDITION, DEDICATED, Capability::Answers, "1 rule without an answer", &["acl.small.blocked"]
)]
fn a_record_is_not_conformant_and_tells_what_is_missing(
    #[case] more: &str,
    #[case] tells: &str,
    #[case] run: &[&str],
    #[case] capability: Capability,
    #[case] why: &str,
    #[case] rules: &[&str],
) {
    let bench = bench(more, tells);
    bench.run_catalog("run", run);
    certify(&bench, "run", &["--to", "record.json"]).says(3, &["not shown to be conformant", why]);
    let record = record(&bench, "record.json");
    assert_eq!(record.statement, Statement::NotShown);
    let missing = record.missing.iter().find(|missing| missing.capability == capability);
    assert_eq!(missing.unwrap_or_else(|| panic!("{:?}", record.missing)).rules, rules);
    bench.run(["verify", "record.json"]).says(0, &["not shown to be conformant", why]);
}

#[test]
fn a_run_that_did_not_reach_its_end_shows_nothing() {
    let bench = bench("", EDITION);
    bench.run_catalog("run", DEDICATED).says(0, &[]);
    let journal = bench.path("run/results.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let killed: Vec<&str> = text.lines().filter(|line| !line.starts_with("{\"end\"")).collect();
    fs::write(&journal, killed.join("\n") + "\n").unwrap();
    certify(&bench, "run", &[]).says(3, &["a whole run: the run did not finish; finish it with --resume"]);
}

#[test]
fn a_known_failure_does_not_make_a_device_conformant() {
    let bench = bench(BROKEN, EDITION);
    bench.write(
        "known.yaml",
        "expectations:\n  - {rule: acl.small.broken, kind: fail, symptom: {verdict: fail}, owner: memory,\n    \
         tracker: \"https://tracker.example/1\", expires: 2999-12-31}\n",
    );
    bench.run_catalog("run", &[DEDICATED, &["--expectations", "known.yaml"]].concat()).says(0, &["known"]);
    let shown = ["statement  not conformant", "1 promised by a document (acl.small.broken)", "still counted here"];
    certify(&bench, "run", &["--to", "record.json"]).says(1, &shown);
    let record = record(&bench, "record.json");
    let applied = record.expectations.expect("the applied entries are recorded");
    assert_eq!(applied.results[0].entry.as_ref().unwrap().tracker, "https://tracker.example/1");
    bench.run(["verify", "record.json"]).says(0, &shown);
}

/// The broken rule does not run: it is known to be dangerous.
const DANGEROUS: &str = "expectations:
  - {rule: acl.small.broken, kind: skip, danger: It hangs the machine., owner: memory,
     tracker: \"https://tracker.example/1\", expires: 2999-12-31}
";

#[test]
fn a_known_failure_that_did_not_run_is_a_missing_rule() {
    let bench = bench(BROKEN, EDITION);
    bench.write("known.yaml", DANGEROUS);
    bench.run_catalog("run", &[DEDICATED, &["--expectations", "known.yaml"]].concat()).says(0, &[]);
    certify(&bench, "run", &[]).says(3, &["every rule: 1 rule did not run", "(acl.small.broken)"]);
}

#[test]
fn a_rule_that_a_shard_did_not_run_is_missing_after_a_merge_without_known_failures() {
    let bench = bench(BROKEN, EDITION);
    bench.write("known.yaml", DANGEROUS);
    let part = [DEDICATED, &["--expectations", "known.yaml", "--shard", "1/1"]].concat();
    bench.run_catalog("part", &part).says(0, &[]);
    bench.run(["merge", "part", "--specs", "specs", "--report-dir", "whole"]).says(0, &[]);
    certify(&bench, "whole", &[]).says(3, &["every rule: 1 rule did not run", "(acl.small.broken)"]);
}

#[test]
fn a_record_is_made_with_the_catalog_of_the_run() {
    let bench = bench("", EDITION);
    bench.run_catalog("run", DEDICATED).says(0, &[]);
    bench.run(["certify", "run"]).says(2, &["with another catalog", "name its catalog with --specs"]);
    bench.catalog(chapter(&[HOLDS, TOLD, ELSEWHERE, ALL_MEMORY]));
    certify(&bench, "run", &[]).says(2, &["with another catalog"]);
    certify(&bench, "nowhere", &[]).says(2, &["nowhere"]);
}

#[test]
fn a_changed_record_and_another_file_are_not_verified() {
    let bench = bench("", EDITION);
    bench.run_catalog("run", DEVICE).says(0, &[]);
    certify(&bench, "run", &["--to", "record.json"]).says(3, &[]);
    certify(&bench, "run", &["--to", "record.json"]).says(3, &["cannot write record.json", "--to"]);
    let text = fs::read_to_string(bench.path("record.json")).unwrap();
    let claims = text.replace("\"statement\":\"not-shown\"", "\"statement\":\"conformant\"");
    assert_ne!(claims, text);
    bench.write("claims.json", claims);
    bench.run(["verify", "claims.json"]).says(1, &["its statement is conformant, but its content implies not shown"]);
    bench.write("text.json", "{}");
    bench.run(["verify", "text.json"]).says(1, &["text.json is not a conformance record"]);
    bench.run(["verify", "gone.json"]).says(2, &["cannot read gone.json"]);
}

#[test]
fn a_text_in_a_record_cannot_imitate_the_signature_line() {
    let bench = bench("", EDITION);
    bench.run_catalog("run", DEDICATED).says(0, &[]);
    let run = bench.report("run");
    let forged = run.journal.replacen(&run.header.started, "2026-01-01\\nsignature  good, by alice", 1);
    assert_ne!(forged, run.journal);
    bench.write("run/results.jsonl", forged);
    certify(&bench, "run", &["--to", "record.json"]).says(0, &[]);
    let answer = bench.run(["verify", "record.json"]);
    answer.says(0, &["signature  none"]);
    assert_eq!(answer.text.lines().filter(|line| line.starts_with("signature")).count(), 1, "{}", answer.text);
}

/// An OpenSSH key and a line that allows it.
fn key(bench: &Bench, name: &str) {
    let mut tool = Command::new("ssh-keygen");
    tool.args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"]).arg(bench.path(name));
    answer(&mut tool).says(0, &[]);
    let public = fs::read_to_string(bench.path(&format!("{name}.pub"))).unwrap();
    bench.write(&format!("{name}.allowed"), format!("{name}@laboratory.example {public}"));
}

/// A bench with a run, a key, and a record signed with it.
fn signed() -> Bench {
    let bench = bench("", EDITION);
    bench.run_catalog("run", DEDICATED).says(0, &[]);
    key(&bench, "alice");
    let shown = ["signature  record.json.sig, for conformance-record@atlas-cts"];
    certify(&bench, "run", &["--to", "record.json", "--sign", "alice"]).says(0, &shown);
    bench
}

fn verify(bench: &Bench, record: &str, signature: &str, allowed: &str) -> Answer {
    bench.run(["verify", record, "--signature", signature, "--allowed", allowed])
}

#[test]
fn a_signed_record_is_verified_and_any_changed_byte_is_found() {
    let bench = signed();
    let good = ["statement  conformant", "signature  good, by alice@laboratory.example"];
    verify(&bench, "record.json", "record.json.sig", "alice.allowed").says(0, &good);

    let bytes = fs::read(bench.path("record.json")).unwrap();
    // Digits and letters, so that most changes leave a record that looks like one.
    let places = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_alphanumeric()).step_by(bytes.len() / 40);
    let mut looked_good = 0;
    for at in places {
        let mut changed = bytes.clone();
        changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
        bench.write("changed.json", &changed);
        looked_good += usize::from(bench.run(["verify", "changed.json"]).status == 0);
        let answer = verify(&bench, "changed.json", "record.json.sig", "alice.allowed");
        assert_eq!(answer.status, 1, "byte {at} was changed:\n{}", answer.text);
    }
    assert!(looked_good > 5, "for many bytes only a signature shows a change: {looked_good}");
}

#[test]
fn a_signature_by_another_signer_or_for_another_purpose_does_not_count() {
    let bench = signed();
    key(&bench, "bob");
    let answer = verify(&bench, "record.json", "record.json.sig", "bob.allowed");
    answer.says(1, &["record.json.sig was made with a key that is not in bob.allowed"]);

    certify(&bench, "run", &["--to", "other.json", "--sign", "bob"]).says(0, &[]);
    let both = fs::read_to_string(bench.path("alice.allowed")).unwrap()
        + &fs::read_to_string(bench.path("bob.allowed")).unwrap();
    bench.write("both.allowed", both);
    verify(&bench, "record.json", "other.json.sig", "both.allowed").says(0, &["by bob@laboratory.example"]);
    // The key is allowed on two lines: first for another purpose, then for records.
    let bob = fs::read_to_string(bench.path("bob.allowed")).unwrap();
    let (name, key) = bob.split_once(' ').unwrap();
    bench.write("twice.allowed", format!("git@laboratory.example namespaces=\"git\" {key}\n{name} {key}"));
    verify(&bench, "record.json", "other.json.sig", "twice.allowed").says(0, &["by bob@laboratory.example"]);
    bench.write("git.allowed", format!("git@laboratory.example namespaces=\"git\" {key}"));
    verify(&bench, "record.json", "other.json.sig", "git.allowed").says(1, &["BAD SIGNATURE"]);

    let mut tool = Command::new("ssh-keygen");
    tool.args(["-q", "-Y", "sign", "-n", "file", "-f"]).arg(bench.path("alice")).arg(bench.path("other.json"));
    fs::remove_file(bench.path("other.json.sig")).unwrap();
    support::answer(&mut tool).says(0, &[]);
    verify(&bench, "other.json", "other.json.sig", "alice.allowed").says(1, &["BAD SIGNATURE"]);

    bench.write("text.sig", "no signature");
    verify(&bench, "record.json", "text.sig", "alice.allowed").says(1, &["text.sig"]);
    verify(&bench, "record.json", "gone.sig", "alice.allowed").says(2, &["cannot read gone.sig"]);
}

#[test]
fn nothing_is_written_if_nothing_can_sign() {
    let bench = bench("", EDITION);
    bench.run_catalog("run", DEDICATED).says(0, &[]);
    key(&bench, "alice");
    let words = ["certify", "run", "--specs", "specs", "--to", "record.json", "--sign"];
    let written = || bench.path("record.json").exists();
    let without_tools = |words: &[&str]| answer(bench.command(words).env("PATH", Path::new("/nowhere")));
    without_tools(&[&words[..], &["alice"]].concat()).says(3, &["ssh-keygen cannot be started", "install OpenSSH"]);
    assert!(!written());
    bench.run([&words[..], &["missing-key"]].concat()).says(2, &["cannot read missing-key"]);
    bench.run([&words[..], &["alice.allowed"]].concat()).says(3, &["ssh-keygen did not sign with alice.allowed"]);
    assert!(!written());
    bench.run(["certify", "run", "--specs", "specs", "--sign", "alice"]).says(2, &["--to"]);
    bench.run([&words[..], &["alice"]].concat()).says(0, &["record.json.sig"]);
    let check = ["verify", "record.json", "--signature", "record.json.sig", "--allowed", "alice.allowed"];
    without_tools(&check).says(3, &["ssh-keygen cannot be started"]);
}
