//! Coverage of the documents by rules: the state of each clause, and the functions and values that no rule judges.
//! [`Coverage::of`] is the entry point; [`Threshold`] contains the shares that must not fall.

mod functions;
mod threshold;

pub use functions::{FunctionCoverage, FunctionState, OnProduct, functions};
pub use threshold::{Threshold, ThresholdError};

use std::collections::{BTreeMap, BTreeSet};

use steps::judgment::{judgments, reported};
use steps::program::Domain;

use functions::{Calls, products_of};

use crate::{Clause, DUPLICATE, Level, Modality, PageEntry, Readings, Rule, Rules, identifiers};

/// The coverage of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClauseState {
    /// A check in a `must` rule rests on the clause, or fails if the clause does not hold.
    Judged,
    /// Only checks that are reported without being judged rest on the clause.
    Observed,
    /// No rule can judge the clause; the clause gives the reason.
    Untestable,
    /// The clause states a duty of the caller, a meaning or a size. Rules comply with the clause, and there is nothing
    /// to judge.
    Kept,
    /// No check rests on the clause.
    Uncovered,
}

impl ClauseState {
    /// All states, in report order.
    pub const ALL: [ClauseState; 5] = [
        ClauseState::Judged,
        ClauseState::Observed,
        ClauseState::Untestable,
        ClauseState::Kept,
        ClauseState::Uncovered,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ClauseState::Judged => "judged",
            ClauseState::Observed => "observed",
            ClauseState::Untestable => "untestable",
            ClauseState::Kept => "kept",
            ClauseState::Uncovered => "uncovered",
        }
    }
}

/// A clause, and the rules that rest on it.
#[derive(Debug)]
pub struct CoveredClause<'a> {
    pub clause: &'a Clause,
    pub state: ClauseState,
    /// Rules with a check that rests on the clause.
    pub rules: BTreeSet<&'a str>,
    /// The products on which a judged check rests on the clause.
    pub products: BTreeSet<&'a str>,
}

impl CoveredClause<'_> {
    /// True if the clause promises an outcome, which a rule should judge.
    pub fn promises(&self) -> bool {
        self.clause.modality.promises()
    }
}

/// A function or value, with the products that offer it but on which no judged rule uses it.
#[derive(Debug)]
pub struct Unjudged<'a> {
    pub name: &'a str,
    pub products: Vec<&'a str>,
}

/// The coverage of a catalog.
#[derive(Debug)]
pub struct Coverage<'a> {
    pub rules: &'a Rules,
    /// The checks that a second reader has read.
    pub readings: Readings,
    /// The clauses, in catalog order.
    pub clauses: Vec<CoveredClause<'a>>,
    /// The functions in the support table that are not judged on every product that offers them, by name.
    pub functions: Vec<Unjudged<'a>>,
    /// The functions of the support table, by name.
    pub support: Vec<FunctionCoverage<'a>>,
    /// The enumerators that no judged rule names, although judged rules use their enumerations. Their lists of products
    /// are empty.
    pub values: Vec<Unjudged<'a>>,
    /// Product → the number of `must` rules that apply to it.
    pub products: BTreeMap<&'a str, usize>,
}

/// The coverage of the functions that a page describes.
#[derive(Debug)]
pub struct PageCoverage<'a> {
    /// The page's name in chapters of clauses.
    pub page: &'a str,
    /// The functions that the page describes.
    pub functions: usize,
    /// The functions with a clause that is judged.
    pub judged: usize,
    /// The names of functions without a clause.
    pub open: Vec<&'a str>,
}

impl<'a> Coverage<'a> {
    /// Collects the coverage of a catalog.
    pub fn of(rules: &'a Rules, readings: Readings) -> Coverage<'a> {
        let mut clauses: Vec<CoveredClause<'a>> = rules.book.clauses.iter().map(unseen).collect();
        let mut noticed: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (position, clause) in rules.book.clauses.iter().enumerate() {
            for rule in &clause.noticed_by {
                noticed.entry(rule).or_default().push(position);
            }
        }
        let mut calls = Calls::default();
        let mut products: BTreeMap<&'a str, usize> =
            rules.products.iter().map(|product| (product.id.as_str(), 0)).collect();
        for rule in &rules.rules {
            let judging = judges(rule);
            let noticed = noticed.get(rule.id.as_str()).into_iter().flatten().map(|clause| (*clause, true));
            let on = products_of(rule, rules);
            calls.note(rule, &on);
            for (clause, judged) in resting(rule).into_iter().chain(noticed) {
                let covered = &mut clauses[clause];
                let state = if judging && judged { ClauseState::Judged } else { ClauseState::Observed };
                covered.state = covered.state.min(state);
                covered.rules.insert(&rule.id);
                if state == ClauseState::Judged {
                    covered.products.extend(&on);
                }
            }
            for product in on.iter().filter(|_| judging) {
                *products.entry(product).or_default() += 1;
            }
        }
        settle_duplicates(rules, &mut clauses);
        let functions = rules.support.iter().filter_map(|(name, entry)| {
            let there = entry.supported.iter().filter(|product| !entry.unsupported.contains(product));
            let products: Vec<&str> =
                there.filter(|product| !calls.judged(name, product)).map(String::as_str).collect();
            (!products.is_empty()).then_some(Unjudged { name, products })
        });
        let functions = functions.collect();
        let support = calls.functions(rules);
        Coverage { rules, readings, clauses, functions, support, values: unjudged_values(rules), products }
    }

    /// The pages that were read in full, in the order of documents.yaml.
    pub fn pages(&self) -> Vec<PageCoverage<'a>> {
        let judged = self.clauses.iter().filter(|covered| covered.state == ClauseState::Judged);
        let judged: BTreeSet<(&str, &str)> =
            judged.map(|covered| (&*covered.clause.document, &*covered.clause.section)).collect();
        let documents = self.rules.documents.iter();
        let pages = documents.flat_map(|document| document.pages.iter().map(move |page| (&*document.id.value, page)));
        let of = |(document, page): (&str, &'a PageEntry)| PageCoverage {
            page: &page.page,
            functions: page.functions.len() + page.open.len(),
            judged: page.functions.iter().filter(|function| judged.contains(&(document, &*function.value))).count(),
            open: page.open.keys().map(String::as_str).collect(),
        };
        pages.map(of).filter(|page| page.functions > 0).collect()
    }

    /// The clauses of the chapter at a position.
    pub fn chapter(&self, chapter: usize) -> impl Iterator<Item = &CoveredClause<'a>> + '_ {
        self.clauses.iter().filter(move |covered| covered.clause.chapter == chapter)
    }

    /// The number of a chapter's promises and errors that are judged, observed or untestable, and the total number of
    /// its promises and errors.
    pub fn reached(&self, chapter: usize) -> (usize, usize) {
        let promises: Vec<_> = self.chapter(chapter).filter(|covered| covered.promises()).collect();
        (promises.iter().filter(|covered| covered.state != ClauseState::Uncovered).count(), promises.len())
    }
}

/// True if a rule's checks are judged.
fn judges(rule: &Rule) -> bool {
    rule.level == Level::Must && rule.hazard.is_none()
}

fn unseen(clause: &Clause) -> CoveredClause<'_> {
    let state = match clause.modality {
        _ if clause.untestable.is_some() => ClauseState::Untestable,
        Modality::Promise | Modality::Error | Modality::Prohibition => ClauseState::Uncovered,
        Modality::Reserved | Modality::Duty | Modality::Advice | Modality::Fact => ClauseState::Kept,
    };
    CoveredClause { clause, state, rules: BTreeSet::new(), products: BTreeSet::new() }
}

/// Marks the duplicates of uncovered sentences as uncovered.
fn settle_duplicates(rules: &Rules, clauses: &mut [CoveredClause<'_>]) {
    let book = &rules.book;
    let original = |clause: &Clause| book.positions.get(clause.untestable.as_deref()?.strip_prefix(DUPLICATE)?);
    // A duplicate of a duplicate is marked in the second round.
    for _ in 0..2 {
        for position in 0..clauses.len() {
            let uncovered = |at: &usize| clauses[*at].state == ClauseState::Uncovered;
            if original(clauses[position].clause).is_some_and(uncovered) {
                clauses[position].state = ClauseState::Uncovered;
            }
        }
    }
}

/// The positions of the clauses that a rule's checks rest on, each with true if the check is judged.
fn resting(rule: &Rule) -> Vec<(usize, bool)> {
    let judged = judgments(&rule.program).into_iter().map(|judged| (judged, true));
    let reported = reported(&rule.program).into_iter().map(|judged| (judged, false));
    let checks = judged.chain(reported).filter_map(|(check, judged)| Some((rule.ground(&check)?, judged)));
    let calls = rule.program.bare_calls().into_iter();
    let calls = calls.filter_map(|call| Some((rule.ground_named(call.rests_on?)?, true)));
    checks
        .chain(calls)
        .flat_map(|(ground, judged)| ground.clauses.iter().map(move |clause| (*clause, judged)))
        .collect()
}

/// The enumerators that no judged rule names, although judged rules use their enumerations.
fn unjudged_values(rules: &Rules) -> Vec<Unjudged<'_>> {
    let declarations = &rules.environment.declarations;
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for rule in rules.rules.iter().filter(|rule| judges(rule)) {
        used.extend(identifiers(&rule.program.source));
        for axis in &rule.program.axes {
            if let Domain::OneOf { written, .. } = &axis.domain {
                used.extend(written.iter().flat_map(|text| identifiers(text)));
            }
        }
    }
    let enumeration = |name: &str| Some(declarations.constant(name)?.1?.name);
    let known: BTreeSet<&str> = used.iter().filter_map(|name| enumeration(name)).collect();
    let mut values: Vec<&'static str> = declarations.constant_names().collect();
    values.sort_unstable();
    let unused = |name: &&str| !used.contains(name) && enumeration(name).is_some_and(|of| known.contains(of));
    values.into_iter().filter(unused).map(|name| Unjudged { name, products: Vec::new() }).collect()
}
