//! The proof: does every rule notice the defects that it claims to kill, and nothing else?
//!
//! Each configuration of the simulated device (faithful, one of the universal bad devices, one seeded defect) is a run
//! of its own; a configuration's rules share its workers.

mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::defects::{BAD_DEVICES, DEFECTS, VARIANTS};
use crate::record::{Level, RuleResult, Verdict};
use crate::run::{Options, Planned, Session, SessionError, plan};

pub use report::render;

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
}

/// What was found out about one product.
#[derive(Debug)]
pub struct Proof {
    pub product: String,
    pub seeds: u64,
    pub rules: Vec<RuleProof>,
    /// Configurations run.
    pub runs: usize,
}

/// What was found out about one rule.
#[derive(Debug)]
pub struct RuleProof {
    pub id: String,
    pub level: Level,
    /// Why the rule does not apply to the product, or is not judged.
    pub skipped: Option<String>,
    /// Defect → seeds with which the rule failed.
    pub kills: BTreeMap<String, u64>,
    /// Bad devices on which the rule passed.
    pub passes_on: BTreeSet<String>,
    /// Faithful devices (`faithful`, or a variant) on which the rule did not pass, with what it said.
    pub false_alarms: BTreeMap<String, String>,
}

impl RuleProof {
    /// The defects that the rule did not notice often enough.
    pub fn survived(&self, seeds: u64) -> Vec<&str> {
        self.kills.iter().filter(|(_, killed)| **killed * 20 < seeds * 19).map(|(name, _)| name.as_str()).collect()
    }

    /// What keeps the rule from being proven; empty: it is proven.
    pub fn gaps(&self, seeds: u64) -> Vec<String> {
        let mut gaps = Vec::new();
        for name in self.survived(seeds) {
            gaps.push(format!("{name} survives ({} of {seeds} seeds kill it)", self.kills[name]));
        }
        if self.kills.len() < 2 {
            gaps.push(format!("{} defects are claimed for this product, two are needed", self.kills.len()));
        }
        if !self.kills.keys().any(|name| DEFECTS.iter().any(|defect| defect.name == name && defect.subtle)) {
            gaps.push("none of the claimed defects is subtle".to_owned());
        }
        // What no document promises may look fine on a device that does nothing.
        if self.level == Level::Must {
            gaps.extend(self.passes_on.iter().map(|device| format!("passes on {device}")));
        }
        gaps.extend(self.false_alarms.iter().map(|(device, what)| format!("false alarm on {device}: {what}")));
        gaps
    }
}

impl Proof {
    /// Whether every rule that applies is proven.
    pub fn holds(&self) -> bool {
        self.rules.iter().filter(|rule| rule.skipped.is_none()).all(|rule| rule.gaps(self.seeds).is_empty())
    }
}

/// A device to run on, with the rules that are of interest there.
struct Configuration {
    name: Option<&'static str>,
    seed: u64,
    rules: Vec<Planned>,
}

/// Runs the proof for the product of a session.
pub fn prove(session: &Session, options: &Options, proof: &ProofOptions) -> Result<Proof, SessionError> {
    let mut rules: BTreeMap<String, RuleProof> = BTreeMap::new();
    let mut selected: Vec<Planned> = Vec::new();
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
        if skipped.is_none() {
            selected.push(planned);
        }
        let kills = rule.kills_on(&session.target.product).map(|name| (name.to_owned(), 0)).collect();
        rules.insert(
            rule.id.clone(),
            RuleProof {
                id: rule.id.clone(),
                level: rule.level,
                skipped,
                kills,
                passes_on: BTreeSet::new(),
                false_alarms: BTreeMap::new(),
            },
        );
    }
    let configurations = configurations(session, &selected, proof);
    let runs = configurations.len();
    let rules = Mutex::new(rules);
    let trouble = Mutex::new(None);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..proof.jobs.max(1) {
            scope.spawn(|| {
                while let Some(configuration) = configurations.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match run(session, options, configuration) {
                        Ok(results) => {
                            let mut rules = rules.lock().unwrap_or_else(PoisonError::into_inner);
                            for result in results {
                                if let Some(rule) = rules.get_mut(&result.id) {
                                    note(rule, configuration, &result);
                                }
                            }
                        }
                        Err(error) => {
                            trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                        }
                    }
                }
            });
        }
    });
    if let Some(error) = trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let rules = rules.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect();
    Ok(Proof { product: session.target.product.clone(), seeds: proof.seeds, rules, runs })
}

fn configurations(session: &Session, selected: &[Planned], proof: &ProofOptions) -> Vec<Configuration> {
    let mut configurations = Vec::new();
    let first = session.header.seed;
    for seed in first..first + proof.seeds.max(1) {
        let mut everywhere: Vec<Option<&'static str>> = vec![None];
        everywhere.extend(BAD_DEVICES.iter().map(|device| Some(device.name)));
        if proof.variants {
            everywhere.extend(VARIANTS.iter().map(|variant| Some(variant.name)));
        }
        configurations.extend(everywhere.into_iter().map(|name| Configuration {
            name,
            seed,
            rules: selected.to_vec(),
        }));
        for defect in DEFECTS {
            let claimed = |planned: &&Planned| {
                let rule = session.rules.rule(&planned.id);
                rule.is_some_and(|rule| rule.kills_on(&session.target.product).any(|name| name == defect.name))
            };
            let rules: Vec<Planned> = selected.iter().filter(claimed).cloned().collect();
            if !rules.is_empty() {
                configurations.push(Configuration { name: Some(defect.name), seed, rules });
            }
        }
    }
    configurations
}

fn run(session: &Session, options: &Options, configuration: &Configuration) -> Result<Vec<RuleResult>, SessionError> {
    let defects = configuration.name.map(str::to_owned).into_iter().collect();
    // A simulated call that takes longer than this hangs.
    let deadline = options.deadline.min(5);
    let options = Options { seed: Some(configuration.seed), deadline, ..options.clone() };
    let session = session.with_defects(&options, defects)?;
    Ok(configuration.rules.iter().map(|planned| session.execute(planned)).collect())
}

fn note(rule: &mut RuleProof, configuration: &Configuration, result: &RuleResult) {
    let passed = matches!(result.verdict, Verdict::Pass | Verdict::Exceeds | Verdict::Observed);
    let failed = matches!(result.verdict, Verdict::Fail | Verdict::WrongCode);
    match configuration.name {
        Some(name) if name.starts_with("bad.") => {
            if passed {
                rule.passes_on.insert(name.to_owned());
            }
        }
        Some(name) if !name.starts_with("variant.") => {
            if failed && let Some(kills) = rule.kills.get_mut(name) {
                *kills += 1;
            }
        }
        name => {
            if !passed {
                let what = format!("{}: {}", result.verdict, result.reason);
                rule.false_alarms.insert(name.unwrap_or("faithful").to_owned(), what);
            }
        }
    }
}
