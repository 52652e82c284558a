//! The proof: does every rule notice the defects that it claims to kill, and nothing else? Which of its checks are needed
//! for that? Who notices a defect, and how often?
//!
//! Each configuration of the simulated device (faithful, one of the universal bad devices, one seeded defect) is a run
//! of its own; a configuration's rules share its workers.

mod glitch;
mod judge;
mod matrix;
mod ratchet;
mod report;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use simulator_contract::reach;

use crate::defects::{BAD_DEVICES, DEFECTS, VARIANTS};
use crate::run::{Options, Planned, Session, SessionError, plan};

pub use judge::{CheckProof, RuleProof, Tally};
pub use matrix::Matrix;
pub use ratchet::{Ratchet, raise};
pub use report::render;

use work::{Configuration, Device, Work};

/// What is to be proven.
#[derive(Debug, Clone)]
pub struct ProofOptions {
    /// Each configuration is run with so many seeds.
    pub seeds: u64,
    /// Configurations that run at the same time.
    pub jobs: usize,
    /// Only rules whose id contains one of these; empty: all.
    pub filter: Vec<String>,
    /// Also run every rule on every legal variant.
    pub variants: bool,
    /// Also leave out one check at a time.
    pub weaken: bool,
    /// Also hold the checks that no defect needs against devices that are right except once.
    pub glitches: bool,
    /// Also run every rule on every defect that it reaches.
    pub matrix: bool,
}

/// What was found out about one product.
#[derive(Debug)]
pub struct Proof {
    pub product: String,
    pub seeds: u64,
    pub rules: Vec<RuleProof>,
    /// Configurations run.
    pub runs: usize,
    /// Whether checks were left out.
    pub weakened: bool,
    /// Whether those that no defect needs were held against devices that are right except once.
    pub glitched: bool,
    /// Defect × rule, if that was asked for.
    pub matrix: Option<Matrix>,
}

impl Proof {
    /// The rules that were judged.
    pub fn judged(&self) -> impl Iterator<Item = &RuleProof> {
        self.rules.iter().filter(|rule| rule.skipped.is_none())
    }

    /// Whether every rule that applies is proven, none rests on blunt or equal defects where the matrix tells, and, where
    /// each check was asked for, each is needed or says why it stays.
    pub fn holds(&self) -> bool {
        let judged: Vec<&RuleProof> = self.judged().collect();
        let proven = judged.iter().all(|rule| rule.gaps().is_empty());
        let sharp = self.matrix.as_ref().is_none_or(|matrix| matrix.gaps(&judged).is_empty());
        proven && sharp && (!self.glitched || self.judged().all(|rule| rule.unexplained().next().is_none()))
    }
}

/// Runs the proof for the product of a session.
pub fn prove(session: &Session, options: &Options, proof: &ProofOptions) -> Result<Proof, SessionError> {
    let (rules, selected) = select(session, proof);
    // A simulated call that takes longer than this hangs.
    let deadline = options.deadline.min(5);
    let work = Work {
        session,
        options: Options { seed: Some(session.header.seed), deadline, ..options.clone() },
        proof,
        rules: Mutex::new(rules),
        cells: Mutex::new(Vec::new()),
    };
    let reached = if proof.matrix { work.reach(&selected)? } else { BTreeMap::new() };
    let configurations = configurations(session, &selected, proof, &reached);
    work.run(&configurations)?;
    if proof.glitches {
        work.glitches(&selected)?;
    }
    let rules: Vec<RuleProof> = work.rules.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect();
    let cells = work.cells.into_inner().unwrap_or_else(PoisonError::into_inner);
    let judged = rules.iter().filter(|rule| rule.skipped.is_none()).count();
    Ok(Proof {
        product: session.target.product.clone(),
        seeds: proof.seeds,
        rules,
        runs: configurations.len(),
        weakened: proof.weaken,
        glitched: proof.glitches,
        matrix: proof.matrix.then(|| Matrix::new(cells, judged, proof.filter.is_empty())),
    })
}

/// The rules that were asked for, and those of them that apply.
fn select(session: &Session, proof: &ProofOptions) -> (BTreeMap<String, RuleProof>, Vec<Planned>) {
    let mut rules = BTreeMap::new();
    let mut selected = Vec::new();
    for planned in plan(&session.rules) {
        let Some(rule) = session.rules.rule(&planned.id) else { continue };
        if !proof.filter.is_empty() && !proof.filter.iter().any(|part| rule.id.contains(part.as_str())) {
            continue;
        }
        let skipped = match session.skip(rule) {
            Some(reason) => Some(reason),
            None if rule.hazard.is_some() => Some("undefined by the documents: observed, never judged".to_owned()),
            None => None,
        };
        let found = RuleProof {
            id: rule.id.clone(),
            chapter: planned.chapter.clone(),
            level: rule.level,
            kills: rule.kills_on(&session.target.product).map(|name| (name.to_owned(), Tally::default())).collect(),
            passes_on: BTreeSet::new(),
            false_alarms: BTreeMap::new(),
            checks: CheckProof::all(&session.rules, rule),
            skipped,
        };
        if found.skipped.is_none() {
            selected.push(planned);
        }
        rules.insert(rule.id.clone(), found);
    }
    (rules, selected)
}

fn configurations(
    session: &Session,
    selected: &[Planned],
    proof: &ProofOptions,
    reached: &BTreeMap<String, Vec<u8>>,
) -> Vec<Configuration> {
    let (first, seeds) = (session.header.seed, proof.seeds.max(1));
    let product = &session.target.product;
    // A seed at a time: these take the longest, and the threads should end together.
    let everywhere = |device: Device| {
        (first..first + seeds).map(move |seed| Configuration {
            device,
            seeds: (seed, 1),
            rules: selected.to_vec(),
            others: Vec::new(),
        })
    };
    let mut configurations: Vec<Configuration> = everywhere(Device::Faithful(None)).collect();
    if proof.variants {
        configurations.extend(VARIANTS.iter().flat_map(|variant| everywhere(Device::Faithful(Some(variant.name)))));
    }
    let mut defects = Vec::new();
    for defect in DEFECTS {
        let (rules, others): (Vec<&Planned>, Vec<&Planned>) = selected.iter().partition(|planned| {
            let rule = session.rules.rule(&planned.id);
            rule.is_some_and(|rule| rule.kills_on(product).any(|name| name == defect.name))
        });
        let reaches =
            |planned: &&Planned| reached.get(&planned.id).is_some_and(|bits| reach::contains(bits, defect.index));
        let others: Vec<Planned> = others.into_iter().filter(reaches).cloned().collect();
        if !rules.is_empty() || !others.is_empty() {
            let rules = rules.into_iter().cloned().collect();
            defects.push(Configuration { device: Device::Defect(defect.name), seeds: (first, seeds), rules, others });
        }
    }
    // The longest first, so that the threads end together.
    defects.sort_by_key(|configuration| std::cmp::Reverse(configuration.others.len()));
    configurations.extend(defects);
    // Last: there a check is left out only if no defect needs it.
    configurations.extend(BAD_DEVICES.iter().flat_map(|device| everywhere(Device::Bad(device.name))));
    configurations
}
