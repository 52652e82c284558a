//! Capabilities: queries say what a depot has, and rules apply by the answers.

use std::path::Path;
use std::sync::Arc;

use catalog::CapabilityAnswer::{self, Failed, Gave, Unasked};
use catalog::lint::untested_capabilities;
use engine::run::{CatalogOptions, load_rules, simulated_capabilities};
use record::Verdict;
use rstest::rstest;

use crate::depot::catalog::changed;
use crate::depot::device::{built, depot, folder};
use crate::depot::runs::Run;

/// The rules about the cold storage: one needs it, the other its absence.
const COLD: [&str; 2] = ["depot.cold.keeps", "depot.cold.refused"];

fn answered(run: &Run) -> Vec<(&str, &CapabilityAnswer)> {
    run.header.capabilities.iter().map(|(name, answer)| (name.as_str(), answer)).collect()
}

fn gave(number: &str) -> CapabilityAnswer {
    Gave(number.to_owned())
}

#[rstest]
#[case::with_a_cold_storage("harbour", [Verdict::Pass, Verdict::Skipped], "has cold, has insured, lacks lifts")]
#[case::without_one("hillside", [Verdict::Skipped, Verdict::Pass], "lacks cold, lacks insured, has lifts")]
fn a_rule_runs_where_the_device_has_what_it_needs(
    #[case] product: &str,
    #[case] verdicts: [Verdict; 2],
    #[case] line: &str,
) {
    let run = Run::new(&["--backend", "simulator", "--product", product]);
    assert_eq!(COLD.map(|id| run.result(id).verdict), verdicts);
    assert!(run.summary.contains(line), "{}", run.summary);
    let folder = tempfile::tempdir().expect("a folder can be made");
    ledger::report::write_junit(folder.path(), &run.header, &run.results, None).expect("it can be written");
    let junit = std::fs::read_to_string(folder.path().join("junit.xml")).expect("it was written");
    for part in line.split(", ") {
        assert!(junit.contains(&format!("<property name=\"capability\" value=\"{part}\"")), "{part}: {junit}");
    }
}

#[test]
fn a_query_that_the_product_does_not_support_is_not_made() {
    let run = Run::new(&["--backend", "simulator", "--product", "hillside"]);
    let insured = Unasked("depot_insured".to_owned());
    assert_eq!(answered(&run), [("cold", &gave("0")), ("insured", &insured), ("lifts", &gave("1"))]);
}

#[test]
fn the_product_of_a_device_decides_which_query_is_made() {
    // Before it answers, the usual product is assumed.
    let folder = built("faithful", &[]);
    let run = Run::new(&["--library", &folder.join("libdepot.so").display().to_string()]);
    assert_eq!(answered(&run), [("cold", &gave("2")), ("insured", &gave("1")), ("lifts", &gave("0"))]);
}

/// Checks that no rule runs that names a capability whose query failed.
fn expect_unknown(run: &Run, why: &str) {
    for (id, wanted) in COLD.iter().zip(["needs the capability cold", "needs the capability lifts"]) {
        let result = run.result(id);
        assert_eq!(result.verdict, Verdict::Skipped, "{id}");
        let told = result.reason.starts_with(wanted) && result.reason.contains("the query failed: ");
        assert!(told && result.reason.contains(why), "{}", result.reason);
    }
    assert!(run.summary.contains("cold is unknown ("), "{}", run.summary);
}

#[test]
fn a_failed_query_is_neither_a_yes_nor_a_no() {
    let run = Run::of(&built("dumb", &["-DDUMB"]));
    expect_unknown(&run, "depot_offers returned 5 (DEPOT_NOT_OFFERED)");
    assert_eq!(run.result("depot.lot.reserve").verdict, Verdict::Pass);
}

#[test]
fn a_query_that_crashes_ends_only_its_process() {
    let run = Run::of(&built("crashing", &["-DCRASHING"]));
    let Some(Failed(why)) = run.header.capabilities.get("cold") else { panic!("{:?}", run.header.capabilities) };
    assert!(why.starts_with("the query for cold ended its process: "), "{why}");
    assert_eq!(run.header.capabilities.get("insured"), Some(&gave("1")));
    assert_eq!(run.result("depot.cold.keeps").verdict, Verdict::Skipped);
    assert_eq!(run.result("depot.lot.reserve").verdict, Verdict::Pass);
}

fn warnings(specs: &Path) -> Vec<String> {
    let catalog = CatalogOptions { specs: Some(specs.to_owned()), ..CatalogOptions::default() };
    let rules = Arc::new(load_rules(&catalog, depot()).unwrap_or_else(|error| panic!("{error}")));
    let answers = simulated_capabilities(&catalog, depot(), &rules).unwrap_or_else(|error| panic!("{error}"));
    untested_capabilities(&rules, &answers)
}

#[test]
fn each_capability_is_had_by_one_product_and_lacked_by_another() {
    assert_eq!(warnings(&folder().join("specs")), Vec::<String>::new());
}

#[rstest]
#[case::every_product(
    "value: cold}",
    "value: cold + 1}",
    "every product of the simulated device has the capability `cold`"
)]
#[case::no_product("value: cold}", "value: cold * 0}", "no product of the simulated device has the capability `cold`")]
#[case::failing("depot_offers(DEPOT_COLD, &cold);", "depot_offers(7, &cold);", "`cold` on the simulated harbour: ")]
#[case::unnamed("  lifts:", "  parked: {state: init, value: 1}\n  lifts:", "no rule names the capability `parked`")]
fn an_untested_capability_is_a_warning(#[case] before: &str, #[case] after: &str, #[case] warning: &str) {
    let warnings = warnings(changed(&[("api.yaml", before, after)]).path());
    assert!(warnings.iter().any(|said| said.contains(warning)), "{warnings:?}");
}
