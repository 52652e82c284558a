//! The functions of the documents: what each product documents, and whether rules judge or observe a function there.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Level, Rules, SupportEntry, offered};

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

impl FunctionState {
    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            FunctionState::Judged => "judged",
            FunctionState::Observed => "observed",
            FunctionState::Outside => "outside",
            FunctionState::Open => "open",
        }
    }
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
    let mut judged: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut observed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for rule in &rules.rules {
        let judges = rule.level == Level::Must && rule.hazard.is_none();
        let on = rules.products.iter().map(|product| product.id.as_str());
        let on: Vec<&str> = on.filter(|product| offered(rule, product, rules).is_ok()).collect();
        let calls = if judges { &mut judged } else { &mut observed };
        for name in rule.program.function_names() {
            calls.entry(name).or_default().extend(&on);
        }
    }
    let calls = |calls: &BTreeMap<&str, BTreeSet<&str>>, name: &str, product: &str| {
        calls.get(name).is_some_and(|on| on.contains(product))
    };
    let of = |(name, entry): (&'_ String, &'_ SupportEntry)| {
        let listed = |list: &[String], product: &str| list.iter().any(|known| known == product);
        let state = |product: &str| match entry.outside {
            _ if calls(&judged, name, product) => FunctionState::Judged,
            _ if calls(&observed, name, product) => FunctionState::Observed,
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
        products.collect::<Vec<_>>()
    };
    let with_products = rules.support.iter().map(|(name, entry)| (name, entry, of((name, entry))));
    let coverage = with_products.map(|(name, entry, products)| FunctionCoverage {
        name,
        entry,
        state: products.iter().map(|on| on.state).min().unwrap_or(FunctionState::Open),
        products,
    });
    coverage.collect()
}
