//! The depot's rules are proven on its simulated device, and the proof can fail.

use std::sync::Arc;

use catalog::proof::ProofTable;
use engine::prove::{Hold, Proof, ProofOptions, Unclaimed, prove, render};
use engine::run::{Shard, Target, load_rules};
use rstest::rstest;

use crate::depot::device::{depot, folder};
use crate::depot::runs::options;

const WHOLE: Option<Shard> = Some(Shard { number: 1, of: 1 });

fn proof(product: &str, filter: &[&str], variants: Option<Shard>) -> Proof {
    let options = options(&folder().join("specs"), &["--backend", "simulator", "--product", product]);
    let rules = Arc::new(load_rules(&options.catalog, depot()).unwrap_or_else(|error| panic!("{error}")));
    let target = Target::open(&options, depot(), rules).unwrap_or_else(|error| panic!("{error}"));
    let proof = ProofOptions {
        seeds: 1,
        jobs: 4,
        filter: filter.iter().map(|part| (*part).to_owned()).collect(),
        variants,
        every_variant: false,
        weaken: false,
        glitches: false,
        matrix: false,
        matrix_of: Vec::new(),
        unclaimed: Unclaimed::default(),
        table: Arc::new(table()),
        hold: Hold::default(),
    };
    prove(&target, 1, &options, &proof).unwrap_or_else(|error| panic!("{error}"))
}

/// The table of the proof. Its digests are of no rule and no defect, so that it stays as the rules change.
fn table() -> ProofTable {
    ProofTable::of(&folder().join("specs").into(), "depot").unwrap_or_else(|error| panic!("{error}"))
}

/// Every rule notices at least two defects, one of them subtle, passes on no bad device and fails on no faithful one.
#[rstest]
#[case::in_the_harbour("harbour", &["depot.cold.refused"])]
#[case::on_the_hill("hillside", &["depot.cold.keeps", "depot.goods.paint"])]
fn every_rule_is_proven(#[case] product: &str, #[case] skipped: &[&str]) {
    let areas =
        ["depot.lot.", "depot.cold.", "depot.goods.", "depot.label.", "depot.yard.", "depot.audit.", "depot.share."];
    let proof = proof(product, &areas, WHOLE);
    let left_out: Vec<&str> =
        proof.rules.iter().filter(|rule| rule.skipped.is_some()).map(|rule| rule.id.as_str()).collect();
    assert_eq!(left_out, skipped);
    assert!(proof.judged().count() > 14);
    assert!(proof.holds(), "{}", render(&proof, true));
}

/// The rule does not apply there, so its failure would prove nothing.
#[test]
fn a_rule_is_not_judged_on_a_variant_that_lacks_a_capability() {
    let proof = proof("harbour", &["depot.cold.keeps"], WHOLE);
    assert!(proof.holds(), "{}", render(&proof, true));
    let blocked = &proof.rules[0].blocked["variant.warm"];
    assert!(blocked.contains("needs the capability cold"), "{blocked}");
}

#[test]
fn a_claim_that_is_too_much_survives() {
    let proof = proof("harbour", &["depot.claim."], WHOLE);
    assert!(!proof.holds());
    let rule = &proof.rules[0];
    assert_eq!(rule.survived(), ["lots.without-large"]);
    let gaps = rule.gaps();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert!(gaps[0].starts_with("lots.without-large survives (killed by 0 of "), "{gaps:?}");
    assert!(render(&proof, false).contains("lots.without-large survives"));
}

#[test]
fn each_variant_is_in_one_part_of_the_variants() {
    let runs = |variants| proof("harbour", &["depot.lot."], variants).runs;
    let part = |number, of| runs(Some(Shard { number, of }));
    let (none, whole) = (runs(None), runs(WHOLE));
    assert_eq!(part(1, 2) + part(2, 2), whole + none, "each part also runs the other devices");
    assert!(none < whole, "{none} {whole}");
}
