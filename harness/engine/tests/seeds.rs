//! The promise of seeds: the same one gives the same run, another one gives other values.

use engine::run::ExitStatus;

use crate::bench::{Bench, Report, rule};

const ALIGNED: &str = "toy.small.aligned";

/// Two rules of one process, one of two. Small blocks are misaligned for the first one if `small` is not 0.
fn bench(small: u32) -> Bench {
    let axes = "forall:\n  size: {bytes: 1..64KiB}\n  count: {int: 1..5}\nobserve: {size: size}";
    let aligned = format!(
        "void *p[count];
for (i < count) {{
  toy_alloc(&p[i], size);
  (uintptr_t)p[i] % 64 == (size > 4096 ? 0 : {small});
}}"
    );
    let kept = "char *back = host(size, 64);
toy_alloc(&p, size);
toy_copy(p, pattern(size, 1), size, TOY_IN);
toy_copy(back, p, size, TOY_OUT);
same(back, pattern(size, 1), size);";
    let shared = "A: char key[TOY_KEY_LENGTH];
A: toy_alloc(&p, size);
A: toy_share(p, key, TOY_KEY_LENGTH);
B: toy_open(A.key, &p);";
    let processes = "actors: \"A: process(device 0); B: process(device 0);\"\nforall: {size: {bytes: 1..64KiB}}";
    Bench::new(&[
        rule("aligned", axes, &aligned),
        rule("kept", "forall: {size: {bytes: 1..4KiB}}", kept),
        rule("shared", processes, shared),
    ])
}

/// A journal without the parts that differ between runs: times, processes, and the output folder.
fn timeless(report: &Report) -> Vec<serde_json::Value> {
    fn forget(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(fields) => {
                for name in ["started", "finished", "nanoseconds", "start_up_nanoseconds", "run", "patience"] {
                    if fields.get(name).is_some_and(|value| !value.is_object()) {
                        fields.remove(name);
                    }
                }
                fields.values_mut().for_each(forget);
            }
            serde_json::Value::Array(items) => items.iter_mut().for_each(forget),
            _ => {}
        }
    }
    let lines = report.journal.lines().map(|line| serde_json::from_str(line).expect("a journal is JSON lines"));
    lines.map(|mut line| (forget(&mut line), line).1).collect()
}

#[test]
fn the_same_seed_gives_the_same_journal() {
    let bench = bench(0);
    for folder in ["once", "twice"] {
        bench.run(folder, &["--seed", "7"]).says(ExitStatus::Success, &["seed 7"]);
    }
    let (once, twice) = (bench.report("once"), bench.report("twice"));
    assert_eq!(timeless(&once), timeless(&twice));
    assert_eq!(once.header.seed, 7);
}

#[test]
fn the_same_seed_finds_the_same_counterexample() {
    let bench = bench(7);
    let failures = ["once", "twice"].map(|folder| {
        bench.run(folder, &[ALIGNED]).says(ExitStatus::Broken, &[]);
        let failure = bench.report(folder).result(ALIGNED).failure.clone().expect("it failed");
        (failure.values, failure.replay_values, failure.case, failure.shrinks, failure.trace.len())
    });
    assert_eq!(failures[0], failures[1]);
    assert_eq!(failures[0].0[1], ("count".to_owned(), "1".to_owned()), "one block is enough");
}

#[test]
fn another_seed_gives_other_values() {
    let bench = bench(0);
    let [seven, eight] = ["7", "8"].map(|seed| {
        bench.run(seed, &["--seed", seed]).says(ExitStatus::Success, &[]);
        let report = bench.report(seed);
        let result = report.result(ALIGNED);
        (result.seed, result.observations["size"].keys().cloned().collect::<Vec<String>>())
    });
    assert_ne!(seven.0, eight.0);
    assert_ne!(seven.1, eight.1);
}
