//! The claims that a proof finds, for the table of who kills what.

use std::collections::{BTreeMap, BTreeSet};

use catalog::proof::{MOST_ROWS, ProofAge, ProofTable, rule_digest};
use catalog::{Level, Rule};
use simulator_contract::{Defect, is_subtle, reach};

use super::lab::{Configuration, Device, Trial, lock};
use super::matrix::Cell;
use super::{Proof, RuleProof, could_claim};
use crate::run::{RunError, Target};

/// The reason why a rule without claims is not judged.
pub(super) const OBSERVES: &str = "only observes: promises nothing and kills no defect";

/// The least number of seeds with which a rule has to kill a new claim. A later proof of the claim must not depend on
/// chance.
const SEEDS: u64 = 3;

/// Tries rules that need claims on all defects that they reach, and adds the best of those that they kill to their
/// claims, after a proof with more seeds. Then removes the claims that survived. Returns the cells of the proof so far.
pub(super) fn take(trial: &Trial<'_>, selected: &[&Rule]) -> Result<Vec<Cell>, RunError> {
    let cells = trial.cells();
    let wanting: Vec<&Rule> = selected.iter().copied().filter(|rule| wants(trial, rule)).collect();
    if !wanting.is_empty() {
        let reached = trial.reach(&wanting)?;
        trial.run(&on_reached(trial, &wanting, &reached))?;
    }
    let mut tried = trial.cells();
    tried.extend(cells.iter().cloned());
    trial.run(&again(trial, selected, &tried))?;
    // A matrix has the cells of the first proof.
    trial.cells();
    let defects = trial.target.runtime.defects();
    for rule in lock(&trial.rules).values_mut() {
        rule.kills.retain(|_, tally| !tally.survives());
        rule.subtle = rule.kills.keys().filter(|name| is_subtle(defects, name)).cloned().collect();
        let new = trial.proof.table.rows(&rule.id).next().is_none();
        if new && rule.level == Level::Info && !rule.kills_enough() {
            rule.skipped.get_or_insert_with(|| OBSERVES.to_owned());
        }
    }
    Ok(cells)
}

/// True if the claims of a rule are unknown or too few.
fn wants(trial: &Trial<'_>, rule: &Rule) -> bool {
    let digest = rule_digest(rule);
    let current = trial.proof.table.rows(&rule.id).any(|(_, row)| row.rule == digest);
    let enough = || lock(&trial.rules).get(&rule.id).is_none_or(RuleProof::kills_enough);
    trial.proof.matrix_of.is_empty() && !(current && enough())
}

/// Each defect with the rules that reach and do not claim it.
fn on_reached<'a>(
    trial: &Trial<'_>,
    wanting: &[&'a Rule],
    reached: &BTreeMap<String, Vec<u8>>,
) -> Vec<Configuration<'a>> {
    let claims =
        |rule: &Rule, name: &str| lock(&trial.rules).get(&rule.id).is_some_and(|proof| proof.kills.contains_key(name));
    let others = |defect: &Defect| -> Vec<&'a Rule> {
        let reaches = |rule: &Rule| reached.get(&rule.id).is_some_and(|bits| reach::contains(bits, defect.index));
        wanting.iter().copied().filter(|rule| reaches(rule) && !claims(rule, defect.name)).collect()
    };
    let on = |defect: &'static Defect| Configuration {
        device: Device::Defect(defect.name),
        seeds: (trial.seed, 1),
        rules: Vec::new(),
        others: others(defect),
    };
    let all = trial.target.runtime.defects().iter().map(on);
    all.filter(|configuration| !configuration.others.is_empty()).collect()
}

/// Each defect with the rules that shall claim it, from the cells of unclaimed defects: subtle ones first, then those
/// that the fewest rules claim.
fn again<'a>(trial: &Trial<'_>, selected: &[&'a Rule], cells: &[Cell]) -> Vec<Configuration<'a>> {
    let killed = could_claim(trial.target, &trial.proof.table, cells);
    let mut taken: BTreeMap<&'static str, Vec<&'a Rule>> = BTreeMap::new();
    for rule in selected {
        let claimed =
            lock(&trial.rules).get(&rule.id).map_or(MOST_ROWS, |proof| proof.kills.len() - proof.survived().len());
        let mut found: Vec<_> = killed.iter().filter(|found| found.rule == rule.id).collect();
        found.sort_by_key(|found| (!found.subtle, found.claimed_by, found.defect));
        found.dedup();
        let room = MOST_ROWS.saturating_sub(claimed);
        found.iter().take(room).for_each(|found| taken.entry(found.defect).or_default().push(*rule));
    }
    let first = trial.seed.min(u64::MAX - trial.proof.seeds.max(SEEDS));
    let on = |(defect, rules)| Configuration {
        device: Device::Defect(defect),
        seeds: (first, trial.proof.seeds.max(SEEDS)),
        rules,
        others: Vec::new(),
    };
    taken.into_iter().map(on).collect()
}

/// The changes of a table by a proof.
#[derive(Debug, Default)]
pub struct Renewal {
    /// Claims that the table did not have for the product, as `rule: defect`.
    pub new: Vec<String>,
    /// Claims that the table no longer has for the product.
    pub gone: Vec<String>,
}

/// Renews a table's rows of the proven rules. After a proof of all rules, rows of rules and defects that no longer
/// exist go, too.
pub fn renew(table: &mut ProofTable, target: &Target, proof: &Proof, whole: bool) -> Renewal {
    let (product, defects) = (&target.conditions.product, target.runtime.defects());
    let mut renewal = Renewal::default();
    // A rule that is not judged under these conditions may be judged under others.
    for found in proof.judged() {
        let Some(rule) = target.rules.rule(&found.id) else { continue };
        let claims = |table: &ProofTable| -> BTreeSet<String> {
            table.claims_on(&rule.id, product).map(|defect| format!("{}: {defect}", rule.id)).collect()
        };
        let before = claims(table);
        let (killed, unknown) = outcome(found, defects);
        table.renew(rule, product, &killed, &unknown, defects);
        let after = claims(table);
        renewal.new.extend(after.difference(&before).cloned());
        renewal.gone.extend(before.difference(&after).cloned());
    }
    if whole {
        table.retain_known(&target.rules, defects);
    }
    renewal
}

/// The defects that a rule killed, each with the check that noticed it, and those for which that is unknown.
fn outcome<'a>(
    found: &'a RuleProof,
    defects: &'static [Defect],
) -> (BTreeMap<&'a str, Option<&'a str>>, BTreeSet<&'a str>) {
    let known = |name: &str| defects.iter().any(|defect| defect.name == name);
    let claims = || found.kills.iter().filter(|(name, _)| known(name));
    let killed = claims().filter(|(_, tally)| !tally.survives() && !tally.is_open());
    let check = |name: &String| found.noticed_by.get(name).map(String::as_str);
    let killed = killed.map(|(name, _)| (name.as_str(), check(name))).collect();
    (killed, claims().filter(|(_, tally)| tally.is_open()).map(|(name, _)| name.as_str()).collect())
}

/// The judged rules without a row that was proven with the rule as it is, as sentences.
pub fn behind(table: &ProofTable, target: &Target, proof: &Proof) -> Vec<String> {
    let product = &target.conditions.product;
    let behind = |found: &RuleProof| {
        let rule = target.rules.rule(&found.id)?;
        match table.age(rule, product, target.runtime.defects()) {
            ProofAge::Unproven => Some(format!("{} has no row for {product}", rule.id)),
            ProofAge::RuleChanged => Some(format!("{} changed after its proof", rule.id)),
            ProofAge::DefectChanged | ProofAge::Current => None,
        }
    };
    proof.judged().filter_map(behind).collect()
}
