//! The size of the project only falls (`cargo run -q -p atlas-cts --example size`).

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::project;

#[allow(dead_code, reason = "the example prints more than the test compares")]
#[path = "../examples/size.rs"]
mod counted;

/// The largest sizes that are accepted. Code and tests rose twice above what the deletions had left: by
/// the processes, variants and rules of a first GPU, and by the book (with postcard) and the memory of cases. All rose by
/// the table of who kills what, which took 2,700 lines out of the catalogs; lines of code also by the rules in the
/// journal's header.
const BUDGETS: [(&str, usize); 8] = [
    ("lines of code", 118550),
    ("lines of tests", 36250),
    ("Rust files", 1054),
    ("commands", 14),
    ("options and keys", 100),
    ("options of run", 40),
    ("words of docs", 33600),
    ("direct crates", 48),
];

#[test]
fn no_size_is_above_its_budget() {
    let size = counted::count(&project(), Path::new(env!("CARGO_BIN_EXE_atlas-cts"))).unwrap();
    assert!(size.mistakes.is_empty(), "{}", size.mistakes.join("\n"));
    let totals: BTreeMap<_, _> = size.totals.iter().copied().collect();
    let above = BUDGETS.iter().filter(|(name, budget)| totals[name] > *budget).map(|(name, budget)| {
        format!(
            "{name}: {}, and the budget is {budget}; delete something, or raise the budget in tests/size.rs and give \
             the reason there",
            totals[name]
        )
    });
    // A hundredth is left, so that small deletions change no budget.
    let below = BUDGETS.iter().filter(|(name, budget)| totals[name] + budget / 100 < *budget).map(|(name, budget)| {
        format!("{name}: {}, and the budget is {budget}; lower the budget in tests/size.rs", totals[name])
    });
    let wrong: Vec<String> = above.chain(below).collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), counted::table(&size));
}
