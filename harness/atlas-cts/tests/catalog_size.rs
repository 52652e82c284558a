//! The time to read a catalog of 2,000 rules in the profile of `cargo test`: printed, never judged.

#[path = "../benches/catalog/large.rs"]
mod large;

use std::path::Path;
use std::time::Instant;

#[test]
fn a_large_catalog_loads() {
    let specs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large-catalog/specs");
    large::write(&specs, 2000);
    let begun = Instant::now();
    let rules = large::read(&specs);
    println!("{} rules in {} ms", rules.rules.len(), begun.elapsed().as_millis());
    assert_eq!(rules.rules.len(), 2000);
    assert!(rules.rules.iter().enumerate().all(|(at, rule)| rules.positions.get(&rule.id) == Some(&at)));
}
