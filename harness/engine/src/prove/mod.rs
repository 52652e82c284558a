//! The proof answers these questions: Does every rule notice the defects that the rule claims to kill, without false
//! alarms? Which of the rule's checks are needed to notice these defects? Which rules notice a given defect, and in
//! how many cases?
//!
//! Each configuration of the simulated device (faithful, with a legal variant, with one seeded defect, or one of the
//! bad devices) is a separate run. The rules in a configuration share workers.

mod claims;
mod experiment;
mod glitch;
mod judge;
mod lab;
mod look;
mod matrix;
mod page;
mod ratchet;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use simulator_contract::reach;

use crate::case::LEAST_PATIENCE;
use crate::run::{Distribution, Filter, NothingSelected, Options, RunError, Shard, Target};
use catalog::proof::{ProofAge, ProofTable};
use catalog::{Level, Rule};
use simulator_contract::is_subtle;

pub use claims::{Renewal, behind, renew};
pub use judge::{CheckProof, RuleProof, Tally};
pub use look::{Look, look};
pub use matrix::Matrix;
pub use page::render;
pub use ratchet::{Ratchet, raise};

use lab::{Configuration, Device, Trial};
use matrix::Cell;

/// The reason why a ratchet or a matrix cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofFileError {
    /// An operating-system error.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}:{number}: a line is product, chapter, defects and percent, with tabs between")]
    Line { path: PathBuf, number: usize },
    /// The matrix folder cannot be written.
    #[error("{path}: {source}; name another folder with --report-dir")]
    Folder { path: PathBuf, source: io::Error },
}

/// The settings for a proof.
#[derive(Debug, Clone)]
pub struct ProofOptions {
    /// The number of seeds per configuration.
    pub seeds: u64,
    /// The number of configurations that run at the same time.
    pub jobs: usize,
    /// Patterns that select rules, as for a run. Empty for all rules.
    pub filter: Vec<String>,
    /// Also run every rule on the legal variants of this part that the rule reaches; `None` for no variants.
    pub variants: Option<Shard>,
    /// Also run every rule on the variants that the rule does not reach.
    pub every_variant: bool,
    /// Also remove checks, one at a time, to find unneeded checks.
    pub weaken: bool,
    /// Also use glitches to test the checks that no defect needs.
    pub glitches: bool,
    /// Also run every rule on every defect that the rule reaches.
    pub matrix: bool,
    /// Parts of defect names. The proof then only finds the rules that notice these defects. Empty for a complete
    /// proof.
    pub matrix_of: Vec<String>,
    /// The unclaimed defects on which rules are tried.
    pub unclaimed: Unclaimed,
    /// The claims: which rule kills which defects.
    pub table: Arc<ProofTable>,
    /// The use of the table beyond its claims.
    pub hold: Hold,
}

/// The use of a proof's table beyond its claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hold {
    /// None.
    #[default]
    Claims,
    /// Rules that changed after their proof are proven although they were not selected, as are rules whose defects did.
    Stale,
    /// The table follows from the proof. Rules are also tried on defects that they kill on other products, and those
    /// that changed or kill too few defects on all that they reach.
    Raise,
}

/// The unclaimed defects that a proof tries. A proof tries such a defect only on rules that reach the defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unclaimed {
    /// If few rules were selected by name, the defects that no rule in the catalog claims; otherwise, none.
    #[default]
    Nobodys,
    /// All defects.
    All,
}

/// The maximum number of rules for which unclaimed defects are tried by default, so that a proof of a few rules
/// takes only seconds.
const FEW: usize = 8;

impl ProofOptions {
    /// True if the matrix has a row for a defect.
    fn has_row(&self, defect: &str) -> bool {
        self.matrix && (self.matrix_of.is_empty() || self.matrix_of.iter().any(|part| defect.contains(part.as_str())))
    }

    /// True if the proof only builds a matrix.
    fn only_matrix(&self) -> bool {
        !self.matrix_of.is_empty()
    }

    /// True if the table's rows follow from the proof.
    fn raises(&self) -> bool {
        self.hold == Hold::Raise
    }

    /// The defects that the proof expects a rule to kill on a product.
    fn claims<'a>(&'a self, rule: &'a str, product: &'a str) -> impl Iterator<Item = &'a str> {
        let rows = self.table.rows(rule);
        rows.filter(move |(_, row)| self.raises() || row.products.contains(product)).map(|(defect, _)| defect)
    }

    /// True if the proof tries unclaimed defects when `rules` rules are selected.
    fn tries(&self, rules: usize) -> bool {
        let few = !self.filter.is_empty() && rules <= FEW;
        self.matrix_of.is_empty() && !self.matrix && (self.unclaimed == Unclaimed::All || few)
    }
}

/// The proof for one product.
#[derive(Debug)]
pub struct Proof {
    pub product: String,
    pub seeds: u64,
    pub rules: Vec<RuleProof>,
    /// The number of configurations that ran.
    pub runs: usize,
    /// True if checks were removed.
    pub weakened: bool,
    /// True if the checks that no defect needs were tested with glitches.
    pub glitched: bool,
    /// The defects × rules matrix, if requested.
    pub matrix: Option<Matrix>,
    /// The defects that rules kill but do not claim. Empty if the proof tried no unclaimed defects.
    pub unclaimed: Vec<CouldClaim>,
}

/// A defect that a rule kills but does not claim.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CouldClaim {
    pub rule: String,
    pub defect: &'static str,
    pub subtle: bool,
    /// The number of other rules that claim the defect.
    pub claimed_by: usize,
}

impl Proof {
    /// The judged rules.
    pub fn judged(&self) -> impl Iterator<Item = &RuleProof> {
        self.rules.iter().filter(|rule| rule.skipped.is_none())
    }

    /// True if every applicable rule is proven and the matrix shows no rule that relies on blunt or duplicate defects.
    /// If the proof used glitches, every check must also be needed or have a reason to stay.
    pub fn holds(&self) -> bool {
        let judged: Vec<&RuleProof> = self.judged().collect();
        let proven = judged.iter().all(|rule| rule.gaps().is_empty());
        let sharp = self.matrix.as_ref().is_none_or(|matrix| matrix.gaps(&judged).is_empty());
        proven && sharp && (!self.glitched || self.judged().all(|rule| rule.unexplained().next().is_none()))
    }
}

/// Runs the proof for a target's product on simulated devices.
///
/// # Errors
/// Fails if the filter matches no rule, if the runtime has no simulated device, or if the file that the simulated
/// processes share cannot be read.
pub fn prove(target: &Target, seed: u64, options: &Options, proof: &ProofOptions) -> Result<Proof, RunError> {
    let (rules, selected) = select(target, proof)?;
    // A simulated call counts as hung after five seconds, or more on a slower machine.
    let most = 5 * u64::from(target.executor.scope.patience) / u64::from(LEAST_PATIENCE);
    let mut options = options.clone();
    options.tune.deadline = options.tune.deadline.min(most);
    options.simulator.schedule.get_or_insert(seed);
    let trial = Trial { target, seed, options, proof, rules: Mutex::new(rules), cells: Mutex::new(Vec::new()) };
    let tries = proof.tries(selected.len());
    let asks = proof.matrix || tries || (proof.variants.is_some() && !proof.every_variant);
    let reached = if asks { trial.reach(&selected)? } else { BTreeMap::new() };
    let configurations = configurations(&trial, &selected, &reached);
    trial.run(&configurations)?;
    let cells = if proof.raises() { claims::take(&trial, &selected)? } else { trial.cells() };
    if proof.glitches {
        trial.glitches(&selected)?;
    }
    let rules: Vec<RuleProof> =
        trial.rules.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect();
    let judged = rules.iter().filter(|rule| rule.skipped.is_none()).count();
    let mut unclaimed = if tries { could_claim(target, &proof.table, &cells) } else { Vec::new() };
    unclaimed.retain(|found| !rules.iter().any(|rule| rule.id == found.rule && rule.kills.contains_key(found.defect)));
    Ok(Proof {
        product: target.conditions.product.clone(),
        seeds: proof.seeds,
        rules,
        runs: configurations.len(),
        weakened: proof.weaken,
        glitched: proof.glitches,
        matrix: proof.matrix.then(|| Matrix::new(cells, judged, proof.filter.is_empty(), target.runtime.defects())),
        unclaimed,
    })
}

/// The defects that rules could claim, sorted by rule.
fn could_claim(target: &Target, table: &ProofTable, cells: &[Cell]) -> Vec<CouldClaim> {
    let claims = table.claimants();
    let killed = cells.iter().filter(|cell| cell.verdict.kills() && !cell.claimed);
    let mut found: Vec<CouldClaim> = killed
        .map(|cell| CouldClaim {
            rule: cell.rule.clone(),
            defect: cell.defect,
            subtle: is_subtle(target.runtime.defects(), cell.defect),
            claimed_by: claims.get(cell.defect).copied().unwrap_or(0),
        })
        .collect();
    found.sort();
    found
}

/// The selected rules, and the selected rules that apply to the target. With [`Hold::Stale`], also the rules whose
/// proof is too old.
fn select<'a>(
    target: &'a Target,
    proof: &ProofOptions,
) -> Result<(BTreeMap<String, RuleProof>, Vec<&'a Rule>), NothingSelected> {
    let defects = target.runtime.defects();
    let mut rules = BTreeMap::new();
    let mut selected = Vec::new();
    let filter = Filter { wanted: proof.filter.clone(), ..Filter::default() };
    let named: BTreeSet<String> = filter.select(&target.rules)?.into_iter().map(|planned| planned.id).collect();
    let product = &target.conditions.product;
    let stale = |rule: &Rule| proof.hold == Hold::Stale && proof.table.age(rule, product, defects) != ProofAge::Current;
    for rule in &target.rules.rules {
        let named = named.contains(&rule.id);
        if !named && !stale(rule) {
            continue;
        }
        let kills = || proof.claims(&rule.id, product);
        let undefined = || rule.hazard.map(|_| "undefined in the documents: observed, not judged".to_owned());
        // Such a rule records what the documents leave open, and no device can break it.
        let asks = || {
            let looks = proof.raises() && !proof.filter.is_empty();
            let nothing = rule.level == Level::Info && kills().next().is_none() && !looks;
            nothing.then(|| claims::OBSERVES.to_owned())
        };
        let cycle = || rule.cycle.then(|| "a cycle: soaks notice its defects, see ci/soak.sh".to_owned());
        let found = RuleProof {
            id: rule.id.clone(),
            chapter: target.rules.chapters[rule.chapter].name.clone(),
            level: rule.level,
            kills: kills().map(|name| (name.to_owned(), Tally::default())).collect(),
            subtle: kills().filter(|name| is_subtle(defects, name)).map(str::to_owned).collect(),
            noticed_by: BTreeMap::new(),
            passes_on: BTreeSet::new(),
            false_alarms: BTreeMap::new(),
            findings: BTreeMap::new(),
            blocked: BTreeMap::new(),
            cut: BTreeMap::new(),
            checks: CheckProof::all(rule),
            skipped: target.skip(rule).map(|skip| skip.to_string()).or_else(undefined).or_else(asks).or_else(cycle),
        };
        if found.skipped.is_none() {
            selected.push(rule);
        } else if !named {
            continue;
        }
        rules.insert(rule.id.clone(), found);
    }
    Ok((rules, selected))
}

fn configurations<'a>(
    trial: &Trial<'_>,
    selected: &[&'a Rule],
    reached: &BTreeMap<String, Vec<u8>>,
) -> Vec<Configuration<'a>> {
    let Some(device) = &trial.target.runtime.simulated else { return Vec::new() };
    let seeds = trial.proof.seeds.max(1);
    // The first seed must be small enough that the later seeds do not overflow.
    let first = trial.seed.min(u64::MAX - seeds);
    let product = &trial.target.conditions.product;
    let reaches = |rule: &Rule, index: usize| reached.get(&rule.id).is_some_and(|bits| reach::contains(bits, index));
    // These configurations take the longest, so each seed has a separate configuration. The threads then end at about
    // the same time.
    let each_seed = |device: Device, rules: Vec<&'a Rule>| {
        (first..first + seeds).map(move |seed| Configuration {
            device,
            seeds: (seed, 1),
            rules: rules.clone(),
            others: Vec::new(),
        })
    };
    let everywhere = |device: Device| each_seed(device, selected.to_vec());
    let mut configurations: Vec<Configuration<'a>> = Vec::new();
    let whole = !trial.proof.only_matrix();
    if whole {
        configurations.extend(everywhere(Device::Faithful(None)));
    }
    // If no device recorded anything, the defects that rules reach are unknown.
    let noted = reached.values().flatten().any(|byte| *byte != 0);
    let drawn =
        |name: &str| trial.proof.variants.is_some_and(|part| Distribution::by_id(part.of).part_of(name) == part.number);
    for variant in device.variants.iter().filter(|variant| drawn(variant.name)) {
        let asks = |rule: &&Rule| trial.proof.every_variant || !noted || reaches(rule, variant.index);
        let rules: Vec<&Rule> = selected.iter().copied().filter(asks).collect();
        if !rules.is_empty() {
            configurations.extend(each_seed(Device::Faithful(Some(variant.name)), rules));
        }
    }
    let (tries, claims) = (trial.proof.tries(selected.len()), trial.proof.table.claimants());
    let tried = |defect: &str| tries && (trial.proof.unclaimed == Unclaimed::All || !claims.contains_key(defect));
    let mut defects = Vec::new();
    for defect in device.defects {
        let (rules, others): (Vec<&Rule>, Vec<&Rule>) =
            selected.iter().partition(|rule| trial.proof.claims(&rule.id, product).any(|name| name == defect.name));
        let row = trial.proof.has_row(defect.name);
        let noticing = |rule: &&Rule| (row || tried(defect.name)) && reaches(rule, defect.index);
        let others: Vec<&Rule> = others.into_iter().filter(noticing).collect();
        if !(whole || row) {
            continue;
        }
        if !rules.is_empty() || !others.is_empty() {
            defects.push(Configuration { device: Device::Defect(defect.name), seeds: (first, seeds), rules, others });
        }
    }
    // The longest configurations come first, so that the threads end at about the same time.
    defects.sort_by_key(|configuration| std::cmp::Reverse(configuration.others.len()));
    configurations.extend(defects);
    if !whole {
        return configurations;
    }
    // Bad devices come last, because a check is removed on a bad device only if no defect needs the check.
    configurations.extend(device.bad_devices.iter().flat_map(|device| everywhere(Device::Bad(device.name))));
    configurations
}
