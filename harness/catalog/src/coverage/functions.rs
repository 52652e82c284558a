//! The functions of the documents: what each product documents, and whether rules judge or observe a function there.

use std::collections::{BTreeMap, BTreeSet};

use super::judges;
use crate::{Rule, Rules, SupportEntry, offered};

/// The treatment of a function by rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FunctionState {
    /// A `must` rule calls the function.
    Judged,
    /// Only rules that are not judged call the function.
    Observed,
    /// The support table says why no rule calls the function.
    Outside,
    /// No rule calls the function, and no reason is known.
    Open,
}

/// A function on a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnProduct {
    /// True if the documents say that the product supports the function, false if they say that it does not. `None` if
    /// they say nothing.
    pub documented: Option<bool>,
    /// The treatment of the function on the product.
    pub state: FunctionState,
}

/// A function of the documents.
#[derive(Debug)]
pub struct FunctionCoverage<'a> {
    pub name: &'a str,
    pub entry: &'a SupportEntry,
    /// The best state on any product.
    pub state: FunctionState,
    /// By product, in the order of [`Rules::products`].
    pub products: Vec<OnProduct>,
}

/// The functions of the support table, by name.
pub fn functions(rules: &Rules) -> Vec<FunctionCoverage<'_>> {
    let mut calls = Calls::default();
    for rule in &rules.rules {
        calls.note(rule, &products_of(rule, rules));
    }
    calls.functions(rules)
}

/// The products that offer what a rule uses.
pub(super) fn products_of<'a>(rule: &Rule, rules: &'a Rules) -> BTreeSet<&'a str> {
    let all = rules.products.iter().map(|product| product.id.as_str());
    all.filter(|product| offered(rule, product, rules).is_ok()).collect()
}

/// For each function, the products on which rules call it.
#[derive(Debug, Default)]
pub(super) struct Calls<'a> {
    judged: BTreeMap<&'a str, BTreeSet<&'a str>>,
    observed: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Calls<'a> {
    /// Notes the calls of a rule, which runs on the given products.
    pub(super) fn note(&mut self, rule: &'a Rule, on: &BTreeSet<&'a str>) {
        let calls = if judges(rule) { &mut self.judged } else { &mut self.observed };
        for name in rule.program.function_names() {
            calls.entry(name).or_default().extend(on);
        }
    }

    /// True if a judged rule calls a function on a product.
    pub(super) fn judged(&self, name: &str, product: &str) -> bool {
        self.judged.get(name).is_some_and(|on| on.contains(product))
    }

    /// The functions of the support table, by name.
    pub(super) fn functions(&self, rules: &'a Rules) -> Vec<FunctionCoverage<'a>> {
        rules.support.iter().map(|(name, entry)| self.function(name, entry, rules)).collect()
    }

    fn function(&self, name: &'a str, entry: &'a SupportEntry, rules: &Rules) -> FunctionCoverage<'a> {
        let listed = |list: &[String], product: &str| list.iter().any(|known| known == product);
        let observed = |product: &str| self.observed.get(name).is_some_and(|on| on.contains(product));
        let state = |product: &str| match entry.outside {
            _ if self.judged(name, product) => FunctionState::Judged,
            _ if observed(product) => FunctionState::Observed,
            Some(_) => FunctionState::Outside,
            None => FunctionState::Open,
        };
        let products = rules.products.iter().map(|product| OnProduct {
            documented: match () {
                () if listed(&entry.unsupported, &product.id) => Some(false),
                () if listed(&entry.supported, &product.id) => Some(true),
                () => None,
            },
            state: state(&product.id),
        });
        let products: Vec<OnProduct> = products.collect();
        let state = products.iter().map(|on| on.state).min().unwrap_or(FunctionState::Open);
        FunctionCoverage { name, entry, state, products }
    }
}
