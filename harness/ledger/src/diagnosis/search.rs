//! The search for the defects that explain a run.

use std::collections::BTreeMap;

use dictionary::{Current, Signature};
use record::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::{Evidence, Outcome};
use super::model::Model;
use super::suggest::{Suggestion, suggest};

/// An explanation is named only if at least this share of the failures and of the expected failures agree.
const FITS: f64 = 0.6;
/// A further defect must raise the logarithm of the likelihood by this much in addition to that of its prior.
const MARGIN: f64 = 4.0;
/// The maximum number of defects in an explanation.
const MOST: usize = 3;
/// The number of candidates that are combined with every other defect.
const TRIED: usize = 40;
/// The number of candidates in a report.
const SHOWN: usize = 5;
/// Likelihoods are shares after this power: rules are less independent than the model assumes.
const TEMPER: f64 = 0.3;
/// From this probability on, a rule that held speaks against a defect.
const EXPECTED: f64 = 0.9;
/// From this number of points on, a defect explains a failure.
const EXPLAINED: f64 = 0.6;

/// A seeded defect, with those that the dictionary cannot tell from it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Mechanism {
    /// The defect's name.
    pub defect: String,
    /// The defect's sentence. The device behaves as if it were true; nothing is known about its code.
    pub sentence: String,
    /// The defects that fail the same rules in the same way, by name.
    pub same: Vec<String>,
}

/// A candidate: a single defect that could explain the run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Candidate {
    #[serde(flatten)]
    pub mechanism: Mechanism,
    /// The likelihood among single defects, from 0 to 1.
    pub likelihood: f64,
    /// The logarithm of the likelihood ratio between a device with this defect and a faithful one.
    pub score: f64,
    /// The number of failures that the defect explains.
    pub explains: usize,
    /// The evidence against the defect: failures that it does not explain, and rules that should have failed.
    pub against: Vec<String>,
}

/// The diagnosis of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// The product whose dictionary was used.
    pub product: String,
    /// The number of failed rules that the dictionary knows.
    pub failures: usize,
    /// The defects that together explain the run; empty if none of the dictionary's defects do.
    pub explanation: Vec<Mechanism>,
    /// The share of failures and expected failures that agree with the best explanation, from 0 to 1.
    pub fit: f64,
    /// The evidence against the explanation: failures that it leaves, and rules that should have failed.
    pub against: Vec<String>,
    /// The best single defects, best first.
    pub candidates: Vec<Candidate>,
    /// The cheapest rules and cases that would tell the candidates apart.
    pub next: Vec<Suggestion>,
    /// Failed rules that the dictionary does not know with their present text.
    pub unknown: Vec<String>,
    /// Parts of the dictionary that no longer hold.
    pub stale: Vec<String>,
}

/// Diagnoses a run. A run without a broken rule gets no candidates.
pub fn diagnose(current: &Current, evidence: &Evidence) -> Diagnosis {
    let failures: Vec<(usize, &Signature)> = evidence.failures().collect();
    let mut found = Diagnosis {
        product: current.dictionary.product.clone(),
        failures: failures.len(),
        explanation: Vec::new(),
        fit: 0.0,
        against: Vec::new(),
        candidates: Vec::new(),
        next: Vec::new(),
        unknown: evidence.unknown.clone(),
        stale: current.stale.clone(),
    };
    let model = Model::new(current, evidence);
    if !evidence.broken || failures.is_empty() || model.is_empty() {
        return found;
    }
    let classes = Classes::of(current);
    // A defect that no rule notices explains nothing.
    let noticed = (0..model.len()).filter(|defect| model.is_noticed(*defect));
    let mut ranked: Vec<(f64, usize)> = noticed.map(|defect| (model.score(&[defect]), defect)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    // Of the defects that cannot be distinguished, the first one stands for all.
    let mut seen = Vec::new();
    ranked.retain(|(_, defect)| {
        let class = classes.of[*defect];
        let new = !seen.contains(&class);
        seen.push(class);
        new
    });
    if ranked.is_empty() {
        return found;
    }
    let best = combine(&model, &ranked);
    let fit = Fit::of(&model, &best);
    let mechanism = |defect: usize| classes.mechanism(current, defect);
    found.fit = fit.share;
    found.against = fit.against(current);
    if fit.share >= FITS {
        found.explanation = best.iter().map(|defect| mechanism(*defect)).collect();
    }
    let likelihoods = likelihoods(&ranked);
    let shown = ranked.iter().zip(&likelihoods).filter(|((score, _), _)| *score > 0.0).take(SHOWN);
    found.candidates = shown
        .map(|((score, defect), likelihood)| {
            let fit = Fit::of(&model, &[*defect]);
            let (explains, against) = (failures.len() - fit.unexplained.len(), fit.against(current));
            Candidate { mechanism: mechanism(*defect), likelihood: *likelihood, score: *score, explains, against }
        })
        .collect();
    let open: Vec<(usize, f64)> =
        ranked.iter().zip(&likelihoods).map(|((_, defect), likelihood)| (*defect, *likelihood)).take(SHOWN).collect();
    found.next = suggest(&model, &open);
    found
}

impl Diagnosis {
    /// The named mechanisms, best first: the explanation, then the other candidates.
    pub fn ranking(&self) -> Vec<&Mechanism> {
        let others = self.candidates.iter().map(|candidate| &candidate.mechanism);
        let others = others.filter(|other| !self.explanation.iter().any(|named| named.defect == other.defect));
        self.explanation.iter().chain(others).collect()
    }
}

/// The shares of the likelihood.
fn likelihoods(ranked: &[(f64, usize)]) -> Vec<f64> {
    let best = ranked.first().map_or(0.0, |(score, _)| *score);
    let weights: Vec<f64> = ranked.iter().map(|(score, _)| ((score - best) * TEMPER).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// The best set of defects: the best one, or more if they explain much more.
fn combine(model: &Model<'_>, ranked: &[(f64, usize)]) -> Vec<usize> {
    let price = (ranked.len().max(2) as f64).ln() + MARGIN;
    let Some((mut score, first)) = ranked.first().copied() else { return Vec::new() };
    let mut best = vec![first];
    // Pairs: any of the best defects with any other one. A defect that explains half of the failures of two may not be
    // the best single one.
    let mut pair: Option<(f64, Vec<usize>)> = None;
    for (position, (_, one)) in ranked.iter().take(TRIED).enumerate() {
        for (_, other) in ranked.iter().skip(position + 1).filter(|(_, other)| adds(model, *one, *other)) {
            let both = model.score(&[*one, *other]);
            if pair.as_ref().is_none_or(|(known, _)| both > *known) {
                pair = Some((both, vec![*one, *other]));
            }
        }
    }
    if let Some((both, defects)) = pair.filter(|(both, _)| *both > score + price) {
        (score, best) = (both, defects);
    }
    while best.len() > 1 && best.len() < MOST {
        let more = ranked.iter().filter(|(_, defect)| !best.contains(defect)).map(|(_, defect)| {
            let mut set = best.clone();
            set.push(*defect);
            (model.score(&set), set)
        });
        match more.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(more, _)| *more > score + price) {
            Some((more, set)) => (score, best) = (more, set),
            None => break,
        }
    }
    best
}

/// True if the second defect fails a rule that failed and that the first one does not fail.
fn adds(model: &Model<'_>, one: usize, other: usize) -> bool {
    model.evidence.failures().any(|(rule, _)| model.cell(other, rule).is_some() && model.cell(one, rule).is_none())
        || model.evidence.failures().any(|(rule, seen)| {
            let points = |defect| model.explains(defect, rule, seen).unwrap_or(0.0);
            points(other) > points(one)
        })
}

/// The agreement of a set of defects with a run.
struct Fit {
    share: f64,
    /// The failures that no defect explains, each with the check that failed.
    unexplained: Vec<(usize, Option<String>)>,
    /// The rules that held although a defect should have made them fail.
    missing: Vec<usize>,
}

impl Fit {
    fn of(model: &Model<'_>, defects: &[usize]) -> Fit {
        let (mut agreed, mut unexplained, mut missing) = (0.0, Vec::new(), Vec::new());
        let mut failures = 0;
        for (rule, seen) in model.evidence.failures() {
            failures += 1;
            let points = defects.iter().filter_map(|defect| model.explains(*defect, rule, seen)).fold(0.0, f64::max);
            agreed += points;
            if points < EXPLAINED {
                unexplained.push((rule, seen.check.clone()));
            }
        }
        for (rule, (outcome, cases)) in &model.evidence.outcomes {
            let expected = |defect: &usize| {
                model.cell(*defect, *rule).is_some() && model.fails(*defect, *rule, *cases) >= EXPECTED
            };
            if *outcome == Outcome::Held && defects.iter().any(expected) {
                missing.push(*rule);
            }
        }
        let all = failures as f64 + missing.len() as f64;
        Fit { share: if all > 0.0 { agreed / all } else { 0.0 }, unexplained, missing }
    }

    fn against(&self, current: &Current) -> Vec<String> {
        let id = |rule: usize| &current.dictionary.rules[rule].id;
        let unexplained = self.unexplained.iter().map(|(rule, check)| match check {
            Some(check) => format!("does not explain {}: `{check}`", id(*rule)),
            None => format!("does not explain {}", id(*rule)),
        });
        let missing = self.missing.iter().map(|rule| format!("{} should fail, but held", id(*rule)));
        unexplained.chain(missing).collect()
    }
}

/// Defects that fail the same rules in the same way.
struct Classes {
    /// The class of each row.
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Classes {
    fn of(current: &Current) -> Classes {
        type Print = Vec<(u32, Verdict, Option<u32>, Option<u32>, Option<u32>)>;
        let mut known: BTreeMap<Print, usize> = BTreeMap::new();
        let (mut of, mut members): (Vec<usize>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        for (at, (row, _)) in current.rows().enumerate() {
            let cells = current.cells(row).map(|cell| (cell.rule, cell.verdict, cell.check, cell.code, cell.shape));
            let class = *known.entry(cells.collect()).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[class].push(at);
            of.push(class);
        }
        Classes { of, members }
    }

    fn mechanism(&self, current: &Current, defect: usize) -> Mechanism {
        let rows: Vec<_> = current.rows().collect();
        let (row, sentence) = rows[defect];
        let others = self.members[self.of[defect]].iter().filter(|other| **other != defect);
        let same = others.map(|other| rows[*other].0.defect.clone()).collect();
        Mechanism { defect: row.defect.clone(), sentence: sentence.to_owned(), same }
    }
}
