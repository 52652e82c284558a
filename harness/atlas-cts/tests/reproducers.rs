//! A reproducer has the engine's verdict: the programs of rules that claim a defect are compiled and run on a device
//! with the defect and on one without it.
//!
//! With `ATLAS_CTS_REPRODUCERS`, every defect of the products in it is tried (`ci/reproducers.sh`); without it, a
//! sample of a2.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::Mutex;

use atlas_cts::reproducer::{Wanted, reproducer};
use atlas_cts::runtimes::RUNTIMES;
use catalog::Specs;
use record::{RuleResult, Verdict};
use simulator_contract::environment;
use support::{Bench, catalog, kills, project};

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::Folder(project().join("specs")));

/// Defects of the sample: one process, several, a killed one, threads, callbacks, a history of cases, a crash.
const SAMPLE: &[&str] = &[
    "set.value-saturates-at-127",
    "ipc.whitelist-never-read",
    "ipc.key-writes-66-bytes",
    "copy.tail-rounded-to-32-above-64KiB",
    "free.refuses-cached-blocks",
    "stream.timeout-returns-success",
    "malloc.aligned-only-from-4KiB",
    "ipc.key-counter-wraps-at-4",
];

/// The exit status of a program whose rule has this verdict; `None`: the verdict is not reproducible.
fn status(verdict: Verdict) -> Option<i32> {
    match verdict {
        Verdict::Pass | Verdict::Exceeds | Verdict::Observed => Some(0),
        Verdict::Fail | Verdict::WrongCode | Verdict::Crash | Verdict::Timeout | Verdict::DeviceLost => Some(1),
        Verdict::Blocked | Verdict::Error => Some(3),
        Verdict::Skipped | Verdict::Flaky | Verdict::Cut => None,
    }
}

/// The counts.
#[derive(Debug, Default)]
struct Count {
    programs: usize,
    /// Programs of at most 150 lines.
    short: usize,
    /// Rule, defect, and the program's different answer.
    others: Vec<String>,
    lines: Vec<usize>,
}

/// Runs a program on a separate simulated device; returns exit status and messages.
fn run(program: &Path, product: &str, defect: &str) -> (Option<i32>, String) {
    let machine = tempfile::TempDir::new().unwrap();
    let answer = Command::new(program)
        .env(environment::PRODUCT, product)
        .env(environment::DEVICES, "4")
        .env(environment::DEFECTS, defect)
        .env(environment::MACHINE, machine.path())
        .output()
        .unwrap();
    (answer.status.code(), String::from_utf8_lossy(&answer.stderr).trim().to_owned())
}

/// Writes, builds and runs the reproducer of one result, and records differences from the engine's verdict.
fn try_result(bench: &Bench, report: &str, product: &str, defect: &str, result: &RuleResult, count: &Mutex<Count>) {
    // A failure in a function that another rule owns becomes `blocked` after the run; the case itself has a verdict.
    let found = result.failure.as_ref().and_then(|failure| failure.confirmation.as_ref());
    let verdict = found.filter(|_| result.verdict == Verdict::Blocked).map_or(result.verdict, |found| found.found);
    let Some(expected) = status(verdict) else { return };
    let folder = bench.path(&format!("{report}-{}", result.id));
    let (rule, to) = (result.id.clone(), Some(folder.clone()));
    let wanted = Wanted { run: bench.path(report), rule, to, redact: false, documents: None };
    reproducer(catalog(), &SPECS, &wanted).unwrap_or_else(|error| panic!("{} with {defect}: {error}", result.id));
    let library = simulator(bench);
    let make = Command::new("make")
        .arg("-C")
        .arg(&folder)
        .arg("CFLAGS=-O1 -Wall -Wextra -Werror")
        .arg(format!("LIBRARIES={}", library.display()))
        .arg(format!("LDFLAGS=-Wl,-rpath,{}", library.parent().unwrap().display()))
        .output()
        .expect("make and a C compiler are needed");
    let built = String::from_utf8_lossy(&make.stderr).into_owned();
    let lines = fs::read_to_string(folder.join("reproducer.c")).unwrap().lines().count();
    let mut others = Vec::new();
    if !make.status.success() {
        others.push(format!("{} with {defect}: does not compile: {built}", result.id));
    } else {
        let program = folder.join("reproducer");
        let (seen, message) = run(&program, product, defect);
        if seen != Some(expected) {
            others.push(format!("{} with {defect}: {} became {seen:?}: {message}", result.id, result.verdict));
        }
        let (faithful, message) = run(&program, product, "");
        if faithful != Some(0) {
            others.push(format!("{}, case of {defect}, without it: {faithful:?}: {message}", result.id));
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    let mut count = count.lock().unwrap();
    count.programs += 1;
    count.short += usize::from(lines <= 150);
    count.lines.push(lines);
    count.others.extend(others);
}

/// The library of the simulated device.
fn simulator(bench: &Bench) -> PathBuf {
    static WRITTEN: Mutex<()> = Mutex::new(());
    let _alone = WRITTEN.lock().unwrap();
    RUNTIMES[0].simulated.as_ref().unwrap().libraries[0].write_to(&bench.path("")).unwrap()
}

/// Runs the rules that claim a defect with it, then the reproducers of those that fail.
fn try_defect(bench: &Bench, product: &str, defect: &str, rules: &[&str], count: &Mutex<Count>) {
    let (report, list) = (format!("{product}-{defect}"), format!("{product}-{defect}.txt"));
    bench.write(&list, rules.join("\n"));
    let words = ["run", "--product", product, "--backend", "simulator", "--devices", "4", "--defect", defect];
    let more = ["--rules", &list, "--report-dir", &report, "--hazardous"];
    let answer = bench.run(words.iter().chain(&more));
    assert!(answer.status != 2, "{defect}: {}", answer.text);
    for result in &bench.report(&report).results {
        try_result(bench, &report, product, defect, result, count);
    }
    fs::remove_dir_all(bench.path(&report)).unwrap();
    fs::remove_file(bench.path(&list)).unwrap();
}

/// The claimed defects of a product, each with the rules that claim it.
fn claims(product: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut claims: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for rule in &catalog().rules {
        for defect in kills().claims_on(&rule.id, product) {
            claims.entry(defect).or_default().push(&rule.id);
        }
    }
    claims
}

fn count(product: &str, defects: &[(&str, Vec<&str>)]) -> Count {
    let bench = Bench::new();
    let count = Mutex::default();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((defect, rules)) = defects.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    try_defect(&bench, product, defect, rules, &count);
                }
            });
        }
    });
    let mut count: Count = count.into_inner().unwrap();
    count.lines.sort_unstable();
    count
}

#[test]
fn a_reproducer_has_the_engines_verdict() {
    let asked = std::env::var("ATLAS_CTS_REPRODUCERS").ok();
    let products = asked.as_deref().unwrap_or("a2");
    for product in products.split_whitespace() {
        let wanted = |defect: &str| asked.is_some() || SAMPLE.contains(&defect);
        let defects: Vec<_> = claims(product).into_iter().filter(|(defect, _)| wanted(defect)).collect();
        assert!(asked.is_some() || defects.len() == SAMPLE.len(), "{product}: a defect of the sample has no rule");
        let count = count(product, &defects);
        let same = count.programs - count.others.len();
        println!(
            "{product}: {} programs for {} defects; {same} say what the engine said ({:.1} %); {} have at most 150 \
             lines ({:.1} %), half of them at most {}",
            count.programs,
            defects.len(),
            100.0 * same as f64 / count.programs as f64,
            count.short,
            100.0 * count.short as f64 / count.programs as f64,
            count.lines[count.lines.len() / 2],
        );
        count.others.iter().for_each(|other| println!("  {other}"));
        // On small products, no running rule claims most defects.
        let least = if asked.is_some() { 1 } else { defects.len() };
        assert!(count.programs >= least, "{product}: {count:?}");
        assert!(same * 100 >= count.programs * 98, "{product}: {:#?}", count.others);
    }
}
