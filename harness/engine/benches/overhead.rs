//! The overhead of the engine on a library of empty functions. docs/engine/parts.md has the budgets, and how
//! to run it; no check is switched off for it.
//!
//! The workers are this executable, so it has its own `main`.

#![allow(clippy::disallowed_methods, reason = "tests write and run what they like")]

#[rustfmt::skip]
#[path = "../tests/toy/bindings.rs"]
mod bindings;
#[path = "overhead/catalog.rs"]
mod catalog;
#[path = "overhead/worker.rs"]
mod worker;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::catalog::Rules;
use clap::Parser;
use criterion::{BenchmarkId, Criterion, Throughput};
use engine::case::Budget;
use engine::run::{Campaign, Options, Planned, load_rules, plan};
use engine::runtime::Runtime;
use engine::wire::message::{Reply, Request, RunRule};
use record::Verdict;

/// A library of empty functions with the header of the toy runtime.
static EMPTY: Runtime =
    Runtime { bindings: &bindings::BINDINGS, specs: &[], fingerprint: 0, simulated: None, doctor: None, logs: None };

/// Set in a process that only lists trials.
const LIST: &str = "ATLAS_CTS_BENCH_LIST";

fn main() {
    engine::worker::run_if_asked(&[&EMPTY]);
    if let Ok(count) = std::env::var(LIST) {
        return list(count.parse().expect("the number of trials"));
    }
    let mut criterion = Criterion::default().configure_from_args();
    let place = Place::new();
    // A filter for criterion's benchmarks leaves it out, unless it names it.
    if std::env::args().skip(1).all(|word| word.starts_with("--") || word.contains("rapidcheck")) {
        rapidcheck(&place);
    }
    case(&mut criterion, &place);
    rule(&mut criterion, &place);
    turn(&mut criterion, &place);
    listing(&mut criterion);
    start(&mut criterion, &place);
    criterion.final_summary();
}

/// The empty library and a separate catalog.
struct Place {
    specs: PathBuf,
    library: PathBuf,
}

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

impl Place {
    fn new() -> Place {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("overhead");
        let specs = folder.join("specs");
        catalog::write(&specs);
        let library = folder.join("libempty.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/overhead/empty.c");
        let status = Command::new("gcc").args(["-O2", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).status();
        assert!(status.is_ok_and(|status| status.success()), "gcc cannot build the empty library");
        Place { specs, library }
    }

    fn rules(&self) -> Arc<Rules> {
        Arc::new(load_rules(&self.options().catalog, &EMPTY).unwrap_or_else(|error| panic!("{error}")))
    }

    fn campaign(&self, rules: &Arc<Rules>) -> Campaign {
        Campaign::open(&self.options(), &EMPTY, Arc::clone(rules)).unwrap_or_else(|error| panic!("{error}"))
    }

    fn options(&self) -> Options {
        let (specs, library) = (self.specs.display().to_string(), self.library.display().to_string());
        let line = ["overhead", "--specs", &specs, "--library", &library, "--product", "seven", "--devices", "1"];
        Line::parse_from(line).options
    }
}

/// The rules of a chapter.
fn chapter(campaign: &Campaign, name: &str) -> Vec<Planned> {
    plan(&campaign.target.rules).into_iter().filter(|planned| planned.chapter == name).collect()
}

/// A passing case of three calls and four checks, including generation and the flight recorder.
fn case(criterion: &mut Criterion, place: &Place) {
    let mut worker = worker::Worker::start(place);
    let mut group = criterion.benchmark_group("case");
    group.throughput(Throughput::Elements(1));
    let rules = place.rules();
    for rule in ["toy.case.plain", "toy.case.axes"] {
        worker.give(&rules, rule);
        let mut seed = 0;
        group.bench_function(rule, |bencher| {
            bencher.iter_custom(|cases| {
                seed += 1;
                let budget = Budget {
                    cases: cases as u32 + 8,
                    repeats: cases as u32,
                    calls: u64::MAX,
                    limit_milliseconds: 600_000,
                    ..Budget::default()
                };
                let run = RunRule { budget, seed, ..worker::run(rule) };
                let begun = Instant::now();
                let reply = worker.ask(&Request::Run(Box::new(run)));
                let elapsed = begun.elapsed();
                let Reply::Searched(result) = reply else { panic!("{reply:?}") };
                assert!(result.failure.is_none() && result.checks >= cases, "{result:?}");
                elapsed.mul_f64(cases as f64 / result.cases as f64)
            });
        });
    }
    group.finish();
}

/// The same property in the engine and in compiled rapidcheck, several times in turn, as a ratio.
fn rapidcheck(place: &Place) {
    const CASES: u32 = 50_000;
    if !Path::new("/usr/include/rapidcheck.h").exists() {
        println!("rapidcheck: NOT COMPARED, its header is missing (Debian: librapidcheck-dev)");
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/overhead/rapidcheck.cpp");
    let binary = place.specs.with_file_name("rapidcheck");
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O2", "-o"]).arg(&binary).arg(source).arg("-lrapidcheck").arg(&place.library);
    assert!(compiler.status().is_ok_and(|status| status.success()), "g++ cannot build rapidcheck.cpp");
    let mut worker = worker::Worker::start(place);
    worker.give(&place.rules(), "toy.case.axes");
    let mut ratios: Vec<f64> = (1..=7)
        .map(|seed| {
            let printed = Command::new(&binary).arg(CASES.to_string()).output().expect("it was just built");
            let theirs: f64 = String::from_utf8_lossy(&printed.stdout).trim().parse().expect("it prints nanoseconds");
            let budget = Budget {
                cases: CASES,
                repeats: CASES,
                calls: u64::MAX,
                limit_milliseconds: 600_000,
                ..Budget::default()
            };
            let begun = Instant::now();
            let reply = worker.ask(&Request::Run(Box::new(RunRule { budget, seed, ..worker::run("toy.case.axes") })));
            let elapsed = begun.elapsed();
            let Reply::Searched(result) = reply else { panic!("{reply:?}") };
            let ours = elapsed.as_nanos() as f64 / result.cases as f64;
            println!("rapidcheck: {theirs:.0} ns a case; the engine: {ours:.0} ns");
            ours / theirs
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    println!("overhead a case in compiled rapidcheck's: {:.2}", ratios[ratios.len() / 2]);
}

/// A trivial rule, from the plan to its result, in a session with default options.
fn rule(criterion: &mut Criterion, place: &Place) {
    let rules = place.rules();
    let mut group = criterion.benchmark_group("rule");
    group.throughput(Throughput::Elements(1));
    group.bench_function("trivial", |bencher| bencher.iter_custom(|count| executed(place, &rules, "trivial", count)));
    group.finish();
}

/// A step of a rule of two processes whose steps alternate.
fn turn(criterion: &mut Criterion, place: &Place) {
    let rules = place.rules();
    let mut group = criterion.benchmark_group("turn");
    group.throughput(Throughput::Elements(catalog::TURNS * 3));
    group.bench_function(BenchmarkId::new("alternating", catalog::TURNS * 3), |bencher| {
        bencher.iter_custom(|count| executed(place, &rules, "turns", count));
    });
    group.finish();
}

/// The time of this many rules of a chapter. A session runs a rule once; an earlier rule starts its workers.
fn executed(place: &Place, rules: &Arc<Rules>, name: &str, count: u64) -> Duration {
    let mut spent = Duration::ZERO;
    let mut left = count as usize;
    while left > 0 {
        let campaign = place.campaign(rules);
        let planned = chapter(&campaign, name);
        let (first, others) = planned.split_first().expect("the chapter has rules");
        campaign.execute(first);
        let others = &others[..others.len().min(left)];
        let begun = Instant::now();
        for planned in others {
            let result = black_box(campaign.execute(planned));
            assert!(result.verdict == Verdict::Pass && result.cases == 3, "{result:?}");
        }
        spent += begun.elapsed();
        left -= others.len();
    }
    spent
}

/// Lists 100,000 trials in the same way as the suite.
fn listing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("list");
    group.sample_size(10).bench_function("100000", |bencher| {
        bencher.iter(|| {
            let mut lister = Command::new(std::env::current_exe().expect("this executable has a path"));
            let status = lister.arg("--list").env(LIST, "100000").stdout(Stdio::null()).status();
            assert!(status.is_ok_and(|status| status.success()));
        });
    });
    group.finish();
}

fn list(count: usize) {
    let planned = (0..count).map(|number| (format!("toy.chapter.rule-{number}"), format!("chapter-{}", number % 12)));
    let arguments = libtest_mimic::Arguments { list: true, ..libtest_mimic::Arguments::default() };
    let trials = planned.map(|(id, chapter)| libtest_mimic::Trial::test(id, || Ok(())).with_kind(chapter)).collect();
    let _ = libtest_mimic::run(&arguments, trials);
}

/// The catalog of the toy runtime.
fn toy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy/specs")
}

/// The complete start of a worker up to its set-up, with the catalog of the toy runtime.
fn start(criterion: &mut Criterion, place: &Place) {
    let place = Place { specs: toy(), library: place.library.clone() };
    let mut group = criterion.benchmark_group("worker");
    group.sample_size(20).measurement_time(Duration::from_secs(3));
    group.bench_function("start", |bencher| bencher.iter(|| drop(worker::Worker::start(&place))));
    group.finish();
}
