//! How long a catalog of 2,000 rules takes to read in the profile of `cargo test`: printed, never judged.

#[expect(dead_code, reason = "the benchmark uses all of it")]
#[path = "../../benches/overhead/catalog.rs"]
mod catalog;

use std::path::Path;
use std::time::Instant;

pub const TRIALS: &[(&str, fn())] = &[("a-large-catalog", a_large_catalog)];

fn a_large_catalog() {
    let specs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large-catalog/specs");
    catalog::write_large(&specs, 2000);
    let begun = Instant::now();
    let rules = catalog::load(&specs);
    println!("{} rules in {} ms", rules.rules.len(), begun.elapsed().as_millis());
    assert_eq!(rules.rules.len(), 2000);
    assert!(rules.rules.iter().enumerate().all(|(at, rule)| rules.positions.get(&rule.id) == Some(&at)));
}
