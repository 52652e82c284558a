//! A catalog of 2,000 rules read and checked. docs/engine/parts.md has the budget and how to run it.

#![allow(clippy::disallowed_methods, reason = "tests write and run what they like")]

#[path = "catalog/large.rs"]
mod large;

use std::path::Path;

use criterion::Criterion;

fn main() {
    let specs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("overhead/large");
    large::write(&specs, 2000);
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10).bench_function("2000", |bencher| bencher.iter_with_large_drop(|| large::read(&specs)));
    group.finish();
    criterion.final_summary();
}
