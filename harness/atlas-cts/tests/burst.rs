//! Bursts: the rules of one chapter at a time, chosen by a ledger until all are covered; what takes too long is left.

use crate::support;

use std::fs;
use std::process::Command;

use record::{BurstBook, BurstLedger};
use support::{Answer, Bench, answer, project, take_environment};

const TARGET: [&str; 6] = ["--specs", "specs", "--product", "a2", "--backend", "simulator"];

/// A rule of an area that allocates a block.
fn block(area: &str, name: &str) -> String {
    format!(
        "  - id: acl.{area}.{name}
    title: A block holds what is written
    statement: A block holds what is written.
    clauses: {{manual: manual.blocks}}
    level: must
    steps: |
      char *back = host(64, 64);
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      holds(p, pattern(64, 1), 64, back);
"
    )
    .replace("      holds", "      aclrtMemcpy(p, 64, pattern(64, 1), 64, ACL_MEMCPY_HOST_TO_DEVICE);\n      holds")
}

/// Rules of three areas, of which one touches more than its memory.
fn bench() -> Bench {
    let bench = Bench::new();
    let reset = "  - id: acl.third.reset
    title: A device is selected and reset
    statement: A device is selected and reset.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtSetDevice(1);
      aclrtResetDevice(1);
      aclrtGetDevice(&now);
      now == 0;
";
    let rules = [block("first", "a"), block("first", "b"), block("second", "a"), block("third", "a"), reset.to_owned()];
    bench.catalog(format!("title: Small\nrules:\n{}", rules.concat()));
    bench
}

fn burst(bench: &Bench, words: &[&str]) -> Answer {
    let fixed = ["run", "--burst", "600s", "--ledger", "ledger", "--card", "one"];
    bench.run(fixed.iter().chain(&TARGET).chain(words))
}

fn prepare(bench: &Bench) -> Answer {
    let fixed = ["burst", "--prepare", "--ledger", "ledger", "--card", "one"];
    bench.run(fixed.iter().chain(&TARGET))
}

fn book(bench: &Bench) -> BurstBook {
    BurstLedger::open(&bench.path("ledger"), "acl-one").unwrap().book
}

#[test]
fn bursts_cover_all_rules_that_touch_only_their_memory() {
    let bench = bench();
    burst(&bench, &[]).says(2, &["prepare it again with `burst --prepare`"]);
    prepare(&bench).says(0, &["0 of 4 rules covered", "left out 1 rule", "open acl.first.a"]);
    burst(&bench, &[]).says(0, &["burst 1: 2 ran; 2 of 4 rules are not covered yet"]);
    burst(&bench, &[]).says(0, &["burst 2: 1 ran; 1 of 4 rules are not covered yet"]);
    burst(&bench, &[]).says(0, &["burst 3: 1 ran; 0 of 4 rules are not covered yet"]);
    let covered = bench.run(["burst", "--ledger", "ledger", "--card", "one"]);
    covered.says(0, &["bursts 3; 4 of 4 rules covered", "oldest acl.first."]);
    assert!(!covered.text.contains("open "), "{}", covered.text);
    burst(&bench, &[]).says(0, &["burst 4: 2 ran"]);
}

#[test]
fn a_rule_that_takes_longer_than_the_burst_is_left() {
    let bench = bench();
    prepare(&bench);
    let mut ledger = BurstLedger::open(&bench.path("ledger"), "acl-one").unwrap();
    let hour = 3_600_000_000_000;
    ledger.book.rules.get_mut("acl.first.b").unwrap().nanoseconds = Some(hour);
    ledger.save().unwrap();
    drop(ledger);
    burst(&bench, &[]).says(0, &["burst 1: 1 ran; 3 of 4 rules are not covered yet"]);
    let book = book(&bench);
    assert_eq!([book.rules["acl.first.a"].covered, book.rules["acl.first.b"].covered], [1, 0]);
}

/// Each call takes a minute, far longer than the burst.
#[test]
fn a_rule_that_runs_at_the_limit_is_stopped_and_not_covered() {
    let bench = bench();
    prepare(&bench);
    let words = ["run", "--burst", "2s", "--ledger", "ledger", "--card", "one", "--call-ns", "60000000000"];
    bench.run(words.iter().chain(&TARGET));
    let book = book(&bench);
    assert_eq!(book.uncovered().count(), 4);
    assert!(book.bursts == 1 && fs::read_dir(bench.path("ledger")).unwrap().count() >= 1);
}

#[test]
fn a_broken_rule_ends_with_1_and_is_listed() {
    let bench = bench();
    prepare(&bench);
    let broken = burst(&bench, &["--defect", "bad.stale"]);
    broken.says(1, &["acl.first.a: fail", "runs it alone"]);
}

#[test]
fn a_burst_needs_a_ledger() {
    bench().run(["run", "--burst", "200ms", "--product", "a2"]).says(2, &["give its folder with --ledger DIR"]);
    bench().run(["run", "--burst", "1ms", "--ledger", "l"]).says(2, &["write a time from 50ms to 3600s"]);
}

/// The example for Slurm, started as Slurm starts a prolog: with the job and its cards in the environment.
#[test]
fn the_prolog_runs_a_burst_on_each_card_and_fails_only_for_a_broken_rule() {
    let bench = bench();
    for card in ["0", "1"] {
        let fixed = ["burst", "--prepare", "--ledger", "ledger", "--card", card];
        bench.run(fixed.iter().chain(&TARGET)).says(0, &["0 of 4 rules covered"]);
    }
    let prolog = |script: &str, more: &[(&str, &str)]| {
        let atlas = bench.command([""; 0]);
        let mut command = Command::new("bash");
        command.arg(project().join("ci/examples/slurm").join(script)).current_dir(bench.path(""));
        take_environment(&mut command, &atlas);
        let given = [("ATLAS_CTS_LEDGER", "ledger"), ("ATLAS_CTS_BACKEND", "simulator"), ("ATLAS_CTS_BURST", "600s")];
        let of_slurm = [("SLURM_JOB_ID", "7"), ("SLURM_JOB_GPUS", "0,1"), ("ATLAS_CTS_SPECS", "specs")];
        command.env("ATLAS_CTS", atlas.get_program()).envs(given).envs(of_slurm).envs(more.iter().copied());
        answer(&mut command)
    };
    prolog("prolog.sh", &[]).says(0, &[]);
    let bursts = |card: &str| BurstLedger::open(&bench.path("ledger"), &format!("acl-{card}")).unwrap().book.bursts;
    assert_eq!([bursts("0"), bursts("1")], [1, 1]);
    prolog("prolog.sh", &[("ATLAS_CTS_DEFECT", "bad.stale")]).says(1, &["print atlas-cts: card 0 has a broken rule"]);
    prolog("epilog.sh", &[("ATLAS_CTS_DEFECT", "bad.stale")]).says(0, &[]);
    prolog("prolog.sh", &[("ATLAS_CTS_LEDGER", "another")]).says(0, &[]);
}
